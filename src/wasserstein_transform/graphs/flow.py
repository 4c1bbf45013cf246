"""Discrete Ricci flow: edges of positive curvature shrink, edges between communities grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _check as check
from .._parts import Part
from .._shown import facts, in_range
from .._types import Bools, Floats, Ints
from ..engine import Engine, current
from ..localize import Localization
from ..spaces import Space
from ..spaces.edges import ASK
from .curvature import Curvature, compare, localized
from .cuts import Communities, best_cut, cut_at, cut_into
from .network import Network, as_network
from .walks import LazyWalk


@dataclass(frozen=True)
class Surgery(Part):
    """Cut long edges at regular intervals during a Ricci flow.

    Parameters
    ----------
    every : int, default 10
        Number of iterations between cuts.
    longer : float, default 4
        Edges longer than this many times the mean length are cut; more than 1.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]
    >>> wt.graphs.ricci_flow(two, 20, surgery=wt.graphs.Surgery(every=5))
    <Flow of <Network of 6 nodes and 7 edges>, 20 iterations, 1 edges cut>
    """

    every: int = 10
    longer: float = 4.0

    def __post_init__(self) -> None:
        check.count(self.every, "every", 1)
        if check.positive(self.longer, "longer") <= 1:
            raise ValueError(f"longer must be more than 1, the mean length, got {self.longer}")


@dataclass(frozen=True, eq=False)
class Flow:
    """Lengths of the m edges of a graph under Ricci flow.

    `ricci_flow` returns it.

    Attributes
    ----------
    network : Network
        The given graph.
    lengths : array of shape (n_iter + 1, m)
        Lengths of all edges at the start and after each iteration; nan once an edge is cut. They are scaled to mean 1,
        unless all are 0.
    curvatures : array of shape (n_iter, m)
        Curvature of the edges in each iteration; nan for cut edges.
    cut_after : array of int, shape (m,)
        Iteration (from 0) after which surgery cut the edge; −1 if it was never cut.
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
    <Communities: 2 of 6 nodes, modularity 0.357>
    """

    network: Network
    lengths: Floats
    curvatures: Floats
    cut_after: Ints
    converged: bool

    def __repr__(self) -> str:
        cut = int((self.cut_after >= 0).sum())
        return f"<Flow of {self.network!r}, {self.n_iter} iterations, {cut} edges cut>"

    def _repr_html_(self) -> str:
        rows: dict[str, Any] = {
            "graph": repr(self.network)[1:-1],
            "iterations": f"{self.n_iter}, {'all curvatures equal' if self.converged else 'not converged'}",
            "lengths at the end": f"{in_range(self.lengths[-1])}, mean 1",
            "edges cut": int((self.cut_after >= 0).sum()),
        }
        if self.n_iter:
            rows["curvatures at the end"] = in_range(self.curvatures[-1])
        return facts("Flow", rows)

    @property
    def n_iter(self) -> int:
        """Number of iterations made."""
        return len(self.curvatures)

    @property
    def kept(self) -> Bools:
        """Which edges were not cut, shape (m,)."""
        return np.asarray(self.cut_after < 0)

    def communities(
        self, n_communities: int | None = None, *, cutoff: float | None = None, resolution: float = 1.0
    ) -> Communities:
        """Return the connected components of the edges up to a length; by default that of largest modularity.

        Parameters
        ----------
        n_communities : int, optional
            Remove the longest edges until there are this many communities. Edges of equal length are removed together:
            if this number cannot be reached, there are fewer communities, and a warning is given.
        cutoff : float, optional
            Keep edges up to this length, relative to the mean length 1. Not together with `n_communities`.
        resolution : float, default 1
            Resolution of the modularity: above 1 gives more and smaller communities, below 1 fewer.

        Returns
        -------
        Communities
        """
        resolution = check.positive(resolution, "resolution")
        last = self.lengths[-1]
        if n_communities is not None and cutoff is not None:
            raise ValueError("either n_communities or cutoff can be given, got both; leave one out")
        if n_communities is not None:
            return cut_into(self.network, last, self.kept, check.count(n_communities, "n_communities", 1))
        if cutoff is not None:
            return cut_at(self.network, last, self.kept, check.positive(cutoff, "cutoff"))
        return best_cut(self.network, last, self.kept, resolution)

    def to_networkx(self) -> Any:
        """Return a networkx graph with the attributes `length` and `curvature` at the edges that were not cut."""
        columns = {"length": self.lengths[-1]}
        if self.n_iter:
            columns["curvature"] = self.curvatures[-1]
        return self.network.to_networkx(columns, kept=self.kept)


def ricci_flow(
    graph: Any,
    n_iter: int = 50,
    measures: Localization | LazyWalk | None = None,
    surgery: Surgery | None = None,
    step: float = 1.0,
    tol: float | None = 1e-4,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
    *,
    weight: str | None = ASK,
) -> Flow:
    """Run discrete Ricci flow: each length becomes (1 − step·κ(x, y))·d(x, y), then lengths are scaled to mean 1.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, list of edges (a, b) or (a, b, length), or a file
        As for `curvature`.
    n_iter : int, default 50
        Maximal number of iterations; 20 to 50 are usual.
    measures : LazyWalk or Localization, optional
        The measure at each node; None means `LazyWalk(0.5, power=2)`, whose steps depend on the lengths, as in Ni, Lin,
        Luo and Gao (2019).
    surgery : Surgery, optional
        Cuts long edges during the flow; None (default) cuts none: `Flow.communities` cuts in the end.
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
    weight : {"length", "strength", None}, optional
        Meaning of the numbers at edges, as for `as_network`: lengths, strengths (length is 1/strength), or None to
        ignore them. By default the names decide, and an ambiguous name such as `weight` raises an error.

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
    if not (surgery is None or isinstance(surgery, Surgery)):
        raise TypeError(f"surgery must be a Surgery such as Surgery(every=10), or None, got {surgery!r}")
    rule = LazyWalk(0.5, power=2.0) if measures is None else measures
    with asked.watched() as engine:
        return _flow(network, n_iter, rule, surgery, step, tol, engine)


