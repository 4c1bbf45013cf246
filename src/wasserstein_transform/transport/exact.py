"""Exact transport between discrete measures on any metric space: one plan, batches of problems, and their time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._check import warn
from .._types import Floats, Ints
from ..compute.exact.batches import exact_among, exact_between
from ..compute.exact.single import solve_farthest, solve_power
from ..cuda import on
from ..engine import N_MATRICES, Engine, current
from ..measures import Discrete, Measures
from ..spaces import Dense, Metric
from ..spaces.dense import take_points
from .transport import Coupling, Status, Transport

MIN_LONG_SECONDS = 30.0  # longer runs get a warning
_ENTRY_SECONDS = 3e-8  # seconds per entry of a cost matrix, to within a factor of two or three
_MAX_LINEAR_SIDE = 1000.0  # for problems with more masses per side, the time per entry grows with their number


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
        distances = base_metric.block(sources, targets)
        if self.p == np.inf:
            far = solve_farthest(both.masses[:na], both.masses[na:], distances, current())
            return Coupling(far.value, far.plan, None, 0.0, Status.OPTIMAL, sources, targets, far.violator)
        solution, length = solve_power(both.masses[:na], both.masses[na:], distances, float(self.p), current())
        with np.errstate(over="ignore"):  # d^p may overflow even if the distance d does not
            unit = np.float64(length) ** self.p
        potentials = (unit * solution.prices[0], unit * solution.prices[1]) if np.isfinite(unit) else None
        value = length * max(solution.cost, 0.0) ** (1 / self.p)
        return Coupling(value, solution.plan, potentials, solution.gap, list(Status)[solution.status], sources, targets)


class CostWarning(UserWarning):
    """Warns that neighborhoods or measures are so large that the run will take more than about 30 seconds.

    It is a UserWarning and is given before the run starts.

    Examples
    --------
    Turn the warning into an error, to stop before a long run:

    >>> import warnings, wasserstein_transform as wt
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", wt.transforms.CostWarning)
    ...     wt.iterate(wt.transforms.mean_shift(1.0), wt.Space.from_points([[0.0], [1.0], [5.0]]), n_iter=1)
    <Trajectory of 3 points: ran 1 iteration, as requested; the last movement was 0.5 eps>
    """


def estimate_seconds(n_problems: int, n_entries: float) -> float:
    """Estimate the seconds that one core needs for problems whose cost matrices have `n_entries` entries in total."""
    return _ENTRY_SECONDS * n_entries * max(1.0, _side(n_problems, n_entries) / _MAX_LINEAR_SIDE)


def warn_of_problems(n_problems: int, n_entries: float, engine: Engine) -> None:
    """Warn if problems whose cost matrices have `n_entries` entries in total take long."""
    seconds = estimate_seconds(n_problems, n_entries)
    if seconds < MIN_LONG_SECONDS:
        return
    seconds /= min(engine.n_threads, max(n_problems, 1))
    if seconds >= MIN_LONG_SECONDS:
        warn(
            f"{describe_problems(n_problems, n_entries)} will take about {describe_seconds(seconds)}; "
            "measures on fewer points or fewer pairs are faster",
            CostWarning,
        )


def count_entries(sizes: Ints) -> float:
    """Total number of entries of the cost matrices of all pairs of measures with these numbers of points."""
    squares = sizes.astype(float) ** 2
    return float((sizes.sum(dtype=float) ** 2 - squares.sum()) / 2)


def describe_problems(n_problems: int, n_entries: float) -> str:
    """The number and the size of the problems, in words."""
    side = _side(n_problems, n_entries)
    return f"{n_problems:,} transport problem{'s' * (n_problems != 1)} of about {side:,.0f} × {side:,.0f} masses"


def describe_seconds(seconds: float) -> str:
    """A duration in the largest unit that fits."""
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _side(n_problems: int, n_entries: float) -> float:
    return math.sqrt(n_entries / max(n_problems, 1))
