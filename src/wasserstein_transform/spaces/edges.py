"""Graphs as people have them, made into nodes and lengths of edges."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from .. import _check as check
from .._types import Floats, Ints

_LARGEST = 2.0**53  # floats beyond are not all whole numbers
_RANGE = 1e-150, 1e150  # squares stay within floats


class Edges(NamedTuple):
    """An undirected graph: its nodes by name, in order, and the lengths of its edges, each in both directions.

    Loops are left out, of parallel edges the shortest is kept; an entry of 0 is an edge of length 0.
    """

    nodes: list[Hashable]
    lengths: csr_array


def is_graph(thing: object) -> bool:
    """A networkx graph or a sparse matrix of edge lengths."""
    return issparse(thing) or (hasattr(thing, "adjacency") and hasattr(thing, "number_of_nodes"))


def as_edges(graph: Any) -> Edges:
    """Nodes and lengths of a networkx graph, a symmetric sparse matrix of lengths, or a list of edges.

    Edges without a `weight` have length 1. A list has rows (a, b) or (a, b, length); its nodes are those it names:
    numbers in rising order, anything else as it first appears.
    """
    if issparse(graph):
        matrix = coo_array(graph)
        if matrix.ndim != 2:
            raise ValueError(f"a graph as a sparse matrix must be square, got shape {matrix.shape}")
        return Edges(list(range(matrix.shape[0])), _undirected(matrix))
    if is_graph(graph):
        return _of_networkx(graph)
    return _of_list(graph)


def _of_networkx(graph: Any) -> Edges:
    nodes = list(graph)
    place = {node: k for k, node in enumerate(nodes)}
    ends = [(place[a], place[b], _length(a, b, w)) for a, b, w in graph.edges(data="weight", default=1.0)]
    a, b, values = (np.array(column) for column in zip(*ends, strict=True)) if ends else np.empty((3, 0))
    if not graph.is_directed():
        a, b, values = np.r_[a, b], np.r_[b, a], np.r_[values, values]
    shape = (len(nodes), len(nodes))
    return Edges(nodes, _undirected(coo_array((values, (a.astype(np.intp), b.astype(np.intp))), shape=shape)))


def _length(a: Hashable, b: Hashable, weight: Any) -> float:
    try:
        return float(weight)
    except (TypeError, ValueError):
        raise ValueError(f"lengths of edges must be numbers, got weight {weight!r} between {a!r} and {b!r}") from None


def _of_list(graph: Any) -> Edges:
    if isinstance(graph, np.ndarray) and graph.dtype.kind in "iuf":
        return _of_numbers(graph)
    if not isinstance(graph, Sequence) or isinstance(graph, str):
        raise TypeError(
            "a graph must be a networkx graph, a sparse matrix of edge lengths or a list of edges (a, b) or "
            f"(a, b, length), got {type(graph).__name__}"
        )
    rows = [_row(edge, k) for k, edge in enumerate(graph)]
    try:
        names = list(dict.fromkeys(name for a, b, _ in rows for name in (a, b)))
    except TypeError as error:
        raise ValueError(f"names of nodes must be hashable, such as numbers and strings: {error}") from None
    if names and all(isinstance(name, int | np.integer) for name in names):
        names = sorted(names)
    place = {name: k for k, name in enumerate(names)}
    ends = np.array([(place[a], place[b]) for a, b, _ in rows], np.intp).reshape(-1, 2)
    return Edges(names, _both_ways(ends, np.array([length for _, _, length in rows]), len(names)))


def _row(edge: Any, k: int) -> tuple[Any, Any, float]:
    row = tuple(edge) if isinstance(edge, Sequence | np.ndarray) and not isinstance(edge, str) else ()
    if len(row) not in (2, 3):
        raise ValueError(f"a list of edges must hold (a, b) or (a, b, length), number {k} is {edge!r}")
    return row[0], row[1], _length(row[0], row[1], row[2] if len(row) == 3 else 1.0)


def _of_numbers(array: Any) -> Edges:
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(
            f"a list of edges must have rows (a, b) or (a, b, length), got shape {array.shape}; a matrix of lengths "
            "goes as a sparse one, scipy.sparse.csr_array(A)"
        )
    if _is_table(array):
        raise ValueError(
            f"a symmetric array with zeros on its diagonal, shape {array.shape}, may be a matrix of lengths or a list "
            "of edges; give scipy.sparse.csr_array(A) or a list of tuples"
        )
    ends = check.floats(array[:, :2], "nodes of edges")
    if np.abs(ends).max(initial=0.0) > _LARGEST:
        raise ValueError(f"nodes of edges must be numbers up to 2^53 in an array, got {np.abs(ends).max():g}")
    if (ends != np.rint(ends)).any():
        raise ValueError("nodes of edges must be whole numbers in an array; a list of tuples takes any names")
    names, which = np.unique(ends.astype(np.int64), return_inverse=True)
    lengths = np.ones(len(array)) if array.shape[1] == 2 else check.floats(array[:, 2], "lengths of edges")
    return Edges(names.tolist(), _both_ways(which.reshape(-1, 2).astype(np.intp), lengths, len(names)))


def _is_table(array: Any) -> bool:
    """Whether the rows could as well be those of a matrix, and mean another graph."""
    square = array.shape[0] == array.shape[1] and bool((array == array.T).all()) and not array.diagonal().any()
    return square and not (len(array) == 2 and array[0, 1] == 1)


def _both_ways(ends: Ints, lengths: Floats, n: int) -> csr_array:
    a, b = ends.T
    return _undirected(coo_array((np.r_[lengths, lengths], (np.r_[a, b], np.r_[b, a])), shape=(n, n)))


def _undirected(rows: coo_array) -> csr_array:
    if rows.shape[0] != rows.shape[1]:
        raise ValueError(f"a graph as a sparse matrix must be square, got shape {rows.shape}")
    if rows.shape[0] == 0:
        raise ValueError("the graph must have at least one node, got none")
    lengths = check.floats(rows.data, "lengths of edges")
    if (lengths < 0).any():
        raise ValueError(f"lengths of edges must not be negative, got {lengths.min()}")
    some = lengths[lengths > 0]
    if len(some) and not (_RANGE[0] <= some.min() and some.max() <= _RANGE[1]):
        raise ValueError(
            f"lengths of edges must be 0 or between 1e-150 and 1e150, got {some.min():g} to {some.max():g}; rescale"
        )
    csr = _shortest_of_parallel(rows)
    if csr.nnz and abs(csr - csr.T).max() > 1e-9 * lengths.max(initial=0.0):
        raise ValueError(
            "the graph must be undirected, got lengths from a to b and from b to a that differ; "
            "graph.to_undirected() or (A + A.T) / 2 settles it"
        )
    back = csr.tocoo()
    a, b = back.coords
    both = coo_array((np.r_[back.data, back.data], (np.r_[a, b], np.r_[b, a])), shape=rows.shape)
    return _shortest_of_parallel(both)  # the same bits in both directions


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
