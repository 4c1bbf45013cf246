"""Sums over the neighbors of points, as a task: point by point, or whole cells at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Record, Task, Tile
from ...kernels.cells import Cells
from ...kernels.geometry import Geometry, for_thread
from ...kernels.moments import Nearby, first_moments, second_moments
from ...kernels.profiles import Flat, Smooth
from ...kernels.whole import Held, first_moments_of_cells, hold_cells, second_moments_of_cells
from .passes import Across, run, tiles_of
from .search import Search


class PointByPoint(NamedTuple):
    """Every candidate is weighed by a profile."""

    profile: Flat | Smooth | Nearby


class WholeCells(NamedTuple):
    """Flat balls of points: cells that are within them count as a whole."""

    places: Floats
    held: Held
    per_reach: int


class Sums(NamedTuple):
    """Sums of `points` over the neighbors of `rows`, by default of all positions."""

    geometry: Geometry
    cells: Cells
    rows: Ints | None
    weights: Floats
    points: Floats
    limit: float
    longest_run: int
    way: PointByPoint | WholeCells


def add_up(sums: Sums, tile: Tile, stop: Flag, record: Record) -> None:
    """Mass and means, or these and covariances."""
    geometry, cells, rows, weights, points, limit, longest_run, way = sums
    geometry, second = for_thread(geometry), len(record) == 3
    kernel: Any
    rows = np.arange(*tile) if rows is None else rows[tile.start : tile.stop]
    if isinstance(way, WholeCells):
        m, most = len(points), way.per_reach + 1  # most: runs of cells in a row of them
        core, parts = np.empty(1 + m + m * m * second), np.empty((cells.runs.shape[1] * most, 2), np.intp)
        kernel = second_moments_of_cells if second else first_moments_of_cells
        kernel(
            geometry, way.places, cells, way.held, rows, weights, points, limit, way.per_reach, np.empty(longest_run),
            core, parts, np.empty(2 * most), np.empty(2 * most), *record, stop,
        )  # fmt: skip
    else:
        kernel = second_moments if second else first_moments
        scratch = np.empty(longest_run)
        kernel(geometry, cells, rows, weights, points, way.profile, limit, scratch, *record, stop)


class _Cells(NamedTuple):
    places: Floats
    points: Floats
    weights: Floats
    starts: Ints


def whole_cells(
    search: Search, places: Floats, points: Floats, weights: Floats, second: bool, engine: Engine
) -> WholeCells:
    """What cells hold; a part of a cloud that is cut as the whole decides the same."""
    n, m = len(search.seen), len(points)
    out = np.empty((m, n)), np.empty((m, n)), np.empty((1 + 2 * m + m * m * second, n))
    asked = _Cells(places, points, weights, search.starts)
    run(Task("sums of cells", _hold, asked, tiles_of(n), Across()), out, engine)
    return WholeCells(places, Held(search.starts, *out), search.per_reach)


def _hold(asked: _Cells, tile: Tile, stop: Flag, record: Record) -> None:
    hold_cells(*asked, tile.start, tile.stop, *record)
