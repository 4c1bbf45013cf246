"""Closed balls around every point: counted, then filled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ..._types import Ints
from ...engine import Engine, Flag, Ragged, Record, Rows, Task, Tile, cut
from ...kernels.cells import Cells
from ...kernels.geometry import Geometry, private
from ...kernels.neighbors import count_balls, fill_balls, longest_run
from ..forms import Form, Network
from ..records import Balls, closed
from . import paths
from .kinds import kind_of, steps_of


class _Search(NamedTuple):
    geometry: Geometry
    cells: Cells
    limit: float
    room: int


def balls(form: Form, radius: float, engine: Engine) -> Balls:
    """The closed balls of the given radius around every point."""
    if isinstance(form, Network):
        return paths.balls(form, radius, engine)
    search = kind_of(form).search(form, radius, engine)
    asked = _Search(search.geometry, search.cells, closed(radius), longest_run(search.cells))
    tiles = cut(search.n_candidates() * steps_of(form))
    counts = np.empty(form.n, np.intp)
    engine.run(Task("counting neighbors", _count, asked, tiles, Rows()), (counts,))
    indptr = np.append(0, np.cumsum(counts))
    size = int(indptr[-1])
    engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
    found = np.empty(size, np.intp), np.empty(size)
    engine.run(Task("finding neighbors", _fill, asked, tiles, Ragged(indptr)), found)
    return _by_point(Balls(indptr, *found), search.order)


def _count(asked: _Search, tile: Tile, stop: Flag, record: Record) -> None:
    count_balls(
        private(asked.geometry), asked.cells, tile.start, tile.stop, asked.limit, np.empty(asked.room), record[0], stop
    )


def _fill(asked: _Search, tile: Tile, stop: Flag, record: Record) -> None:
    indices, distances = record
    fill_balls(
        private(asked.geometry), asked.cells, tile.start, tile.stop, asked.limit, np.empty(asked.room), indices,
        distances, stop,
    )  # fmt: skip


def _by_point(found: Balls, order: Ints) -> Balls:
    """Balls by position → balls by point, members sorted."""
    n = len(order)
    where = np.empty(n, np.intp)
    where[order] = np.arange(n)
    rows = csr_array((found.distances, order[found.indices], found.indptr), shape=(n, n))[where]
    rows.sort_indices()
    return Balls(rows.indptr.astype(np.intp), rows.indices.astype(np.intp), rows.data)
