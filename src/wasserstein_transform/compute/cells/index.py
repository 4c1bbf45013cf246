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
from .rows import are_few, bounds, for_tiles, rows_per_tile

_MAX_KEYS = 2.0**62  # keys are 64-bit integers
_MAX_POINTS_WITHOUT_CELL_SUMS = 1000  # for fewer, these save less time than their kernels take to load or compile
_MAX_ROUNDING = 1 / 16  # of a coordinate, in reaches, by which cells are widened
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
        frame = frame_of(points, reach, engine)
        numbers = _cell_numbers(points, frame)
        strides = np.append(np.cumprod(_count_along(numbers, frame)[:0:-1].astype(np.int64))[::-1], 1)
        order, ordered, starts, cell_keys = _sort(points, strides @ numbers, engine)
        runs = _find_runs(starts, cell_keys, frame.per_reach, strides, engine)
        cells = kernel.Cells(np.repeat(np.arange(len(cell_keys)), np.diff(starts)), runs)
        n_candidates = (runs[:, :, 1] - runs[:, :, 0]).sum(axis=1)
        return cls(order, ordered, cells, starts, n_candidates, frame.per_reach, frame.by_cells)

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
    return frame_between(low, high, len(points), reach, lambda frame: _count_along(_cell_numbers(points, frame), frame))


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
        frame = Frame(tuple(axes.tolist()), tuple(low[axes].tolist()), float(side), per_reach)
    frame = frame._replace(by_cells=n > _MAX_POINTS_WITHOUT_CELL_SUMS)
    while not (_is_small(frame, extent, n) or np.prod(cells_along(frame)) <= _MAX_KEYS):
        frame = frame._replace(axes=frame.axes[:-1], origin=frame.origin[:-1])
    return frame


def _frame_without_rounding(
    m: int, n: int, reach: float, largest: float, cells_along: Callable[[Frame], Floats]
) -> Frame:
    """The frame of points some of which are so far that differences from them lose the positions of the others.

    Instead, coordinates are divided by a power of two, which is exact. Extents are counted in cells, without empty
    intervals: far points, such as fill values of 1e36, do not determine the axes and the size of cells.
    """
    reach *= 1 + 1e-9
    min_exponent = frexp(largest)[1] - 1000  # quotients do not overflow
    side = ldexp(1.0, max(frexp(reach)[1] - 3, min_exponent))  # small: intervals around far points hardly count
    extent = side * (cells_along(Frame(tuple(range(m)), (0.0,) * m, side, 1)) - 2)  # without the margins
    axes = np.argsort(-extent, kind="stable")[:3]
    per_reach = max(_cells_per_reach(n, extent[axes], reach), 2 if len(axes) < 3 else 1)  # 2: closer to a power of two
    side = ldexp(1.0, max(frexp(reach / per_reach)[1] - 1, min_exponent))
    return Frame(tuple(axes.tolist()), (0.0,) * len(axes), side, ceil(reach / side))


def _is_small(frame: Frame, extent: Floats, n: int) -> bool:
    """Whether keys of cells certainly fit: there are at most as many cells as points, and as the extent allows."""
    width = frame.per_reach + 1.0
    max_cells = np.full(len(frame.axes), n * width)
    if frame.side > 0:
        max_cells = np.minimum(max_cells, np.floor(extent[list(frame.axes)] / frame.side) + width)
    return bool(np.prod(max_cells + width) <= _MAX_KEYS)


def raw_cells(points: Floats, frame: Frame) -> Floats:
    """The cell of each point along each axis, counted from the origin; of side 0, its coordinates."""
    if frame.side == 0:
        return points[:, list(frame.axes)]
    offsets = np.stack([points[:, axis] - origin for axis, origin in zip(frame.axes, frame.origin, strict=True)])
    return np.asarray(np.floor(offsets / frame.side).T)


