"""Moments of the neighborhoods of all points, without storing balls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._types import Bools, Floats, Ints, cached_property
from ...engine import GRAIN, Engine, Flag, Record, Tile, cut_by_cost, cut_evenly, one_blas_thread, to_host
from ..cells.index import Search
from ..cells.rows import columns, for_tiles, put, take, tiles_of
from ..metrics.distances import closed
from ..metrics.gaussians import rows_of_tile
from ..metrics.geometry_jit import Bits, Cloud, Geometry, for_thread
from ..records import MeansAndCovs, Moments
from .balls_jit import copy_earlier, mark_later
from .cell_sums_jit import Held, first_moments_of_cells, hold_cells, second_moments_of_cells
from .moments_jit import FLAT, Flat, Nearby, Smooth, first_moments, profile_of, second_moments

if TYPE_CHECKING:
    from ...spaces import Metric

_MIN_COST_FOR_BITS = 50  # from this cost of a distance on, reading a stored bit is faster than computing it again
_MIN_COST_FOR_TEST = 100  # from this cost on, the Euclidean distance is tested first: cheaper ones are vectorized
_GRAIN = GRAIN / 2  # enough tiles for a million points in the plane that many threads finish together
_MAX_BYTES_OF_BITS = 2.0**28  # up to which bits are stored by default
_MIN_SHARE_OF_COPIES = 0.1  # smallest share of candidates to save for which computing equal points once pays off
_ROWS_COPIED = 2**16  # results copied at a time
_MAX_AXES = 3  # coordinates up to which covariances are computed along with means where there are few points
_TIED = 1e-9  # eigenvalues closer than this, relative to the second moment about the point, count as equal


def neighborhoods(
    metric: Metric, weights: Floats, profile: int, eps: float, reach: float, engine: Engine, first: int = 0
) -> Neighborhoods:
    """Neighborhoods within `reach` of the points from `first` on, weighted by profile(d²/ε²)."""
    search = metric.search(reach, engine)
    limit = closed(reach) if np.isfinite(reach) else np.inf
    ordered, known = take(weights, search.order, engine), to_host(metric.coordinates)
    twin = None if first > 0 else _find_twins(metric, known, search, engine)
    geometry = metric.geometry_near(search, reach, engine)
    made = Neighborhoods(search, geometry, ordered, profile, eps, limit, first, metric.cost, engine, known, twin)
    return made.cached() if made.is_expensive else made


@dataclass(frozen=True, eq=False)
class Neighborhoods:
    """Neighborhoods in a weighted space of the points from `first` on, under a kernel profile.

    Moments can be computed for other coordinates with the same neighborhoods: the second pass of the Gaussian Transform
    computes the covariances of the moved points. Identical points have identical neighborhoods: `twin` has for every
    position the first one with the same point, whose moments are copied; None if few points repeat.
    """

    search: Search
    geometry: Geometry
    weights: Floats
    profile: int
    eps: float
    limit: float
    first: int
    cost: float
    engine: Engine
    known: Floats | None
    twin: Ints | None

    @property
    def is_expensive(self) -> bool:
        """Whether testing each pair once pays off, and the bits fit into memory."""
        if self.profile != FLAT or self.first > 0 or self.cost < _MIN_COST_FOR_BITS or self.twin is not None:
            return False
        search = self.search
        n_bytes = 2.0 * ((search.seen / 8 + 1) * np.diff(search.starts)).sum()
        return bool(n_bytes <= _MAX_BYTES_OF_BITS and self.engine.fits(n_bytes))

    def cached(self) -> Neighborhoods:
        """The same neighborhoods with each pair tested once: one bit for each candidate is stored for later passes."""
        if self.profile != FLAT:
            raise ValueError("one bit says who is near, and a smooth profile weighs by distance: use profile='flat'")
        search = self.search
        if isinstance(self.geometry, Bits):
            return self
        cells, candidates = search.cells, search.n_candidates()
        starts = np.append(0, np.cumsum((candidates.astype(np.intp) + 7) // 8))
        size, longest = int(starts[-1]), search.longest_run
        self.engine.reserve(2.0 * size, f"a bit for each of {candidates.sum():.0f} candidates", "use a smaller eps")
        tested, complete = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
        book = Bits(cells.cell, cells.runs, starts, tested)
        places = np.zeros((1, search.order.size)) if search.places is None else self.places

        def test(tile: Tile, stop: Flag) -> None:
            geometry, bits = for_thread(self.geometry), tested[starts[tile.start] : starts[tile.stop]]
            mark_later(geometry, places, book, *tile, self.limit, np.empty(longest), bits, stop)

        def copy(tile: Tile, stop: Flag) -> None:
            copy_earlier(book, *tile, complete[starts[tile.start] : starts[tile.stop]], stop)

        self.engine.for_tiles("testing pairs", search.tiles(self.cost), test)
        self.engine.for_tiles("neighborhoods", search.tiles(10), copy)
        return replace(self, geometry=book._replace(bits=complete), cost=1.0)

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; without mass, the point itself."""
        points = to_host(points)
        n, m = len(points) - self.first, points.shape[1]
        out: tuple[Floats, ...] = np.empty(n), np.empty((n, m))
        if self.search.is_small and m <= _MAX_AXES:  # one kernel less to load or compile
            out = (*out, np.empty((n, m, m)))
        self._sum("means", points, out)
        return Moments(*out[:2])

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
        self._sum("covariances", points, out)
        return MeansAndCovs(*out)

    def _sum(self, name: str, points: Floats, out: tuple[np.ndarray, ...]) -> None:
        """Compute sums over the neighbors of the points from `first` on, and store them by point."""
        search, rows, copied = self.search, None, np.empty(0, np.intp)
        to, tiles = search.order, search.tiles(self.cost, _GRAIN)
        if self.first > 0:
            rows = np.flatnonzero(search.order >= self.first)
            to, tiles = search.order[rows] - self.first, cut_by_cost(search.n_candidates()[rows] * self.cost)
        ordered = self._columns(points)
        if self.twin is not None:
            copied = _same_sums(self.twin, ordered)
            rows = np.delete(np.arange(len(to)), copied)
            to, tiles = to[rows], cut_by_cost(search.n_candidates()[rows] * self.cost, _GRAIN)
        sums = self._sums(rows, ordered, len(out) == 3)

        def add(tile: Tile, stop: Flag) -> None:
            record = tuple(np.empty((tile.stop - tile.start, *array.shape[1:])) for array in out)
            sums.add_up(tile, stop, record)
            if not stop[0]:
                for values, array in zip(record, out, strict=True):
                    put(values, to[slice(*tile)], array)

        self.engine.for_tiles(name, tiles, add, joined=True)
        if self.twin is not None:
            _copy(out, search.order[copied], search.order[self.twin[copied]])

    def _sums(self, rows: Ints | None, points: Floats, second: bool) -> _Sums:
        """How sums are computed; it depends only on the metric."""
        search = self.search
        profile: Flat | Smooth | Nearby = profile_of(self.profile, self.eps)
        cells = None
        if self.profile == FLAT and search.places is not None:
            if search.by_cells and isinstance(self.geometry, Cloud) and len(points) == search.places.shape[1]:
                cells = _sum_cells(search, self.places, points, self.weights, second, self.engine)
            elif self.cost >= _MIN_COST_FOR_TEST:
                profile = Nearby(self.places)
        return _Sums(search, self.geometry, rows, self.weights, points, self.limit, profile, cells)

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


