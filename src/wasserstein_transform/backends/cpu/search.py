"""Which pairs can be near: points sorted into cells, so that a ball only looks around itself."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ..._types import Floats, Ints
from ...kernels.cells import Cells, find_runs, one_cell, sort_within
from ...kernels.geometry import Geometry
from ..frame import Frame


@dataclass(frozen=True)
class Search:
    """Points by position: `order[position]` is the point; `geometry` is in positions already."""

    order: Ints
    cells: Cells
    geometry: Geometry

    @classmethod
    def exhaustive(cls, n: int, geometry: Geometry) -> Search:
        """Everybody looks at everybody."""
        return cls(np.arange(n), one_cell(n), geometry)

    def n_candidates(self) -> Floats:
        """How many points each position has to look at."""
        per_cell = (self.cells.runs[:, :, 1] - self.cells.runs[:, :, 0]).sum(axis=1)
        return np.asarray(per_cell[self.cells.cell], np.float64)


def sorted_search(places: Floats, reach: float, frame: Frame | None, geometry: Geometry) -> Search:
    """Points sorted into cells by places that are never farther apart than they are."""
    if not np.isfinite(reach):
        return Search.exhaustive(len(places), geometry)
    order, cells = sort_into_cells(places, frame or frame_of(places, reach))
    return Search(order, cells, taken(geometry, order))


def taken(geometry: Geometry, rows: Ints) -> Geometry:
    """The geometry of the listed points: roots are not taken again."""
    picked: dict[str, Any] = {
        name: np.ascontiguousarray(field[rows])
        for name, field in geometry._asdict().items()
        if isinstance(field, np.ndarray) and name != "scratch"
    }
    return geometry._replace(**picked)


def frame_of(points: Floats, reach: float) -> Frame:
    """How a cloud is cut such that all pairs within `reach` see each other.

    Cells are cut along the widest axes, three at most: dropping coordinates only shortens distances.
    """
    extent = np.ptp(points, axis=0)
    axes = np.argsort(-extent, kind="stable")[:3]
    per_reach = _cells_per_reach(len(points), extent[axes], reach)
    rounding = 2e-15 * np.abs(points[:, axes]).max(initial=0.0)  # of a coordinate and its difference to the least
    side = (reach * (1 + 1e-9) + (rounding if reach > 0 else 0.0)) / per_reach
    frame = Frame(tuple(map(int, axes)), tuple(points[:, axes].min(axis=0).tolist()), side, per_reach)
    while np.prod(cells_of(points, frame).max(axis=0) + per_reach + 1.0) > 2.0**62:  # keys must fit an integer
        frame = frame._replace(axes=frame.axes[:-1], origin=frame.origin[:-1])
    return frame


def raw_cells(points: Floats, frame: Frame) -> Floats:
    """The cell of each point along each axis, counted from the origin."""
    where = points[:, list(frame.axes)] - np.array(frame.origin)
    return np.asarray(np.floor(where / frame.side) if frame.side > 0 else where)


def cells_of(points: Floats, frame: Frame) -> Ints:
    """The cell of each point along each axis; empty stretches count as just out of reach."""
    columns = zip(frame.axes, frame.origin, strict=True)
    return np.stack([_cells_along(points[:, axis], at, frame.side, frame.per_reach) for axis, at in columns], axis=1)


def sort_into_cells(points: Floats, frame: Frame) -> tuple[Ints, Cells]:
    """Order of the points and their cells."""
    per_reach, where = frame.per_reach, cells_of(points, frame)
    shape = where.max(axis=0) + per_reach + 1
    strides = np.append(np.cumprod(shape[:0:-1])[::-1], 1)
    keys = where @ strides
    order = np.argsort(keys)
    sorted_keys = keys[order]
    starts = np.append(np.flatnonzero(np.diff(sorted_keys, prepend=-1)), len(points))
    cell_keys = sorted_keys[starts[:-1]]
    # by coordinates within a cell: sums over neighbours come out the same however the points were shuffled
    sort_within(points, starts, order)
    cell = np.repeat(np.arange(len(cell_keys)), np.diff(starts))
    offsets, widths = _rows_in_reach(per_reach, strides)
    runs = np.empty((len(cell_keys), len(offsets), 2), np.intp)
    find_runs(cell_keys, starts, offsets, widths, runs)
    return order, Cells(cell, runs)


def _cells_along(x: Floats, origin: float, side: float, per_reach: int) -> Ints:
    """Number of the cell of each coordinate, from `per_reach` on; empty stretches count as just out of reach.

    So one far point makes no difference to the others, and numbers stay small.
    """
    if side > 0:
        steps = np.floor((x - origin) / side)
        top = steps.max()
        if top <= 2 * len(x):  # few numbers: a table of them instead of a sort
            which = steps.astype(np.intp)
            occupied = np.flatnonzero(np.bincount(which))
            table = np.zeros(int(top) + 1, np.int64)
            table[occupied] = _number(occupied, per_reach)
            return np.asarray(table[which])
        occupied, which = np.unique(steps, return_inverse=True)
        return np.asarray(_number(occupied, per_reach)[which])
    occupied, which = np.unique(x, return_inverse=True)
    return np.asarray(np.arange(len(occupied))[which] * (per_reach + 1) + per_reach)


def _number(occupied: Ints | Floats, per_reach: int) -> Ints:
    gaps = np.minimum(np.diff(occupied), per_reach + 1)
    return np.asarray(np.append(0, np.cumsum(gaps)).astype(np.int64) + per_reach)


def _cells_per_reach(n: int, extent: Floats, reach: float) -> int:
    """Small cells follow the ball more closely; they pay while a cell still holds several points."""
    if reach == 0:
        return 1
    per_ball = n / np.prod(np.maximum(np.minimum(extent, 1e50 * reach) / reach, 1.0))
    if len(extent) == 3:
        return 1 if per_ball < 50 else 2
    return 1 if per_ball < 50 else 2 if per_ball < 200 else 4 if per_ball < 350 else 6


def _rows_in_reach(k: int, strides: Ints) -> tuple[Ints, Ints]:
    """Offsets of the rows of cells a ball of k cells can touch, and how many cells of each row to either side."""
    offsets, widths = [], []
    for row in product(range(-k, k + 1), repeat=len(strides) - 1):
        off = np.array(row, np.int64)
        room = k * k - float(np.sum(np.maximum(np.abs(off) - 1, 0) ** 2))
        if room < 0:
            continue
        offsets.append(int(off @ strides[:-1]))
        widths.append(min(k, int(np.sqrt(room)) + 1))
    return np.array(offsets, np.int64), np.array(widths, np.int64)
