"""Clusters of points that came to rest in the same place."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints
from ..spaces import Euclidean, Space, quotient

_CHUNK = 2**20  # distances that are looked at together
TOGETHER = 1e-3  # of eps: points that near have met


def resting_places(space: Space, eps: float) -> tuple[Ints, Floats]:
    """Labels by falling mass, and the places. Points without mass make no place: they take the nearest."""
    assert space.points is not None
    heavy = np.flatnonzero(space.weights > 0)
    places = quotient(space.take(heavy), TOGETHER * eps)
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


def nearest_place(points: Floats, centers: Floats) -> Ints:
    """The nearest centre of each point, some points at a time: there may be as many centres as points."""
    both, nearest = Euclidean(np.concatenate([points, centers])), np.empty(len(points), np.intp)
    everywhere, step = np.arange(len(points), both.n), max(1, _CHUNK // len(centers))
    for start in range(0, len(points), step):
        rows = np.arange(start, min(start + step, len(points)))
        nearest[rows] = both.block(rows, everywhere).argmin(axis=1)
    return nearest
