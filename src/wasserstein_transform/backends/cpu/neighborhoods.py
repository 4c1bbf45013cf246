"""Moments of the localized measure around every point, with no ball stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Ragged, Record, Scattered, Task, Tile, cut
from ...kernels.bits import copy_earlier, mark_later
from ...kernels.cells import Cells
from ...kernels.geometry import Bits, Geometry, private
from ...kernels.neighbors import first_moments, longest_run, second_moments
from ...kernels.profiles import FLAT
from ..forms import Form
from ..records import Both, Moments, closed
from .kinds import kind_of, steps_of
from .search import Search

_DEAR = 100  # steps of a distance from which a bit is read faster than the distance is taken again
_FEW = 2.0**28  # bytes that bits may take without being asked for


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
        cls, form: Form, weights: Floats, profile: int, eps: float, reach: float, engine: Engine, first: int = 0
    ) -> Neighborhoods:
        """Neighbourhoods within `reach`, weighted by profile(d²/ε²)."""
        search = kind_of(form).search(form, reach, engine)
        limit = closed(reach) if np.isfinite(reach) else np.inf
        return cls(search, weights[search.order], profile, eps, limit, first, steps_of(form), engine)

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
        place, asked = Ragged(starts), _Tests(self.search.geometry, book, self.limit)
        self.engine.run(Task("testing pairs", _test, asked, cut(candidates * self.steps), place), (tested,))
        self.engine.run(Task("neighborhoods", _complete, book, cut(candidates * 10), place), (complete,))
        search = replace(self.search, geometry=book._replace(bits=complete))
        return replace(self, search=search, steps=1.0)

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; where there is no mass, the point itself."""
        rows, sums = self._ask(points)
        out = np.empty(len(rows)), np.empty((len(rows), points.shape[1]))
        self.engine.run(Task("means", _first, sums, self._tiles(rows), self._places(rows)), out)
        return Moments(*out)

    def covs(self, points: Floats) -> Moments:
        """Mass and covariance of `points`, divided by the mass; 0 where there is no mass."""
        both = self.both(points)
        return Moments(both.mass, both.covs)

    def both(self, points: Floats) -> Both:
        """Mass, mean and covariance of `points` in one pass."""
        rows, sums = self._ask(points)
        m = points.shape[1]
        size = 8.0 * len(rows) * m * m
        self.engine.reserve(4 * size, f"{len(rows)} covariances of {m} coordinates", "reduce the coordinates first")
        out = np.empty(len(rows)), np.empty((len(rows), m)), np.empty((len(rows), m, m))
        self.engine.run(Task("covariances", _second, sums, self._tiles(rows), self._places(rows)), out)
        return Both(*out)

    def _ask(self, points: Floats) -> tuple[Ints, _Sums]:
        """Positions of the wanted points, and what their sums are taken from."""
        rows = np.flatnonzero(self.search.order >= self.first)
        geometry, cells = self.search.geometry, self.search.cells
        ordered = np.ascontiguousarray(points[self.search.order])
        room = longest_run(cells)
        return rows, _Sums(geometry, cells, rows, self.weights, ordered, self.profile, self.eps, self.limit, room)

    def _tiles(self, rows: Ints) -> list[Tile]:
        return cut(self.search.n_candidates()[rows] * self.steps)

    def _places(self, rows: Ints) -> Scattered:
        return Scattered(self.search.order[rows] - self.first)


class _Tests(NamedTuple):
    geometry: Geometry
    book: Bits
    limit: float


def _test(tests: _Tests, tile: Tile, stop: Flag, record: Record) -> None:
    (bits,) = record
    bits[:] = 0
    mark_later(private(tests.geometry), tests.book, tile.start, tile.stop, tests.limit, bits, stop)


def _complete(book: Bits, tile: Tile, stop: Flag, record: Record) -> None:
    (bits,) = record
    bits[:] = 0
    copy_earlier(book, tile.start, tile.stop, bits, stop)


class _Sums(NamedTuple):
    geometry: Geometry
    cells: Cells
    rows: Ints
    weights: Floats
    points: Floats
    profile: int
    eps: float
    limit: float
    room: int


def _first(sums: _Sums, tile: Tile, stop: Flag, record: Record) -> None:
    mass, means = record
    first_moments(
        private(sums.geometry), sums.cells, sums.rows[tile.start : tile.stop], sums.weights, sums.points, sums.profile,
        sums.eps, sums.limit, np.empty(sums.room), mass, means, stop,
    )  # fmt: skip


def _second(sums: _Sums, tile: Tile, stop: Flag, record: Record) -> None:
    mass, means, covs = record
    second_moments(
        private(sums.geometry), sums.cells, sums.rows[tile.start : tile.stop], sums.weights, sums.points, sums.profile,
        sums.eps, sums.limit, np.empty(sums.room), mass, means, covs, stop,
    )  # fmt: skip
