"""Moments of the localized measure around every point, with no ball stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..engine import Engine, Flag, Tile, cut
from ..kernels.bits import copy_earlier, mark_later
from ..kernels.geometry import Bits, private
from ..kernels.neighbors import first_moments, longest_run, second_moments
from ..kernels.profiles import FLAT
from .metric import Metric, closed
from .search import Search

_DEAR = 100  # steps of a distance from which a bit is read faster than the distance is taken again
_FEW = 2.0**28  # bytes that bits may take without being asked for


class Moments(NamedTuple):
    """Mass seen from each point, and the means or covariances of that mass."""

    mass: Floats
    values: Floats


class Both(NamedTuple):
    """Mass seen from each point, and the means and covariances of that mass."""

    mass: Floats
    means: Floats
    covs: Floats


@dataclass(frozen=True, eq=False)
class Neighborhoods:
    """What the points from `first` on see of a weighted space through a kernel profile.

    The same neighbourhoods can be asked about other coordinates: the second pass of the Gaussian Transform asks for
    the covariance of the moved points.
    """

    search: Search
    weights: Floats
    profile: int
    eps: float
    limit: float
    first: int
    steps: float
    engine: Engine

    @classmethod
    def of(
        cls, metric: Metric, weights: Floats, profile: int, eps: float, reach: float, engine: Engine, first: int = 0
    ) -> Neighborhoods:
        """Neighbourhoods in `metric` within `reach`, weighted by profile(d²/ε²)."""
        search = metric.search(reach)
        limit = closed(reach) if np.isfinite(reach) else np.inf
        return cls(search, weights[search.order], profile, eps, limit, first, metric.steps, engine)

    @property
    def is_dear(self) -> bool:
        """Whether testing each pair once pays, and its bits are few."""
        if self.profile != FLAT or self.first > 0 or self.steps < _DEAR:
            return False
        n_bytes = 2.0 * (self.search.n_candidates() / 8 + 1).sum()
        return bool(n_bytes <= _FEW and self.engine.fits(n_bytes))

    def once(self) -> Neighborhoods:
        """The same neighbourhoods, each pair tested once: one bit for each candidate is kept for the passes to come."""
        if self.profile != FLAT:
            raise ValueError("one bit says who is near, and a smooth profile weighs by distance: use profile='flat'")
        if isinstance(self.search.geometry, Bits):
            return self
        cells, candidates = self.search.cells, self.search.n_candidates()
        starts = np.append(0, np.cumsum((candidates.astype(np.intp) + 7) // 8))
        size = int(starts[-1])
        self.engine.reserve(2.0 * size, f"a bit for each of {candidates.sum():.0f} candidates", "use a smaller eps")
        tested, complete = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
        book = Bits(cells.cell, cells.runs, starts, tested)

        def test(tile: Tile, stop: Flag) -> None:
            mark_later(private(self.search.geometry), book, tile.start, tile.stop, self.limit, stop)

        def copy(tile: Tile, stop: Flag) -> None:
            copy_earlier(book, tile.start, tile.stop, complete, stop)

        self.engine.run(test, cut(candidates * self.steps), "testing pairs")
        self.engine.run(copy, cut(candidates * 10), "neighborhoods")
        search = replace(self.search, geometry=book._replace(bits=complete))
        return replace(self, search=search, steps=1.0)

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; where there is no mass, the point itself."""
        rows, tiles, room = self._plan()
        sorted_points = np.ascontiguousarray(points[self.search.order])
        mass, means = np.empty(len(rows)), np.empty((len(rows), points.shape[1]))

        def work(tile: Tile, stop: Flag) -> None:
            part = slice(tile.start, tile.stop)
            first_moments(
                private(self.search.geometry), self.search.cells, rows[part], self.weights, sorted_points,
                self.profile, self.eps, self.limit, np.empty(room), mass[part], means[part], stop,
            )  # fmt: skip

        self.engine.run(work, tiles, "means")
        return Moments(self._by_point(rows, mass), self._by_point(rows, means))

    def covs(self, points: Floats) -> Moments:
        """Mass and covariance of `points`, divided by the mass; 0 where there is no mass."""
        both = self.both(points)
        return Moments(both.mass, both.covs)

    def both(self, points: Floats) -> Both:
        """Mass, mean and covariance of `points` in one pass."""
        rows, tiles, room = self._plan()
        m = points.shape[1]
        size = 8.0 * len(rows) * m * m
        self.engine.reserve(4 * size, f"{len(rows)} covariances of {m} coordinates", "reduce the coordinates first")
        sorted_points = np.ascontiguousarray(points[self.search.order])
        mass, means, covs = np.empty(len(rows)), np.empty((len(rows), m)), np.empty((len(rows), m, m))

        def work(tile: Tile, stop: Flag) -> None:
            part = slice(tile.start, tile.stop)
            second_moments(
                private(self.search.geometry), self.search.cells, rows[part], self.weights, sorted_points,
                self.profile, self.eps, self.limit, np.empty(room), mass[part], means[part], covs[part], stop,
            )  # fmt: skip

        self.engine.run(work, tiles, "covariances")
        return Both(*(self._by_point(rows, values) for values in (mass, means, covs)))

    def _plan(self) -> tuple[Ints, list[Tile], int]:
        """Positions of the wanted points, tiles of them, and the scratch a tile needs."""
        rows = np.flatnonzero(self.search.order >= self.first)
        return rows, cut(self.search.n_candidates()[rows] * self.steps), longest_run(self.search.cells)

    def _by_point(self, rows: Ints, values: Floats) -> Floats:
        out = np.empty_like(values)
        out[self.search.order[rows] - self.first] = values
        return out
