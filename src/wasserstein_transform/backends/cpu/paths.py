"""Shortest paths between the nodes of a network, searched from each node only as far as needed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..._types import Floats, Ints
from ...engine import Condensed, Engine, Flag, Mirrored, Ragged, Record, Rows, Task, Tile, of_size
from ...kernels.paths import (
    Adjacency,
    Front,
    count_within,
    fill_condensed,
    fill_listed,
    fill_nearest,
    fill_upper,
    fill_within,
    forget,
    front,
    spread,
)
from ...kernels.sweeps import LANES, fill_upper_by_sweeps, sweeps
from ...kernels.vicinity import Vicinity
from ..forms import Network
from ..records import Balls, Nearest, rim

_HALFWAY = 64  # approximate number of nodes in a vicinity
_MOST = {True: 2.0**22, False: 2.0**27}  # most distances that are stored, if all edges are equal, and otherwise
_TIMES = {True: 2.0, False: 4.0}  # computing all distances is faster per distance than single searches by this factor
_SWEEPS = 12  # after this many sweeps single searches are used: distances spread slowly along long chains
_SAMPLE = 64  # nodes sampled for the radius of a vicinity


def adjacency_of(form: Network) -> Adjacency:
    """The arrays for the compiled searches."""
    return form.kept("cpu adjacency", lambda: _adjacency(form))


def _adjacency(form: Network) -> Adjacency:
    least = float(form.lengths.min()) if len(form.lengths) else 1.0
    even = bool((form.lengths == least).all()) and least > 0
    return Adjacency(form.indptr, form.indices, form.lengths, least, even)


def _tiles(n: int) -> list[Tile]:
    """Tiles of searches from n nodes; not too many, because each needs a workspace of the size of the graph."""
    return of_size(n, max(16, n // 256))


class _Lists(NamedTuple):
    adjacency: Adjacency
    sources: Ints
    indptr: Ints
    cols: Ints


def block(form: Network, rows: Ints, cols: Ints, engine: Engine) -> Floats:
    """Distances of the points `rows` to the points `cols`."""
    indptr = np.arange(len(rows) + 1) * len(cols)
    return _listed(form, rows, indptr, np.tile(cols, len(rows)), engine).reshape(len(rows), len(cols))


def pairs(form: Network, rows: Ints, cols: Ints, engine: Engine) -> Floats:
    """Distances of the points rows[k] and cols[k]."""
    order = np.argsort(rows, kind="stable")
    sources, start = np.unique(rows[order], return_index=True)
    out = np.empty(len(rows))
    out[order] = _listed(form, sources, np.append(start, len(rows)), cols[order], engine)
    return out


def _listed(form: Network, sources: Ints, indptr: Ints, cols: Ints, engine: Engine) -> Floats:
    out = np.empty(len(cols))
    asked = _Lists(adjacency_of(form), sources, indptr, cols)
    engine.run(Task("shortest paths", _fill_lists, asked, _tiles(len(sources)), Ragged(indptr)), (out,))
    return out


def _fill_lists(asked: _Lists, tile: Tile, stop: Flag, record: Record) -> None:
    sources, indptr = asked.sources[tile.start : tile.stop], asked.indptr[tile.start : tile.stop + 1]
    cols = asked.cols[indptr[0] : indptr[-1]]
    fill_listed(asked.adjacency, sources, indptr - indptr[0], cols, record[0], _scratch(asked.adjacency), stop)


def _scratch(adjacency: Adjacency) -> Front:
    return front(len(adjacency.indptr) - 1)


def matrix(form: Network, engine: Engine) -> Floats:
    """The full matrix, in memory."""
    engine.reserve(8.0 * form.n**2, f"shortest paths between {form.n} nodes", "ask for fewer distances")
    out = np.empty((form.n, form.n))
    dense(form, out, engine)
    return out


def dense(form: Network, out: np.ndarray, engine: Engine) -> None:
    """Fill the full matrix."""
    adjacency, size = adjacency_of(form), -(-form.n // (256 * LANES)) * LANES
    tiles = _tiles(form.n) if adjacency.even else of_size(form.n, size)
    engine.run(Task("shortest paths", _fill_upper, adjacency, tiles, Mirrored(), heavy=True), (out,))


def _fill_upper(adjacency: Adjacency, tile: Tile, stop: Flag, record: Record) -> None:
    (upper, lower), scratch = record, _scratch(adjacency)
    if adjacency.even:
        fill_upper(adjacency, tile.start, tile.stop, upper, lower, scratch, stop)
    else:
        room = sweeps(len(adjacency.indptr) - 1)
        fill_upper_by_sweeps(adjacency, tile.start, tile.stop, _SWEEPS, upper, lower, room, scratch, stop)


class _Points(NamedTuple):
    adjacency: Adjacency
    n: int


def condensed(form: Network, out: np.ndarray, engine: Engine) -> None:
    """Fill the condensed vector."""
    asked = _Points(adjacency_of(form), form.n)
    engine.run(Task("shortest paths", _fill_condensed, asked, _tiles(form.n), Condensed(form.n), heavy=True), (out,))


def _fill_condensed(asked: _Points, tile: Tile, stop: Flag, record: Record) -> None:
    fill_condensed(asked.adjacency, asked.n, tile.start, tile.stop, record[0], _scratch(asked.adjacency), stop)


def balls(form: Network, radius: float, engine: Engine) -> Balls:
    """The closed balls of the given radius around every point."""
    found = within(form, radius, form.n, engine)
    rows = csr_array((found.distances, found.indices, found.indptr), shape=(form.n, form.n))
    rows.sort_indices()
    return Balls(found.indptr, rows.indices.astype(np.intp), rows.data)


class _Reach(NamedTuple):
    adjacency: Adjacency
    n: int
    limit: float


def within(form: Network, radius: float, n: int, engine: Engine) -> Balls:
    """Balls of the first n nodes, with members sorted by distance."""
    asked, tiles = _Reach(adjacency_of(form), n, rim(radius)), _tiles(n)
    counts = np.empty(n, np.intp)
    engine.run(Task("counting neighbors", _count, asked, tiles, Rows()), (counts,))
    indptr = np.append(0, np.cumsum(counts))
    size = int(indptr[-1])
    engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
    found = np.empty(size, np.intp), np.empty(size)
    engine.run(Task("finding neighbors", _fill_within, asked, tiles, Ragged(indptr)), found)
    return Balls(indptr, *found)


def _count(asked: _Reach, tile: Tile, stop: Flag, record: Record) -> None:
    count_within(
        asked.adjacency, tile.start, tile.stop, asked.n, asked.limit, record[0], _scratch(asked.adjacency), stop
    )


def _fill_within(asked: _Reach, tile: Tile, stop: Flag, record: Record) -> None:
    indices, distances = record
    scratch = _scratch(asked.adjacency)
    fill_within(asked.adjacency, tile.start, tile.stop, asked.n, asked.limit, indices, distances, scratch, stop)


class _Few(NamedTuple):
    adjacency: Adjacency
    n: int
    k: int


def nearest(form: Network, k: int, engine: Engine) -> Nearest:
    """The k nearest other points of every point; points without a path have infinite distance and index −1."""
    found = np.empty((form.n, k)), np.empty((form.n, k), np.intp)
    asked = _Few(adjacency_of(form), form.n, k)
    engine.run(Task("nearest neighbors", _fill_nearest, asked, _tiles(form.n), Rows()), found)
    return Nearest(*found)


def _fill_nearest(asked: _Few, tile: Tile, stop: Flag, record: Record) -> None:
    scratch = front(len(asked.adjacency.indptr) - 1)
    scratch.mass[: asked.n] = 1.0
    distances, indices = record
    fill_nearest(asked.adjacency, tile.start, tile.stop, asked.k, distances, indices, scratch, stop)


def vicinity(form: Network, engine: Engine) -> Vicinity:
    """Nodes near each node, for bidirectional searches; empty if all edges are equal."""
    if adjacency_of(form).even or len(form.lengths) == 0:
        return Vicinity(np.zeros(form.n_nodes + 1, np.intp), np.empty(0, np.intp), np.empty(0), 0.0)
    radius = _halfway(form)
    return Vicinity(*within(form, radius, form.n_nodes, engine), radius)


def _halfway(form: Network) -> float:
    """The radius within which a typical node has _HALFWAY nodes."""
    adjacency, scratch = adjacency_of(form), front(form.n_nodes)
    scratch.mass[:] = 1.0
    seen = []
    for source in np.unique(np.linspace(0, form.n_nodes - 1, _SAMPLE).astype(np.intp)):
        count = spread(adjacency, source, np.inf, float(_HALFWAY), 0.0, scratch)
        seen.append(scratch.dist[scratch.order[count - 1]])
        forget(count, scratch)
    return float(np.median(seen))


def worth_storing(form: Network, n_asked: float, engine: Engine) -> bool:
    """Whether to compute and store all distances if `n_asked` of them are needed."""
    n_pairs, even = float(form.n) ** 2, adjacency_of(form).even
    worth = n_pairs <= min(_MOST[even], _TIMES[even] * n_asked)
    return worth and engine.fits(8.0 * n_pairs) and is_connected(form)


def is_connected(form: Network) -> bool:
    """Whether there are paths between all points."""
    return not pieces(form).any()


def pieces(form: Network) -> Ints:
    """The number of the connected component of each point."""
    shape = (form.n_nodes, form.n_nodes)
    joined = csr_array((np.ones(len(form.indices)), form.indices, form.indptr), shape)
    return np.asarray(connected_components(joined, directed=False)[1][: form.n], np.intp)
