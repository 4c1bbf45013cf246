"""Exact W_p between measures that users pass as arrays, on any metric space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import squareform

from .. import _check as check
from .._display import facts, in_range
from .._types import Floats, Ints
from ..compute.exact.batches import exact_among, exact_between, exact_listed
from ..compute.exact.problems import Report
from ..compute.exact.single import solve_one
from ..compute.exact.single_jit import scale_to_one
from ..cuda import on
from ..engine import Engine, current
from ..measures import Discrete
from ..spaces import Metric
from .costs import CostMatrix, SpareLike
from .duration import count_entries, warn_of_problems
from .inputs import MeasuresLike, MetricLike, read_problem
from .nearest import solve_nearest
from .plans import Plans, solve_with_plans
from .transport import Coupling, Status

_STATUSES = tuple(Status)
_MAX_SHARE_SOLVED_TWICE = 0.01  # of all problems; from here on a metric is suspected to be none


def as_pairs(pairs: ArrayLike, n: int) -> Ints:
    """Check pairs of indices of measures, shape (k, 2)."""
    array = np.asarray(pairs)
    if array.size == 0:
        return np.empty((0, 2), np.intp)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"pairs must be a k × 2 array of integers, got shape {array.shape} of {array.dtype}; "
            "np.column_stack([i, j]) makes one"
        )
    if array.min() < 0 or array.max() >= n:
        raise ValueError(f"pairs must hold indices of measures from 0 to {n - 1}, got {array.min()} to {array.max()}")
    return array.astype(np.intp, copy=False)


@dataclass(frozen=True, eq=False)
class Distances(np.lib.mixins.NDArrayOperatorsMixin):
    """Wasserstein distances with a report about their accuracy; NumPy functions treat it as the array `values`.

    `wasserstein_pairs` and `wasserstein_cross` return it.

    Attributes
    ----------
    values : array of shape (n(n−1)/2,), (number of pairs,) or (n_a, n_b)
        The distances: in SciPy's condensed order, one per listed pair, or a rectangle.
    report : Report
        The number of problems solved, the number of fallbacks, and the largest gap.
    plans : Plans, optional
        The optimal plans, with `plans=True`.
    indices : array of shape (n_a, k), optional
        With `nearest=k`, which measures of B are nearest.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> distances = wt.wasserstein_pairs(np.eye(3), np.array([[0.0], [1.0], [3.0]]))
    >>> distances.values
    array([1., 3., 2.])
    >>> np.max(distances), distances.gap < 1e-12, distances.report.n_problems
    (np.float64(3.0), True, 3)
    """

    values: Floats
    report: Report
    plans: Plans | None = None
    indices: Ints | None = None

    @property
    def gap(self) -> float:
        """The largest primal–dual gap of W_p^p, relative to the largest cost d^p of that problem; 0 for p = ∞.

        It includes what was left out as rounding of the masses.
        """
        return self.report.gap

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [x.values if isinstance(x, Distances) else x for x in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of `values`."""
        return self.values.shape

    def _repr_html_(self) -> str:
        rows = {
            "shape": " × ".join(map(str, self.shape)),
            "distances": in_range(self.values),
            "problems solved": self.report.n_problems,
            "solved twice": self.report.n_fallbacks,
            "largest gap": f"{self.gap:.1e}",
        }
        return facts("Distances", rows)

    def __repr__(self) -> str:
        values = np.array2string(self.values, threshold=8, edgeitems=2, separator=", ")
        solved, again = self.report.n_problems, self.report.n_fallbacks
        return f"<Distances {values}, shape {self.shape}, {solved} problems ({again} solved twice), gap {self.gap:.1e}>"


