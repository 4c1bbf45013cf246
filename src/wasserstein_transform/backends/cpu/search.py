"""Candidate pairs: points sorted into cells, so that a ball only visits cells around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, frexp, ldexp

import numpy as np

from ..._types import Floats, Ints
from ...engine import GRAIN, Engine, Tile
from ...kernels.cells import Cells, one_cell
from ...kernels.geometry import Geometry
from ...kernels.neighbors import longest_run
from ..frame import Frame
from .passes import are_few, bounds
from .sorting import Sorted, cells_along, sort_into_cells

_MOST_KEYS = 2.0**62  # keys are 64-bit integers
_BLUR = 1 / 16  # largest rounding error of a coordinate, in reaches, by which cells are widened


@dataclass(frozen=True)
class Search:
    """Points by position: `order[position]` is the point; `places` and `geometry` are in the order of positions.

    Cell c holds the positions `starts[c]` to `starts[c + 1]`, each of which has `seen[c]` candidates. A ball reaches
    across `per_reach` cells to either side; 0 if there are no cells.
    """

    order: Ints
    places: Floats | None
    cells: Cells
    starts: Ints
    seen: Ints
    geometry: Geometry
    per_reach: int = 0

    @classmethod
    def exhaustive(cls, n: int, geometry: Geometry) -> Search:
        """A search in which all points are candidates of all points."""
        return cls(np.arange(n), None, one_cell(n), np.array([0, n]), np.array([n]), geometry)

    def n_candidates(self) -> Floats:
        """Number of candidates of each position."""
        return np.asarray(np.repeat(self.seen, np.diff(self.starts)), np.float64)

    @property
    def longest_run(self) -> int:
        """The most positions in one run, for the size of scratch memory."""
        runs = self.cells.runs
        if are_few(len(runs)):
            return int((runs[:, :, 1] - runs[:, :, 0]).max(initial=0))
        return int(longest_run(self.cells))

    def tiles(self, cost: float, grain: float = GRAIN) -> list[Tile]:
        """Tiles of positions with about `grain` steps each, given the cost of a distance."""
        each = np.maximum(self.seen * cost, 1.0)
        ends = np.cumsum(each * np.diff(self.starts))
        if ends[-1] <= grain:
            return [Tile(0, int(self.starts[-1]))]
        marks = np.arange(grain, ends[-1], grain)
        cell = np.searchsorted(ends, marks, side="right")
        back = np.floor((ends[cell] - marks) / each[cell])  # positions from the mark to the end of its cell
        rows = np.unique(np.concatenate([[0, self.starts[-1]], self.starts[cell + 1] - back.astype(np.intp)]))
        return [Tile(int(a), int(b)) for a, b in pairwise(rows)]


def sorted_search(
    places: Floats, reach: float, frame: Frame | None, geometry: Callable[[Sorted | None], Geometry], engine: Engine
) -> Search:
    """Points sorted into cells by `places`, whose Euclidean distances are lower bounds of the distances.

    `geometry(found)` is the geometry of the sorted points, `geometry(None)` that in the original order.
    """
    if not np.isfinite(reach):
        return Search.exhaustive(len(places), geometry(None))
    low, high = bounds(places, engine)
    if frame is None:
        frame = frame_of_extent(low, high, len(places), reach, lambda cut: cells_along(places, cut, low, high, engine))
    found = sort_into_cells(places, frame, low, high, engine)
    return Search(*found, geometry(found), frame.per_reach)


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
