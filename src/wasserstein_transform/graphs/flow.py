"""Discrete Ricci flow: edges that bend inwards shrink, those between communities stretch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _check as check
from .._parts import Part
from .._shown import facts, in_range
from .._types import Bools, Floats, Ints
from ..backends import Memory
from ..engine import Engine, bar, current
from ..localize import Localization
from ..spaces import Space
from ..spaces.edge_weights import ASK
from .curvature import Curvature, compare, localized
from .cuts import Communities, best_cut, cut_at, cut_into
from .network import Network, as_network
from .walks import LazyWalk


@dataclass(frozen=True)
class Surgery(Part):
    """Every so many iterations, edges that have become long are cut.

    Parameters
    ----------
    every : int
    longer : float
        Than so many times the mean length.

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
    """Lengths of edges under Ricci flow.

    Attributes
    ----------
    network : Network
        The graph as it was given.
    lengths : array of shape (n_iter + 1, m)
        Of all edges, at the start and after each iteration; nan once an edge is cut. Their mean is 1, unless
        all of them vanish.
    curvatures : array of shape (n_iter, m)
        That each iteration went by.
    cut_after : array of shape (m,)
        The iteration after which an edge was cut by surgery; −1 if it is still there.
    converged : bool
        Whether all edges had the same curvature in the end, up to `tol`.
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
            "iterations": f"{self.n_iter}, {'all edges bend alike' if self.converged else 'not at rest'}",
            "lengths at the end": f"{in_range(self.lengths[-1])}, mean 1",
            "edges cut": int((self.cut_after >= 0).sum()),
        }
        if self.n_iter:
            rows["curvatures at the end"] = in_range(self.curvatures[-1])
        return facts("Flow", rows)

    @property
    def n_iter(self) -> int:
        """How many iterations were made."""
        return len(self.curvatures)

    @property
    def kept(self) -> Bools:
        """Edges that surgery left."""
        return np.asarray(self.cut_after < 0)

    def communities(
        self, n_communities: int | None = None, *, cutoff: float | None = None, resolution: float = 1.0
    ) -> Communities:
        """What edges up to a length join: by default the length at which the modularity of the graph is largest.

        Parameters
        ----------
        n_communities : int, optional
            Leave out as many of the longest edges as it takes, but never some of equal length without the others: if
            there is no such number of communities, there are fewer, and a warning says so.
        cutoff : float, optional
            The length itself; the mean length is 1.
        resolution : float
            Of the modularity that is largest: above 1 there are more and smaller communities, below 1 fewer.
        """
        resolution = check.positive(resolution, "resolution")
        last = self.lengths[-1]
        if n_communities is not None and cutoff is not None:
            raise ValueError("either n_communities or cutoff can be given, got both")
        if n_communities is not None:
            return cut_into(self.network, last, self.kept, check.count(n_communities, "n_communities", 1))
        if cutoff is not None:
            return cut_at(self.network, last, self.kept, check.positive(cutoff, "cutoff"))
        return best_cut(self.network, last, self.kept, resolution)

    def to_networkx(self) -> Any:
        """A networkx graph with `length` and `curvature` at the edges that are left."""
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
    """Discrete Ricci flow: every length becomes (1 − step·κ(x, y))·d(x, y), and their mean is brought back to 1.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, list of edges (a, b) or (a, b, length), or a file
        As in `curvature`.
    n_iter : int
        Most iterations; 20 to 50 are usual.
    measures : LazyWalk or Localization
        By default LazyWalk(0.5, power=2), as Ni, Lin, Luo and Gao (2019): the walk follows the lengths.
    surgery : Surgery, optional
        What is cut on the way; by default nothing, and communities cut in the end.
    step : float
        In (0, 1].
    tol : float, optional
        The flow ends once all curvatures agree to this; None does exactly `n_iter` iterations.
    n_jobs : int, optional
        Threads; −1 means all cores, None what the engine says. The result does not depend on it.
    verbose : bool
        Show progress.
    engine : Engine, optional
        Where it runs; by default what `wt.using` says.
    weight : {"length", "strength", None}, optional
        What the numbers at edges are, as in `as_network`: lengths, strengths (lengths are 1/strength), or of no
        concern. A `weight` that may be either is asked about.

    Returns
    -------
    Flow

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]  # triangles joined by a bridge
    >>> flow = wt.graphs.ricci_flow(two, n_iter=10)
    >>> flow.communities().labels
    array([0, 0, 0, 1, 1, 1])
    """
    network, asked = as_network(graph, weight), current(engine, n_jobs=n_jobs, progress=bar() if verbose else None)
    n_iter, tol = check.count(n_iter, "n_iter", 0), None if tol is None else check.tolerance(tol, "tol")
    if not 0 < check.positive(step, "step") <= 1:
        raise ValueError(f"step must be at most 1, got {step}: lengths could become negative")
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
    converged, memory = False, Memory()
    for k in range(n_iter):
        here = engine.iteration(k + 1, n_iter)
        here.check()
        kept = cut_after < 0
        state = network.with_lengths(lengths[-1], kept)
        measures = localized(state, rule, Space(state.metric, weights, None), here)
        found = compare(state, measures, state.edges, here, memory)
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
    """Values of the edges kept among all edges."""
    out = np.full(len(kept), np.nan)
    out[kept] = values
    return out


def _agree(found: Curvature, tol: float) -> bool:
    known = found.values[~np.isnan(found.values)]
    return bool(len(known) == 0 or np.ptp(known) <= tol)
