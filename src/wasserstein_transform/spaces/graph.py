"""Lengths of shortest paths in a graph, as a metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components, shortest_path

from .. import _check as check
from ..engine import Engine
from .dense import Dense


def is_graph(thing: object) -> bool:
    """A networkx graph or a sparse matrix of edge lengths."""
    return issparse(thing) or (hasattr(thing, "adjacency") and hasattr(thing, "number_of_nodes"))


def graph_metric(graph: Any, engine: Engine | None = None) -> Dense:
    """Shortest paths between all nodes of an undirected graph, numbered as the graph lists them.

    `graph` is a networkx graph (edges without a `weight` have length 1) or a symmetric sparse matrix of lengths.
    """
    lengths = _lengths(graph)
    n = lengths.shape[0]
    pieces, piece = connected_components(lengths, directed=False)
    if pieces > 1:
        raise ValueError(
            f"the graph must be connected, got {pieces} pieces (node {int(np.flatnonzero(piece)[0])} cannot be reached "
            "from node 0): their distance would be infinite; use the largest piece"
        )
    engine = engine or Engine()
    engine.reserve(16.0 * n**2, f"shortest paths between {n} nodes", "use a smaller graph")
    paths = shortest_path(lengths, directed=False)
    return Dense(np.minimum(paths, paths.T), triangle=True)


def _lengths(graph: Any) -> csr_array:
    if issparse(graph):
        rows = coo_array(graph)
    else:
        place = {node: k for k, node in enumerate(graph)}
        ends = [(place[a], place[b], float(w)) for a, b, w in graph.edges(data="weight", default=1.0)]
        a, b, values = (np.array(column) for column in zip(*ends, strict=True)) if ends else np.empty((3, 0))
        n = len(place)
        if not graph.is_directed():
            a, b, values = np.r_[a, b], np.r_[b, a], np.r_[values, values]
        rows = coo_array((values, (a.astype(np.intp), b.astype(np.intp))), shape=(n, n))
    if rows.shape[0] != rows.shape[1]:
        raise ValueError(f"a graph as a sparse matrix must be square, got shape {rows.shape}")
    if rows.shape[0] == 0:
        raise ValueError("the graph must have at least one node, got none")
    lengths = check.floats(rows.data, "lengths of edges")
    if (lengths < 0).any():
        raise ValueError(f"lengths of edges must not be negative, got {lengths.min()}")
    csr = _shortest_of_parallel(rows)
    if abs(csr - csr.T).max() > 1e-9 * lengths.max(initial=0.0):
        raise ValueError(
            "the graph must be undirected, got lengths from a to b and from b to a that differ; "
            "graph.to_undirected() or (A + A.T) / 2 settles it"
        )
    return csr


def _shortest_of_parallel(rows: coo_array) -> csr_array:
    """Of edges between the same two nodes the shortest; loops are dropped."""
    a, b = rows.coords
    kept = a != b
    a, b, lengths = a[kept], b[kept], np.asarray(rows.data, np.float64)[kept]
    by_pair = np.lexsort((lengths, b, a))
    a, b, lengths = a[by_pair], b[by_pair], lengths[by_pair]
    first = np.ones(len(a), bool)
    first[1:] = (np.diff(a) != 0) | (np.diff(b) != 0)
    return csr_array((lengths[first], (a[first], b[first])), shape=rows.shape)
