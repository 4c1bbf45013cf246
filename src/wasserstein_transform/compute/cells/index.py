"""Candidate pairs: points sorted into cells, so that a ball only visits cells around it.

Points are sorted by the key of their cell, then by coordinates, then by index. Sums over neighbors are computed in this
order, so that results do not depend on the order of the input. Tiles depend only on the number of points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product
from math import ceil, frexp, ldexp

import numpy as np

from ..._types import Floats, Ints, cached_property
from ...engine import GRAIN, Engine, Flag, Tile, cut_by_cost, cut_by_size, fair_grain
from ..records import Frame
from . import cells_jit as kernel
from .rows import are_few, bounds, for_tiles, rows_per_tile, tiles_of

_MAX_KEYS = 2.0**62  # keys are 64-bit integers
_MAX_POINTS_WITHOUT_CELL_SUMS = 1000  # for fewer, these save less time than their kernels take to load or compile
_MAX_ROUNDING = 1 / 16  # of a coordinate, in reaches, by which cells are widened
_MAX_BUCKETS = 512  # distributing writes to all of them alternately
_POINTS_PER_BUCKET = 2048  # if the cells are equally full
_STAGE = "sorting points"


@dataclass(frozen=True)
class CellIndex:
    """Points by position: `order[position]` is the point, `sorted_points[position]` its coordinates, if any.

    Cell c holds the positions `starts[c]` to `starts[c + 1]`, each of which has `n_candidates[c]` candidates. A ball
    reaches across `per_reach` cells to either side; 0 if there are no cells. `by_cells`: see `Frame`.
    """

    order: Ints
    sorted_points: Floats | None
    cells: kernel.Cells
    starts: Ints
    n_candidates: Ints
    per_reach: int = 0
    by_cells: bool = False

    @classmethod
    def exhaustive(cls, n: int) -> CellIndex:
        """An index in which all points are candidates of all points."""
        return cls(np.arange(n), None, kernel.one_cell(n), np.array([0, n]), np.array([n]))

    @classmethod
    def of_points(cls, points: Floats, reach: float, engine: Engine | None = None) -> CellIndex:
        """Sort points into cells in which all pairs within `reach` are candidates."""
        low, high = bounds(points, engine)
        frame = frame_between(low, high, len(points), reach, lambda cut: cells_along(points, cut, low, high, engine))
        if are_few(len(points)):
            return _sort_few(points, frame)
        grid, strides, max_key = _grid_of(points, frame, low, high, engine)
        keys, order, sorted_points, n_cells, buckets = _sort(points, grid, max_key, engine)
        before = np.append(0, np.cumsum(n_cells))
        starts, cell_keys = np.empty(before[-1] + 1, np.intp), np.empty(before[-1], np.int64)
        starts[-1] = len(points)

        def find(tile: Tile, stop: Flag) -> None:
            part = slice(before[tile.start], before[tile.stop])
            kernel.find_cells(keys, buckets[tile.start], buckets[tile.stop], starts[:-1][part], cell_keys[part])

        for_tiles(_STAGE, _bucket_tiles(buckets), find, engine)
        cells, n_candidates = _find_runs(starts, cell_keys, frame.per_reach, strides, engine)
        return cls(order, sorted_points, cells, starts, n_candidates, frame.per_reach, frame.by_cells)

    @property
    def is_small(self) -> bool:
        """Whether the points are those of a small cloud."""
        return self.sorted_points is not None and not self.by_cells

    def candidates_by_position(self) -> Floats:
        """Number of candidates of each position."""
        return np.asarray(np.repeat(self.n_candidates, np.diff(self.starts)), np.float64)

    @cached_property
    def longest_run(self) -> int:
        """The most positions in one run, for the size of scratch memory."""
        runs = self.cells.runs
        return max(int((runs[:, r, 1] - runs[:, r, 0]).max(initial=0)) for r in range(runs.shape[1]))

    def tiles(self, cost: float, grain: float = GRAIN) -> list[Tile]:
        """Tiles of positions with about `grain` steps each, as `cut_evenly`, given the cost of a distance."""
        steps = np.maximum(self.n_candidates * cost, 1.0)
        ends = np.cumsum(steps * np.diff(self.starts))
        grain = fair_grain(float(ends[-1]), grain)
        if ends[-1] <= grain:
            return [Tile(0, int(self.starts[-1]))]
        marks = np.arange(grain, ends[-1], grain)
        cell = np.searchsorted(ends, marks, side="right")
        back = np.floor((ends[cell] - marks) / steps[cell])  # positions from the mark to the end of its cell
        rows = np.unique(np.concatenate([[0, self.starts[-1]], self.starts[cell + 1] - back.astype(np.intp)]))
        return [Tile(int(a), int(b)) for a, b in pairwise(rows)]


def frame_of(points: Floats, reach: float, engine: Engine | None = None) -> Frame:
    """The frame of a cloud in which all pairs within `reach` are candidates."""
    low, high = bounds(points, engine)
    return frame_between(low, high, len(points), reach, lambda cut: cells_along(points, cut, low, high, engine))


def frame_between(low: Floats, high: Floats, n: int, reach: float, cells_along: Callable[[Frame], Floats]) -> Frame:
    """The frame of n points between these corners in which all pairs within `reach` are candidates.

    Cells are cut along the widest axes, at most three: dropping coordinates only shortens distances. If the corners do
    not show enough, `cells_along` gives the numbers of cells along the axes of a frame, without empty intervals.
    """
    extent = high - low
    axes = np.argsort(-extent, kind="stable")[:3]
    largest = np.maximum(np.abs(low), np.abs(high))[axes].max()
    rounding = 2e-15 * largest  # rounding error of a coordinate minus the smallest one
    if 0 < reach < rounding / _MAX_ROUNDING:
        frame = _frame_without_rounding(len(low), n, reach, largest, cells_along)
    else:
        per_reach = _cells_per_reach(n, extent[axes], reach)
        side = (reach * (1 + 1e-9) + (rounding if reach > 0 else 0.0)) / per_reach
        frame = Frame(tuple(map(int, axes)), tuple(low[axes].tolist()), float(side), per_reach)
    frame = frame._replace(by_cells=n > _MAX_POINTS_WITHOUT_CELL_SUMS)
    while not (_is_small(frame, extent, n) or np.prod(cells_along(frame)) <= _MAX_KEYS):
        frame = frame._replace(axes=frame.axes[:-1], origin=frame.origin[:-1])
    return frame


def _frame_without_rounding(
    m: int, n: int, reach: float, largest: float, cells_along: Callable[[Frame], Floats]
) -> Frame:
    """The frame of points some of which are so far that differences from them lose the positions of the others.

    Instead, coordinates are divided by a power of two, which is exact. Extents are counted in cells, without empty
    intervals: far points do not determine the axes and the size of cells.
    """
    reach *= 1 + 1e-9
    min_exponent = frexp(largest)[1] - 1000  # quotients do not overflow
    side = ldexp(
        1.0, max(frexp(reach)[1] - 3, min_exponent)
    )  # so small that the intervals around far points hardly count
    extent = side * (cells_along(Frame(tuple(range(m)), (0.0,) * m, side, 1)) - 2)  # without the margins
    axes = np.argsort(-extent, kind="stable")[:3]
    per_reach = max(_cells_per_reach(n, extent[axes], reach), 2 if len(axes) < 3 else 1)  # 2: closer to a power of two
    side = ldexp(1.0, max(frexp(reach / per_reach)[1] - 1, min_exponent))
    return Frame(tuple(map(int, axes)), (0.0,) * len(axes), side, ceil(reach / side))


def _is_small(frame: Frame, extent: Floats, n: int) -> bool:
    """Whether keys of cells certainly fit: there are at most as many cells as points, and as the extent allows."""
    width = frame.per_reach + 1.0
    max_cells = np.full(len(frame.axes), n * width)
    if frame.side > 0:
        max_cells = np.minimum(max_cells, np.floor(extent[list(frame.axes)] / frame.side) + width)
    return bool(np.prod(max_cells + width) <= _MAX_KEYS)


def _cells_per_reach(n: int, extent: Floats, reach: float) -> int:
    """Number of cells per reach: small cells approximate the ball better, but a cell should hold several points."""
    if reach == 0:
        return 1
    per_ball = n / np.prod(np.maximum(np.minimum(extent, 1e50 * reach) / reach, 1.0))
    if len(extent) == 3:
        return 1 if per_ball < 50 else 2 if per_ball < 1000 else 4
    return 1 if per_ball < 50 else 2 if per_ball < 300 else min(max(4, int(0.7 * np.cbrt(per_ball))), 32)


def sort_points(points: Floats, frame: Frame, engine: Engine) -> tuple[Ints, Floats]:
    """Order and coordinates of the points, sorted by cells and coordinates, without the runs of a search."""
    if are_few(len(points)):
        order = np.lexsort(points.T)
        return order, points[order]
    grid, _, max_key = _grid_of(points, frame, *bounds(points, engine), engine)
    return _sort(points, grid, max_key, engine)[1:3]


def _sort_few(points: Floats, frame: Frame) -> CellIndex:
    """The index of few points, with NumPy."""
    numbers = np.empty((len(frame.axes), len(points)), np.int64)
    for a, (axis, origin) in enumerate(zip(frame.axes, frame.origin, strict=True)):
        steps, which = np.unique(_steps(points[:, axis], origin, frame.side), return_inverse=True)
        numbers[a] = number(steps, frame.per_reach, frame.side)[which]
    shape = numbers.max(axis=1) + frame.per_reach + 1
    strides = np.append(np.cumprod(shape[:0:-1])[::-1], 1)
    keys = strides @ numbers
    order = np.lexsort((*points.T[::-1], keys))
    keys = keys[order]
    starts = np.append(np.flatnonzero(np.diff(keys, prepend=-1)), len(points))
    cell_keys, (offsets, widths) = keys[starts[:-1]], _rows_in_reach(frame.per_reach, strides)
    row = cell_keys[:, None] + offsets
    ends = [np.searchsorted(cell_keys, edge) for edge in (row - widths, row + widths + 1)]
    runs = np.stack([starts[end] for end in ends], axis=2)
    cells = kernel.Cells(np.repeat(np.arange(len(cell_keys)), np.diff(starts)), runs)
    n_candidates = (runs[:, :, 1] - runs[:, :, 0]).sum(axis=1)
    return CellIndex(order, points[order], cells, starts, n_candidates, frame.per_reach, frame.by_cells)


def _grid_of(
    points: Floats, frame: Frame, low: Floats, high: Floats, engine: Engine | None
) -> tuple[kernel.Grid, Ints, int]:
    """The grid for computing keys, the strides of keys along each axis, and an upper bound of the keys."""
    grid, tables = _tables(points, frame, low, high, engine)
    shape = _shape(tables, frame).astype(np.int64)
    strides = np.append(np.cumprod(shape[:0:-1])[::-1], 1)
    terms = [numbers * stride for (_, numbers), stride in zip(tables, strides, strict=True)]
    grid = grid._replace(
        firsts=np.append(0, np.cumsum([len(along) for along in terms])),
        steps=np.concatenate([steps for steps, _ in tables]),
        terms=np.concatenate(terms),
    )
    return grid, strides, int(np.prod(shape))


def cells_along(points: Floats, frame: Frame, low: Floats, high: Floats, engine: Engine | None = None) -> Floats:
    """Numbers of cells along each axis, as floats because their product may exceed the integers."""
    return _shape(_tables(points, frame, low, high, engine)[1], frame)


def _shape(tables: list[tuple[Floats, Ints]], frame: Frame) -> Floats:
    """Numbers of cells along each axis."""
    return np.array([numbers.max() + frame.per_reach + 1.0 for _, numbers in tables])


def _tables(
    points: Floats, frame: Frame, low: Floats, high: Floats, engine: Engine | None
) -> tuple[kernel.Grid, list[tuple[Floats, Ints]]]:
    """The grid without tables; and for each axis the steps and the numbers of their cells.

    Empty intervals are shortened to just out of reach, so that a far point does not affect the others and keys stay
    small.
    """
    axes, origin = np.array(frame.axes, np.intp), np.array(frame.origin)
    lengths = [
        _length(*ends, frame.side, len(points)) for ends in zip(low[axes] - origin, high[axes] - origin, strict=True)
    ]
    firsts = np.append(0, np.cumsum(lengths))
    grid = kernel.Grid(axes, origin, frame.side, np.equal(lengths, 0), firsts, np.empty(0), np.empty(0, np.int64))
    marks = np.zeros(firsts[-1], np.uint8)
    if len(marks):  # tiles only set marks, so their order does not matter
        for_tiles(
            _STAGE, tiles_of(len(points)), lambda tile, stop: kernel.mark_steps(points, grid, *tile, marks), engine
        )
    return grid, [_table(points, frame, a, marks[start:end]) for a, (start, end) in enumerate(pairwise(firsts))]


def _table(points: Floats, frame: Frame, a: int, marks: np.ndarray) -> tuple[Floats, Ints]:
    """Steps along an axis and the numbers of their cells; in a table of all steps, unmarked ones are arbitrary."""
    if len(marks):
        occupied = np.flatnonzero(marks)
        numbers = np.zeros(len(marks), np.int64)
        numbers[occupied] = number(occupied, frame.per_reach, frame.side)
        return np.empty(len(marks)), numbers
    steps = np.unique(_steps(points[:, frame.axes[a]], frame.origin[a], frame.side))
    return steps, number(steps, frame.per_reach, frame.side)


def _length(low: float, high: float, side: float, n: int) -> int:
    """Length of a table of all steps; 0 if some are negative, or if a list of the occupied steps is shorter."""
    if side == 0 or low < 0:
        return 0
    top = np.floor(high / side)
    return int(top) + 1 if top <= 2 * n else 0


def _steps(x: Floats, origin: float, side: float) -> Floats:
    return np.floor((x - origin) / side) if side > 0 else x


def number(occupied: Ints | Floats, per_reach: int, side: float) -> Ints:
    """Numbers of the occupied cells along an axis, from `per_reach` on."""
    if side == 0:
        return np.arange(len(occupied)) * (per_reach + 1) + per_reach
    gaps = np.minimum(np.diff(occupied), per_reach + 1)
    return np.asarray(np.append(0, np.cumsum(gaps)).astype(np.int64) + per_reach)


def _sort(
    points: Floats, grid: kernel.Grid, max_key: int, engine: Engine | None
) -> tuple[Ints, Ints, Floats, Ints, Ints]:
    """Keys, order and coordinates of the sorted points; the number of cells and the start of each bucket."""
    n = len(points)
    tiles, size, shift = tiles_of(n), rows_per_tile(n), _bucket_shift(n, max_key)
    counts = np.empty((len(tiles), (max_key >> shift) + 1), np.intp)
    keys, numbers = np.empty(n, np.int64), np.arange(n)

    def count(tile: Tile, stop: Flag) -> None:
        kernel.count_keys(points, grid, *tile, shift, keys[slice(*tile)], counts[tile.start // size])

    for_tiles(_STAGE, tiles, count, engine)
    buckets = np.append(0, np.cumsum(counts.sum(axis=0)))
    if len(tiles) > 1:
        keys, numbers = _scatter_to_buckets(keys, shift, counts, buckets, engine)
    return *_sort_buckets(points, keys, numbers, buckets, engine), buckets


def _scatter_to_buckets(
    keys: Ints, shift: int, counts: Ints, buckets: Ints, engine: Engine | None
) -> tuple[Ints, Ints]:
    """Keys and points by bucket: those of bucket b of a tile go to the positions from `to[tile, b]` on."""
    n, size = len(keys), rows_per_tile(len(keys))
    scattered = np.empty(n, np.int64), np.empty(n, np.intp)
    to = buckets[:-1] + np.cumsum(counts, axis=0) - counts

    def move(tile: Tile, stop: Flag) -> None:
        k, length = tile.start // size, tile.stop - tile.start
        local = np.empty(length, np.int64), np.empty(length, np.intp)
        kernel.scatter_keys(keys[slice(*tile)], tile.start, shift, np.cumsum(counts[k]) - counts[k], *local)
        kernel.copy_scattered(*local, counts[k], to[k], *scattered)

    for_tiles(_STAGE, tiles_of(n), move, engine)
    return scattered


def _sort_buckets(
    points: Floats, keys: Ints, numbers: Ints, buckets: Ints, engine: Engine | None
) -> tuple[Ints, Ints, Floats, Ints]:
    """Keys, order and coordinates, sorted within each bucket; and the number of cells of each."""
    new_keys, order, sorted_points = np.empty_like(keys), np.empty(len(keys), np.intp), np.empty_like(points)
    n_cells = np.empty(len(buckets) - 1, np.intp)

    def sort(tile: Tile, stop: Flag) -> None:
        starts = buckets[tile.start : tile.stop + 1]
        longest = int(np.diff(starts).max())
        scratch = np.empty(256, np.intp), np.empty(longest, np.int64), np.empty(longest, np.intp), np.empty(longest)
        part, counts = slice(starts[0], starts[-1]), n_cells[slice(*tile)]
        kernel.sort_buckets(
            points, keys, numbers, starts, *scratch, new_keys[part], order[part], sorted_points[part], counts, stop
        )

    for_tiles(_STAGE, _bucket_tiles(buckets), sort, engine)
    return new_keys, order, sorted_points, n_cells


def _bucket_tiles(buckets: Ints) -> list[Tile]:
    """Tiles of buckets with about the same number of points."""
    if len(buckets) == 2:
        return [Tile(0, 1)]
    return cut_by_cost(np.diff(buckets).astype(np.float64), rows_per_tile(int(buckets[-1])))


def _bucket_shift(n: int, max_key: int) -> int:
    """Number of low bits of a key that do not affect its bucket."""
    max_buckets = min(_MAX_BUCKETS, max(1, n // _POINTS_PER_BUCKET)) if len(tiles_of(n)) > 1 else 1
    shift = 0
    while max_key >> shift >= max_buckets:
        shift += 1
    return shift


def _find_runs(
    starts: Ints, keys: Ints, per_reach: int, strides: Ints, engine: Engine | None
) -> tuple[kernel.Cells, Ints]:
    """The cells, and the number of candidates of each."""
    offsets, widths = _rows_in_reach(per_reach, strides)
    n, n_cells = int(starts[-1]), len(keys)
    cell, runs, n_candidates = (
        np.empty(n, np.intp),
        np.empty((n_cells, len(offsets), 2), np.intp),
        np.empty(n_cells, np.intp),
    )

    def find(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        positions = slice(starts[tile.start], starts[tile.stop])
        kernel.find_runs(keys, starts, offsets, widths, *tile, cell[positions], runs[part], n_candidates[part])

    for_tiles(_STAGE, cut_by_size(n_cells, max(1, -(-n_cells // len(tiles_of(n))))), find, engine)
    return kernel.Cells(cell, runs), n_candidates


def _rows_in_reach(k: int, strides: Ints) -> tuple[Ints, Ints]:
    """Key offsets of the rows of cells that a ball of k cells can touch, and the number of cells to either side."""
    offsets, widths = [], []
    for row in product(range(-k, k + 1), repeat=len(strides) - 1):
        row_offset = np.array(row, np.int64)
        radius_sq = k * k - float(np.sum(np.maximum(np.abs(row_offset) - 1, 0) ** 2))
        if radius_sq < 0:
            continue
        offsets.append(int(row_offset @ strides[:-1]))
        widths.append(min(k, int(np.sqrt(radius_sq)) + 1))
    return np.array(offsets, np.int64), np.array(widths, np.int64)