def _flow(
    network: Network,
    n_iter: int,
    rule: Localization | LazyWalk,
    surgery: Surgery | None,
    step: float,
    tol: float | None,
    engine: Engine,
) -> Flow:
    weights = np.full(network.n, 1.0 / network.n)
    lengths, curvatures = [_of_mean_one(network.lengths)], []
    cut_after = np.full(len(network.edges), -1, np.intp)
    converged = False
    for k in range(n_iter):
        here = engine.iteration(k + 1, n_iter)
        here.check()
        kept = cut_after < 0
        state = network.with_lengths(lengths[-1], kept)
        measures = localized(state, rule, Space(state.metric, weights, None), here)
        found = compare(state, measures, state.edges, here)
        curvatures.append(_spread(found.values, kept))
        new = _of_mean_one(found.distances - step * (found.distances - found.transports))
        lengths.append(_spread(new, kept))
        converged = tol is not None and _agree(found, tol)
        if converged:
            break
        if surgery is not None and (k + 1) % surgery.every == 0:
            long = np.flatnonzero(np.nan_to_num(lengths[-1]) > surgery.longer)
            cut_after[long] = k
            lengths[-1][long] = np.nan
            lengths[-1] = _of_mean_one(lengths[-1])
    shape = (len(curvatures), len(network.edges))
    return Flow(network, np.array(lengths), np.array(curvatures).reshape(shape), cut_after, converged)


def _of_mean_one(lengths: Floats) -> Floats:
    known = lengths[~np.isnan(lengths)]
    total = float(known.sum())
    return np.asarray(lengths * (len(known) / total)) if total > 0 else lengths.copy()


def _spread(values: Floats, kept: Bools) -> Floats:
    """Return values of the kept edges as an array over all edges, nan elsewhere."""
    out = np.full(len(kept), np.nan)
    out[kept] = values
    return out


def _agree(found: Curvature, tol: float) -> bool:
    known = found.values[~np.isnan(found.values)]
    return bool(len(known) == 0 or np.ptp(known) <= tol)
