"""From rows to distinct places and back, and the sample that is looked at where there are very many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._types import Ints
from ...engine import Engine
from ...localize.places import far_sums
from ...spaces import Metric, Space, quotient

LARGEST = {1: 10_000, 2: 10_000, 3: 2_000}
"""Places, by their coordinates, beyond which a sample is clustered and the others follow."""
_WIDE = 1_000  # with more coordinates: a distance of Gaussians costs the cube of their number
_DISTANCES = 1 << 22  # that are held at a time


class Places(NamedTuple):
    """Distinct places with mass, in an order that does not depend on how the rows came, at most `LARGEST`.

    Attributes
    ----------
    space : Space
    place : array of shape (n_rows,)
        The place of each row; of a row that is not in the sample, or has no mass, the nearest.
    rows : array of shape (n,)
        A row in each place.
    n_all : int
        Distinct places with mass before a sample was taken.
    """

    space: Space
    place: Ints
    rows: Ints
    n_all: int

    @classmethod
    def of(cls, space: Space, engine: Engine) -> Places:
        """The places of a space."""
        heavy = np.flatnonzero(space.weights > 0)
        merged = quotient(space.take(heavy), engine=engine)
        assert merged.leaders is not None
        keys = far_sums(merged.space, engine)[None] if merged.space.points is None else merged.space.points.T[::-1]
        kept = np.lexsort(keys)
        largest = _WIDE if space.points is None else LARGEST.get(space.points.shape[1], _WIDE)
        if len(kept) > largest:
            kept = kept[np.sort(np.random.default_rng(0).choice(len(kept), largest, replace=False))]
        rows, rank = heavy[merged.leaders[kept]], np.full(merged.space.n, -1)
        rank[kept] = np.arange(len(kept))
        place = np.full(space.n, -1)
        place[heavy] = rank[merged.labels]
        left = np.flatnonzero(place < 0)
        place[left] = nearest_of(space.metric, left, rows, engine)
        return cls(merged.space.take(kept), place, rows, merged.space.n)


def nearest_of(metric: Metric, points: Ints, others: Ints, engine: Engine) -> Ints:
    """Which of the others is nearest to each of the points, by its position among them."""
    if len(points) == 0:
        return np.empty(0, np.intp)
    if metric.places is not None:
        return metric.take(others).neighbors(1, metric.take(points), engine).indices[:, 0]
    step = max(1, _DISTANCES // len(others))
    parts = [metric.block(points[at : at + step], others, engine) for at in range(0, len(points), step)]
    return np.concatenate([part.argmin(axis=1) for part in parts])
