"""The choice among partitions: a model of how well a partition with such criteria agrees with the truth.

A sum of small regression trees, trained on generated families of shapes alone (`benchmarks/quality/train.py`): what it
predicts is the adjusted Rand index that partitions like this one had there, less a fifth for every factor of two
between the number of clusters and the true one, if that is to be found as well.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from ..._types import Floats, Ints
from .criteria import NAMES, OF_DATA

ONE = 0.3  # where no partition is expected to reach that, there is one cluster
CLOSE = 0.1  # partitions that near are as good where no number of clusters is given, and votes decide


class Judge(NamedTuple):
    """Complete binary trees, all of one depth.

    Attributes
    ----------
    start : float
        What the sum begins with.
    features, thresholds : arrays of shape (n_trees, 2^depth − 1)
        At each node, level by level, the number that is asked, and what it must not exceed to go left.
    values : array of shape (n_trees, 2^depth)
    """

    start: float
    features: Ints
    thresholds: Floats
    values: Floats

    @classmethod
    @cache
    def of(cls, name: str) -> Judge:
        """The judge "with_count" or "without_count"."""
        stored = json.loads(files(__package__).joinpath("judge.json").read_text("utf-8"))
        assert stored["criteria"] == [*NAMES, *OF_DATA]  # it was trained on these
        model = stored[name]
        features, thresholds, values = (np.array([tree[i] for tree in model["trees"]]) for i in range(3))
        return cls(model["start"], features, thresholds, values)

    def __call__(self, criteria: Floats) -> Floats:
        """The expected adjusted Rand index of each partition."""
        numbers, tree = asked(criteria), np.arange(len(self.features))
        at = np.zeros((len(numbers), len(tree)), np.intp)
        while at[0, 0] < self.features.shape[1]:
            number = np.take_along_axis(numbers, self.features[tree, at], axis=1)
            at = 2 * at + 1 + (number > self.thresholds[tree, at])
        return np.asarray(self.start + self.values[tree, at - self.features.shape[1]].sum(axis=1))


def asked(criteria: Floats) -> Floats:
    """What the judge goes by: the criteria of each partition, how far below the best they are, those of the data."""
    own = criteria[:, : len(NAMES)]
    return np.concatenate([own, own - own.max(axis=0), criteria[:, len(NAMES) :]], axis=1)
