"""The distinct places of a space, in an order that does not depend on the order of the input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from .._types import Floats, Ints
from ..engine import Engine
from ..spaces import Euclidean, Space, quotient

_TOGETHER = 1e6  # distances in memory at a time


def read(X: ArrayLike | Space, sample_weight: ArrayLike | None = None, metric: str | None = None) -> Space:
    """Turn points, distances (`metric="precomputed"`) or a Space into a Space."""
    if isinstance(X, Space):
        if sample_weight is not None:
            raise ValueError("a Space carries its weights: set them when making the Space, not by sample_weight")
        if metric is not None:
            raise ValueError(f"a Space carries its metric: leave out metric={metric!r}")
        return X
    if metric == "precomputed":
        return Space.from_distances(X, sample_weight)
    return Space.from_points(X, sample_weight, "euclidean" if metric is None else metric)


def distinct(space: Space, engine: Engine) -> Space:
    """Merge points at distance 0, drop those of weight 0, and sort by coordinates or else by the sum of distances."""
    heavy = np.flatnonzero(space.weights > 0)
    space = space if len(heavy) == space.n else space.take(heavy)
    if space.points is not None and space.metric.is_euclidean:
        return _distinct_points(space.points, space.weights)
    places = quotient(space, engine=engine).space
    keys = far_sums(places, engine)[None] if places.points is None else places.points.T[::-1]
    return places.take(np.lexsort(keys))


def spread(n: int, count: int) -> Ints:
    """Choose at most `count` of n indices, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, count)).round().astype(np.intp))


def rows_of(places: Space, centers: Ints, engine: Engine) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of distances from the listed places to all places, each with the slice of its rows."""
    step, everything = max(1, int(_TOGETHER / places.n)), np.arange(places.n)
    for start in range(0, len(centers), step):
        engine.check()
        part = slice(start, min(start + step, len(centers)))
        yield part, places.metric.block(centers[part], everything, engine.quiet())


def weighted_median(values: Floats, weights: Floats) -> float:
    """The smallest value v such that at least half of the mass is on values ≤ v."""
    order = np.argsort(values, kind="stable")
    held = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(held, 0.5 * held[-1] * (1 - 1e-9))]])


def _distinct_points(points: Floats, weights: Floats) -> Space:
    order = np.lexsort(points.T[::-1])
    points, weights = points[order], weights[order]
    first = np.append(True, (points[1:] != points[:-1]).any(axis=1))
    points = points[first]
    return Space(Euclidean(points), np.add.reduceat(weights, np.flatnonzero(first)), points)


def far_sums(places: Space, engine: Engine) -> Floats:
    """Sums of the distances to all others, rounded so that the order of summation makes no difference."""
    far = places.metric.dense(engine).sum(axis=1)
    return np.asarray(np.round(far / max(float(far.max()), np.finfo(float).tiny), 9))