class _WholeCells(NamedTuple):
    """Flat balls of points: cells that lie within a ball count as a whole."""

    places: Floats
    held: Held
    per_reach: int


class _Sums(NamedTuple):
    """Sums of `points` over the neighbors of `rows`, None for all positions: point by point, or with whole cells."""

    search: Search
    geometry: Geometry
    rows: Ints | None
    weights: Floats
    points: Floats
    limit: float
    profile: Flat | Smooth | Nearby
    whole: _WholeCells | None

    def add_up(self, tile: Tile, stop: Flag, record: Record) -> None:
        """Compute mass and means, or mass, means and covariances."""
        search, weights, points, second = self.search, self.weights, self.points, len(record) == 3
        geometry, cells, scratch = for_thread(self.geometry), search.cells, np.empty(search.longest_run)
        rows = np.arange(*tile) if self.rows is None else self.rows[slice(*tile)]
        kernel: Any
        if self.whole is None:
            kernel = second_moments if second else first_moments
            kernel(geometry, cells, rows, weights, points, self.profile, self.limit, scratch, *record, stop)
            return
        places, held, per_reach = self.whole
        m, most = len(points), per_reach + 1  # most runs of whole cells in a row of cells
        core, parts = np.empty(1 + m + m * m * second), np.empty((cells.runs.shape[1] * most, 2), np.intp)
        kernel = second_moments_of_cells if second else first_moments_of_cells
        kernel(
            geometry, places, cells, held, rows, weights, points, self.limit, per_reach, scratch, core, parts,
            np.empty(2 * most), np.empty(2 * most), *record, stop,
        )  # fmt: skip


