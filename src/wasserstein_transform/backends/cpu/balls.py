"""Closed balls around every point: counted first, then filled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._types import Ints
from ...engine import Engine, Flag, Ragged, Record, Rows, Task, Tile, cut
from ...kernels.cells import Cells
from ...kernels.gather import sort_balls
from ...kernels.geometry import Geometry, for_thread
from ...kernels.neighbors import count_balls, fill_balls
from ..forms import Filed, Form, Network
from ..records import Balls, closed
from . import filed, paths
from .kinds import cost_of, kind_of
from .passes import run


class _Search(NamedTuple):
    geometry: Geometry
    cells: Cells
    limit: float
    scratch: int


def balls(form: Form, radius: float, engine: Engine) -> Balls:
    """The closed balls of the given radius around every point."""
    if isinstance(form, Network):
        return paths.balls(form, radius, engine)
    if isinstance(form, Filed):
        return filed.balls(form, radius, engine)
    search = kind_of(form).search(form, radius, engine)
    asked = _Search(search.geometry, search.cells, closed(radius), search.longest_run)
    tiles = search.tiles(cost_of(form))
    counts = np.empty(form.n, np.intp)
    engine.run(Task("counting neighbors", _count, asked, tiles, Rows()), (counts,))
    indptr = np.append(0, np.cumsum(counts))
    size = int(indptr[-1])
    engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
    found = np.empty(size, np.intp), np.empty(size)
    engine.run(Task("finding neighbors", _fill, asked, tiles, Ragged(indptr)), found)
    return _by_point(Balls(indptr, *found), search.order, engine)


def _count(asked: _Search, tile: Tile, stop: Flag, record: Record) -> None:
    count_balls(
        for_thread(asked.geometry),
        asked.cells,
        tile.start,
        tile.stop,
        asked.limit,
        np.empty(asked.scratch),
        record[0],
        stop,
    )


def _fill(asked: _Search, tile: Tile, stop: Flag, record: Record) -> None:
    indices, distances = record
    fill_balls(
        for_thread(asked.geometry), asked.cells, tile.start, tile.stop, asked.limit, np.empty(asked.scratch), indices,
        distances, stop,
    )  # fmt: skip


class _Found(NamedTuple):
    balls: Balls
    order: Ints
    where: Ints


def _by_point(found: Balls, order: Ints, engine: Engine) -> Balls:
    """Convert balls by position to balls by point, with sorted members."""
    n = len(order)
    where = np.empty(n, np.intp)
    where[order] = np.arange(n)
    indptr = np.append(0, np.cumsum(np.diff(found.indptr)[where]))
    out = np.empty_like(found.indices), np.empty_like(found.distances)
    tiles = cut(np.diff(indptr) * 20.0 + 1.0)
    run(Task("finding neighbors", _sort, _Found(found, order, where), tiles, Ragged(indptr)), out, engine)
    return Balls(indptr, *out)


def _sort(found: _Found, tile: Tile, stop: Flag, record: Record) -> None:
    indices, distances = record
    sort_balls(found.balls, found.order, found.where[tile.start : tile.stop], indices, distances, stop)
