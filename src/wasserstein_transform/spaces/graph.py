"""Lengths of shortest paths in a graph, as a metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from .._archive import check_type
from .._cached import cached_property
from .._types import Ints
from ..backends import Network
from ..backends.host import pieces
from ..engine import Engine
from .changes import largest_change
from .edge_weights import ASK
from .edges import as_edges
from .metric import Metric


@dataclass(frozen=True, eq=False, repr=False)
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

    def _check_archived(self) -> None:
        check_type(self.size, "size", int, type(None))
        if (self.lengths != self.lengths.T).nnz:
            raise ValueError("lengths of edges must be the same both ways")

    @classmethod
    def of(cls, graph: Any, *, weight: str | None = ASK) -> Graph:
        """The metric of a networkx graph, a symmetric sparse matrix, or a list of edges.

        `weight` says what numbers at the edges are, as in `Space.from_graph`.
        """
        return cls(as_edges(graph, weight).lengths)

    @property
    def n(self) -> int:
        return int(self.lengths.shape[0]) if self.size is None else self.size

    @cached_property
    def form(self) -> Network:
        rows = self.lengths
        return Network(
            rows.indptr.astype(np.intp), rows.indices.astype(np.intp), np.asarray(rows.data, np.float64), self.n
        )

    @cached_property
    def pieces(self) -> Ints:
        """Which points are joined by paths: the number of the piece of each."""
        return pieces(self.form)

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
        return largest_change(self, other, engine)

    def check_whole(self, wanted: str) -> None:
        self.check_connected()

    def check_joined(self, n_parts: int = 1) -> None:
        self.check_connected()
