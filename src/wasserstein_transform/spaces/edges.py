"""Graphs (networkx, sparse matrix, list of edges) as nodes and edge lengths, and what numbers at edges mean."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import chain
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from .. import _check as check
from .._display import listed
from .._types import Floats, Ints

ASK = "ask"
"""The default of `weight`: clear attribute names are used, and other numbers raise an error that asks for it."""

Weight: TypeAlias = str | tuple[str, str] | None
"""What `weight` may be: a meaning, the name of an attribute, a name and its meaning, or None."""

_LENGTHS, _STRENGTHS, _AMBIGUOUS = ("length", "distance"), ("strength",), "weight"
_MEANINGS = "length", "strength"
KNOWN = (*_LENGTHS, *_STRENGTHS, _AMBIGUOUS)
"""Names of edge attributes and columns that are numbers at edges."""

_NUMBERS = ("id", "key")  # attributes that number the edges of a file
_MAX_NODE = 2.0**53  # above this, floats do not hold all integers
_MIN_LENGTH, _MAX_LENGTH = 1e-150, 1e150  # squares stay within the range of floats


class EdgeList(list[tuple[Any, ...]]):
    """Edges (a, b) or (a, b, number), the name of the number, and other numbers at all edges by name."""

    def __init__(
        self,
        edges: Collection[tuple[Any, ...]],
        column: str | None,
        others: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        super().__init__(edges)
        self.column, self.others = column, others or {}


class Meaning(NamedTuple):
    """The edge attribute that is used, or None, and whether it is a strength."""

    column: str | None
    strength: bool = False


def choose_meaning(present: Collection[str], weight: Weight, others: Collection[str] = ()) -> Meaning:
    """Choose the edge attribute to use by `weight`, among those of known names and others that have numbers."""
    check_weight(weight)
    usual = [name for name in KNOWN if name in present]
    if weight is None:
        return Meaning(None)
    if weight == ASK:
        if len(usual) > 1:
            raise ValueError(f"edges have {listed([repr(name) for name in usual])}; choose one by {_say_answers()}")
        if not usual and others:
            first = next(iter(others))
            have = f"edges have the attribute{'s' * (len(others) > 1)} {listed([repr(name) for name in others])}"
            it = "it" if len(others) == 1 else repr(first)
            raise ValueError(f"{have}; pass {_say(first)} to use {it}, or {_say(None)} to ignore numbers at edges")
        return Meaning(usual[0], usual[0] in _STRENGTHS) if usual else Meaning(None)
    if isinstance(weight, tuple) or weight not in _MEANINGS:
        return _named(weight, [*usual, *others])
    names: tuple[str, ...] = (*(_LENGTHS if weight == "length" else _STRENGTHS), _AMBIGUOUS)
    chosen = next((name for name in names if name in usual), None)
    if chosen is None and usual:
        raise ValueError(
            f"weight={weight!r} needs edges with {' or '.join(map(repr, names))}, but these have {usual[0]!r}; "
            f"say {_say_answers()}"
        )
    if chosen is None and others:
        first = next(iter(others))
        raise ValueError(f"edges have no {weight}; pass {_say((first, weight))} to use {first!r} as one")
    return Meaning(chosen, weight == "strength" and chosen is not None)


def _say(weight: Weight) -> str:
    """Return the argument as the user writes it; the command line takes NAME:MEANING."""
    written = repr(":".join(weight)) if isinstance(weight, tuple) else repr(weight)
    return check.option_text(f"weight={weight!r}", f"weight={written}")


def _say_answers() -> str:
    return f"{_say('length')}, {_say('strength')} (lengths are 1/strength) or {_say(None)} (all edges have length 1)"


def _named(weight: str | tuple[str, str], present: list[str]) -> Meaning:
    """Return the attribute of a given name, with its meaning; a name that does not say it must be given a meaning."""
    name, meaning = weight if isinstance(weight, tuple) else (weight, "")
    if name not in present:
        have = f"they have {listed([repr(one) for one in present])}" if present else "they have no numbers"
        raise ValueError(f"{_say(weight)}: no edge has the attribute {name!r} with a number; {have}")
    if not meaning and name not in (*_LENGTHS, *_STRENGTHS):
        raise ValueError(
            f"the attribute {name!r} may be a length or a strength; pass {_say((name, 'length'))} or "
            f"{_say((name, 'strength'))}"
        )
    return Meaning(name, (meaning or name) == "strength")


def as_strength(weight: Weight) -> Weight:
    """Return `weight` for functions of strengths: an attribute whose name does not say its meaning is a strength."""
    known = (ASK, *_MEANINGS, *_LENGTHS, *_STRENGTHS)
    return (weight, "strength") if isinstance(weight, str) and weight not in known else weight


def check_weight(weight: Weight) -> None:
    """Check the value of `weight`."""
    if weight is None or (isinstance(weight, str) and weight):
        return
    if isinstance(weight, tuple) and len(weight) == 2 and isinstance(weight[0], str) and weight[1] in _MEANINGS:
        return
    raise ValueError(
        "weight must be 'length', 'strength', the name of an edge attribute, a pair such as ('value', 'strength'), or "
        f"None, got {check.shown(weight)}"
    )


def lengths_of(values: Floats, meant: Meaning, weight: Weight) -> Floats:
    """Turn the numbers at edges into lengths; raise an error if their meaning is unclear, unless all are 1."""
    if meant.strength:
        strengths = check.floats(values, "strengths of edges")
        if (strengths <= 0).any():
            raise ValueError(
                f"strengths of edges must be positive, got {strengths.min():g}; leave out edges of strength 0"
            )
        with np.errstate(over="ignore"):
            return np.asarray(1.0 / strengths)
    if weight == ASK and meant.column == _AMBIGUOUS and (check.floats(values, "weights of edges") != 1).any():
        weights = f"weights of edges, {np.min(values):g} to {np.max(values):g},"
        raise ValueError(
            f"{weights} may be lengths or strengths; say {_say_answers()}"
            + check.option_text("; where a function has no weight=, pass wt.spaces.Graph.of(graph, weight=…)", "")
        )
    return values


def _read_number(a: Hashable, b: Hashable, value: Any, meant: Meaning) -> float:
    """Convert the number at one edge to a float."""
    try:
        return float(value)
    except (TypeError, ValueError):
        kind = "strengths" if meant.strength else "lengths"
        raise ValueError(
            f"{kind} of edges must be numbers, got {meant.column} {check.shown(value)} between {a!r} and {b!r}"
        ) from None


class Edges(NamedTuple):
    """An undirected graph: the names of its nodes, in order, and a symmetric sparse matrix of edge lengths.

    Loops are dropped, and the shortest of parallel edges is kept. A stored 0 is an edge of length 0.
    """

    nodes: list[Hashable]
    lengths: csr_array


def is_graph(thing: object) -> bool:
    """Whether an object is a networkx graph or a sparse matrix."""
    return issparse(thing) or (hasattr(thing, "adjacency") and hasattr(thing, "number_of_nodes"))


def as_edges(graph: Any, weight: Weight = ASK) -> Edges:
    """Convert a networkx graph, a symmetric sparse matrix or a list of edges to nodes and edge lengths.

    A list has rows (a, b) or (a, b, number). Its nodes are the names that occur: integers in ascending order, other
    names in the order of their first occurrence.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, or list of edges
    weight : str, pair of str, or None, optional
        The numbers at edges: "length"; "strength" (the length is 1/strength); the name of an edge attribute and its
        meaning, such as ("value", "strength"); or None to ignore them, so that all edges have length 1. By default the
        attributes `length`, `distance` and `strength` mean what their names say. The attribute `weight`, the entries of
        a matrix and the numbers of a list (a, b, number) are ambiguous: they raise an error unless all are 1. If there
        are only numbers of other names, they raise an error that asks for `weight`.
    """
    check_weight(weight)
    if issparse(graph):
        matrix = coo_array(graph)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"a graph as a sparse matrix must be square, got shape {matrix.shape}")
        values = check.floats(matrix.data, "entries of the matrix of edges")
        meant = choose_meaning([_AMBIGUOUS], weight)
        lengths = np.ones(len(values)) if weight is None else lengths_of(values, meant, weight)
        n, (a, b) = matrix.shape[0], matrix.coords
        return Edges(list(range(n)), _undirected(a, b, lengths, n))
    if is_graph(graph):
        return _read_networkx(graph, weight)
    if isinstance(graph, np.ndarray) and graph.dtype.kind in "iuf":
        return _read_array(graph, weight)
    return _read_list(graph, weight)


def _read_networkx(graph: Any, weight: Weight) -> Edges:
    nodes = list(graph)
    number = {node: k for k, node in enumerate(nodes)}
    if graph.is_multigraph():
        rows = list(graph.edges(data=True))
        a, b = np.array([(number[a], number[b]) for a, b, _ in rows], np.intp).reshape(-1, 2).T
        attributes = [at for *_, at in rows]
        if not graph.is_directed():
            a, b, attributes = np.r_[a, b], np.r_[b, a], attributes * 2
    else:  # from the adjacency: one tuple per edge would take most of the time
        adjacency = [row for _, row in graph.adjacency()]
        a = np.repeat(np.arange(len(adjacency)), [len(row) for row in adjacency])
        b = np.fromiter((number[node] for row in adjacency for node in row), np.intp, len(a))
        attributes = [at for row in adjacency for at in row.values()]
    names = set(chain.from_iterable(attributes))
    others = [] if weight is None else _numeric(names.difference(KNOWN, _NUMBERS), attributes)
    meant, numbers = choose_meaning(names.intersection(KNOWN), weight, others), np.ones(len(a))
    if meant.column is not None:
        ends = zip(a.tolist(), b.tolist(), attributes, strict=True)
        numbers = np.array([_read_number(nodes[i], nodes[j], at.get(meant.column, 1.0), meant) for i, j, at in ends])
    return Edges(nodes, _undirected(a, b, lengths_of(numbers, meant, weight), len(nodes)))


def _numeric(names: Collection[str], attributes: Collection[Mapping[str, Any]]) -> list[str]:
    """Return the names, sorted, of attributes that are numbers at all edges, and not the same number."""

    def differ(values: list[Any]) -> bool:
        return all(isinstance(x, Real) and not isinstance(x, bool) for x in values) and len(set(values)) > 1

    return sorted(name for name in map(str, names) if differ([at.get(name) for at in attributes]))


def _read_list(graph: Any, weight: Weight) -> Edges:
    if not isinstance(graph, Sequence) or isinstance(graph, str):
        raise TypeError(
            "a graph must be a networkx graph, a sparse matrix of edge lengths or a list of edges (a, b) or "
            f"(a, b, number), got {type(graph).__name__}"
        )
    given = graph if isinstance(graph, EdgeList) else EdgeList(graph, _AMBIGUOUS)
    meant, edges = choose_meaning([given.column] if given.column else [], weight, given.others), graph
    if meant.column is not None and meant.column in given.others:
        edges = [(a, b, x) for (a, b), x in zip(graph, given.others[meant.column], strict=True)]
    rows = [_read_row(edge, k, meant) for k, edge in enumerate(edges)]
    try:
        names = list(dict.fromkeys(name for a, b, _ in rows for name in (a, b)))
    except TypeError as error:
        raise ValueError(f"names of nodes must be hashable, such as numbers and strings: {error}") from None
    if names and all(isinstance(name, int | np.integer) for name in names):
        names = sorted(names)
    number = {name: k for k, name in enumerate(names)}
    a, b = np.array([(number[a], number[b]) for a, b, _ in rows], np.intp).reshape(-1, 2).T
    lengths = lengths_of(np.array([x for *_, x in rows]), meant, weight)
    return Edges(names, _undirected(np.r_[a, b], np.r_[b, a], np.r_[lengths, lengths], len(names)))


def _read_row(edge: Any, k: int, meant: Meaning) -> tuple[Any, Any, float]:
    row = tuple(edge) if isinstance(edge, Sequence | np.ndarray) and not isinstance(edge, str) else ()
    if len(row) not in (2, 3):
        raise ValueError(f"a list of edges must hold (a, b) or (a, b, number), number {k} is {check.shown(edge)}")
    given = len(row) == 3 and meant.column is not None
    return row[0], row[1], _read_number(row[0], row[1], row[2], meant) if given else 1.0


def _read_array(array: Any, weight: Weight) -> Edges:
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(
            f"a list of edges must have rows (a, b) or (a, b, number), got shape {array.shape}; pass a matrix of "
            "lengths as scipy.sparse.csr_array(A)"
        )
    symmetric = array.shape[0] == array.shape[1] and bool((array == array.T).all()) and not array.diagonal().any()
    if symmetric and not (len(array) == 2 and array[0, 1] == 1):
        raise ValueError(
            f"a symmetric array with zeros on its diagonal, shape {array.shape}, may be a matrix of lengths or a list "
            "of edges; pass scipy.sparse.csr_array(A) or a list of tuples"
        )
    ends = check.floats(array[:, :2], "nodes of edges")
    if np.abs(ends).max(initial=0.0) > _MAX_NODE:
        raise ValueError(f"nodes in an array of edges must be integers up to 2^53, got {np.abs(ends).max():g}")
    if (ends != np.rint(ends)).any():
        raise ValueError("nodes in an array of edges must be integers; a list of tuples takes any names")
    names, which = np.unique(ends.astype(np.int64), return_inverse=True)
    meant = choose_meaning([_AMBIGUOUS], weight)
    given = array.shape[1] == 3 and meant.column is not None
    numbers = check.floats(array[:, 2], "lengths of edges") if given else np.ones(len(array))
    lengths = lengths_of(numbers, meant, weight)
    a, b = which.reshape(-1, 2).astype(np.intp).T
    return Edges(names.tolist(), _undirected(np.r_[a, b], np.r_[b, a], np.r_[lengths, lengths], len(names)))


def _undirected(a: Ints, b: Ints, lengths: Floats, n: int) -> csr_array:
    """The matrix of edges that are listed in both directions; if they differ, the shorter counts, with a warning."""
    if n == 0:
        raise ValueError("the graph must have at least one node, got none")
    lengths = check.floats(lengths, "lengths of edges")
    if (lengths < 0).any():
        raise ValueError(f"lengths of edges must not be negative, got {lengths.min()}")
    some = lengths[lengths > 0]
    if len(some) and not (some.min() >= _MIN_LENGTH and some.max() <= _MAX_LENGTH):
        raise ValueError(
            f"lengths of edges must be 0 or between 1e-150 and 1e150, got {some.min():g} to {some.max():g}; rescale"
        )
    csr = _shortest_of_parallel(a, b, lengths, n)
    back = csr.T.tocsr()
    if csr.nnz and abs(csr - back).max() > 1e-9 * lengths.max(initial=0.0):
        check.warn(
            "the graph is directed and is used without directions: where the lengths from a to b and from b to a "
            "differ, the shorter counts"
        )
    if all(np.array_equal(getattr(csr, part), getattr(back, part)) for part in ("indptr", "indices", "data")):
        return csr
    edges = csr.tocoo()
    a, b = edges.coords
    both = np.r_[a, b], np.r_[b, a], np.r_[edges.data, edges.data]
    return _shortest_of_parallel(*both, n)  # symmetric to the bit


def _shortest_of_parallel(a: Ints, b: Ints, lengths: Floats, n: int) -> csr_array:
    """Keep the shortest of the edges between two nodes, and drop loops."""
    is_edge = a != b
    a, b, lengths = a[is_edge], b[is_edge], np.asarray(lengths, np.float64)[is_edge]
    added = csr_array((lengths, (a, b)), shape=(n, n))
    if added.nnz == len(a):  # none were parallel
        return added
    by_pair = np.lexsort((lengths, b, a))
    a, b, lengths = a[by_pair], b[by_pair], lengths[by_pair]
    first = np.ones(len(a), bool)
    first[1:] = (np.diff(a) != 0) | (np.diff(b) != 0)
    return csr_array((lengths[first], (a[first], b[first])), shape=(n, n))
