"""Clusters of points that converged: all points of a cluster are in one place."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints
from ..spaces import Euclidean, Space, quotient

MERGE_TOL = 1e-3
"""In units of eps: points within this distance are in one place."""

_MAX_BLOCK = 1 << 20  # distances in memory at a time


def merge_converged(space: Space, eps: float) -> tuple[Ints, Floats]:
    """Labels, numbered from the largest mass, ties by place, and the places; points without mass get the nearest."""
    assert space.points is not None
    heavy = np.flatnonzero(space.weights > 0)
    merged = quotient(space if len(heavy) == space.n else space.take(heavy), MERGE_TOL * eps)
    assert merged.space.points is not None
    order = np.lexsort((*merged.space.points.T[::-1], -np.round(merged.space.weights, 12)))
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    centers = merged.space.points[order]
    labels = np.empty(space.n, np.intp)
    labels[heavy] = rank[merged.labels]
    light = np.flatnonzero(space.weights == 0)
    labels[light] = nearest_center(space.points[light], centers)
    return labels, centers


def nearest_center(points: Floats, centers: Floats) -> Ints:
    """The index of the nearest center of each point."""
    both, n = Euclidean(np.concatenate([points, centers])), len(points)
    step, cols, nearest = max(1, _MAX_BLOCK // len(centers)), np.arange(n, both.n), np.empty(n, np.intp)
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        nearest[rows] = both.block(rows, cols).argmin(axis=1)
    return nearest
