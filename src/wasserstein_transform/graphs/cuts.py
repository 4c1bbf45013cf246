"""Communities: what short edges join, cut where the modularity is largest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .._shown import table
from .._types import Bools, Floats, Ints
from .._warn import warn
from ..hierarchy import FewerClustersWarning
from .network import Network

_SHOWN = 20  # communities of a table in a notebook
_TIE = 1e-9  # lengths that agree to this are one level


@dataclass(frozen=True, eq=False, repr=False)
class Communities:
    """Which nodes belong together.

    Attributes
    ----------
    labels : array of shape (n,)
        Communities 0, 1, …, the largest first.
    modularity : float
        Newman's, of the graph as it was given, every edge counting 1.
    cutoff : float
        Edges up to this length are kept; communities are what they join. nan where no lengths were cut.
    chances : array of shape (n, n_communities), or None
        Of each node to be of each community, where the method gives them.
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
        """How many there are."""
        return int(self.labels.max()) + 1

    def to_networkx(self) -> Any:
        """A networkx graph with `community` at its nodes."""
        return self.network.to_networkx({}, {"community": self.labels})


def by_size(labels: Ints) -> Ints:
    """The number that each label gets: 0 for the largest group, of equal ones that of the first node."""
    sizes, first = np.unique(labels, return_index=True, return_counts=True)[:0:-1]
    order = np.lexsort((first, -sizes))
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    return rank


def modularity(network: Network, labels: Ints, resolution: float = 1.0) -> float:
    """Newman's modularity of a partition, every edge counting 1; `resolution` weighs what chance would give."""
    m = len(network.edges)
    if m == 0:
        return 0.0
    inside = np.count_nonzero(labels[network.edges[:, 0]] == labels[network.edges[:, 1]])
    degrees = np.bincount(labels, network.degrees)
    return float(inside / m - resolution * (degrees**2).sum() / (2 * m) ** 2)


def best_cut(network: Network, lengths: Floats, kept: Bools, resolution: float = 1.0) -> Communities:
    """Keep edges up to the length at which the modularity of what they join is largest."""
    levels, scores = _sweep(network, lengths, kept, resolution)
    return cut_at(network, lengths, kept, float(levels[int(np.argmax(scores))]))


def cut_into(network: Network, lengths: Floats, kept: Bools, n_communities: int) -> Communities:
    """The shortest cutoff that leaves no more than so many communities; edges of equal length are kept together."""
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
            f"n_communities must be at least {n_parts}, the parts the graph falls into, got {n_communities}"
        )
    if n_communities >= network.n:
        return cut_at(network, lengths, kept, -1.0)
    cutoff = merged[network.n - n_communities - 1] * (1 + _TIE)
    found = cut_at(network, lengths, kept, float(lengths[kept & (lengths <= cutoff)].max()))
    if found.n_communities < n_communities:
        warn(
            f"found {found.n_communities} communities of the {n_communities} asked for: the next edges are equally "
            "long, and leaving all of them out would make more",
            FewerClustersWarning,
        )
    return found


def cut_at(network: Network, lengths: Floats, kept: Bools, cutoff: float) -> Communities:
    """What the kept edges of at most this length join."""
    short = kept & (np.nan_to_num(lengths, nan=np.inf) <= cutoff)
    a, b = network.edges[short].T
    joined = coo_array((np.ones(len(a)), (a, b)), shape=(network.n, network.n))
    found = connected_components(joined, directed=False)[1]
    labels = by_size(found)[found]
    return Communities(network, labels, modularity(network, labels), cutoff)


def _sweep(network: Network, lengths: Floats, kept: Bools, resolution: float) -> tuple[list[float], list[float]]:
    """The modularity at every level, from no edge on; communities are merged, and never looked through again."""
    m = max(len(network.edges), 1)
    leader = np.arange(network.n)
    degree = network.degrees.astype(np.float64)
    across: list[dict[int, int]] = [{} for _ in range(network.n)]  # edges of the graph from a community to others
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
    """Edges of community b become those of a."""
    for other, count in across[b].items():
        del across[other][b]
        if other != a:
            across[a][other] = across[other][a] = across[a].get(other, 0) + count
    across[b] = {}