def wasserstein_pairs(
    measures: MeasuresLike,
    metric: MetricLike = "euclidean",
    p: float = 1.0,
    pairs: ArrayLike | None = None,
    n_jobs: int | None = None,
    engine: Engine | None = None,
    *,
    weights: Sequence[ArrayLike] | None = None,
    spare: SpareLike | None = None,
    plans: bool = False,
) -> Distances:
    """Compute exact W_p between all pairs of discrete measures, or between listed pairs.

    Parameters
    ----------
    measures : list of arrays, or array or scipy sparse matrix of shape (n, points)
        Clouds with points of their own, shapes (n_i, m). Or one measure per row, on the points of the metric. Masses
        are ≥ 0; totals need not be 1, but must agree.
    metric : str, array, graph, Metric or Space, default "euclidean"
        For clouds the name of a distance (see `wt.spaces.PointMetric`) or a function that makes a Metric of points,
        such as `functools.partial(wt.spaces.PointMetric, period=[np.inf, 2 * np.pi])`. Otherwise a distance matrix
        (square, symmetric, 0 on the diagonal, up to rounding); points (any other 2-D array); or a networkx graph or
        sparse matrix of edge lengths, for shortest paths (nodes are numbered in the order of the graph).
        `wt.spaces.Dense(D, triangle=True)` asserts the triangle inequality of a matrix: for p = 1 common mass
        then cancels, and close pairs are solved faster.
    p : float, default 1.0
        Order ≥ 1 and < 150, or infinity.
    pairs : array of int, shape (k, 2), optional
        The pairs of measures to compare. None: all pairs.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the engine. The result does not depend on it.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine (`wt.using`).
    weights : list of arrays, optional
        The masses of the points of each cloud. None: all points of a cloud have the same; with `spare=`, the mass 1.
    spare : float, array or callable, optional
        The distance ≥ 0 at which mass may stay unmatched: one number, one per point (of clouds: of all of them, one
        after the other), or a function of the points (n, m). Totals may then differ, and measures be empty; masses are
        not divided by their totals: W_p^p is the least cost of matching some mass at d^p and leaving the rest at
        spare^p. For p = ∞, the largest of these distances.
    plans : bool, default False
        Whether to keep the optimal plans and potentials (`Plans`); common mass is not cancelled then.

    Returns
    -------
    Distances
        `values` in SciPy's condensed order (or one per listed pair), `gap` and `report`, and `plans` if wanted.

    Notes
    -----
    One transport problem per pair of different measures: n(n−1)/2 for all pairs. Memory O(n²) for all pairs.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> distances = wt.wasserstein_pairs([[1, 1, 0], [0, 1, 1], [0, 0, 2]], points)
    >>> np.asarray(distances)
    array([1.5, 2.5, 1. ])
    >>> distances.gap < 1e-12
    True

    Clouds of their own; and persistence diagrams, whose points may be matched to the diagonal:

    >>> wt.wasserstein_pairs([np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [6.0, 8.0]])]).values
    array([7.5])
    >>> diagrams = [np.array([[0.0, 4.0], [1.0, 1.5]]), np.array([[0.0, 5.0]])]
    >>> wt.wasserstein_pairs(diagrams, "chebyshev", spare=lambda points: (points[:, 1] - points[:, 0]) / 2).values
    array([1.25])
    """
    engine = current(engine, n_jobs=n_jobs)
    metric, (side,) = read_problem({"measures": measures}, [weights], metric, p, spare, plans)
    rows = side.measures
    if plans:
        listed = np.column_stack(np.triu_indices(rows.n, 1)) if pairs is None else as_pairs(pairs, rows.n)
        return Distances(*solve_with_plans(metric, float(p), (side, side), listed, (len(listed),), engine))
    if pairs is None:
        unique, which = rows.distinct()
        engine.reserve(8.0 * (2 * rows.n**2 + unique.n**2), f"distances of {rows.n} measures", "list the pairs")
        warn_of_problems(unique.n * (unique.n - 1) // 2, count_entries(np.diff(unique.indptr)), engine, metric, p)
        square, report = on(engine, exact_among)(metric, float(p), unique.rows, engine)
        _warn_of_triangle(metric, report)
        return Distances(squareform(square[np.ix_(which, which)], checks=False), report)
    values, report = solve_listed(metric, float(p), rows, as_pairs(pairs, rows.n), engine)
    _warn_of_triangle(metric, report)
    return Distances(values, report)


def _warn_of_triangle(metric: Any, report: Report) -> None:
    """Warn if many problems had to be solved twice, because the metric is marked `triangle` but is none."""
    if metric.triangle and report.n_fallbacks > max(1, _MAX_SHARE_SOLVED_TWICE * report.n_problems):
        check.warn(
            f"{report.n_fallbacks} of {report.n_problems} problems were solved twice, because the metric is marked "
            "triangle=True and breaks the triangle inequality; values are right, without the mark they are faster"
        )


def wasserstein_cross(
    A: MeasuresLike,
    B: MeasuresLike,
    metric: MetricLike | CostMatrix = "euclidean",
    p: float = 1.0,
    n_jobs: int | None = None,
    engine: Engine | None = None,
    *,
    weights: tuple[Sequence[ArrayLike], Sequence[ArrayLike]] | None = None,
    spare: SpareLike | None = None,
    plans: bool = False,
    nearest: int | None = None,
) -> Distances:
    """Compute exact W_p from every measure of A to every measure of B.

    Parameters
    ----------
    A, B : lists of arrays, or arrays or scipy sparse matrices of shapes (n_a, points) and (n_b, points)
        Clouds or measures on the points of the metric, as in `wasserstein_pairs`.
    metric : str, array, graph, Metric, Space or CostMatrix, default "euclidean"
        As in `wasserstein_pairs`; `wt.transport.CostMatrix` is from the points of A to others, those of B.
    p : float, default 1.0
        Order ≥ 1 and < 150, or infinity.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the engine. The result does not depend on it.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine (`wt.using`).
    weights : pair of lists of arrays, optional
        The masses of the points of the clouds of A, and of those of B.
    spare : float, array or callable, optional
        The distance at which mass may stay unmatched, as in `wasserstein_pairs`.
    plans : bool, default False
        Whether to keep the optimal plans and potentials.
    nearest : int, optional
        Only the k nearest measures of B for each of A: `indices` says which, `values` how far. Most others are ruled
        out by lower bounds; `report.n_problems` says how many were solved.

    Returns
    -------
    Distances
        `values` of shape (n_a, n_b), or (n_a, k) by increasing distance, `gap` and `report`.

    Notes
    -----
    One transport problem per pair of a different measure of A and of B: n_a·n_b at most.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> np.asarray(wt.wasserstein_cross(np.eye(3)[:1], np.eye(3), points, p=2))
    array([[0., 1., 3.]])
    """
    engine = current(engine, n_jobs=n_jobs)
    both = (None, None) if weights is None else weights
    metric, (side, other) = read_problem({"A": A, "B": B}, both, metric, p, spare, plans)
    rows, others = side.measures, other.measures
    if nearest is not None:
        k = check.count(nearest, "nearest", 1, others.n, "measures in B")
        values, indices, report = solve_nearest(metric, float(p), rows, others, k, engine)
        return Distances(values, report, indices=indices)
    if plans:
        listed, shape = np.argwhere(np.ones((rows.n, others.n), bool)), (rows.n, others.n)
        return Distances(*solve_with_plans(metric, float(p), (side, other), listed, shape, engine))
    (some, which_a), (unique, which_b) = rows.distinct(), others.distinct()
    engine.reserve(8.0 * rows.n * others.n, f"{rows.n} × {others.n} distances", "take A in parts")
    warn_of_problems(some.n * unique.n, float(len(some.indices)) * len(unique.indices), engine, metric, p)
    values, report = on(engine, exact_between)(metric, float(p), some.rows, unique.rows, engine)
    _warn_of_triangle(metric, report)
    return Distances(values[np.ix_(which_a, which_b)], report)


def wasserstein(a: ArrayLike | None, b: ArrayLike | None, cost: ArrayLike, engine: Engine | None = None) -> Coupling:
    """Compute the optimal plan between two mass vectors for any cost matrix, with dual variables and the gap.

    Parameters
    ----------
    a, b : arrays of shapes (n,) and (m,), or None
        Masses ≥ 0 with equal totals. None: uniform with total 1.
    cost : array of shape (n, m)
        Any finite numbers. For W_p pass d^p; the distance is then `value ** (1 / p)` for masses of total 1.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine (`wt.using`).

    Returns
    -------
    Coupling
        `value` is the cost of the `plan`; `potentials` (u, v) satisfy u[i] + v[j] ≤ cost[i, j].

    Notes
    -----
    One network simplex; memory O(n·m).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> coupling = wt.wasserstein([1.0, 1.0], [0.5, 1.5], [[0.0, 2.0], [3.0, 1.0]])
    >>> coupling.value
    2.0
    >>> coupling.plan
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    engine, costs = current(engine), check.floats(cost, "cost")
    if costs.ndim != 2 or costs.size == 0:
        raise ValueError(f"cost must be a matrix of shape (len(a), len(b)), got shape {costs.shape}")
    (mass_a, total, unit), (mass_b, other, other_unit) = (
        _mass(m, n, name) for m, n, name in ((a, costs.shape[0], "a"), (b, costs.shape[1], "b"))
    )
    if abs(total - math.ldexp(other, min(other_unit - unit, 1000))) > 1e-9 * total:
        raise ValueError(
            f"a and b must have equal totals, got {np.ldexp(total, unit)} and {np.ldexp(other, other_unit)}; divide "
            "each by its sum"
        )
    n_sources, n_sinks = np.count_nonzero(mass_a), np.count_nonzero(mass_b)
    warn_of_problems(1, float(n_sources) * n_sinks, engine)
    if (n_sources, n_sinks) == costs.shape:
        solution = solve_one(mass_a, mass_b, (total, other), unit, costs, engine)
        plan, (u, v) = solution.plan, solution.prices
    else:  # extend the dual variables to points without mass
        rows, cols = np.flatnonzero(mass_a), np.flatnonzero(mass_b)
        solution = solve_one(mass_a[rows], mass_b[cols], (total, other), unit, costs[np.ix_(rows, cols)], engine)
        plan = np.zeros(costs.shape)
        plan[np.ix_(rows, cols)] = solution.plan
        v = np.full(costs.shape[1], -np.inf)
        v[cols] = solution.prices[1]
        u = (costs[:, cols] - v[cols]).min(axis=1)
        v = (costs - u[:, None]).min(axis=0)
    status, sides = _STATUSES[solution.status], (np.arange(len(u)), np.arange(len(v)))
    return Coupling(solution.cost, plan, (u, v), solution.gap, status, *sides)


def _mass(values: ArrayLike | None, n: int, name: str) -> tuple[Floats, float, int]:
    """Masses scaled to about 1 by a power of two, their total, and the exponent that was taken out."""
    mass = np.full(n, 1.0 / n) if values is None else check.floats(values, name)
    if mass.shape != (n,):
        raise ValueError(f"{name} must hold {n} masses, one per row (a) or column (b) of cost, got shape {mass.shape}")
    scaled = mass.copy()
    smallest, total, exponent = scale_to_one(scaled)
    if smallest < 0 or total == 0:
        raise ValueError(f"{name} must hold masses ≥ 0 with a positive total, got {check.shown(mass)}")
    return scaled, total, exponent


def solve_listed(metric: Metric, p: float, rows: Discrete, pairs: Ints, engine: Engine) -> tuple[Floats, Report]:
    """Distances of listed pairs; each unordered pair of different measures is solved once."""
    if len(pairs) == 0:
        return np.empty(0), Report(0, 0, 0.0)
    used = np.zeros(rows.n, bool)
    used[pairs] = True
    unique, which = rows.take(np.flatnonzero(used)).distinct()
    first, second = which[(np.cumsum(used) - 1)[pairs.T]]
    low, high = np.minimum(first, second), np.maximum(first, second)
    degree = np.bincount(low, minlength=unique.n) + np.bincount(high, minlength=unique.n)
    turned = degree[high] > degree[low]  # sources are measures with many partners: their problems share warm starts
    key, inverse = np.unique(np.where(turned, high, low) * unique.n + np.where(turned, low, high), return_inverse=True)
    indptr = np.searchsorted(key, np.arange(unique.n + 1) * unique.n)
    sources = np.repeat(np.arange(unique.n), np.diff(indptr))
    targets = key - sources * unique.n
    sizes = np.diff(unique.indptr).astype(float)
    warn_of_problems(len(key), float((sizes[sources] * sizes[targets]).sum()), engine, metric, p)
    values, report = on(engine, exact_listed)(metric, p, unique.rows, unique.rows, indptr, targets, engine)
    return values[inverse.ravel()], report
