"""The choice among partitions: a model that predicts how well a partition agrees with the truth.

It is a sum of small regression trees, trained on generated families of shapes only (`benchmarks/quality/train.py`). It
predicts the adjusted Rand index that partitions with similar criteria had there; if the number of clusters is not
given, a fifth is subtracted for every factor of two between the number of clusters and the true one.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from ..._types import Floats, Ints
from .criteria import NAMES, OF_DATA

ONE = 0.3  # if no partition is expected to reach this, there is one cluster
CLOSE = 0.1  # difference below which partitions count as equally good without a given number, and votes decide


class Judge(NamedTuple):
    """A sum of complete binary trees of one depth.

    Attributes
    ----------
    start : float
        Initial value of the sum.
    features, thresholds : arrays of shape (n_trees, 2^depth − 1)
        At each node, level by level, the feature to compare, and the largest value to go left.
    values : array of shape (n_trees, 2^depth)
        Values of the leaves.
    """

    start: float
    features: Ints
    thresholds: Floats
    values: Floats

    @classmethod
    @cache
    def of(cls, name: str) -> Judge:
        """Return the judge "with_count" or "without_count"."""
        stored = json.loads(files(__package__).joinpath("judge.json").read_text("utf-8"))
        assert stored["criteria"] == [*NAMES, *OF_DATA]  # the criteria it was trained on
        model = stored[name]
        features, thresholds, values = (np.array([tree[i] for tree in model["trees"]]) for i in range(3))
        return cls(model["start"], features, thresholds, values)

    def __call__(self, criteria: Floats) -> Floats:
        """Return the expected adjusted Rand index of each partition."""
        numbers, tree = asked(criteria), np.arange(len(self.features))
        at = np.zeros((len(numbers), len(tree)), np.intp)
        while at[0, 0] < self.features.shape[1]:
            number = np.take_along_axis(numbers, self.features[tree, at], axis=1)
            at = 2 * at + 1 + (number > self.thresholds[tree, at])
        return np.asarray(self.start + self.values[tree, at - self.features.shape[1]].sum(axis=1))


def asked(criteria: Floats) -> Floats:
    """Return the features: criteria of each partition, their differences to the best, and criteria of the data."""
    own = criteria[:, : len(NAMES)]
    return np.concatenate([own, own - own.max(axis=0), criteria[:, len(NAMES) :]], axis=1)