def _cells_per_reach(n: int, extent: Floats, reach: float) -> int:
    """Number of cells per reach: small cells approximate the ball better, but a cell should hold several points."""
    if reach == 0:
        return 1
    per_ball = n / np.prod(np.maximum(np.minimum(extent, 1e50 * reach) / reach, 1.0))
    if len(extent) == 3:
        return 1 if per_ball < 50 else 2 if per_ball < 1000 else 4
    return 1 if per_ball < 50 else 2 if per_ball < 300 else min(max(4, int(0.7 * np.cbrt(per_ball))), 32)


def _cell_numbers(points: Floats, frame: Frame) -> Ints:
    """The number of the cell of each point along each axis, a row for each axis.

    Empty intervals are shortened to just out of reach, so that a far point does not affect the others and keys stay
    small.
    """
    numbers = np.empty((len(frame.axes), len(points)), np.int64)
    for a, steps in enumerate(raw_cells(points, frame).T):
        if frame.side > 0 and steps.min() >= 0 and steps.max() <= 2 * len(steps):  # ten times as fast as sorting
            which = steps.astype(np.intp)
            occupied = np.flatnonzero(np.bincount(which))
            which = (np.cumsum(np.bincount(occupied)) - 1)[which]
        else:
            occupied, which = np.unique(steps, return_inverse=True)
        gaps = np.minimum(np.diff(occupied), frame.per_reach + 1) if frame.side > 0 else frame.per_reach + 1.0
        numbers[a] = np.append(0, np.cumsum(np.broadcast_to(gaps, len(occupied) - 1)))[which] + frame.per_reach
    return numbers


def _count_along(numbers: Ints, frame: Frame) -> Floats:
    """Numbers of cells along each axis, as floats because their product may exceed the integers."""
    return np.asarray(numbers.max(axis=1) + frame.per_reach + 1.0)


def _sort(points: Floats, keys: Ints, engine: Engine | None) -> tuple[Ints, Floats, Ints, Ints]:
    """Order and coordinates of the sorted points; the first position of each cell, and its key."""
    n, bits = len(keys), len(keys).bit_length()
    if are_few(n):
        order = np.lexsort((*points.T[::-1], keys))
    elif keys.max() >> (62 - bits) == 0:
        order = np.sort(keys << bits | np.arange(n)) & ((1 << bits) - 1)
    else:
        order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.append(np.flatnonzero(np.diff(keys, prepend=-1)), n)
    if are_few(n):
        return order, points[order], starts, keys[starts[:-1]]
    ordered = np.empty_like(points)

    def sort(tile: Tile, stop: Flag) -> None:
        ends = starts[tile.start : tile.stop + 1]
        part = slice(ends[0], ends[-1])
        kernel.sort_cells(points, ends - ends[0], np.empty(ends[-1] - ends[0]), order[part], ordered[part], stop)

    for_tiles(_STAGE, cut_by_cost(np.diff(starts).astype(np.float64), rows_per_tile(n)), sort, engine)
    return order, ordered, starts, keys[starts[:-1]]


def _find_runs(starts: Ints, keys: Ints, per_reach: int, strides: Ints, engine: Engine | None) -> Ints:
    """The runs of candidates of each cell: half-open ranges of positions, one for each row of cells in reach."""
    offsets, widths = _rows_in_reach(per_reach, strides)
    if are_few(starts[-1]):
        row = keys[:, None] + offsets
        ends = [np.searchsorted(keys, edge) for edge in (row - widths, row + widths + 1)]
        return np.stack([starts[end] for end in ends], axis=2)
    runs = np.empty((len(keys), len(offsets), 2), np.intp)

    def find(tile: Tile, stop: Flag) -> None:
        kernel.find_runs(keys, starts, offsets, widths, *tile, runs[slice(*tile)])

    n_tiles = -(-starts[-1] // rows_per_tile(starts[-1]))
    for_tiles(_STAGE, cut_by_size(len(keys), max(1, -(-len(keys) // n_tiles))), find, engine)
    return runs


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