def _sum_cells(
    search: Search, places: Floats, points: Floats, weights: Floats, second: bool, engine: Engine
) -> _WholeCells:
    """Sums and bounds of cells. Parts of a cloud with the same frame give the same results."""
    n, m, starts = len(search.seen), len(points), search.starts
    low, high, sums = np.empty((m, n)), np.empty((m, n)), np.empty((1 + 2 * m + m * m * second, n))

    def add(tile: Tile, stop: Flag) -> None:
        parts = (array[:, slice(*tile)] for array in (low, high, sums))
        hold_cells(places, points, weights, starts, *tile, *parts)

    for_tiles("sums of cells", tiles_of(n), add, engine)
    return _WholeCells(places, Held(starts, low, high, sums), search.per_reach)


def _find_twins(metric: Metric, places: Floats | None, search: Search, engine: Engine) -> Ints | None:
    """For every position, the first one with the same point; None without coordinates, or if few points repeat."""
    if places is None:
        return None
    sorted_by = None if search.places is not None else np.lexsort(places.T)
    ordered = places[sorted_by] if search.places is None else search.places
    points = search.order if sorted_by is None else sorted_by  # without cells, positions equal points
    same = _equal_to_previous(ordered, engine)
    if metric.covs is not None and metric.lam > 0:
        for block in _blocks(np.flatnonzero(same)):
            here, before = metric.covs[points[block]], metric.covs[points[block - 1]]
            same[block] = (here == before).all(axis=(1, 2))
    if not _is_worth(same, sorted_by, search):
        return None
    group = np.cumsum(~same) - 1
    first = np.flatnonzero(~same)[group]
    if sorted_by is None:
        return np.asarray(first)
    twin = np.empty(len(group), np.intp)
    twin[sorted_by] = sorted_by[first]
    return twin


def _equal_to_previous(ordered: Floats, engine: Engine) -> Bools:
    """Mark rows that equal the row before."""
    same = np.empty(len(ordered), bool)

    def compare(tile: Tile, stop: Flag) -> None:
        start = max(tile.start, 1)
        same[tile.start : start] = False
        rows = same[start : tile.stop]
        rows[:] = True
        for column in ordered.T:  # by columns, to save memory
            rows &= column[start : tile.stop] == column[start - 1 : tile.stop - 1]

    for_tiles("equal points", tiles_of(len(ordered)), compare, engine)
    return same


def _is_worth(same: Bools, sorted_by: Ints | None, search: Search) -> bool:
    if not same.any():
        return False
    if sorted_by is not None:
        return bool(same.mean() > _MIN_SHARE_OF_COPIES)
    candidates = search.n_candidates()
    return bool(candidates[same].sum() > _MIN_SHARE_OF_COPIES * candidates.sum())


