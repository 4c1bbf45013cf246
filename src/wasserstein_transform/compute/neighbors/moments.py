"""Moments of the neighborhoods of all points, without storing balls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..._types import Floats, Ints, cached_property
from ...engine import GRAIN, Engine, Flag, Record, Tile, cut_by_cost, cut_evenly, one_blas_thread, to_host
from ..cells.index import CellIndex
from ..cells.rows import for_tiles, gather_columns, scatter_rows, take, tiles_of
from ..metrics.distances import closed
from ..metrics.gaussians import rows_of_tile
from ..metrics.geometry_jit import Cloud, Geometry, Marks, for_thread
from ..records import MeansAndCovs, Moments
from . import cell_sums_jit as cell_sums
from .balls_jit import mark_pairs
from .moments_jit import FLAT, profile_of, sum_moments

if TYPE_CHECKING:
    from ...spaces import Metric

_MIN_COST_FOR_MARKS = 50  # from this cost of a distance on, reading a mark is faster than computing it again
_GRAIN = GRAIN / 2  # enough tiles for a million points in the plane that many threads finish together
_MAX_MARKS = 2.0**29  # candidates up to which marks are stored by default, a byte each
_MIN_SHARE_OF_COPIES = 0.1  # smallest share of candidates to save for which computing equal points once pays off
_MAX_EIGENVALUE_GAP = (
    1e-9  # eigenvalues closer than this, relative to the second moment about the point, count as equal
)


Kernel: TypeAlias = Callable[[Ints, Record, Flag], None]


def neighborhoods(
    metric: Metric, weights: Floats, profile: int, eps: float, reach: float, engine: Engine, first: int = 0
) -> Neighborhoods:
    """Neighborhoods within `reach` of the points from `first` on, weighted by profile(d²/ε²)."""
    index = metric.search(reach, engine)
    limit = closed(reach) if np.isfinite(reach) else np.inf
    ordered, coordinates = take(weights, index.order, engine), to_host(metric.coordinates)
    first_duplicate = None if first > 0 or coordinates is None else _find_duplicates(metric, coordinates, index)
    geometry = metric.geometry_near(index, reach, engine)
    result = Neighborhoods(
        index, geometry, ordered, profile, eps, limit, first, metric.cost, engine, coordinates, first_duplicate
    )
    return result.cached() if result.is_expensive else result


@dataclass(frozen=True, eq=False)
class Neighborhoods:
    """Neighborhoods in a weighted space of the points from `first` on, under a kernel profile.

    Moments can be computed for other coordinates with the same neighborhoods: the second pass of the Gaussian Transform
    computes the covariances of the moved points. Identical points have identical neighborhoods: `first_duplicate` has
    for every position the first one with the same point, whose moments are copied; None if few points repeat.
    """

    index: CellIndex
    geometry: Geometry
    weights: Floats
    profile: int
    eps: float
    limit: float
    first: int
    cost: float
    engine: Engine
    coordinates: Floats | None
    first_duplicate: Ints | None

    @property
    def is_expensive(self) -> bool:
        """Whether testing each pair once pays off, and the marks fit into memory."""
        if self.profile != FLAT or self.first > 0 or self.cost < _MIN_COST_FOR_MARKS:
            return False
        n_marks = float(self.index.n_candidates @ np.diff(self.index.starts))
        return self.first_duplicate is None and n_marks <= _MAX_MARKS and self.engine.fits(n_marks)

    def cached(self) -> Neighborhoods:
        """The same neighborhoods with each pair tested once: a mark for each candidate is stored for later passes."""
        if self.profile != FLAT:
            raise ValueError("marks say who is near, and a smooth profile weighs by distance: use profile='flat'")
        if isinstance(self.geometry, Marks):
            return self
        index, candidates = self.index, self.index.candidates_by_position()
        starts = np.append(0, np.cumsum(candidates.astype(np.intp)))
        self.engine.reserve(starts[-1], f"a byte for each of {starts[-1]} candidates", "use a smaller eps")
        pairs = Marks(index.cells.cell, index.cells.runs, starts, np.zeros(starts[-1], np.uint8))
        ones = np.ones(len(index.order))

        def test(tile: Tile, stop: Flag) -> None:
            near = np.empty(index.longest_run)
            mark_pairs(for_thread(self.geometry), pairs, *tile, self.limit, ones, near, stop)

        self.engine.for_tiles("testing pairs", index.tiles(self.cost), test)
        return replace(self, geometry=pairs, cost=1.0)

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; without mass, the point itself."""
        points = to_host(points)
        n, m = len(points) - self.first, points.shape[1]
        out = np.empty(n), np.empty((n, m))
        self._sum("means", points, out)
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
        self._sum("covariances", points, out)
        return MeansAndCovs(*out)

    def _sum(self, name: str, points: Floats, out: tuple[np.ndarray, ...]) -> None:
        """Sum over the neighbors of the points from `first` on: mass and means, or mass, means and covariances."""
        index, rows, copied = self.index, None, np.empty(0, np.intp)
        to, tiles = index.order, index.tiles(self.cost, _GRAIN)
        if self.first > 0:
            rows = np.flatnonzero(index.order >= self.first)
            to, tiles = index.order[rows] - self.first, cut_by_cost(index.candidates_by_position()[rows] * self.cost)
        columns = self._sort(points)
        if self.first_duplicate is not None:
            copied = np.flatnonzero(self.first_duplicate != np.arange(len(to)))
            first = self.first_duplicate[copied]
            copied = copied[(columns[:, copied] == columns[:, first]).all(axis=0)]  # relative to the same point
            rows = np.delete(np.arange(len(to)), copied)
            to, tiles = to[rows], cut_by_cost(index.candidates_by_position()[rows] * self.cost, _GRAIN)
        kernel = self._choose_kernel(columns, len(out) == 3)

        def add(tile: Tile, stop: Flag) -> None:
            record = tuple(np.empty((tile.stop - tile.start, *array.shape[1:])) for array in out)
            kernel(np.arange(*tile) if rows is None else rows[slice(*tile)], record, stop)
            if not stop[0]:
                for values, array in zip(record, out, strict=True):
                    scatter_rows(values, to[slice(*tile)], array)

        self.engine.for_tiles(name, tiles, add, joined=True)
        if self.first_duplicate is not None:
            for array in out:
                array[index.order[copied]] = array[index.order[self.first_duplicate[copied]]]

    def _choose_kernel(self, columns: Floats, second: bool) -> Kernel:
        """The function that sums over the neighbors of some positions. The choice depends only on the metric."""
        index, m = self.index, len(columns)
        geometry, is_flat = self.geometry, self.profile == FLAT
        if is_flat and index.by_cells and isinstance(geometry, Cloud) and geometry.points.shape[1] == m:
            return self._sum_whole_cells(columns, second)
        profile: Any = profile_of(self.profile, self.eps)

        def add(rows: Ints, record: Record, stop: Flag) -> None:
            geometry, scratch = for_thread(self.geometry), np.empty(index.longest_run)
            mass, means, *covs = record
            sum_moments(
                geometry, index.cells, rows, self.weights, columns, profile, self.limit, scratch, mass, means,
                covs[0] if covs else np.empty((0, m, m)), stop,
            )  # fmt: skip

        return add

    def _sum_whole_cells(self, columns: Floats, second: bool) -> Kernel:
        """For flat balls of points: cells that lie within a ball count as a whole."""
        index, coordinates, n, m = self.index, self.sorted_columns, len(self.index.n_candidates), len(columns)
        low, high, sums = np.empty((m, n)), np.empty((m, n)), np.empty((1 + 2 * m + m * m * second, n))

        def sum_cells(tile: Tile, stop: Flag) -> None:
            parts = (array[:, slice(*tile)] for array in (low, high, sums))
            cell_sums.sum_cells(coordinates, columns, self.weights, index.starts, *tile, *parts)

        for_tiles("sums of cells", tiles_of(n), sum_cells, self.engine)
        whole, max_runs = cell_sums.CellSums(index.starts, low, high, sums), index.per_reach + 1  # in a row of cells

        def add(rows: Ints, record: Record, stop: Flag) -> None:
            core, parts = np.empty(1 + m + m * m * second), np.empty((index.cells.runs.shape[1] * max_runs, 2), np.intp)
            mass, means, *covs = record
            cell_sums.sum_moments_by_cells(
                self.geometry, coordinates, index.cells, whole, rows, self.weights, columns, self.limit,
                index.per_reach, np.empty(index.longest_run), core, parts, np.empty(2 * max_runs),
                np.empty(2 * max_runs), mass, means, covs[0] if covs else np.empty((0, m, m)), stop,
            )  # fmt: skip

        return add

    def _sort(self, points: Floats) -> Floats:
        """Coordinates of the sorted points, a row for each axis."""
        if points is self.coordinates and self.index.sorted_points is not None:
            return self.sorted_columns
        return gather_columns(points, self.index.order, self.engine)

    @cached_property
    def sorted_columns(self) -> Floats:
        """The coordinates of the metric in the same form."""
        assert self.index.sorted_points is not None
        return gather_columns(self.index.sorted_points, None, self.engine)


