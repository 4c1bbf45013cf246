"""Sums over the neighbors of points: point by point, or with whole cells at once."""

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
    """Every candidate is weighted by a profile."""

    profile: Flat | Smooth | Nearby


class WholeCells(NamedTuple):
    """Flat balls of points: cells that lie within a ball count as a whole."""

    places: Floats
    held: Held
    per_reach: int


class Sums(NamedTuple):
    """Sums of `points` over the neighbors of `rows`; None means all positions."""

    geometry: Geometry
    cells: Cells
    rows: Ints | None
    weights: Floats
    points: Floats
    limit: float
    longest_run: int
    way: PointByPoint | WholeCells


def add_up(sums: Sums, tile: Tile, stop: Flag, record: Record) -> None:
    """Compute mass and means, or mass, means and covariances."""
    geometry, cells, rows, weights, points, limit, longest_run, way = sums
    geometry, second = for_thread(geometry), len(record) == 3
    kernel: Any
    rows = np.arange(*tile) if rows is None else rows[tile.start : tile.stop]
    if isinstance(way, WholeCells):
        m, most = len(points), way.per_reach + 1  # most runs of whole cells in a row of cells
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
    """Sums and bounds of cells. Parts of a cloud with the same frame give the same results."""
    n, m = len(search.seen), len(points)
    out = np.empty((m, n)), np.empty((m, n)), np.empty((1 + 2 * m + m * m * second, n))
    asked = _Cells(places, points, weights, search.starts)
    run(Task("sums of cells", _hold, asked, tiles_of(n), Across()), out, engine)
    return WholeCells(places, Held(search.starts, *out), search.per_reach)


def _hold(asked: _Cells, tile: Tile, stop: Flag, record: Record) -> None:
    hold_cells(*asked, tile.start, tile.stop, *record)
