"""Clusters of points that converged to the same place."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints
from ..spaces import Euclidean, Space, quotient
from .cut import cut_tree
from .tree import spanning_tree

_BLOCK_DISTANCES = 1 << 20  # distances computed at a time
TOGETHER = 1e-3  # in units of eps: points within this distance are in the same place


def resting_places(space: Space, eps: float) -> tuple[Ints, Floats]:
    """Labels, numbered from the largest mass, and the places; points without mass get the nearest place."""
    assert space.points is not None
    heavy = np.flatnonzero(space.weights > 0)
    places = quotient(space if len(heavy) == space.n else space.take(heavy), TOGETHER * eps)
    order = np.argsort(-np.round(places.space.weights, 12), kind="stable")
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    assert places.space.points is not None
    centers = places.space.points[order]
    labels = np.empty(space.n, np.intp)
    labels[heavy] = rank[places.labels]
    light = np.flatnonzero(space.weights == 0)
    labels[light] = nearest_place(space.points[light], centers)
    return labels, centers


def within_reach(space: Space, eps: float) -> tuple[Ints, Floats]:
    """Labels of chains of points within ε of each other, numbered from the largest mass, and their means."""
    assert space.points is not None
    labels = cut_tree(spanning_tree(space), cut="height", height=eps)
    mass = np.bincount(labels, weights=space.weights)
    sums = np.zeros((len(mass), space.points.shape[1]))
    np.add.at(sums, labels, space.weights[:, None] * space.points)
    return labels, sums / mass[:, None]


def nearest_place(points: Floats, centers: Floats) -> Ints:
    """The index of the nearest center of each point."""
    both, step = Euclidean(np.concatenate([points, centers])), max(1, _BLOCK_DISTANCES // len(centers))
    cols, nearest = np.arange(len(points), both.n), np.empty(len(points), np.intp)
    for start in range(0, len(points), step):
        rows = np.arange(start, min(start + step, len(points)))
        nearest[rows] = both.block(rows, cols).argmin(axis=1)
    return nearest
