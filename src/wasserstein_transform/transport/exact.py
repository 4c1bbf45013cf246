"""Exact transport between discrete measures on any metric space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from .. import _check as check
from .._types import Floats
from ..backends.host import solve_farthest, solve_power
from ..engine import AT_A_TIME, Engine, current, goes_to_disk
from ..measures import Discrete, Measures
from ..spaces import Dense, Metric
from ..spaces.dense import taken
from .base import Coupling, Status, Transport
from .batch import Batch
from .cost import seconds_of


@dataclass(frozen=True)
class Exact(Transport):
    """Exact W_p between discrete measures on any metric space, by a network simplex with a certificate per pair.

    Parameters
    ----------
    p : float, default 1.0
        Order ≥ 1. `np.inf` minimizes the longest way that any mass moves (bottleneck transport).

    Notes
    -----
    n measures give up to n(n−1)/2 transport problems; equal measures are solved once. The matrix takes 8 n² bytes.

    The primal–dual gap is at most 1e-12 of the largest cost d^p of a problem. If p > 1 and W_p is so small compared to
    the width of the measures that rounding would dominate it, the problem is solved again in a smaller unit; for
    p ≥ 150 that unit is W_∞. Each mass may be off by a few units of its last digit: a difference of masses that this
    explains counts as rounding, since the p-th root would magnify it. Equal masses cancel exactly, and shares of mass
    count down to 1e-40 (in `coupling` with p in the hundreds down to 1e-16); most smaller ones do, too. For p = ∞ the
    certificate is a Hall violator instead of dual variables: points with more mass than all the points nearer to them
    than W_∞.

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

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(1.0), cls(2.0), cls(np.inf)]

    def seconds(self, n: int, n_seen: float) -> float:
        return seconds_of(n * (n - 1) // 2, n * (n - 1) / 2 * n_seen * n_seen)

    def metric(self, measures: Measures, ground: Metric, engine: Engine | None = None) -> Dense:
        """Compute all distances; equal measures are solved once. The metric stores the largest gap."""
        self.check(measures)
        assert isinstance(measures, Discrete)
        engine = current(engine)
        unique, which = measures.distinct()
        if not goes_to_disk(8.0 * measures.n**2, engine, AT_A_TIME):
            what, instead = f"exact distances of {measures.n} measures", "use fewer points, or Engine(store=folder)"
            engine.reserve(8.0 * (measures.n**2 + unique.n**2), what, instead)
        out, report = Batch(ground, self.p, engine).among(unique)
        matrix = out if unique.n == measures.n else taken(out, which, engine)
        return Dense(matrix, ground.triangle, report.gap, report.n_fallbacks)

    def cross(self, new: Measures, measures: Measures, ground: Metric, engine: Engine | None = None) -> Floats:
        self.check(new)
        self.check(measures)
        assert isinstance(new, Discrete)
        assert isinstance(measures, Discrete)
        unique, which = measures.distinct()
        return Batch(ground, self.p, current(engine)).between(new, unique)[0][:, which]

    def coupling(self, measures: Measures, ground: Metric, i: int, j: int) -> Coupling:
        """Compute the optimal plan between measures i and j, with dual variables and the primal–dual gap."""
        self.check_pair(measures, ground, i, j)
        assert isinstance(measures, Discrete)
        both = measures.take(np.array([i, j]))
        na, nb = np.diff(both.indptr)
        sources, targets = both.indices[:na], both.indices[na:]
        if both.distinct()[0].n == 1:
            stay = np.diag(both.masses[:na] / both.totals[0])
            return Coupling(0.0, stay, (np.zeros(na), np.zeros(nb)), 0.0, Status.OPTIMAL, sources, targets)
        distances = ground.block(sources, targets)
        if self.p == np.inf:
            far = solve_farthest(both.masses[:na], both.masses[na:], distances, current())
            return Coupling(far.value, far.plan, None, 0.0, Status.OPTIMAL, sources, targets, far.violator)
        found, length = solve_power(both.masses[:na], both.masses[na:], distances, float(self.p), current())
        with np.errstate(over="ignore"):  # d^p may overflow even if the distance d does not
            unit = np.float64(length) ** self.p
        potentials = (unit * found.prices[0], unit * found.prices[1]) if np.isfinite(unit) else None
        value = length * max(found.cost, 0.0) ** (1 / self.p)
        return Coupling(value, found.plan, potentials, found.gap, list(Status)[found.status], sources, targets)
