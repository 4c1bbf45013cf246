"""`communities`: find the communities of a graph in one call."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .. import _check as check
from .._display import HasPlot, counted, frame, table
from .._types import Floats, Ints
from ..engine import Engine, current, one_blas_thread
from ..hierarchy.labels import number_by_mass
from ..spaces import ASK, Weight, as_strength
from .network import Network, as_network
from .order import order_nodes
from .partitions import Optimizer, probabilities

_SHOWN = 20  # communities shown in a notebook
_SMALLEST = 4  # nodes of a connected piece that may have communities


@dataclass(frozen=True, eq=False, repr=False)
class Communities(HasPlot):
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
        Of a Ricci flow: edges up to this length were kept, and their connected components are the communities; else
        nan.
    probabilities : array of shape (n,), or None
        Probability of each node to be in its community, if the method gives it.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]  # triangles joined by a bridge
    >>> found = wt.graphs.communities(two, 2)
    >>> found
    <Communities of 6 nodes: 2, modularity 0.357>
    >>> found.communities
    [{0, 1, 2}, {3, 4, 5}]
    >>> wt.graphs.communities(two, resolution=1.0).to_pandas().round(2).head(2)
       node  community  probability
    0     0          0         0.98
    1     1          0         0.98
    """

    network: Network
    labels: Ints
    modularity: float
    cutoff: float = np.nan
    probabilities: Floats | None = None

    def __repr__(self) -> str:
        nodes = counted(self.network.n, "node")
        return f"<Communities of {nodes}: {self.n_communities}, modularity {self.modularity:.3f}>"

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

    @property
    def communities(self) -> list[set[Hashable]]:
        """The names of the nodes of each community, the largest community first."""
        groups: list[set[Hashable]] = [set() for _ in range(self.n_communities)]
        for name, label in zip(self.network.nodes, self.labels.tolist(), strict=True):
            groups[label].add(name)
        return groups

    def to_pandas(self) -> Any:
        """Return a DataFrame with the columns `node`, `community` and, if it is known, `probability`."""
        columns: dict[str, Any] = {"node": self.network.nodes, "community": self.labels}
        return frame(columns if self.probabilities is None else columns | {"probability": self.probabilities})

    def to_networkx(self) -> Any:
        """Return a networkx graph with the attribute `community` at its nodes."""
        return self.network.to_networkx({}, {"community": self.labels})


