"""Communities from lengths of edges: keep the short edges, with the cutoff of largest modularity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .._check import warn
from .._shown import table
from .._types import Bools, Floats, Ints
from ..hierarchy import FewerClustersWarning
from .network import Network

_SHOWN = 20  # communities shown in a notebook
_TIE = 1e-9  # relative difference below which two lengths count as equal


@dataclass(frozen=True, eq=False, repr=False)
class Communities:
    """A partition of the n nodes of a graph into communities.

    `communities` and `Flow.communities` return it.

    Attributes
    ----------
    network : Network
        The graph.
    labels : array of int, shape (n,)
        Community of each node: 0, 1, …, the largest first.
    modularity : float
        Newman's modularity on the given graph, where every edge counts 1.
    cutoff : float
        Edges up to this length were kept, and their connected components are the communities; nan for methods without
        a cutoff.
    chances : array of shape (n, n_communities), or None
        Probability of each node to be in each community, if the method gives it.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]  # triangles joined by a bridge
    >>> found = wt.graphs.communities(two, 2)
    >>> found
    <Communities: 2 of 6 nodes, modularity 0.357>
    >>> found.labels
    array([0, 0, 0, 1, 1, 1])
    """

    network: Network
    labels: Ints
    modularity: float
    cutoff: float = np.nan
    chances: Floats | None = None

    def __repr__(self) -> str:
        return f"<Communities: {self.n_communities} of {self.network.n} nodes, modularity {self.modularity:.3f}>"

    def _repr_html_(self) -> str:
        sizes = np.bincount(self.labels)
        rows = [[str(k), str(size), self._some(k)] for k, size in enumerate(sizes[:_SHOWN].tolist())]
        return table(repr(self)[1:-1], ("community", "nodes", "such as"), rows)

    def _some(self, community: int) -> str:
        return ", ".join(str(self.network.nodes[i]) for i in np.flatnonzero(self.labels == community)[:5])

    @property
    def n_communities(self) -> int:
        """Number of communities."""
        return int(self.labels.max()) + 1

    def to_networkx(self) -> Any:
        """Return a networkx graph with the attribute `community` at its nodes."""
        return self.network.to_networkx({}, {"community": self.labels})


def by_size(labels: Ints) -> Ints:
    """Return the rank of each label: 0 for the largest group; ties go by the first node."""
    sizes, first = np.unique(labels, return_index=True, return_counts=True)[:0:-1]
    order = np.lexsort((first, -sizes))
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    return rank


def modularity(network: Network, labels: Ints, resolution: float = 1.0) -> float:
    """Return Newman's modularity, every edge counting 1; `resolution` is the weight of the expected edges."""
    m = len(network.edges)
    if m == 0:
        return 0.0
    inside = np.count_nonzero(labels[network.edges[:, 0]] == labels[network.edges[:, 1]])
    degrees = np.bincount(labels, network.degrees)
    return float(inside / m - resolution * (degrees**2).sum() / (2 * m) ** 2)


def best_cut(network: Network, lengths: Floats, kept: Bools, resolution: float = 1.0) -> Communities:
    """Cut at the length with the largest modularity."""
    levels, scores = _sweep(network, lengths, kept, resolution)
    return cut_at(network, lengths, kept, float(levels[int(np.argmax(scores))]))


def cut_into(network: Network, lengths: Floats, kept: Bools, n_communities: int) -> Communities:
    """Cut at the smallest length that leaves at most `n_communities`; edges of equal length are kept together."""
    leader, merged = np.arange(network.n), list[float]()
    candidates = np.flatnonzero(kept)
    for e in candidates[np.argsort(lengths[candidates], kind="stable")]:
        a, b = (_leader(leader, int(node)) for node in network.edges[e])
        if a != b:
            leader[b] = a
            merged.append(float(lengths[e]))
    n_parts = network.n - len(merged)
    if n_communities < n_parts:
        raise ValueError(
            f"n_communities must be at least {n_parts}, the number of connected parts of the graph, got {n_communities}"
        )
    if n_communities >= network.n:
        return cut_at(network, lengths, kept, -1.0)
    cutoff = merged[network.n - n_communities - 1] * (1 + _TIE)
    found = cut_at(network, lengths, kept, float(lengths[kept & (lengths <= cutoff)].max()))
    if found.n_communities < n_communities:
        warn(
            f"found {found.n_communities} communities of the {n_communities} asked for: the next edges are equally "
            "long, and leaving all of them out would make more; ask for another number",
            FewerClustersWarning,
        )
    return found


def cut_at(network: Network, lengths: Floats, kept: Bools, cutoff: float) -> Communities:
    """Return the connected components of the kept edges up to this length."""
    short = kept & (np.nan_to_num(lengths, nan=np.inf) <= cutoff)
    a, b = network.edges[short].T
    joined = coo_array((np.ones(len(a)), (a, b)), shape=(network.n, network.n))
    found = connected_components(joined, directed=False)[1]
    labels = by_size(found)[found]
    return Communities(network, labels, modularity(network, labels), cutoff)


def _sweep(network: Network, lengths: Floats, kept: Bools, resolution: float) -> tuple[list[float], list[float]]:
    """Return all levels of length and the modularity at each, by merging communities along edges of rising length."""
    m = max(len(network.edges), 1)
    leader = np.arange(network.n)
    degree = network.degrees.astype(np.float64)
    across: list[dict[int, int]] = [{} for _ in range(network.n)]  # number of edges from a community to each other one
    for a, b in network.edges.tolist():
        across[a][b] = across[b][a] = 1
    inside, squares = 0, float((degree**2).sum())
    levels, scores = [-1.0], [-resolution * squares / (2 * m) ** 2]
    candidates = np.flatnonzero(kept)
    for e in candidates[np.argsort(lengths[candidates], kind="stable")]:
        a, b = (_leader(leader, int(node)) for node in network.edges[e])
        if a != b:
            if len(across[a]) < len(across[b]):
                a, b = b, a
            inside += across[a].get(b, 0)
            squares += 2 * degree[a] * degree[b]
            degree[a] += degree[b]
            leader[b] = a
            _move(across, b, a)
        score = inside / m - resolution * squares / (2 * m) ** 2
        if lengths[e] <= levels[-1] * (1 + _TIE):
            levels[-1], scores[-1] = float(lengths[e]), score
        else:
            levels.append(float(lengths[e]))
            scores.append(score)
    return levels, scores


def _leader(leader: Ints, node: int) -> int:
    while leader[node] != node:
        leader[node] = leader[leader[node]]
        node = int(leader[node])
    return node


def _move(across: list[dict[int, int]], b: int, a: int) -> None:
    """Give the edges of community b to community a."""
    for other, count in across[b].items():
        del across[other][b]
        if other != a:
            across[a][other] = across[other][a] = across[a].get(other, 0) + count
    across[b] = {}
