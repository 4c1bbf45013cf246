"""Discrete Ricci flow: edges of positive curvature shrink, edges between communities grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import DisjointSet
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .. import _check as check
from .._check import warn
from .._display import HasPlot, counted, facts, frame, in_range
from .._types import Floats
from ..engine import Engine, current
from ..hierarchy import FewerClustersWarning
from ..localize import Localization
from ..spaces import ASK, Space, Weight
from .communities import Communities, labelled
from .curvature import Curvature, LazyWalk, compare, localized
from .network import Network, as_network

_TIE = 1e-9  # relative difference below which two lengths count as equal


@dataclass(frozen=True, eq=False)
class Flow(HasPlot):
    """Lengths of the m edges of a graph under Ricci flow.

    `ricci_flow` returns it.

    Attributes
    ----------
    network : Network
        The given graph.
    lengths : array of shape (n_iter + 1, m)
        Lengths of all edges at the start and after each iteration, scaled to mean 1, unless all are 0.
    curvatures : array of shape (n_iter, m)
        Curvature of the edges in each iteration.
    converged : bool
        Whether all edges had the same curvature in the end, up to `tol`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]  # triangles joined by a bridge
    >>> flow = wt.graphs.ricci_flow(two, n_iter=10)
    >>> flow.network.edges[flow.lengths[-1].argmax()]
    array([2, 3])
    >>> flow.communities()
    <Communities of 6 nodes: 2, modularity 0.357>
    """

    network: Network
    lengths: Floats
    curvatures: Floats
    converged: bool

    def __repr__(self) -> str:
        return f"<Flow of {self.network!r}, {counted(self.n_iter, 'iteration')}>"

    def _repr_html_(self) -> str:
        rows: dict[str, Any] = {
            "graph": repr(self.network)[1:-1],
            "iterations": f"{self.n_iter}, {'all curvatures equal' if self.converged else 'not converged'}",
            "lengths at the end": f"{in_range(self.lengths[-1])}, mean 1",
        }
        if self.n_iter:
            rows["curvatures at the end"] = in_range(self.curvatures[-1])
        return facts("Flow", rows)

    @property
    def n_iter(self) -> int:
        """Number of iterations made."""
        return len(self.curvatures)

    def communities(self, n_communities: int | None = None, *, cutoff: float | None = None) -> Communities:
        """Return the connected components of the edges up to a length; by default that of largest modularity.

        Parameters
        ----------
        n_communities : int, optional
            Remove the longest edges until there are this many communities. Edges of equal length are removed together:
            if this number cannot be reached, there are fewer communities, and a warning is given.
        cutoff : float, optional
            Keep edges up to this length, relative to the mean length 1. Not together with `n_communities`.

        Returns
        -------
        Communities
        """
        if n_communities is not None and cutoff is not None:
            raise ValueError("either n_communities or cutoff can be given, got both; leave one out")
        if cutoff is None:
            cutoff = _choose_cutoff(self.network, self.lengths[-1], n_communities)
        else:
            cutoff = check.positive(cutoff, "cutoff")
        a, b = self.network.edges[self.lengths[-1] <= cutoff].T
        joined = coo_array((np.ones(len(a)), (a, b)), shape=(self.network.n, self.network.n))
        found = labelled(self.network, connected_components(joined, directed=False)[1], cutoff=cutoff)
        if n_communities is not None and found.n_communities < n_communities:
            warn(
                f"found {counted(found.n_communities, 'community')} of the {n_communities} requested: the next edges "
                "are equally long, and leaving all of them out would make more; request another number",
                FewerClustersWarning,
            )
        return found

    def to_pandas(self) -> Any:
        """Return a DataFrame with the columns `a`, `b`, `length before` and `length after`, a row for each edge."""
        a, b = ([self.network.nodes[node] for node in column] for column in self.network.edges.T.tolist())
        return frame({"a": a, "b": b, "length before": self.network.lengths, "length after": self.lengths[-1]})

    def to_networkx(self) -> Any:
        """Return a networkx graph with the attributes `length` and `curvature` at the edges."""
        columns = {"length": self.lengths[-1]}
        if self.n_iter:
            columns["curvature"] = self.curvatures[-1]
        return self.network.to_networkx(columns)


def ricci_flow(
    graph: Any,
    n_iter: int = 50,
    measures: Localization | LazyWalk | None = None,
    step: float = 1.0,
    tol: float | None = 1e-4,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
    *,
    weight: Weight = ASK,
) -> Flow:
    """Run discrete Ricci flow: each length becomes (1 − step·κ(x, y))·d(x, y), then lengths are scaled to mean 1.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, list of edges (a, b) or (a, b, number), or a file
        As for `curvature`.
    n_iter : int, default 50
        Maximal number of iterations; 20 to 50 are usual.
    measures : LazyWalk or Localization, optional
        The measure at each node; None means `LazyWalk(0.5, power=2)`, whose steps depend on the lengths, as in Ni, Lin,
        Luo and Gao (2019).
    step : float, default 1
        Step size in (0, 1].
    tol : float or None, default 1e-4
        Stop when all curvatures agree up to this value; None makes exactly `n_iter` iterations.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine. The result does not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.
    weight : str, pair of str, or None, optional
        The numbers at edges, as for `as_network`: "length", "strength" (length is 1/strength), an attribute and its
        meaning, such as ("value", "length"), or None to ignore them. By default the names decide, and ambiguous ones
        raise an error.

    Returns
    -------
    Flow
        Lengths and curvatures of every iteration.

    Notes
    -----
    One transport problem per edge and iteration.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]  # triangles joined by a bridge
    >>> flow = wt.graphs.ricci_flow(two, n_iter=10)
    >>> flow.communities().labels
    array([0, 0, 0, 1, 1, 1])
    """
    network, asked = as_network(graph, weight), current(engine, n_jobs=n_jobs, verbose=verbose)
    n_iter, tol = check.count(n_iter, "n_iter", 0), None if tol is None else check.tolerance(tol, "tol")
    if not 0 < check.positive(step, "step") <= 1:
        raise ValueError(f"step must be at most 1, got {step}; a larger step could make lengths negative")
    rule = LazyWalk(0.5, power=2.0) if measures is None else measures
    with asked.progress_scope() as engine:
        return _flow(network, n_iter, rule, step, tol, engine)


def _flow(
    network: Network,
    n_iter: int,
    rule: Localization | LazyWalk,
    step: float,
    tol: float | None,
    engine: Engine,
) -> Flow:
    weights = np.full(network.n, 1.0 / network.n)
    lengths, curvatures = [_of_mean_one(network.lengths)], list[Floats]()
    converged = False
    for k in range(n_iter):
        here = engine.iteration(k + 1, n_iter)
        here.check()
        state = network.with_lengths(lengths[-1])
        found = compare(state, localized(state, rule, Space(state.metric, weights, None), here), state.edges, here)
        curvatures.append(found.values)
        lengths.append(_of_mean_one(found.distances - step * (found.distances - found.transports)))
        converged = tol is not None and _agree(found, tol)
        if converged:
            break
    shape = (len(curvatures), len(network.edges))
    return Flow(network, np.array(lengths), np.array(curvatures).reshape(shape), converged)


def _of_mean_one(lengths: Floats) -> Floats:
    total = float(lengths.sum())
    return np.asarray(lengths * (len(lengths) / total)) if total > 0 else lengths.copy()


def _agree(found: Curvature, tol: float) -> bool:
    known = found.values[~np.isnan(found.values)]
    return bool(len(known) == 0 or np.ptp(known) <= tol)


def _choose_cutoff(network: Network, lengths: Floats, n_communities: int | None) -> float:
    """Choose the length that leaves at most so many components, or whose components have the largest modularity."""
    cuts = _cut_everywhere(network, lengths)
    if n_communities is None:
        return max(cuts, key=lambda cut: cut.modularity).length
    n_communities = check.count(n_communities, "n_communities", 1, network.n, "nodes")
    if n_communities < cuts[-1].n_parts:
        raise ValueError(
            f"n_communities must be at least {cuts[-1].n_parts}, the number of connected parts of the graph, "
            f"got {n_communities}"
        )
    return next(cut.length for cut in cuts if cut.n_parts <= n_communities)


class _Cut(NamedTuple):
    """The components of the edges up to a length: their number and their modularity."""

    length: float
    n_parts: int
    modularity: float


def _cut_everywhere(network: Network, lengths: Floats) -> list[_Cut]:
    """Return the cuts at all lengths, by merging components along edges of rising length; the first has no edge."""
    m, n_parts, parts = max(len(network.edges), 1), network.n, DisjointSet(range(network.n))
    degree = network.degrees.astype(np.float64)
    across: list[dict[int, int]] = [{} for _ in range(network.n)]  # number of edges from a component to each other one
    for a, b in network.edges.tolist():
        across[a][b] = across[b][a] = 1
    inside, squares = 0, float((degree**2).sum())
    cuts = [_Cut(-1.0, n_parts, -squares / (2 * m) ** 2)]
    for e in np.argsort(lengths, kind="stable"):
        a, b = (parts[node] for node in network.edges[e].tolist())
        if parts.merge(a, b):
            a, b = (a, b) if parts[a] == a else (b, a)
            inside += across[a].pop(b, 0)
            squares += 2 * degree[a] * degree[b]
            degree[a] += degree[b]
            n_parts -= 1
            for other, count in across[b].items():  # the edges of b become those of a
                if other != a:
                    del across[other][b]
                    across[a][other] = across[other][a] = across[a].get(other, 0) + count
        if lengths[e] <= cuts[-1].length * (1 + _TIE):
            cuts.pop()
        cuts.append(_Cut(float(lengths[e]), n_parts, inside / m - squares / (2 * m) ** 2))
    return cuts
