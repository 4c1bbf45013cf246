"""Moments of the localized measures of all points, without storing balls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..._cached import cached_property
from ..._elsewhere import to_host
from ..._types import Floats, Ints
from ...engine import GRAIN, Engine, Flag, Ragged, Record, Task, Tile, cut
from ...kernels import geometry as geometries
from ...kernels.bits import copy_earlier, mark_later
from ...kernels.geometry import Bits, Geometry, for_thread
from ...kernels.moments import Nearby
from ...kernels.profiles import FLAT, profile_of
from ..forms import Cloud, Form, GaussianCloud
from ..records import MeansAndCovs, Moments, closed
from .gaussian import rows_of_tile
from .kinds import cost_of, kind_of
from .passes import Spread, columns, taken
from .search import Search
from .sums import PointByPoint, Sums, WholeCells, add_up, whole_cells
from .twins import repeat, repeated, twins

_EXPENSIVE = 50  # from this cost of a distance on, reading a stored bit is faster than computing it again
_DEAR = 100  # from this cost on, the Euclidean distance is tested first: cheaper ones have vectorized loops
_GRAIN = GRAIN / 2  # enough tiles for a million points in the plane that many threads finish together
_FEW = 2.0**28  # bytes up to which bits are stored by default


@dataclass(frozen=True, eq=False)
class Neighborhoods:
    """Neighborhoods in a weighted space of the points from `first` on, under a kernel profile.

    Moments can be computed for other coordinates with the same neighborhoods: the second pass of the Gaussian Transform
    computes the covariances of the moved points.
    """

    search: Search
    weights: Floats
    profile: int
    eps: float
    limit: float
    first: int
    cost: float
    engine: Engine
    known: Floats | None
    twin: Ints | None

    @classmethod
    def of(
        cls, form: Form, weights: Floats, profile: int, eps: float, reach: float, engine: Engine, first: int = 0
    ) -> Neighborhoods:
        """Neighborhoods within `reach`, weighted by profile(d²/ε²)."""
        search = kind_of(form).search(form, reach, engine)
        limit = closed(reach) if np.isfinite(reach) else np.inf
        ordered, known = taken(weights, search.order, engine), _places(form)
        twin = None if first > 0 else twins(form, known, search, engine)
        return cls(search, ordered, profile, eps, limit, first, cost_of(form), engine, known, twin)

    @property
    def is_expensive(self) -> bool:
        """Whether testing each pair once pays off, and the bits fit into memory."""
        if self.profile != FLAT or self.first > 0 or self.cost < _EXPENSIVE or self.twin is not None:
            return False
        search = self.search
        n_bytes = 2.0 * ((search.seen / 8 + 1) * np.diff(search.starts)).sum()
        return bool(n_bytes <= _FEW and self.engine.fits(n_bytes))

    def cached(self) -> Neighborhoods:
        """The same neighborhoods with each pair tested once: one bit for each candidate is stored for later passes."""
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
        places = np.zeros((1, self.search.order.size)) if self.search.places is None else self.places
        place, asked = Ragged(starts), _Tests(self.search.geometry, places, book, self.limit, self.search.longest_run)
        self.engine.run(Task("testing pairs", _test, asked, self.search.tiles(self.cost), place), (tested,))
        self.engine.run(Task("neighborhoods", _complete, book, self.search.tiles(10), place), (complete,))
        search = replace(self.search, geometry=book._replace(bits=complete))
        return replace(self, search=search, cost=1.0)

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; without mass, the point itself."""
        points = to_host(points)
        n = len(points) - self.first
        out = np.empty(n), np.empty((n, points.shape[1]))
        self._run("means", points, out)
        return Moments(*out)

    def covs(self, points: Floats) -> Moments:
        """Mass and covariance of `points`, divided by the mass; 0 without mass."""
        both = self.means_and_covs(points)
        return Moments(both.mass, both.covs)

    def means_and_covs(self, points: Floats) -> MeansAndCovs:
        """Mass, mean and covariance of `points` in one pass."""
        points = to_host(points)
        n, m = len(points) - self.first, points.shape[1]
        size = 8.0 * n * m * m
        self.engine.reserve(4 * size, f"{n} covariances of {m} coordinates", "reduce the coordinates first")
        out = np.empty(n), np.empty((n, m)), np.empty((n, m, m))
        self._run("covariances", points, out)
        return MeansAndCovs(*out)

    def _run(self, name: str, points: Floats, out: Record) -> None:
        """Compute sums over the neighbors of the points from `first` on, and store them by point."""
        search, rows = self.search, None
        where, tiles = search.order, search.tiles(self.cost, _GRAIN)
        if self.first > 0:
            rows = np.flatnonzero(search.order >= self.first)
            where, tiles = search.order[rows] - self.first, cut(search.n_candidates()[rows] * self.cost)
        ordered = self._columns(points)
        again = np.empty(0, np.intp)
        if self.twin is not None:
            again = repeated(self.twin, ordered)
            rows = np.delete(np.arange(len(where)), again)
            where, tiles = where[rows], cut(search.n_candidates()[rows] * self.cost, _GRAIN)
        sums = Sums(
            search.geometry, search.cells, rows, self.weights, ordered, self.limit, search.longest_run,
            self._way(ordered, len(out) == 3),
        )  # fmt: skip
        self.engine.run(Task(name, add_up, sums, tiles, Spread(where)), out)
        if self.twin is not None:
            repeat(out, search.order[again], search.order[self.twin[again]])

    def _way(self, points: Floats, second: bool) -> PointByPoint | WholeCells:
        """How sums are computed; it depends only on the metric."""
        search = self.search
        if self.profile == FLAT and search.places is not None:
            if isinstance(search.geometry, geometries.Cloud) and len(points) == search.places.shape[1]:
                return whole_cells(search, self.places, points, self.weights, second, self.engine)
            if self.cost >= _DEAR:
                return PointByPoint(Nearby(self.places))
        return PointByPoint(profile_of(self.profile, self.eps))

    def _columns(self, points: Floats) -> Floats:
        """Coordinates of the sorted points."""
        if points is self.known and self.search.places is not None:
            return self.places
        return columns(points, self.search.order, self.engine)

    @cached_property
    def places(self) -> Floats:
        """Coordinates of the sorted points."""
        assert self.search.places is not None
        return columns(self.search.places, None, self.engine)


