"""Network: a graph with names of nodes, edges, and the metric of shortest paths."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .._display import facts, in_range
from .._types import Floats, Ints, cached_property
from ..spaces import ASK, Graph, Weight, as_edges, check_weight
from .files import need_networkx, read_graph

_SHOWN = 5  # nodes shown in a notebook


@dataclass(frozen=True, eq=False)
class Network:
    """An undirected graph with n nodes and m edges; `as_network` makes one.

    Attributes
    ----------
    nodes : list, length n
        Names of the nodes.
    edges : array of int, shape (m, 2)
        Node numbers of both ends, the smaller first, in ascending order. No loops; of parallel edges the shortest.
    lengths : array of shape (m,)
        Lengths of the edges.
    origin : networkx graph, or None
        The graph it was made from.

    Examples
    --------
    >>> from wasserstein_transform.graphs import as_network
    >>> network = as_network([("a", "b"), ("b", "c", 2.0)], weight="length")
    >>> network.nodes, network.lengths, network.degrees
    (['a', 'b', 'c'], array([1., 2.]), array([1, 2, 1]))
    >>> network.metric.pairs([network.place["a"]], [network.place["c"]])
    array([3.])
    """

    nodes: list[Hashable]
    edges: Ints
    lengths: Floats
    origin: Any = None

    def __repr__(self) -> str:
        return f"<Network of {self.n} nodes and {len(self.edges)} edges>"

    def _repr_html_(self) -> str:
        rows = {
            "nodes": self.n,
            "edges": len(self.edges),
            "pieces": int(self.metric.pieces.max()) + 1,
            "lengths": in_range(self.lengths),
            "such as": ", ".join(map(repr, self.nodes[:_SHOWN])) + " …" * (self.n > _SHOWN),
        }
        return facts("Network", rows)

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @cached_property
    def metric(self) -> Graph:
        """The metric of shortest paths, in the unit of `lengths`."""
        (a, b), w = self.edges.T, self.lengths
        return Graph(csr_array((np.r_[w, w], (np.r_[a, b], np.r_[b, a])), shape=(self.n, self.n)))

    @cached_property
    def degrees(self) -> Ints:
        """Number of edges of each node, shape (n,)."""
        return np.bincount(self.edges.ravel(), minlength=self.n).astype(np.intp)

    @cached_property
    def place(self) -> dict[Hashable, int]:
        """Number of each node, by name."""
        return {node: k for k, node in enumerate(self.nodes)}

    def with_lengths(self, lengths: Floats) -> Network:
        """Return a network with the same nodes and edges, and other lengths, an array of shape (m,)."""
        return Network(self.nodes, self.edges, lengths, self.origin)

    def to_networkx(self, edges: Mapping[str, Any], nodes: Mapping[str, Any] | None = None) -> Any:
        """Return a networkx graph with the given attributes at edges and nodes, besides those of the original graph.

        Parameters
        ----------
        edges : mapping of str to array of shape (m,)
            Attributes of edges, by name. Parallel edges get those of the shortest one, loops get none.
        nodes : mapping of str to array of shape (n,), optional
            Attributes of nodes, by name.

        Returns
        -------
        networkx graph
            Needs networkx (extra `graph`).
        """
        nx = need_networkx("a networkx graph")
        if self.origin is None:
            graph = nx.Graph()
            graph.add_nodes_from(self.nodes)
            for (a, b), length in zip(self.edges, self.lengths, strict=True):
                graph.add_edge(self.nodes[a], self.nodes[b], weight=float(length))
        else:
            graph = self.origin.copy()
        for k, (a, b) in enumerate(self.edges):
            ends = self.nodes[a], self.nodes[b]
            values = {name: column[k].item() for name, column in edges.items()}
            for attributes in graph[ends[0]][ends[1]].values() if graph.is_multigraph() else [graph.edges[ends]]:
                attributes.update(values)
        for name, column in (nodes or {}).items():
            nx.set_node_attributes(graph, dict(zip(self.nodes, column.tolist(), strict=True)), name)
        return graph


def as_network(graph: Any, weight: Weight = ASK) -> Network:
    """Convert a networkx graph, a symmetric sparse matrix, a list of edges, or a file to a Network.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, list of edges (a, b) or (a, b, number), or a file
        Edges without a number have length 1.
    weight : str, pair of str, or None, optional
        The numbers at edges: "length"; "strength", so that strong ties are short, with length 1/strength; the name of
        an edge attribute and its meaning, such as ("value", "strength"); or None to ignore them, so that all edges have
        length 1. If not given, attributes or columns named `length`, `distance` and `strength` are taken by their
        names; `weight`, numbers without a name, in a list or a matrix, and numbers of other names raise an error that
        asks for this parameter, unless all weights are 1 or all others equal.

    Returns
    -------
    Network

    Notes
    -----
    Directed graphs are used without directions, with a warning if directions differ. Loops are left out; of parallel
    edges the shortest counts. Time O(m log m) for m edges.

    Examples
    --------
    >>> from wasserstein_transform.graphs import as_network
    >>> as_network([("a", "b"), ("b", "c"), ("c", "c")])
    <Network of 3 nodes and 2 edges>
    >>> as_network([("a", "b", 4.0), ("b", "c", 2.0)], weight="strength").lengths
    array([0.25, 0.5 ])
    """
    if isinstance(graph, Network):
        check_weight(weight)
        if weight not in (None, ASK, "length"):
            raise ValueError(f"a Network has lengths already; give weight={weight!r} to as_network, where it is made")
        return graph.with_lengths(np.ones(len(graph.edges))) if weight is None else graph
    if isinstance(graph, str | os.PathLike):
        graph = read_graph(graph)
    nodes, lengths = as_edges(graph, weight)
    rows = lengths.tocoo()
    a, b = rows.coords
    once = a < b
    edges = np.column_stack([a[once], b[once]]).astype(np.intp)
    origin = graph if hasattr(graph, "is_multigraph") else None  # a graph of networkx
    if origin is not None and origin.is_directed():
        origin = origin.to_undirected()
    return Network(nodes, edges, np.asarray(rows.data)[once], origin)
