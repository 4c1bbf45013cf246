"""Points sorted into cells: by the key of the cell, then by coordinates, then by index.

Sums over neighbors are computed in this order, so that results do not depend on the order of the input points. Tiles
depend only on the number of points.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Marks, PerArray, Place, Ragged, Record, Rows, Task, Tile, Tilewise, cut, of_size
from ...kernels.buckets import Grid, count_keys, deal, find_cells, mark_steps, put_dealt, sort_buckets
from ...kernels.cells import Cells, find_runs
from ..frame import Frame
from .passes import are_few, bounds, run, size_of, tiles_of

_NAME = "sorting points"
_BUCKETS = 512  # most buckets: distributing writes to all of them alternately
_PER_BUCKET = 2048  # points per bucket, if the cells are equally full


class Sorted(NamedTuple):
    """`order[position]` is the point, `places[position]` its coordinates.

    `starts` are the first positions of the cells, `seen` the number of candidates of each.
    """

    order: Ints
    places: Floats
    cells: Cells
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
    run(Task(_NAME, _find, _Found(keys, buckets), _tiles(buckets), Ragged(before)), (starts[:-1], cell_keys), engine)
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
    return Sorted(order, places, Cells(cell, runs), starts, (runs[:, :, 1] - runs[:, :, 0]).sum(axis=1))


def _numbers(x: Floats, origin: float, frame: Frame) -> Ints:
    """Number of the cell of each coordinate."""
    steps, which = np.unique(_steps(x, origin, frame.side), return_inverse=True)
    return number(steps, frame.per_reach, frame.side)[which]


def _grid_of(points: Floats, frame: Frame, low: Floats, high: Floats, engine: Engine | None) -> tuple[Grid, Ints, int]:
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


def cells_among(occupied: list[Floats], frame: Frame) -> Floats:
    """The same, given the occupied steps along each axis in increasing order."""
    return _shape([(steps, number(steps, frame.per_reach, frame.side)) for steps in occupied], frame)


def _shape(tables: list[tuple[Floats, Ints]], frame: Frame) -> Floats:
    """Numbers of cells along each axis."""
    return np.array([numbers.max() + frame.per_reach + 1.0 for _, numbers in tables])


def _tables(
    points: Floats, frame: Frame, low: Floats, high: Floats, engine: Engine | None
) -> tuple[Grid, list[tuple[Floats, Ints]]]:
    """The grid without tables; and for each axis the steps and the numbers of their cells.

    Empty intervals are shortened to just out of reach, so that a far point does not affect the others and keys stay
    small.
    """
    axes, origin = np.array(frame.axes, np.intp), np.array(frame.origin)
    lengths = [
        _length(*ends, frame.side, len(points)) for ends in zip(low[axes] - origin, high[axes] - origin, strict=True)
    ]
    firsts = np.append(0, np.cumsum(lengths))
    grid = Grid(axes, origin, frame.side, np.equal(lengths, 0), firsts, np.empty(0), np.empty(0, np.int64))
    marks = np.zeros(firsts[-1], np.uint8)
    if len(marks):
        run(Task(_NAME, _mark, _Steps(points, grid, 0), tiles_of(len(points)), Marks()), (marks,), engine)
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


class _Steps(NamedTuple):
    points: Floats
    grid: Grid
    shift: int


def _mark(asked: _Steps, tile: Tile, stop: Flag, record: Record) -> None:
    mark_steps(asked.points, asked.grid, tile.start, tile.stop, record[0])


def _sorted(points: Floats, grid: Grid, top: int, engine: Engine | None) -> tuple[Ints, Ints, Floats, Ints, Ints]:
    """Keys, order and coordinates of the sorted points; the number of cells and the start of each bucket."""
    n = len(points)
    tiles, place = tiles_of(n), Tilewise(size_of(n))
    shift = _shift(n, top)
    counts = np.empty((len(tiles), (top >> shift) + 1), np.intp)
    keys = np.empty(n, np.int64)
    asked = _Steps(points, grid, shift)
    run(Task(_NAME, _count, asked, tiles, PerArray((Rows(), place))), (keys, counts), engine)
    buckets = np.append(0, np.cumsum(counts.sum(axis=0)))
    if len(tiles) == 1:
        dealt = keys, np.arange(n)
    else:
        dealt = np.empty(n, np.int64), np.empty(n, np.intp)
        to = buckets[:-1] + np.cumsum(counts, axis=0) - counts
        run(Task(_NAME, _deal, _Hand(keys, shift, counts, size_of(n)), tiles, _Dealt(counts, to, place)), dealt, engine)
    out = np.empty_like(keys), np.empty(n, np.intp), np.empty_like(points), np.empty(len(buckets) - 1, np.intp)
    by_bucket = PerArray((Ragged(buckets), Ragged(buckets), Ragged(buckets), Rows()))
    run(Task(_NAME, _sort, _Buckets(points, *dealt, buckets), _tiles(buckets), by_bucket), out, engine)
    return *out, buckets


def _tiles(buckets: Ints) -> list[Tile]:
    """Tiles of buckets with about the same number of points."""
    if len(buckets) == 2:
        return [Tile(0, 1)]
    return cut(np.diff(buckets).astype(np.float64), size_of(int(buckets[-1])))


def _shift(n: int, top: int) -> int:
    """Number of low bits of a key that do not affect its bucket."""
    wanted = min(_BUCKETS, max(1, n // _PER_BUCKET)) if len(tiles_of(n)) > 1 else 1
    shift = 0
    while top >> shift >= wanted:
        shift += 1
    return shift


def _count(asked: _Steps, tile: Tile, stop: Flag, record: Record) -> None:
    keys, counts = record
    count_keys(asked.points, asked.grid, tile.start, tile.stop, asked.shift, keys, counts[0])


class _Hand(NamedTuple):
    keys: Ints
    shift: int
    counts: Ints
    size: int


def _deal(hand: _Hand, tile: Tile, stop: Flag, record: Record) -> None:
    counts = hand.counts[tile.start // hand.size]
    deal(hand.keys[tile.start : tile.stop], tile.start, hand.shift, np.cumsum(counts) - counts, *record)


@dataclass(frozen=True, eq=False)
class _Dealt(Place):
    """The points of a tile by bucket: those of bucket b go to the positions from `to[tile, b]` on."""

    counts: Ints
    to: Ints
    tile: Tilewise

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.empty(tile.stop - tile.start, array.dtype) for array in out)

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        row = self.tile.where(tile)
        keys, numbers = record
        put_dealt(keys, numbers, self.counts[row][0], self.to[row][0], *out)


class _Buckets(NamedTuple):
    points: Floats
    keys: Ints
    numbers: Ints
    starts: Ints


def _sort(asked: _Buckets, tile: Tile, stop: Flag, record: Record) -> None:
    starts = asked.starts[tile.start : tile.stop + 1]
    most = int(np.diff(starts).max())
    digits = np.empty(256, np.intp)
    scratch, spare, first = np.empty(most, np.int64), np.empty(most, np.intp), np.empty(most)
    keys, order, places, n_cells = record
    sort_buckets(
        asked.points,
        asked.keys,
        asked.numbers,
        starts,
        digits,
        scratch,
        spare,
        first,
        keys,
        order,
        places,
        n_cells,
        stop,
    )


class _Found(NamedTuple):
    keys: Ints
    buckets: Ints


def _find(asked: _Found, tile: Tile, stop: Flag, record: Record) -> None:
    find_cells(asked.keys, asked.buckets[tile.start], asked.buckets[tile.stop], *record)


class _Rows(NamedTuple):
    keys: Ints
    starts: Ints
    offsets: Ints
    widths: Ints


def _runs(starts: Ints, keys: Ints, per_reach: int, strides: Ints, engine: Engine | None) -> tuple[Cells, Ints, Ints]:
    """The cells, their first positions, and the number of candidates of each."""
    offsets, widths = _rows_in_reach(per_reach, strides)
    n, n_cells = int(starts[-1]), len(keys)
    out = np.empty(n, np.intp), np.empty((n_cells, len(offsets), 2), np.intp), np.empty(n_cells, np.intp)
    tiles = of_size(n_cells, max(1, -(-n_cells // len(tiles_of(n)))))
    place = PerArray((Ragged(starts), Rows(), Rows()))
    run(Task(_NAME, _look, _Rows(keys, starts, offsets, widths), tiles, place), out, engine)
    return Cells(out[0], out[1]), starts, out[2]


def _look(asked: _Rows, tile: Tile, stop: Flag, record: Record) -> None:
    find_runs(*asked, tile.start, tile.stop, *record)


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
