"""`communities`: find the communities of a graph in one call."""

from __future__ import annotations

from typing import Any

from .. import _check as check
from ..engine import Engine, current
from ..spaces.edges import ASK
from .cuts import Communities
from .method import Method
from .network import as_network
from .talking import Messages


def communities(
    graph: Any,
    n_communities: int | None = None,
    method: Method | None = None,
    *,
    resolution: float | None = None,
    weight: str | None = ASK,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Communities:
    """Find communities: groups of nodes with more edges within them than between them.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, list of edges (a, b) or (a, b, length), or a file
        Undirected, as for `curvature`.
    n_communities : int, optional
        Number of communities; None (default) lets the method choose it.
    method : Messages or Transformed, optional
        None means `Messages()`.
    resolution : float, optional
        If given, the number of communities is the one with the largest modularity at this resolution: above 1 gives
        more and smaller communities, below 1 fewer. None (default): Messages chooses by the evidence, Transformed by
        modularity at resolution 1. Not together with `n_communities`.
    weight : {"length", "strength", None}, optional
        Meaning of the numbers at edges, as for `as_network`. Messages uses strengths, 1/length.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine. The result does not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Communities
        A label for each node, and the modularity.

    Notes
    -----
    Messages: O(edges · communities) per round, up to 120 rounds for each number of communities that is tried.
    Transformed: all n(n−1)/2 transport problems, for graphs of a few hundred nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> import wasserstein_transform as wt
    >>> graph = nx.connected_caveman_graph(4, 6)
    >>> wt.graphs.communities(graph)
    <Communities: 4 of 24 nodes, modularity 0.683>
    >>> wt.graphs.communities(graph, 2).labels.reshape(4, 6)
    array([[0, 0, 0, 0, 0, 0],
           [1, 1, 1, 1, 1, 1],
           [1, 1, 1, 1, 1, 1],
           [0, 0, 0, 0, 0, 0]])
    """
    network, asked = as_network(graph, weight), current(engine, n_jobs=n_jobs, verbose=verbose)
    how = Messages() if method is None else method
    if not isinstance(how, Method):
        raise TypeError(f"method must be Messages() or Transformed(...), got {how!r}")
    if n_communities is not None and resolution is not None:
        raise ValueError("give one of n_communities and resolution, got both; resolution chooses the number")
    resolution = None if resolution is None else check.positive(resolution, "resolution")
    if n_communities is not None and check.count(n_communities, "n_communities", 1) > network.n:
        raise ValueError(f"n_communities must be at most {network.n}, the number of nodes, got {n_communities}")
    with asked.watched() as engine:
        return how.find(network, n_communities, resolution, engine)