def communities(
    graph: Any,
    n_communities: int | None = None,
    *,
    resolution: float | None = None,
    weight: Weight = ASK,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Communities:
    """Find communities: groups of nodes with more edges within them than between them.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, list of edges (a, b) or (a, b, number), or a file
        As for `curvature`.
    n_communities : int, optional
        Number of communities; None (default): the evidence chooses it.
    resolution : float, optional
        If given, communities have large modularity at this resolution: above 1 gives more and smaller communities,
        below 1 fewer. Not together with `n_communities`.
    weight : str, pair of str, or None, optional
        The edge attribute to use as the strength of edges, such as "weight" or "value", or None to ignore numbers at
        edges; else as for `as_network`: lengths become strengths, 1/length.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine. The result does not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Communities
        A label for each node, its probability, and the modularity.

    Notes
    -----
    Partitions of large modularity are found at resolutions from 0.35 on, each a consensus of six. The evidence chooses
    among them: the likelihood of a planted partition with given degrees and a rate for each community (Karrer and
    Newman 2011), minus the entropy of the labels. It may choose a single community. Connected pieces are treated one by
    one. O(edges) for each resolution.

    Where this evidence is weak and degrees vary little, partitions into several numbers are compared instead, if the
    modularity is larger than that of ten rewired graphs.

    A given number k comes from partitions of two resolutions that have k communities or more: the two communities that
    lose least modularity are merged, until k are left; then nodes change places until the likelihood settles, in
    O((edges + nodes)·k) for each of up to 60 rounds. The better one is taken. There are always k, also if the graph has
    more pieces, and if it has no communities at all: look at `modularity`.

    Nothing is random. The result does not depend on the order of nodes, unless the graph has symmetries and the result
    does not: then the order of nodes decides.

    Examples
    --------
    >>> import networkx as nx
    >>> import wasserstein_transform as wt
    >>> graph = nx.connected_caveman_graph(4, 6)
    >>> wt.graphs.communities(graph)
    <Communities of 24 nodes: 4, modularity 0.683>
    >>> wt.graphs.communities(graph, 2).labels.reshape(4, 6)
    array([[0, 0, 0, 0, 0, 0],
           [1, 1, 1, 1, 1, 1],
           [1, 1, 1, 1, 1, 1],
           [0, 0, 0, 0, 0, 0]])
    """
    network = as_network(graph, as_strength(weight))
    if n_communities is not None and resolution is not None:
        raise ValueError("give one of n_communities and resolution, got both; resolution chooses the number")
    resolution = None if resolution is None else check.positive(resolution, "resolution")
    if n_communities is not None:
        n_communities = check.count(n_communities, "n_communities", 1, network.n, "nodes")
    if not (network.lengths > 0).all():
        raise ValueError("edges of length 0 have no strength; give them a length, or merge the nodes they join")
    if len(network.edges) == 0:
        return labelled(network, np.minimum(np.arange(network.n), (n_communities or network.n) - 1))
    strengths = 1.0 / network.lengths
    place = np.argsort(order_nodes(network.n, network.edges, strengths))
    matrix = strengths_between(network.n, place[network.edges], strengths)
    with current(engine, n_jobs=n_jobs, verbose=verbose).progress_scope() as engine, one_blas_thread():
        if n_communities is not None:
            labels = Optimizer(matrix, engine).into(n_communities)
            certain = probabilities(matrix, labels)
        else:
            labels, certain = _piece_by_piece(matrix, resolution, engine)
    return labelled(network, labels[place], certain[place])


def strengths_between(n: int, edges: Ints, strengths: Floats) -> csr_array:
    """Return the symmetric matrix of the strengths of edges, scaled to mean 1."""
    a, b = edges.T
    matrix = csr_array((np.r_[strengths, strengths], (np.r_[a, b], np.r_[b, a])), shape=(n, n))
    return csr_array(matrix / matrix.data.mean())  # summed in the order of nodes, not of edges


def _piece_by_piece(strengths: csr_array, resolution: float | None, engine: Engine) -> tuple[Ints, Floats]:
    """Find the communities of each connected piece, and the probability of each node's."""
    n = strengths.shape[0]
    n_pieces, piece = connected_components(strengths, directed=False)
    order = np.argsort(piece, kind="stable")
    bounds = np.searchsorted(piece[order], np.arange(n_pieces + 1))
    matrix = csr_array(strengths[order][:, order])
    labels, certain, n_found = np.empty(n, np.intp), np.ones(n), 0
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        nodes = order[first:last]
        labels[nodes] = n_found
        if len(nodes) >= _SMALLEST:
            engine.report("communities", first, n)
            own = csr_array(matrix[first:last, first:last])
            optimizer = Optimizer(own, engine)
            found = optimizer.choose() if resolution is None else optimizer.agreed(resolution)
            labels[nodes] += found
            certain[nodes] = probabilities(own, found)
        n_found = int(labels[nodes].max()) + 1
    return labels, certain


def labelled(network: Network, labels: Ints, certain: Floats | None = None, cutoff: float = np.nan) -> Communities:
    """Return communities numbered by size, then by their first nodes."""
    dense = np.unique(labels, return_inverse=True)[1]
    numbered = number_by_mass(dense, np.ones(len(dense)))
    return Communities(network, numbered, modularity(network, dense), cutoff, certain)


def modularity(network: Network, labels: Ints, resolution: float = 1.0) -> float:
    """Return Newman's modularity, every edge counting 1; `resolution` is the weight of the expected edges."""
    m = len(network.edges)
    if m == 0:
        return 0.0
    inside = np.count_nonzero(labels[network.edges[:, 0]] == labels[network.edges[:, 1]])
    degrees = np.bincount(labels, network.degrees)
    return float(inside / m - resolution * (degrees**2).sum() / (2 * m) ** 2)
