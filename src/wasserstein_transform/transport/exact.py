"""Exact transport between discrete measures on any metric space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._types import Floats
from ..compute.exact.batches import exact_among, exact_between
from ..compute.exact.single import solve_farthest
from ..cuda import on
from ..engine import N_MATRICES, Engine, current
from ..measures import Discrete, Measures
from ..spaces import Dense, Metric
from ..spaces.dense import take_points
from .duration import estimate_seconds
from .inputs import InputMeasures
from .plans import solve_with_plans
from .transport import Coupling, Status, Transport


@dataclass(frozen=True)
class Exact(Transport):
    """Exact W_p between discrete measures on any metric space, by a network simplex with a certificate per pair.

    Parameters
    ----------
    p : float, default 1.0
        Order ≥ 1 and < 150, or `np.inf`, which minimizes the longest way that any mass moves (bottleneck transport).

    Notes
    -----
    n measures give up to n(n−1)/2 transport problems; equal measures are solved once. The matrix takes 8 n² bytes.

    The primal–dual gap is at most 1e-12 of the largest cost d^p of a problem. If p > 1 and W_p is so small compared to
    the width of the measures that rounding would dominate it, the problem is solved again in a smaller unit. Each mass
    may be off by a few units of its last digit: a difference of masses that this explains counts as rounding, since the
    p-th root would magnify it. So do shares below 1e-14 that move between larger masses. For p = ∞ the certificate is a
    Hall violator instead of dual variables: points with more mass than all the points nearer to them than W_∞.

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
        check.solvable_p(self.p)

    def seconds(self, n: int, n_seen: float) -> float:
        return estimate_seconds(n * (n - 1) // 2, n * (n - 1) / 2 * n_seen * n_seen)

    def metric(self, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Dense:
        """Compute all distances; equal measures are solved once. The metric stores the largest gap."""
        self.check(measures)
        assert isinstance(measures, Discrete)
        engine = current(engine)
        unique, which = measures.distinct()
        if not engine.goes_to_disk(8.0 * measures.n**2, N_MATRICES):
            n_bytes, instead = 8.0 * (measures.n**2 + unique.n**2), "use fewer points, or wt.iterate(…, out=folder)"
            engine.reserve(n_bytes, f"exact distances of {measures.n} measures", instead)
        base_metric.check_whole("transport between all measures")
        out, report = on(engine, exact_among)(base_metric, float(self.p), unique.rows, engine)
        matrix = out if unique.n == measures.n else take_points(out, which, engine)
        return Dense(matrix, base_metric.triangle, report.gap, report.n_fallbacks)

    def cross(self, new: Measures, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Floats:
        self.check(new)
        self.check(measures)
        assert isinstance(new, Discrete)
        assert isinstance(measures, Discrete)
        unique, which = measures.distinct()
        engine = current(engine)
        base_metric.check_whole("transport between all measures")
        distances, _ = on(engine, exact_between)(base_metric, float(self.p), new.rows, unique.rows, engine)
        return distances[:, which]

    def coupling(self, measures: Measures, base_metric: Metric, i: int, j: int) -> Coupling:
        """Compute the optimal plan between measures i and j, with dual variables and the primal–dual gap."""
        self.check_pair(measures, base_metric, i, j)
        assert isinstance(measures, Discrete)
        both = measures.take(np.array([i, j]))
        na, nb = np.diff(both.indptr)
        sources, targets = both.indices[:na], both.indices[na:]
        if both.distinct()[0].n == 1:
            stay = np.diag(both.masses[:na] / both.totals[0])
            return Coupling(0.0, stay, (np.zeros(na), np.zeros(nb)), 0.0, Status.OPTIMAL, sources, targets)
        if self.p == np.inf:
            distances = base_metric.block(sources, targets)
            far = solve_farthest(both.masses[:na], both.masses[na:], distances, current())
            return Coupling(far.value, far.plan, None, 0.0, Status.OPTIMAL, sources, targets, far.violator)
        side = InputMeasures(both, np.zeros(2, np.intp), np.full(2, both.size), 1.0 / both.totals)
        solution = solve_with_plans(base_metric, float(self.p), (side, side), np.array([[0, 1]]), (1,), current())
        values, report, plans = solution
        u, v = plans.potentials(0)
        potentials = u[sources], v[targets]  # d^p may overflow even if the distance d does not
        known = potentials if np.isfinite(np.concatenate(potentials)).all() else None
        plan = plans[0][sources][:, targets].toarray()
        return Coupling(float(values[0]), plan, known, report.gap, Status.OPTIMAL, sources, targets)
