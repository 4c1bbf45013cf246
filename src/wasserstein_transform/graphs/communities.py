"""Communities of a graph in one call."""

from __future__ import annotations

from typing import Any

from .. import _check as check
from ..engine import Engine, bar, current
from ..spaces.edge_weights import ASK
from .cuts import Communities
from .method import Method
from .network import as_network
from .talking import Messages


def communities(
    graph: Any,
    n: int | None = None,
    method: Method | None = None,
    *,
    resolution: float | None = None,
    weight: str | None = ASK,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Communities:
    """Groups of nodes with more edges within them than between them.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, list of edges (a, b) or (a, b, length), or a file
        Undirected; as in `curvature`.
    n : int, optional
        How many communities; by default the method decides.
    method : Messages or Transformed, optional
        By default Messages().
    resolution : float, optional
        Where no number is asked for, the number is that of the largest modularity at this resolution: above 1 there
        are more and smaller communities, below 1 fewer. By default Messages goes by the evidence, and Transformed by
        modularity at resolution 1.
    weight : {"length", "strength", None}, optional
        What the numbers at edges are, as in `as_network`. Messages takes strengths, 1/length.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    verbose : bool
        Show progress.
    engine : Engine, optional
        Where it runs; by default what `wt.using` says.

    Returns
    -------
    Communities

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
    network, asked = as_network(graph, weight), current(engine, n_jobs=n_jobs, progress=bar() if verbose else None)
    how = Messages() if method is None else method
    if not isinstance(how, Method):
        raise TypeError(f"method must be Messages() or Transformed(...), got {how!r}")
    if n is not None and resolution is not None:
        raise ValueError("either n or resolution can be given, got both: the number is then known")
    resolution = None if resolution is None else check.positive(resolution, "resolution")
    if n is not None and check.count(n, "n", 1) > network.n:
        raise ValueError(f"n must be at most {network.n}, the number of nodes, got {n}")
    with asked.watched() as engine:
        return how.find(network, n, resolution, engine)
