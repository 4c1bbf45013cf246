"""Lengths of shortest paths in a graph, as a metric."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import connected_components

from .. import _check as check
from .._types import Floats, Ints
from ..engine import Engine, Flag, Tile
from ..kernels.geometry import SparseRows, Table
from ..kernels.paths import (
    Streets,
    count_within,
    fill_listed,
    fill_nearest,
    fill_upper,
    fill_within,
    forget,
    front,
    spread,
)
from ..kernels.vicinity import Vicinity
from .edges import as_edges
from .matrices import Out, written
from .metric import Balls, Metric
from .nearest import Nearest, tiles as in_tiles
from .search import Search

_HALFWAY = 64  # nodes that a vicinity has, about
_SAMPLE = 64  # nodes that are asked how far that is


@dataclass(frozen=True, eq=False)
class Graph(Metric):
    """Lengths of shortest paths between the nodes of an undirected graph, found when asked for.

    Balls, blocks and nearest neighbors are searched from their nodes, and no farther than needed. The full matrix is
    made only where all distances are asked for; nodes that no path joins are infinitely far, and `dense` refuses them.

    Parameters
    ----------
    lengths : scipy sparse array of shape (nodes, nodes)
        Symmetric, the length of each edge; `Graph.of` makes it of a networkx graph or a list of edges.
    size : int, optional
        The points are the first `size` nodes, by default all; others are only passed through.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> ring = wt.Graph.of([(0, 1), (1, 2), (2, 3), (3, 0, 2.5)])
    >>> ring.block([0], [1, 2, 3])
    array([[1. , 2. , 2.5]])
    """

    lengths: csr_array
    size: int | None = None
    triangle = True

    def __post_init__(self) -> None:
        lengths = self.lengths
        if not issparse(lengths) or lengths.format != "csr" or lengths.shape[0] != lengths.shape[1]:
            raise ValueError(f"lengths must be a square sparse array in csr form, got {lengths!r}; Graph.of makes one")
        if not (lengths.data >= 0).all() or not np.isfinite(lengths.data).all():
            raise ValueError("lengths must be finite and at least 0; Graph.of names the edge")
        if self.size is not None and not 0 < self.size <= lengths.shape[0]:
            raise ValueError(f"size must be a number of nodes, 1 to {lengths.shape[0]}, got {self.size}")

    @classmethod
    def of(cls, graph: Any) -> Graph:
        """The metric of a networkx graph, a symmetric sparse matrix of lengths, or a list of edges."""
        return cls(as_edges(graph).lengths)

    @property
    def n(self) -> int:
        return int(self.lengths.shape[0]) if self.size is None else self.size

    @cached_property
    def streets(self) -> Streets:
        """What compiled searches read."""
        rows, lengths = self.lengths, np.asarray(self.lengths.data, np.float64)
        least = float(lengths.min()) if len(lengths) else 1.0
        even = bool((lengths == least).all()) and least > 0
        return Streets(rows.indptr.astype(np.intp), rows.indices.astype(np.intp), lengths, least, even)

    @cached_property
    def pieces(self) -> Ints:
        """Which points are joined by paths: the number of the piece of each."""
        joined = csr_array((np.ones(self.lengths.nnz), self.lengths.indices, self.lengths.indptr), self.lengths.shape)
        return np.asarray(connected_components(joined, directed=False)[1][: self.n], np.intp)

    @property
    def is_connected(self) -> bool:
        """Whether all distances are finite."""
        return not self.pieces.any()

    def check_connected(self) -> None:
        """Refuse infinite distances."""
        pieces = int(self.pieces.max()) + 1
        if pieces > 1:
            raise ValueError(
                f"the graph must be connected, got {pieces} pieces (node {int(np.flatnonzero(self.pieces)[0])} cannot "
                "be reached from node 0): their distance would be infinite; use the largest piece"
            )

    @cached_property
    def _matrix(self) -> Floats:
        return self.dense()

    @property
    def geometry(self) -> Table:
        """The full matrix: who asks for it asks for all distances."""
        return Table(self._matrix)

    @property
    def steps(self) -> float:
        return 32.0  # a search, shared by the distances it finds

    @property
    def n_bytes(self) -> int:
        return int(self.lengths.data.nbytes + self.lengths.indices.nbytes + self.lengths.indptr.nbytes)

    def take(self, rows: Ints) -> Graph:
        """The listed points first; all other nodes stay, to be passed through. Repeats are joined by edges of 0."""
        rows = np.asarray(rows, np.intp)
        nodes = self.lengths.shape[0]
        first, where = np.unique(rows, return_index=True)
        rest = np.setdiff1d(np.arange(nodes), first)
        again = np.setdiff1d(np.arange(len(rows)), where)
        place = np.empty(nodes, np.intp)
        place[first], place[rest] = where, len(rows) + np.arange(len(rest))
        edges = self.lengths.tocoo()
        a, b, lengths = place[edges.coords[0]], place[edges.coords[1]], np.asarray(edges.data)
        twins = place[rows[again]]
        a, b = np.concatenate([a, again, twins]), np.concatenate([b, twins, again])
        lengths = np.concatenate([lengths, np.zeros(2 * len(again))])
        size = len(rows) + len(rest)
        return Graph(csr_array((lengths, (a, b)), shape=(size, size)), len(rows))

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        """The largest change of a distance."""
        return float(np.abs(self.dense(engine) - other.dense(engine)).max())

    def largest(self) -> float:
        """The farthest from point 0 that can be reached, or the longest edge."""
        row = self.block(np.zeros(1, np.intp), np.arange(self.n))
        return float(max(row[np.isfinite(row)].max(), self.lengths.data.max(initial=0.0)))

    def block(self, rows: Ints, cols: Ints) -> Floats:
        rows, cols = self._points(rows), self._points(cols)
        indptr = np.arange(len(rows) + 1) * len(cols)
        return self._listed(rows, indptr, np.tile(cols, len(rows))).reshape(len(rows), len(cols))

    def pairs(self, rows: Ints, cols: Ints) -> Floats:
        rows, cols = self._points(rows), self._points(cols)
        if len(rows) != len(cols):
            raise ValueError(f"pairs need as many rows as cols, got {len(rows)} and {len(cols)}")
        order = np.argsort(rows, kind="stable")
        sources, start = np.unique(rows[order], return_index=True)
        out = np.empty(len(rows))
        out[order] = self._listed(sources, np.append(start, len(rows)), cols[order])
        return out

    def _listed(self, sources: Ints, indptr: Ints, cols: Ints) -> Floats:
        out = np.empty(len(cols))

        def work(tile: Tile, stop: Flag) -> None:
            part = slice(tile.start, tile.stop)
            fill_listed(self.streets, sources[part], indptr[tile.start : tile.stop + 1], cols, out, self._room(), stop)

        Engine().run(work, _rows(len(sources)), "shortest paths")
        return out

    def _room(self) -> Any:
        return front(self.lengths.shape[0])

    def dense(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        self.check_connected()
        engine = engine or Engine()

        def fill(matrix: Floats) -> None:
            def work(tile: Tile, stop: Flag) -> None:
                fill_upper(self.streets, tile.start, tile.stop, matrix, self._room(), stop)

            engine.run(work, _rows(self.n), "shortest paths")

        return written((self.n, self.n), f"shortest paths between {self.n} nodes", engine, dtype, out, fill)

    def condensed(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        self.check_connected()
        engine, n = engine or Engine(), self.n

        def fill(vector: Floats) -> None:
            def work(tile: Tile, stop: Flag) -> None:
                room, row = self._room(), np.empty(n)
                for i in range(tile.start, tile.stop):
                    cols = np.arange(i + 1, n)
                    fill_listed(self.streets, np.array([i]), np.array([0, len(cols)]), cols, row, room, stop)
                    at = i * n - i * (i + 1) // 2
                    vector[at : at + len(cols)] = row[: len(cols)]

            engine.run(work, _rows(self.n), "shortest paths")

        return written((n * (n - 1) // 2,), f"shortest paths between {n} nodes", engine, dtype, out, fill)

    def search(self, reach: float) -> Search:
        if not np.isfinite(reach):
            return super().search(reach)
        return Search.exhaustive(self.n, SparseRows(*self.balls(reach)))

    def balls(self, radius: float, engine: Engine | None = None) -> Balls:
        radius = check.tolerance(radius, "radius")
        found = self._within(radius, self.n, engine or Engine())
        rows = csr_array((found.distances, found.indices, found.indptr), shape=(self.n, self.n))
        rows.sort_indices()
        return Balls(found.indptr, rows.indices.astype(np.intp), rows.data)

    def vicinity(self, engine: Engine | None = None) -> Vicinity:
        """Nodes near each node, for searches that meet halfway; none where rings of nodes are searched anyway."""
        none = np.zeros(self.lengths.shape[0] + 1, np.intp), np.empty(0, np.intp), np.empty(0)
        if self.streets.even or self.lengths.nnz == 0:
            return Vicinity(*none, 0.0)
        radius = self._halfway()
        return Vicinity(*self._within(radius, self.lengths.shape[0], engine or Engine()), radius)

    def _halfway(self) -> float:
        """The radius within which a usual node has some others."""
        nodes, room = self.lengths.shape[0], self._room()
        room.mass[:] = 1.0
        seen = []
        for source in np.unique(np.linspace(0, nodes - 1, _SAMPLE).astype(np.intp)):
            count = spread(self.streets, source, np.inf, float(_HALFWAY), 0.0, room)
            seen.append(room.dist[room.order[count - 1]])
            forget(count, room)
        return float(np.median(seen))

    def _within(self, radius: float, n: int, engine: Engine) -> Balls:
        """Balls with their members by distance, of the first n nodes."""
        limit, tiles = radius * (1 + 1e-12), _rows(n)
        indptr = np.zeros(n + 1, np.intp)

        def count(tile: Tile, stop: Flag) -> None:
            count_within(self.streets, tile.start, tile.stop, n, limit, indptr[1:], self._room(), stop)

        engine.run(count, tiles, "counting neighbors")
        np.cumsum(indptr, out=indptr)
        size = int(indptr[-1])
        engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
        indices, distances = np.empty(size, np.intp), np.empty(size)

        def fill(tile: Tile, stop: Flag) -> None:
            fill_within(self.streets, tile.start, tile.stop, n, limit, indptr, indices, distances, self._room(), stop)

        engine.run(fill, tiles, "finding neighbors")
        return Balls(indptr, indices, distances)

    def neighbors(self, k: int, of: Metric | None = None, engine: Engine | None = None) -> Nearest:
        """The k nearest other nodes of every node; those that no path reaches have infinite distance and index −1."""
        if of is not None:
            self.beside(of)
        k, engine = check.count(k, "k", 1), engine or Engine()
        if k > self.n - 1:
            raise ValueError(f"k must be at most {self.n - 1}, as many as there are other points, got {k}")
        engine.reserve(16.0 * self.n * k, f"the {k} nearest of {self.n} points", "ask for fewer neighbors")
        found = Nearest(np.empty((self.n, k)), np.empty((self.n, k), np.intp))

        def work(tile: Tile, stop: Flag) -> None:
            room = self._room()
            room.mass[: self.n] = 1.0
            fill_nearest(self.streets, tile.start, tile.stop, k, *found, room, stop)

        engine.run(work, _rows(self.n), "nearest neighbors")
        return found


def _rows(n: int) -> list[Tile]:
    """Searches from n nodes: each tile has room of its own, as large as the graph, so that there are not too many."""
    return in_tiles(n, max(16, n // 256))
