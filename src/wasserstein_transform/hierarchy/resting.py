"""Clusters of points that came to rest in the same place."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints
from ..spaces import Euclidean, Space, quotient
from .cut import cut_tree
from .tree import spanning_tree

_DISTANCES = 1 << 20  # that are looked at together
TOGETHER = 1e-3  # of eps: points that near have met


def resting_places(space: Space, eps: float) -> tuple[Ints, Floats]:
    """Labels by falling mass, and the places. Points without mass make no place: they take the nearest."""
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
    """Labels, by falling mass, of points within ε of each other, by way of others; and the mean place of each."""
    assert space.points is not None
    labels = cut_tree(spanning_tree(space), cut="height", height=eps)
    mass = np.bincount(labels, weights=space.weights)
    sums = np.zeros((len(mass), space.points.shape[1]))
    np.add.at(sums, labels, space.weights[:, None] * space.points)
    return labels, sums / mass[:, None]


def nearest_place(points: Floats, centers: Floats) -> Ints:
    """The nearest center of each point, some points at a time."""
    both, step = Euclidean(np.concatenate([points, centers])), max(1, _DISTANCES // len(centers))
    cols, nearest = np.arange(len(points), both.n), np.empty(len(points), np.intp)
    for start in range(0, len(points), step):
        rows = np.arange(start, min(start + step, len(points)))
        nearest[rows] = both.block(rows, cols).argmin(axis=1)
    return nearest