def _find_duplicates(metric: Metric, coordinates: Floats, index: CellIndex) -> Ints | None:
    """For every position, the first one with the same point; None if few points repeat."""
    has_cells = index.sorted_points is not None
    order = index.order if has_cells else np.lexsort(coordinates.T)
    ordered = coordinates[order] if index.sorted_points is None else index.sorted_points
    same = np.append(False, np.all([along[1:] == along[:-1] for along in ordered.T], axis=0))  # as the one before
    if metric.covs is not None and metric.lam > 0:
        rows = np.flatnonzero(same)
        same[rows] = (metric.covs[order[rows]] == metric.covs[order[rows - 1]]).all(axis=(1, 2))
    candidates = index.candidates_by_position()
    if candidates[same].sum() <= _MIN_SHARE_OF_COPIES * candidates.sum():
        return None
    first = np.flatnonzero(~same)[np.cumsum(~same) - 1]
    if has_cells:
        return np.asarray(first)
    first_duplicate = np.empty(len(first), np.intp)  # without cells, positions equal points
    first_duplicate[order] = order[first]
    return first_duplicate


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
    slack = _MAX_EIGENVALUE_GAP * (values[:, -1] + xp.sum(steps**2, axis=1))
    leads = values[:, -dim:] - values[:, -dim - 1, None] > slack[:, None]
    axes = vectors[:, :, -dim:] * leads[:, None, :]
    along = xp.einsum("iak,ia->ik", axes, steps)
    return steps - xp.einsum("iak,ik->ia", axes, along)


def _in_the_plane(xp: Any, steps: Any, covs: Any) -> Any:
    """Σ = (tr Σ·I + gap·R)/2 with R the reflection in the leading axis, so the projection is (I − R)/2."""
    x, y = steps[:, 0], steps[:, 1]
    a, b, c = covs[:, 0, 0], covs[:, 0, 1], covs[:, 1, 1]
    gap = xp.hypot(a - c, 2 * b)
    tied = gap <= _MAX_EIGENVALUE_GAP * ((a + c + gap) / 2 + (x * x + y * y))
    unit = xp.where(tied, 1.0, gap)
    cos, sin = (a - c) / unit, 2 * b / unit
    left = xp.stack([x - (cos * x + sin * y), y - (sin * x - cos * y)], axis=1) / 2
    return xp.where(tied[:, None], steps, left)