def _same_sums(twin: Ints, ordered: Floats) -> Ints:
    """Positions whose sums equal those of their twins: also the coordinates in question are the same."""
    repeated = np.flatnonzero(twin != np.arange(len(twin)))
    return np.asarray(repeated[(ordered[:, repeated] == ordered[:, twin[repeated]]).all(axis=0)])


def _copy(out: tuple[np.ndarray, ...], to: Ints, of: Ints) -> None:
    """Copy the results of the points `of` to the points `to`."""
    for block in _blocks(np.arange(len(to))):
        for array in out:
            array[to[block]] = array[of[block]]


def _blocks(rows: Ints) -> list[Ints]:
    return [rows[start : start + _ROWS_COPIED] for start in range(0, len(rows), _ROWS_COPIED)]


def working_bytes(metric: Metric, state: float, engine: Engine) -> float:
    """Bytes for order, cells and their runs, sorted copies, the geometry, and the tiles computed at a time.

    A step of means and covariances needs them besides its result of `state` bytes.
    """
    tiles = state * min(1.0, engine.n_threads / 8)
    if metric.coordinates is None:
        return 64.0 * metric.n + state + tiles
    m = metric.coordinates.shape[1]
    gaussian = state > 8.0 * metric.n * m  # the state has covariances, which the next step reads
    columns = 0 if not gaussian else 9 if m <= 2 else 1 + 2 * m + 3 * m * m
    runs = (2, 6, 18)[min(m, 3) - 1]
    if gaussian and m > 2:  # results of LAPACK before they are copied
        tiles += 48.0 * m * m * min(metric.n, engine.n_threads * rows_of_tile(m))
    return 8.0 * metric.n * float(8 + 4 * m + runs + columns) + tiles


def ridge_step(points: Floats, means: Floats, covs: Floats, dim: int, engine: Engine) -> Floats:
    """Positions after moving toward the means, orthogonally to the `dim` leading axes of the covariances.

    0 < dim < m. A leading axis whose eigenvalue equals the next one is ignored.
    """
    n, m = points.shape
    points, means, covs, moved = to_host(points), to_host(means), to_host(covs), np.empty((n, m))

    def step(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        moved[part] = points[part] + off_leading_axes(np, means[part] - points[part], covs[part], dim)

    with one_blas_thread():
        engine.for_tiles("ridges", cut_evenly(n, 10.0 * m**3), step)
    return moved


def off_leading_axes(xp: Any, steps: Any, covs: Any, dim: int) -> Any:
    """The component of each step orthogonal to the `dim` leading eigenvectors of its covariance, 0 < dim < m.

    `xp` is the array module, NumPy or a compatible one.
    """
    return _in_the_plane(xp, steps, covs) if steps.shape[1] == 2 else _by_eigenvectors(xp, steps, covs, dim)


def _by_eigenvectors(xp: Any, steps: Any, covs: Any, dim: int) -> Any:
    values, vectors = xp.linalg.eigh(covs)
    slack = _TIED * (values[:, -1] + xp.sum(steps**2, axis=1))
    leads = values[:, -dim:] - values[:, -dim - 1, None] > slack[:, None]
    axes = vectors[:, :, -dim:] * leads[:, None, :]
    along = xp.einsum("iak,ia->ik", axes, steps)
    return steps - xp.einsum("iak,ik->ia", axes, along)


def _in_the_plane(xp: Any, steps: Any, covs: Any) -> Any:
    """Σ = (tr Σ·I + gap·R)/2 with R the reflection in the leading axis, so the projection is (I − R)/2."""
    x, y = steps[:, 0], steps[:, 1]
    a, b, c = covs[:, 0, 0], covs[:, 0, 1], covs[:, 1, 1]
    gap = xp.hypot(a - c, 2 * b)
    tied = gap <= _TIED * ((a + c + gap) / 2 + (x * x + y * y))
    unit = xp.where(tied, 1.0, gap)
    cos, sin = (a - c) / unit, 2 * b / unit
    left = xp.stack([x - (cos * x + sin * y), y - (sin * x - cos * y)], axis=1) / 2
    return xp.where(tied[:, None], steps, left)
