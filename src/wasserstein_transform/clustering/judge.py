"""The judge: a model that predicts from criteria, which need no labels, how good a partition is.

It is a sum of small regression trees, trained on generated families of shapes only (`benchmarks/quality/train.py`): one
for points with up to three coordinates, one for tables with more, each with and without a given number of clusters. It
predicts the adjusted Rand index that partitions with similar criteria had there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..compute.trees.boosted_jit import sum_leaves
from .criteria import OF_DATA

NEWEST = 2
_DIGITS = 7  # of features and of expected values, after the point


class Rule(NamedTuple):
    """How a partition is chosen if the number of clusters is not given.

    Attributes
    ----------
    least : float
        If no split is expected to reach this, there is one cluster.
    whole : float
        The same, if the best split is not expected to be better than no split by more than this.
    close : float
        Splits whose expected values differ by less are equally good, and votes decide.
    """

    least: float
    whole: float
    close: float

    def choose(self, expected: Floats, counts: Ints, votes: Ints) -> int | None:
        """Return the chosen split; None if there is one cluster."""
        splits = np.where(counts > 1, expected, -np.inf)
        best = splits.max()
        if best < self.least or best <= expected[counts == 1].max(initial=-np.inf) + self.whole:
            return None
        return best_of(splits, votes, self.close)


def best_of(expected: Floats, votes: Ints, close: float = 0.0) -> int:
    """Return the partition with most votes among those expected to be nearly as good as the best."""
    near = expected >= expected.max() - close
    return int(np.lexsort((-np.arange(len(votes)), expected, np.where(near, votes, -1)))[-1])


@dataclass(frozen=True, eq=False)
class Judge:
    """A sum of complete binary trees of one depth.

    Attributes
    ----------
    names : tuple of str
        The criteria that it asks for.
    start : float
        Initial value of the sum.
    features, thresholds : arrays of shape (n_trees, 2^depth − 1)
        At each node, level by level, the feature to compare, and the largest value to go left.
    values : array of shape (n_trees, 2^depth)
        Values of the leaves.
    told : array of shape (2, n)
        Values of the sum, and the adjusted Rand index that chosen partitions of such values had in sets kept apart.
    rule : Rule
        How it chooses.
    """

    names: tuple[str, ...]
    start: float
    features: Ints
    thresholds: Floats
    values: Floats
    told: Floats
    rule: Rule

    @classmethod
    def of(cls, name: str, version: int = NEWEST) -> Judge:
        """Return a judge: "flat_with_count", "flat_without_count", "wide_with_count" or "wide_without_count"."""
        card, arrays = _read(version)
        own = {key.partition(".")[2]: value for key, value in arrays.items() if key.startswith(f"{name}.")}
        return cls(tuple(card["criteria"][name]), float(own.pop("start")), rule=Rule(*card["rules"][name]), **own)

    def __call__(self, criteria: dict[str, Floats]) -> Floats:
        """Return the expected value of each partition."""
        return self.of_features(features_of(criteria, self.names))

    def of_features(self, features: Floats) -> Floats:
        """Return the expected value of partitions with these features; their rounding decides nothing."""
        total = np.full(len(features), self.start)
        numbers = np.round(features, _DIGITS).astype(np.float32)
        sum_leaves(numbers, self.features, self.thresholds, self.values, total)
        return np.asarray(np.round(total, _DIGITS))

    def tell(self, expected: Floats) -> Floats:
        """Return the adjusted Rand index to expect of partitions of these values, if they are chosen."""
        return np.interp(expected, *self.told)


def features_of(criteria: dict[str, Floats], names: tuple[str, ...], ends: Floats | None = None) -> Floats:
    """Return the features: criteria of each partition, how far they are from the extremes, and those of the data."""
    own = np.column_stack([criteria[name] for name in names])
    largest, smallest = (own.max(axis=0), own.min(axis=0)) if ends is None else ends
    return np.concatenate([own, own - largest, own - smallest, np.column_stack([criteria[n] for n in OF_DATA])], axis=1)


def card_of(version: int = NEWEST) -> dict[str, Any]:
    """Return what is known about a judge: criteria, rules, training, how good it was on which families."""
    return dict(_read(version)[0])


def check_version(version: int | None) -> int:
    """Return the version of the judge; None means the newest."""
    if version is None:
        return NEWEST
    return check.count(version, "judge", 1, NEWEST, "versions")


@cache
def _read(version: int) -> tuple[dict[str, Any], dict[str, Any]]:
    folder = files(__package__).joinpath("judges")
    with folder.joinpath(f"{version}.npz").open("rb") as stream, np.load(stream) as arrays:
        return json.loads(folder.joinpath(f"{version}.json").read_text("utf-8")), dict(arrays)
