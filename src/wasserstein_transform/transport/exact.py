"""Exact transport between discrete measures over any ground metric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._types import Floats
from ..engine import Engine, Flag, Tile, cut
from ..kernels.simplex import STALLED, workspace
from ..kernels.transport import transport, transport_row
from ..measures import Discrete, Measures
from ..spaces import Dense, Metric
from .base import Coupling, Status, Transport

_STEPS = 30.0  # inner-loop steps of the simplex per entry of the cost matrix, about


@dataclass(frozen=True)
class Exact(Transport):
    """W_p of discrete measures, exact: a network simplex with a certificate for every pair.

    Parameters
    ----------
    p : float
        Order, finite and ≥ 1.

    Notes
    -----
    The gap between plan and dual is at most 1e-12 of the largest cost d^p of a problem. Parts of a plan that cost less
    than that beside others (for p = 2, moves a million times shorter than the measures are wide) are only as exact as
    that.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> lt = wt.Transform(wt.Truncation(1.0), wt.Exact(p=1))
    >>> lt(wt.Space.from_points([[0.0], [1.0], [2.0]])).metric.dense()
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 0.5],
           [1. , 0.5, 0. ]])
    """

    p: float = 1.0
    accepts = Discrete

    def __post_init__(self) -> None:
        check.order_p(self.p)

    def metric(self, measures: Measures, ground: Metric, engine: Engine | None = None) -> Dense:
        """All distances; equal measures are solved once. The result carries the largest gap."""
        self.check(measures)
        assert isinstance(measures, Discrete)
        engine = engine or Engine()
        unique, which = measures.distinct()
        engine.reserve(
            8.0 * (2 * measures.n**2 + unique.n**2), f"exact distances of {measures.n} measures", "use fewer points"
        )
        out, gap, n_safe = self._solve(unique, unique, ground, engine, upper=True)
        out += out.T
        return Dense(out if unique.n == measures.n else out[np.ix_(which, which)], ground.triangle, gap, n_safe)

    def cross(self, new: Discrete, measures: Discrete, ground: Metric, engine: Engine | None = None) -> Floats:
        """Distances of other measures on the same ground to the measures, rectangular."""
        unique, which = measures.distinct()
        out, _, _ = self._solve(new, unique, ground, engine or Engine(), upper=False)
        return out[:, which]

    def coupling(self, measures: Measures, ground: Metric, i: int, j: int) -> Coupling:
        """The optimal plan between measures i and j, with dual prices and the gap between the two."""
        self.check_pair(measures, ground, i, j)
        assert isinstance(measures, Discrete)
        both = measures.take(np.array([i, j]))
        na, nb = np.diff(both.indptr)
        sources, targets = both.indices[:na], both.indices[na:]
        if both.distinct()[0].n == 1:
            stay = np.diag(both.masses[:na] / both.totals[0])
            return Coupling(0.0, stay, (np.zeros(na), np.zeros(nb)), 0.0, Status.OPTIMAL, sources, targets)
        support, where = np.unique(both.indices, return_inverse=True)
        rows = both.rows._replace(indices=where.astype(np.intp))
        distances = ground.block(support, support)
        work = workspace(int(max(na, nb)), np.zeros(1, np.uint8))
        value, gap, status, root, _ = transport(rows, 0, rows, 1, distances, float(self.p), work)
        plan = np.zeros((na, nb))
        for node in range(na + nb):
            if node == root:
                continue
            up = work.parent[node]
            a, b = (node, up - na) if node < na else (up, node - na)
            plan[a, b] = max(work.flow[node], 0.0)
        plan /= both.totals[0] * both.totals[1]
        with np.errstate(over="ignore"):  # d^p may be beyond all numbers though its root, the distance, is not
            scale = ground.block(sources, targets).max() ** np.float64(self.p)
        potentials = (scale * work.dual[:na], scale * work.dual[na : na + nb]) if np.isfinite(scale) else None
        return Coupling(value, plan, potentials, gap, list(Status)[status], sources, targets)

    def _solve(
        self, A: Discrete, B: Discrete, ground: Metric, engine: Engine, upper: bool
    ) -> tuple[Floats, float, int]:
        distances = ground.dense(engine)
        out = np.zeros((A.n, B.n))
        sizes_a, sizes_b = np.diff(A.indptr), np.diff(B.indptr)
        cap = int(max(sizes_a.max(), sizes_b.max()))
        engine.reserve(8.0 * engine.n_threads * cap**2, "workspaces of the simplex", "use a smaller eps or n_jobs")
        ahead = np.append(np.cumsum(sizes_b[::-1])[::-1], 0)  # masses of the measures from j on
        steps = _STEPS * sizes_a * (ahead[1:] if upper else ahead[0])
        rows_a, rows_b = A.rows, B.rows
        report = np.zeros((A.n, 2))

        def work(tile: Tile, stop: Flag) -> None:
            room = workspace(cap, stop)
            for i in range(tile.start, tile.stop):
                first = i + 1 if upper else 0
                failed = transport_row(rows_a, i, rows_b, first, distances, float(self.p), room, out[i], report[i])
                if failed >= 0 and not stop[0]:
                    raise RuntimeError(
                        f"the transport problem of measures {i} and {failed} could not be certified: "
                        f"{list(Status)[STALLED].value}; please report it with the data"
                    )

        engine.run(work, cut(steps), f"exact transport, p = {self.p:g}")
        return out, float(report[:, 0].max(initial=0.0)), int(report[:, 1].sum())