def _places(form: Form) -> Floats | None:
    """The points that the search sorts."""
    return form.means if isinstance(form, GaussianCloud) else form.points if isinstance(form, Cloud) else None


class _Tests(NamedTuple):
    geometry: Geometry
    places: Floats
    book: Bits
    limit: float
    scratch: int


def _test(tests: _Tests, tile: Tile, stop: Flag, record: Record) -> None:
    (bits,) = record
    bits[:] = 0
    mark_later(
        for_thread(tests.geometry), tests.places, tests.book, tile.start, tile.stop, tests.limit,
        np.empty(tests.scratch), bits, stop,
    )  # fmt: skip


def _complete(book: Bits, tile: Tile, stop: Flag, record: Record) -> None:
    (bits,) = record
    bits[:] = 0
    copy_earlier(book, tile.start, tile.stop, bits, stop)


def working_bytes(form: Form, state: float, engine: Engine) -> float:
    """Bytes for order, cells and their runs, sorted copies, the geometry, and the tiles computed at a time."""
    places = _places(form)
    tiles = state * min(1.0, engine.n_threads / 8)
    if places is None:
        return 64.0 * form.n + state + tiles
    m = places.shape[1]
    gaussian = state > 8.0 * form.n * m  # the state has covariances, which the next step reads
    columns = 0 if not gaussian else 9 if m <= 2 else 1 + 2 * m + 3 * m * m
    runs = (2, 6, 18)[min(m, 3) - 1]
    if gaussian and m > 2:  # results of LAPACK before they are copied
        tiles += 48.0 * m * m * min(form.n, engine.n_threads * rows_of_tile(m))
    return 8.0 * form.n * float(8 + 4 * m + runs + columns) + tiles
