"""Shortest-path lengths in a graph, as a metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from .. import _check as check
from .._archive import check_type
from .._types import Ints, cached_property
from ..compute.cells.index import CellIndex
from ..compute.graphs import paths
from ..compute.metrics.geometry_jit import Adjacency, Geometry, SparseRows, Table
from ..engine import Engine, current
from .edges import ASK, Weight, as_edges
from .metric import Metric


@dataclass(frozen=True, eq=False, repr=False)
class Graph(Metric):
    """The shortest-path metric on the nodes of an undirected graph, computed on demand.

    Balls, blocks and nearest neighbors are searched from their nodes, only as far as needed. The full matrix is
    computed only if all distances are needed. Nodes that no path joins are at infinite distance; `dense` raises an
    error for them.

    Parameters
    ----------
    lengths : scipy sparse array in CSR format, shape (nodes, nodes)
        The length of each edge, symmetric and ≥ 0. `Graph.of` makes it from a networkx graph or a list of edges.
    size : int, optional
        The points of the metric are the first `size` nodes; paths may pass through the others. None: all nodes.

    Notes
    -----
    Memory O(nodes + edges). One search from a node visits the nodes within the distance that is needed.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> ring = wt.spaces.Graph.of([(0, 1), (1, 2), (2, 3), (3, 0, 2.5)], weight="length")
    >>> ring.block([0], [1, 2, 3])
    array([[1. , 2. , 2.5]])
    """

    lengths: csr_array
    size: int | None = None
    triangle = True
    _block = staticmethod(paths.path_block)
    _pairs = staticmethod(paths.path_pairs)
    _fill_matrix = staticmethod(paths.path_matrix)
    _fill_vector = staticmethod(paths.path_vector)
    _balls = staticmethod(paths.path_balls)
    _nearest = staticmethod(paths.path_nearest)

    def __post_init__(self) -> None:
        lengths = self.lengths
        if not issparse(lengths) or lengths.format != "csr" or lengths.shape[0] != lengths.shape[1]:
            raise ValueError(
                f"lengths must be a square sparse array in CSR format, got {check.shown(lengths)}; Graph.of makes one"
            )
        if not (lengths.data >= 0).all() or not np.isfinite(lengths.data).all():
            raise ValueError("lengths must be finite and at least 0; drop or correct the other edges")
        if self.size is not None and not 0 < self.size <= lengths.shape[0]:
            raise ValueError(f"size must be a number of nodes from 1 to {lengths.shape[0]}, got {self.size}")

    def _check_archived(self) -> None:
        check_type(self.size, "size", int, type(None))
        if (self.lengths != self.lengths.T).nnz:
            raise ValueError("lengths of edges must be the same in both directions")

    @classmethod
    def of(cls, graph: Any, *, weight: Weight = ASK) -> Graph:
        """Make the metric of a networkx graph, a symmetric sparse matrix, or a list of edges.

        `weight` gives the meaning of the numbers at edges, as in `Space.from_graph`.
        """
        return cls(as_edges(graph, weight).lengths)

    @classmethod
    def grid(cls, shape: Sequence[int], spacing: ArrayLike = 1.0) -> Graph:
        """Make the L1 metric of a grid of any dimension, whose points are numbered as by `np.ravel`.

        `spacing` is the distance of neighbors, one number or one for each axis. W1 between pictures on a grid is a flow
        between neighbors, much faster than with a matrix of distances.

        Examples
        --------
        >>> import wasserstein_transform as wt
        >>> pixels = wt.spaces.Graph.grid((2, 3), spacing=[10.0, 1.0])
        >>> wt.wasserstein_pairs([[1, 0, 0, 0, 0, 1], [0, 1, 0, 1, 0, 0]], pixels).values
        array([1.5])
        """
        sides = [check.count(side, "shape", 1) for side in shape]
        steps = check.floats(spacing, "spacing")
        if steps.shape not in ((), (len(sides),)) or not (steps > 0).all():
            raise ValueError(
                f"spacing must be one number > 0, or one for each of {len(sides)} axes, got {check.shown(spacing)}"
            )
        index = np.arange(math.prod(sides)).reshape(sides)
        pairs = [
            (index.take(range(1, side), axis), index.take(range(side - 1), axis)) for axis, side in enumerate(sides)
        ]
        a, b = (np.concatenate([nodes.ravel() for nodes in ends]) for ends in zip(*pairs, strict=True))
        lengths = np.repeat(np.broadcast_to(steps, len(sides)), [first.size for first, _ in pairs])
        return cls(csr_array((np.r_[lengths, lengths], (np.r_[a, b], np.r_[b, a])), shape=(index.size, index.size)))

    @property
    def n(self) -> int:
        return int(self.lengths.shape[0]) if self.size is None else self.size

    @cached_property
    def adjacency(self) -> Adjacency:
        """The edges, as kernels search them."""
        rows = self.lengths
        lengths = np.asarray(rows.data, np.float64)
        return paths.make_adjacency(rows.indptr.astype(np.intp), rows.indices.astype(np.intp), lengths)

    @property
    def cost(self) -> float:
        return 32.0  # that of a search, divided among the distances it finds

    def _make_geometry(self, engine: Engine) -> Table:
        engine.reserve(8.0 * self.n**2, f"shortest paths between {self.n} nodes", "ask for fewer distances")
        matrix = np.empty((self.n, self.n))
        paths.path_matrix(self, matrix, engine)
        return Table(matrix)

    def geometry_near(self, index: CellIndex, reach: float, engine: Engine) -> Geometry:
        return SparseRows(*paths.path_balls(self, reach, engine)) if np.isfinite(reach) else self.geometry(engine)

    def largest(self, engine: Engine | None = None) -> float:
        row = self.block(np.zeros(1, np.intp), np.arange(self.n), current(engine).silent())
        return float(max(row[np.isfinite(row)].max(), self.lengths.data.max(initial=0.0)))

    @cached_property
    def pieces(self) -> Ints:
        """The number of the connected component of each point, shape (n,), from 0."""
        return paths.pieces(self.adjacency, self.n)

    def check_connected(self) -> None:
        """Raise an error if the graph is not connected."""
        pieces = int(self.pieces.max()) + 1
        if pieces > 1:
            raise ValueError(
                f"the graph must be connected, got {pieces} pieces (node {int(np.flatnonzero(self.pieces)[0])} cannot "
                "be reached from node 0): their distance is infinite; use the largest piece"
            )

    @property
    def n_bytes(self) -> int:
        return int(self.lengths.data.nbytes + self.lengths.indices.nbytes + self.lengths.indptr.nbytes)

    def take(self, rows: Ints) -> Graph:
        """Put the listed points first and keep the other nodes for paths; repeats are joined by edges of length 0."""
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

    def check_whole(self, wanted: str) -> None:
        self.check_connected()

    def check_joined(self, n_parts: int = 1) -> None:
        self.check_connected()
