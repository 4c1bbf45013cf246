"""Sums of regression trees."""

from __future__ import annotations

from typing import Any

from ..jit import jit


@jit
def sum_leaves(numbers: Any, features: Any, thresholds: Any, values: Any, total: Any) -> None:
    """Add the leaf of each complete binary tree, whose nodes are listed level by level, to `total` for each row.

    A row goes left where its number is at most the threshold.
    """
    n_inner = features.shape[1]
    for row in range(numbers.shape[0]):
        for tree in range(features.shape[0]):
            node = 0
            while node < n_inner:
                node = 2 * node + 1 + (numbers[row, features[tree, node]] > thresholds[tree, node])
            total[row] += values[tree, node - n_inner]
