"""Map rows to distinct places, and sample the places if there are very many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine
from ...localize.scale import far_sums
from ...spaces import Metric, Space, quotient
from ..span import within_span

LARGEST = {1: 10_000, 2: 10_000, 3: 2_000}
"""Number of places, by number of coordinates, above which only a sample is clustered."""
_WIDE = 1_000  # the same with more coordinates: a distance of Gaussians costs the cube of their number
_DISTANCES = 1 << 22  # distances in memory at a time
_QUERIES = 1 << 16  # searches for the nearest place at a time


class Places(NamedTuple):
    """At most `LARGEST` distinct places with mass, in an order that does not depend on the order of the rows.

    Attributes
    ----------
    space : Space
        The places, with coordinates in the dimension that all of them span.
    place : array of shape (n_rows,)
        The place of each row; the nearest place if the row is not in the sample or has no mass.
    rows : array of shape (n,)
        One row at each place.
    mass : array of shape (n,)
        Mass of the rows of each place; unlike that of the space, it counts the rows that are not in the sample.
    n_all : int
        Number of distinct places with mass before sampling.
    """

    space: Space
    place: Ints
    rows: Ints
    mass: Floats
    n_all: int

    @classmethod
    def of(cls, space: Space, engine: Engine) -> Places:
        """Return the places of a space."""
        if space.points is not None:
            n_bytes = space.n * (96.0 + 24.0 * space.points.shape[1])
            engine.reserve(n_bytes, f"the different places of {space.n} points", "cluster a part of them")
        heavy = np.flatnonzero(space.weights > 0)
        merged = quotient(space if len(heavy) == space.n else space.take(heavy), engine=engine)
        assert merged.leaders is not None
        keys = far_sums(merged.space, engine)[None] if merged.space.points is None else merged.space.points.T[::-1]
        kept = np.lexsort(keys)
        sorted_places = within_span(merged.space.take(kept))
        largest = _WIDE if sorted_places.points is None else LARGEST.get(sorted_places.points.shape[1], _WIDE)
        if len(kept) > largest:
            sample = np.sort(np.random.default_rng(0).choice(len(kept), largest, replace=False))
            kept, sorted_places = kept[sample], sorted_places.take(sample)
        rows, rank = heavy[merged.leaders[kept]], np.full(merged.space.n, -1)
        rank[kept] = np.arange(len(kept))
        place = np.full(space.n, -1)
        place[heavy] = rank[merged.labels]
        left = np.flatnonzero(place < 0)
        place[left] = nearest_of(space.metric, left, rows, engine)
        mass = np.bincount(place, weights=space.weights, minlength=len(rows)).astype(np.float64)
        return cls(sorted_places, place, rows, mass, merged.space.n)


def nearest_of(metric: Metric, points: Ints, others: Ints, engine: Engine) -> Ints:
    """Return the position in `others` of the nearest one to each of the points."""
    if len(points) == 0:
        return np.empty(0, np.intp)
    step = _QUERIES if metric.places is not None else max(1, _DISTANCES // len(others))
    return np.concatenate(
        [_nearest(metric, points[at : at + step], others, engine) for at in range(0, len(points), step)]
    )


def _nearest(metric: Metric, points: Ints, others: Ints, engine: Engine) -> Ints:
    if metric.places is not None:
        return metric.take(others).neighbors(1, metric.take(points), engine).indices[:, 0]
    return np.asarray(metric.block(points, others, engine).argmin(axis=1))
