"""Candidate pairs: points sorted into cells, so that a ball only visits cells around it.

Points are sorted by the key of their cell, then by coordinates, then by index. Sums over neighbors are computed in this
order, so that results do not depend on the order of the input. Tiles depend only on the number of points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product
from math import ceil, frexp, ldexp
from typing import NamedTuple

import numpy as np

from ..._types import Floats, Ints, cached_property
from ...engine import GRAIN, Engine, Flag, Tile, cut_by_cost, cut_by_size, fair_grain
from ..records import Frame
from . import cells_jit as kernel
from .cells_jit import longest_run
from .rows import are_few, bounds, for_tiles, rows_per_tile, tiles_of

_MOST_KEYS = 2.0**62  # keys are 64-bit integers
_FEW = 1000  # points: with at most so many, whole cells save less time than their kernels take to load or compile
_BLUR = 1 / 16  # largest rounding error of a coordinate, in reaches, by which cells are widened


@dataclass(frozen=True)
class Search:
    """Points by position: `order[position]` is the point; `places` are in the order of positions, None without cells.

    Cell c holds the positions `starts[c]` to `starts[c + 1]`, each of which has `seen[c]` candidates. A ball reaches
    across `per_reach` cells to either side; 0 if there are no cells. `by_cells`: see `Frame`.
    """

    order: Ints
    places: Floats | None
    cells: kernel.Cells
    starts: Ints
    seen: Ints
    per_reach: int = 0
    by_cells: bool = False

    @classmethod
    def exhaustive(cls, n: int) -> Search:
        """A search in which all points are candidates of all points."""
        return cls(np.arange(n), None, kernel.one_cell(n), np.array([0, n]), np.array([n]))

    @property
    def is_small(self) -> bool:
        """Whether the points are those of a small cloud, or a part of one."""
        return self.places is not None and not self.by_cells

    def n_candidates(self) -> Floats:
        """Number of candidates of each position."""
        return np.asarray(np.repeat(self.seen, np.diff(self.starts)), np.float64)

    @cached_property
    def longest_run(self) -> int:
        """The most positions in one run, for the size of scratch memory."""
        runs = self.cells.runs
        if are_few(len(runs)):
            return int((runs[:, :, 1] - runs[:, :, 0]).max(initial=0))
        return int(longest_run(self.cells))

    def tiles(self, cost: float, grain: float = GRAIN) -> list[Tile]:
        """Tiles of positions with about `grain` steps each, as `cut_evenly`, given the cost of a distance."""
        each = np.maximum(self.seen * cost, 1.0)
        ends = np.cumsum(each * np.diff(self.starts))
        grain = fair_grain(float(ends[-1]), grain)
        if ends[-1] <= grain:
            return [Tile(0, int(self.starts[-1]))]
        marks = np.arange(grain, ends[-1], grain)
        cell = np.searchsorted(ends, marks, side="right")
        back = np.floor((ends[cell] - marks) / each[cell])  # positions from the mark to the end of its cell
        rows = np.unique(np.concatenate([[0, self.starts[-1]], self.starts[cell + 1] - back.astype(np.intp)]))
        return [Tile(int(a), int(b)) for a, b in pairwise(rows)]


def frame_of(points: Floats, reach: float, engine: Engine | None = None) -> Frame:
    """The frame of a cloud in which all pairs within `reach` are candidates."""
    low, high = bounds(points, engine)
    return frame_of_extent(low, high, len(points), reach, lambda cut: cells_along(points, cut, low, high, engine))


def frame_of_extent(low: Floats, high: Floats, n: int, reach: float, cells_along: Callable[[Frame], Floats]) -> Frame:
    """The frame of n points between these corners in which all pairs within `reach` are candidates.

    Cells are cut along the widest axes, at most three: dropping coordinates only shortens distances. If the corners do
    not show enough, `cells_along` gives the numbers of cells along the axes of a frame, without empty intervals.
    """
    extent = high - low
    axes = np.argsort(-extent, kind="stable")[:3]
    largest = np.maximum(np.abs(low), np.abs(high))[axes].max()
    rounding = 2e-15 * largest  # rounding error of a coordinate minus the smallest one
    if 0 < reach < rounding / _BLUR:
        frame = _frame_without_rounding(len(low), n, reach, largest, cells_along)
    else:
        per_reach = _cells_per_reach(n, extent[axes], reach)
        side = (reach * (1 + 1e-9) + (rounding if reach > 0 else 0.0)) / per_reach
        frame = Frame(tuple(map(int, axes)), tuple(low[axes].tolist()), float(side), per_reach)
    frame = frame._replace(by_cells=n > _FEW)
    while not (_is_small(frame, extent, n) or np.prod(cells_along(frame)) <= _MOST_KEYS):
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
    least = frexp(largest)[1] - 1000  # quotients do not overflow
    side = ldexp(1.0, max(frexp(reach)[1] - 3, least))  # so small that the intervals around far points hardly count
    extent = side * (cells_along(Frame(tuple(range(m)), (0.0,) * m, side, 1)) - 2)  # without the margins
    axes = np.argsort(-extent, kind="stable")[:3]
    per_reach = max(_cells_per_reach(n, extent[axes], reach), 2 if len(axes) < 3 else 1)  # 2: closer to a power of two
    side = ldexp(1.0, max(frexp(reach / per_reach)[1] - 1, least))
    return Frame(tuple(map(int, axes)), (0.0,) * len(axes), side, ceil(reach / side))


def _is_small(frame: Frame, extent: Floats, n: int) -> bool:
    """Whether keys of cells certainly fit: there are at most as many cells as points, and as the extent allows."""
    width = frame.per_reach + 1.0
    most = np.full(len(frame.axes), n * width)
    if frame.side > 0:
        most = np.minimum(most, np.floor(extent[list(frame.axes)] / frame.side) + width)
    return bool(np.prod(most + width) <= _MOST_KEYS)


def raw_cells(points: Floats, frame: Frame) -> Floats:
    """The cell of each point along each axis, counted from the origin."""
    where = points[:, list(frame.axes)] - np.array(frame.origin)
    return np.asarray(np.floor(where / frame.side) if frame.side > 0 else where)


def _cells_per_reach(n: int, extent: Floats, reach: float) -> int:
    """Number of cells per reach: small cells approximate the ball better, but a cell should hold several points."""
    if reach == 0:
        return 1
    per_ball = n / np.prod(np.maximum(np.minimum(extent, 1e50 * reach) / reach, 1.0))
    if len(extent) == 3:
        return 1 if per_ball < 50 else 2 if per_ball < 1000 else 4
    return 1 if per_ball < 50 else 2 if per_ball < 300 else min(max(4, int(0.7 * np.cbrt(per_ball))), 32)


_NAME = "sorting points"
_BUCKETS = 512  # most buckets: distributing writes to all of them alternately
_PER_BUCKET = 2048  # points per bucket, if the cells are equally full


class Sorted(NamedTuple):
    """`order[position]` is the point, `places[position]` its coordinates.

    `starts` are the first positions of the cells, `seen` the number of candidates of each.
    """

    order: Ints
    places: Floats
    cells: kernel.Cells
    starts: Ints
    seen: Ints


def sort_into_cells(points: Floats, frame: Frame, low: Floats, high: Floats, engine: Engine | None = None) -> Sorted:
    """Sort points between these corners into cells."""
    if are_few(len(points)):
        return _sorted_few(points, frame)
    grid, strides, top = _grid_of(points, frame, low, high, engine)
    keys, order, places, n_cells, buckets = _sorted(points, grid, top, engine)
    before = np.append(0, np.cumsum(n_cells))
    starts, cell_keys = np.empty(before[-1] + 1, np.intp), np.empty(before[-1], np.int64)
    starts[-1] = len(points)

    def find(tile: Tile, stop: Flag) -> None:
        part = slice(before[tile.start], before[tile.stop])
        kernel.find_cells(keys, buckets[tile.start], buckets[tile.stop], starts[:-1][part], cell_keys[part])

    for_tiles(_NAME, _tiles(buckets), find, engine)
    return Sorted(order, places, *_runs(starts, cell_keys, frame.per_reach, strides, engine))


def sort_points(points: Floats, frame: Frame, engine: Engine) -> tuple[Ints, Floats]:
    """Order and coordinates of the points, sorted by cells and coordinates, without the runs of a search."""
    if are_few(len(points)):
        order = np.lexsort(points.T)
        return order, points[order]
    grid, _, top = _grid_of(points, frame, *bounds(points, engine), engine)
    return _sorted(points, grid, top, engine)[1:3]


def _sorted_few(points: Floats, frame: Frame) -> Sorted:
    """The same for few points, with NumPy."""
    where = [_numbers(points[:, axis], at, frame) for axis, at in zip(frame.axes, frame.origin, strict=True)]
    shape = np.array([numbers.max() + frame.per_reach + 1 for numbers in where])
    strides = np.append(np.cumprod(shape[:0:-1])[::-1], 1)
    keys = np.stack(where, axis=1) @ strides
    order = np.lexsort((*points.T[::-1], keys))
    keys = keys[order]
    starts = np.append(np.flatnonzero(np.diff(keys, prepend=-1)), len(points))
    cell_keys, (offsets, widths) = keys[starts[:-1]], _rows_in_reach(frame.per_reach, strides)
    row = cell_keys[:, None] + offsets
    ends = [np.searchsorted(cell_keys, edge) for edge in (row - widths, row + widths + 1)]
    runs = np.stack([starts[end] for end in ends], axis=2)
    cell = np.repeat(np.arange(len(cell_keys)), np.diff(starts))
    places = np.ascontiguousarray(points[order])
    return Sorted(order, places, kernel.Cells(cell, runs), starts, (runs[:, :, 1] - runs[:, :, 0]).sum(axis=1))


def _numbers(x: Floats, origin: float, frame: Frame) -> Ints:
    """Number of the cell of each coordinate."""
    steps, which = np.unique(_steps(x, origin, frame.side), return_inverse=True)
    return number(steps, frame.per_reach, frame.side)[which]


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
            _NAME, tiles_of(len(points)), lambda tile, stop: kernel.mark_steps(points, grid, *tile, marks), engine
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


def _sorted(
    points: Floats, grid: kernel.Grid, top: int, engine: Engine | None
) -> tuple[Ints, Ints, Floats, Ints, Ints]:
    """Keys, order and coordinates of the sorted points; the number of cells and the start of each bucket."""
    n = len(points)
    tiles, size, shift = tiles_of(n), rows_per_tile(n), _shift(n, top)
    counts = np.empty((len(tiles), (top >> shift) + 1), np.intp)
    keys = np.empty(n, np.int64)

    def count(tile: Tile, stop: Flag) -> None:
        kernel.count_keys(points, grid, *tile, shift, keys[slice(*tile)], counts[tile.start // size])

    for_tiles(_NAME, tiles, count, engine)
    buckets = np.append(0, np.cumsum(counts.sum(axis=0)))
    dealt = (keys, np.arange(n)) if len(tiles) == 1 else _deal(keys, shift, counts, buckets, engine)
    return *_sort_buckets(points, *dealt, buckets, engine), buckets


def _deal(keys: Ints, shift: int, counts: Ints, buckets: Ints, engine: Engine | None) -> tuple[Ints, Ints]:
    """Keys and points by bucket: those of bucket b of a tile go to the positions from `to[tile, b]` on."""
    n, size = len(keys), rows_per_tile(len(keys))
    dealt = np.empty(n, np.int64), np.empty(n, np.intp)
    to = buckets[:-1] + np.cumsum(counts, axis=0) - counts

    def move(tile: Tile, stop: Flag) -> None:
        k, length = tile.start // size, tile.stop - tile.start
        own = np.empty(length, np.int64), np.empty(length, np.intp)
        kernel.deal(keys[slice(*tile)], tile.start, shift, np.cumsum(counts[k]) - counts[k], *own)
        kernel.put_dealt(*own, counts[k], to[k], *dealt)

    for_tiles(_NAME, tiles_of(n), move, engine)
    return dealt


def _sort_buckets(
    points: Floats, keys: Ints, numbers: Ints, buckets: Ints, engine: Engine | None
) -> tuple[Ints, Ints, Floats, Ints]:
    """Keys, order and coordinates, sorted within each bucket; and the number of cells of each."""
    new_keys, order, places = np.empty_like(keys), np.empty(len(keys), np.intp), np.empty_like(points)
    n_cells = np.empty(len(buckets) - 1, np.intp)

    def sort(tile: Tile, stop: Flag) -> None:
        starts = buckets[tile.start : tile.stop + 1]
        longest = int(np.diff(starts).max())
        scratch = np.empty(256, np.intp), np.empty(longest, np.int64), np.empty(longest, np.intp), np.empty(longest)
        part, counts = slice(starts[0], starts[-1]), n_cells[slice(*tile)]
        kernel.sort_buckets(
            points, keys, numbers, starts, *scratch, new_keys[part], order[part], places[part], counts, stop
        )

    for_tiles(_NAME, _tiles(buckets), sort, engine)
    return new_keys, order, places, n_cells


def _tiles(buckets: Ints) -> list[Tile]:
    """Tiles of buckets with about the same number of points."""
    if len(buckets) == 2:
        return [Tile(0, 1)]
    return cut_by_cost(np.diff(buckets).astype(np.float64), rows_per_tile(int(buckets[-1])))


def _shift(n: int, top: int) -> int:
    """Number of low bits of a key that do not affect its bucket."""
    wanted = min(_BUCKETS, max(1, n // _PER_BUCKET)) if len(tiles_of(n)) > 1 else 1
    shift = 0
    while top >> shift >= wanted:
        shift += 1
    return shift


def _runs(
    starts: Ints, keys: Ints, per_reach: int, strides: Ints, engine: Engine | None
) -> tuple[kernel.Cells, Ints, Ints]:
    """The cells, their first positions, and the number of candidates of each."""
    offsets, widths = _rows_in_reach(per_reach, strides)
    n, n_cells = int(starts[-1]), len(keys)
    cell, runs, seen = np.empty(n, np.intp), np.empty((n_cells, len(offsets), 2), np.intp), np.empty(n_cells, np.intp)

    def find(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        positions = slice(starts[tile.start], starts[tile.stop])
        kernel.find_runs(keys, starts, offsets, widths, *tile, cell[positions], runs[part], seen[part])

    for_tiles(_NAME, cut_by_size(n_cells, max(1, -(-n_cells // len(tiles_of(n))))), find, engine)
    return kernel.Cells(cell, runs), starts, seen


def _rows_in_reach(k: int, strides: Ints) -> tuple[Ints, Ints]:
    """Key offsets of the rows of cells that a ball of k cells can touch, and the number of cells to either side."""
    offsets, widths = [], []
    for row in product(range(-k, k + 1), repeat=len(strides) - 1):
        off = np.array(row, np.int64)
        scratch = k * k - float(np.sum(np.maximum(np.abs(off) - 1, 0) ** 2))
        if scratch < 0:
            continue
        offsets.append(int(off @ strides[:-1]))
        widths.append(min(k, int(np.sqrt(scratch)) + 1))
    return np.array(offsets, np.int64), np.array(widths, np.int64)
