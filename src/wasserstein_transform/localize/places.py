"""What scales are measured on: distinct places with mass, in an order that does not depend on how the data came."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from .._types import Floats, Ints
from ..engine import Engine
from ..spaces import Euclidean, Space, quotient

_TOGETHER = 1e6  # distances that are held at a time


def read(X: ArrayLike | Space, sample_weight: ArrayLike | None = None, metric: str | None = None) -> Space:
    """The space of points, of distances (`metric="precomputed"`), or the Space itself."""
    if isinstance(X, Space):
        if sample_weight is not None:
            raise ValueError("a Space carries its weights: make it with them instead of passing sample_weight")
        if metric is not None:
            raise ValueError(f"a Space carries its metric: leave out metric={metric!r}")
        return X
    if metric == "precomputed":
        return Space.from_distances(X, sample_weight)
    return Space.from_points(X, sample_weight, "euclidean" if metric is None else metric)


def distinct(space: Space, engine: Engine) -> Space:
    """Every place that has mass once, with all of it, sorted by coordinates; without any, by how far the others are."""
    heavy = np.flatnonzero(space.weights > 0)
    space = space if len(heavy) == space.n else space.take(heavy)
    if space.points is not None and space.metric.is_euclidean:
        return _distinct_points(space.points, space.weights)
    places = quotient(space, engine=engine).space
    keys = _far(places, engine)[None] if places.points is None else places.points.T[::-1]
    return places.take(np.lexsort(keys))


def spread(n: int, count: int) -> Ints:
    """At most `count` of n places, evenly along their order."""
    return np.unique(np.linspace(0, n - 1, min(n, count)).round().astype(np.intp))


def rows_of(places: Space, centers: Ints, engine: Engine) -> Iterator[tuple[slice, Floats]]:
    """Distances of the listed places to all places, some rows at a time, and which rows these are."""
    step, everything = max(1, int(_TOGETHER / places.n)), np.arange(places.n)
    for start in range(0, len(centers), step):
        engine.check()
        part = slice(start, min(start + step, len(centers)))
        yield part, places.metric.block(centers[part], everything, engine.quiet())


def weighted_median(values: Floats, weights: Floats) -> float:
    """The smallest value that at least half of the mass does not exceed."""
    order = np.argsort(values, kind="stable")
    held = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(held, 0.5 * held[-1] * (1 - 1e-9))]])


def _distinct_points(points: Floats, weights: Floats) -> Space:
    order = np.lexsort(points.T[::-1])
    points, weights = points[order], weights[order]
    first = np.append(True, (points[1:] != points[:-1]).any(axis=1))
    points = points[first]
    return Space(Euclidean(points), np.add.reduceat(weights, np.flatnonzero(first)), points)


def _far(places: Space, engine: Engine) -> Floats:
    """The sum of the distances to all others, rounded: what the order of a sum leaves is no difference."""
    far = places.metric.dense(engine).sum(axis=1)
    return np.asarray(np.round(far / max(float(far.max()), np.finfo(float).tiny), 9))
