"""Shortest paths between the nodes of a graph, searched from each node only as far as needed.

Points are the first n nodes; paths may pass through the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Tile, condensed_starts, cut_by_size, host_copy
from ..metrics.distances import rim
from ..metrics.geometry_jit import Adjacency
from ..records import Balls, KNeighbors
from . import paths_jit as kernel

if TYPE_CHECKING:
    from ...spaces import Metric

_MAX_STORED = {True: 2.0**22, False: 2.0**27}  # most distances that are stored, if all edges are equal, and otherwise
_SPEEDUP = {True: 2.0, False: 4.0}  # computing all distances is faster per distance than single searches by this factor
_MAX_SWEEPS = 12  # then single searches are used: distances spread slowly along long chains


def make_adjacency(indptr: Ints, indices: Ints, lengths: Floats) -> Adjacency:
    """The arrays for the compiled searches, of edges in compressed rows."""
    least = float(lengths.min()) if len(lengths) else 1.0
    even = bool((lengths == least).all()) and least > 0
    return Adjacency(indptr, indices, lengths, least, even)


def edges_of(metric: Metric) -> Adjacency:
    """The edges of a metric of shortest paths."""
    assert metric.adjacency is not None
    return metric.adjacency


def n_nodes(adjacency: Adjacency) -> int:
    """Number of nodes."""
    return len(adjacency.indptr) - 1


def _tiles(n: int) -> list[Tile]:
    """Tiles of searches from n nodes; not too many, because each needs a workspace of the size of the graph."""
    return cut_by_size(n, max(16, n // 256))


def _scratch(adjacency: Adjacency) -> kernel.Search:
    return kernel.search_workspace(n_nodes(adjacency))


def path_block(metric: Metric, rows: Ints, cols: Ints, engine: Engine) -> Floats:
    """Distances of the points `rows` to the points `cols`."""
    indptr = np.arange(len(rows) + 1) * len(cols)
    return _search(edges_of(metric), rows, indptr, np.tile(cols, len(rows)), engine).reshape(len(rows), len(cols))


def path_pairs(metric: Metric, rows: Ints, cols: Ints, engine: Engine) -> Floats:
    """Distances of the points rows[k] and cols[k]."""
    order = np.argsort(rows, kind="stable")
    sources, start = np.unique(rows[order], return_index=True)
    out = np.empty(len(rows))
    out[order] = _search(edges_of(metric), sources, np.append(start, len(rows)), cols[order], engine)
    return out


def _search(adjacency: Adjacency, sources: Ints, indptr: Ints, cols: Ints, engine: Engine) -> Floats:
    """Distances from each source i to the points `cols[indptr[i]:indptr[i + 1]]`."""
    out = np.empty(len(cols))

    def fill(tile: Tile, stop: Flag) -> None:
        starts = indptr[tile.start : tile.stop + 1]
        part = slice(starts[0], starts[-1])
        local = sources[slice(*tile)]
        kernel.fill_listed(adjacency, local, starts - starts[0], cols[part], out[part], _scratch(adjacency), stop)

    engine.for_tiles("shortest paths", _tiles(len(sources)), fill)
    return out


def path_matrix(metric: Metric, out: np.ndarray, engine: Engine) -> None:
    """Fill the full matrix."""
    adjacency, n = edges_of(metric), metric.n
    size = -(-n // (256 * kernel.LANES)) * kernel.LANES
    tiles = _tiles(n) if adjacency.even else cut_by_size(n, size)
    with host_copy(out) as host:

        def fill(tile: Tile, stop: Flag) -> None:
            start, end = tile
            upper, lower, scratch = host[start:end, start:], host[start:, start:end], _scratch(adjacency)
            if adjacency.even:
                kernel.fill_upper(adjacency, *tile, upper, lower, scratch, stop)
            else:
                lanes = kernel.sweep_workspace(n_nodes(adjacency))
                kernel.fill_upper_by_sweeps(adjacency, *tile, _MAX_SWEEPS, upper, lower, lanes, scratch, stop)

        engine.for_tiles("shortest paths", tiles, fill)


def path_vector(metric: Metric, out: np.ndarray, engine: Engine) -> None:
    """Fill the condensed vector."""
    n, adjacency, starts = metric.n, edges_of(metric), condensed_starts(metric.n)
    with host_copy(out) as host:

        def fill(tile: Tile, stop: Flag) -> None:
            part = host[starts[tile.start] : starts[tile.stop]]
            kernel.fill_condensed(adjacency, n, *tile, part, _scratch(adjacency), stop)

        engine.for_tiles("shortest paths", _tiles(n), fill)


def path_balls(metric: Metric, radius: float, engine: Engine) -> Balls:
    """The closed balls of the given radius around every point."""
    adjacency, n, limit = edges_of(metric), metric.n, rim(radius)
    tiles, counts = _tiles(n), np.empty(n, np.intp)

    def count(tile: Tile, stop: Flag) -> None:
        kernel.count_within(adjacency, *tile, n, limit, counts[slice(*tile)], _scratch(adjacency), stop)

    engine.for_tiles("counting neighbors", tiles, count)
    indptr = np.append(0, np.cumsum(counts))
    size = int(indptr[-1])
    engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
    members, distances = np.empty(size, np.intp), np.empty(size)

    def fill(tile: Tile, stop: Flag) -> None:
        part = slice(indptr[tile.start], indptr[tile.stop])
        kernel.fill_within(adjacency, *tile, n, limit, members[part], distances[part], _scratch(adjacency), stop)

    engine.for_tiles("finding neighbors", tiles, fill)
    rows = csr_array((distances, members, indptr), shape=(n, n))
    rows.sort_indices()
    return Balls(indptr, rows.indices.astype(np.intp), rows.data)


def path_nearest(metric: Metric, k: int, of: Metric | None, engine: Engine) -> KNeighbors:
    """The k nearest other points of every point; points without a path have infinite distance and index −1."""
    adjacency, n = edges_of(metric), metric.n
    result = KNeighbors(np.empty((n, k)), np.empty((n, k), np.intp))

    def fill(tile: Tile, stop: Flag) -> None:
        scratch, part = _scratch(adjacency), slice(*tile)
        scratch.mass[:n] = 1.0
        kernel.fill_nearest(adjacency, *tile, k, result.distances[part], result.indices[part], scratch, stop)

    engine.for_tiles("nearest neighbors", _tiles(n), fill)
    return result


def is_worth_storing(adjacency: Adjacency, n: int, n_needed: float, engine: Engine) -> bool:
    """Whether to compute and store all distances if `n_needed` of them are needed."""
    n_pairs, even = float(n) ** 2, adjacency.even
    worth = n_pairs <= min(_MAX_STORED[even], _SPEEDUP[even] * n_needed)
    return worth and engine.fits(8.0 * n_pairs) and not pieces(adjacency, n).any()


def pieces(adjacency: Adjacency, n: int) -> Ints:
    """The number of the connected component of each point."""
    shape = n_nodes(adjacency), n_nodes(adjacency)
    joined = csr_array((np.ones(len(adjacency.indices)), adjacency.indices, adjacency.indptr), shape)
    return np.asarray(connected_components(joined, directed=False)[1][:n], np.intp)
