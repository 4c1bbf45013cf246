"""Exact W_p between measures that users pass as arrays, on any metric space."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse
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
from ..measures import Discrete, make_discrete, scale_into_range
from ..spaces import Dense, Euclidean, Graph, Metric, Space, is_graph
from ..spaces.dense import as_distances
from .exact import count_entries, warn_of_problems
from .transport import Coupling, Status

MeasuresLike: TypeAlias = Any
"""Discrete measures, a sparse or dense matrix with one measure per row, or a list of (indices, weights)."""

MetricLike: TypeAlias = Any
"""A Metric, a Space, a distance matrix, points, or a graph."""


def as_metric(metric: MetricLike) -> Metric:
    """Make a metric from a matrix of distances, from points (Euclidean), or from a graph (shortest paths).

    A square array that is symmetric with zeros on the diagonal, up to rounding, is read as distances. Any other 2-D
    array is read as points.
    """
    if isinstance(metric, Space):
        metric = metric.metric
    if is_graph(metric):
        metric = Graph.of(metric, weight="length" if issparse(metric) else "ask")
    if isinstance(metric, Metric):
        metric.check_whole("transport between all measures")
        return metric.checked()
    if isinstance(metric, str):
        raise TypeError(
            f"metric must be distances, points or a graph, got {check.shown(metric)}; pass the points themselves"
        )
    array = check.floats(metric, "metric")
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        small = 1e-9 * max(array.max(), -array.min())
        if (np.abs(array.diagonal()) <= small).all():
            return Dense(as_distances(_hollow(array, small), "metric"))
    if array.ndim != 2:
        raise ValueError(
            f"metric must be a square matrix of distances or an array with one point per row, got shape {array.shape}; "
            "scipy.spatial.distance.squareform makes a condensed vector square"
        )
    return Euclidean(check.points(array, "metric as points"))


def _hollow(array: Floats, small: float) -> Floats:
    """Distances with zeros on the diagonal; an error if they are not symmetric up to `small`, as points may be."""
    if not check.is_symmetric(array, small):
        raise ValueError(
            "metric is square with zeros on the diagonal but not symmetric: distances must be symmetric, "
            "pass (D + D.T) / 2; for points pass wt.spaces.Euclidean(X)"
        )
    if array.diagonal().any():
        array = array.copy()
        np.fill_diagonal(array, 0.0)
    return array


def as_measures(measures: MeasuresLike, n_points: int, name: str = "measures") -> Discrete:
    """Make discrete measures on `n_points` points; each must have mass, but their totals need not be 1."""
    if isinstance(measures, Discrete):
        if measures.size != n_points:
            raise ValueError(f"{name} are on {measures.size} points, but the metric has {n_points}")
        return measures
    rows = _matrix(measures, n_points, name)
    if rows.shape[0] == 0:
        raise ValueError(f"{name} must hold at least one measure, got none")
    if rows.shape[1] != n_points:
        raise ValueError(f"{name} must have {n_points} columns, one per point of the metric, got {rows.shape[1]}")
    check.floats(rows.data, f"masses of {name}")
    if rows.nnz and rows.data.min() < 0:
        raise ValueError(f"masses of {name} must not be negative, got {rows.data.min()}")
    rows.data = scale_into_range(rows.data, rows.indptr)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    empty = np.flatnonzero(np.diff(rows.indptr) == 0)
    if len(empty):
        raise ValueError(f"every measure needs mass, but {name} number {empty[0]} has none; drop it")
    return make_discrete(rows.indptr, rows.indices, rows.data, np.zeros(rows.shape[0], np.intp), n_points)


def _matrix(measures: MeasuresLike, n_points: int, name: str) -> csr_array:
    if issparse(measures):
        rows = csr_array(measures, dtype=np.float64, copy=True)
        rows.check_format(full_check=True)
        return rows
    if hasattr(measures, "__array__") or _is_nested_list(measures):
        table = check.floats(measures, name)
        if table.ndim != 2:
            raise ValueError(f"{name} as an array must have one measure per row, got shape {table.shape}")
        return csr_array(table)
    if not isinstance(measures, Sequence | Iterable) or isinstance(measures, str):
        raise TypeError(
            f"{name} must be a matrix with one measure per row or a list of (indices, weights), "
            f"got {type(measures).__name__}"
        )
    pairs = [_row(row, k, n_points, name) for k, row in enumerate(measures)]
    if not pairs:
        return csr_array((0, n_points))
    indptr = np.append(0, np.cumsum([len(indices) for indices, _ in pairs]))
    indices, weights = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return csr_array((weights, indices, indptr), shape=(len(pairs), n_points))


def _is_nested_list(measures: MeasuresLike) -> bool:
    """Whether the measures are a nested list of numbers."""
    row = measures[0] if isinstance(measures, Sequence) and len(measures) > 0 else ()
    is_list = isinstance(row, Sequence) and not isinstance(row, str) and len(row) > 0
    return is_list and all(np.ndim(x) == 0 for x in row)


def _row(row: Any, k: int, n_points: int, name: str) -> tuple[Ints, Any]:
    try:
        indices, weights = row
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} as a list must hold pairs (indices, weights), number {k} is {type(row).__name__}; "
            "an array with one measure per row also works"
        ) from None
    indices, weights = np.asarray(indices), check.floats(weights, f"weights of {name}")
    if indices.ndim != 1 or indices.shape != weights.shape:
        raise ValueError(
            f"{name} number {k} must have as many weights as indices, got indices of shape {indices.shape} and "
            f"weights of shape {weights.shape}"
        )
    if indices.size and (indices.dtype.kind not in "iu" or indices.min() < 0 or indices.max() >= n_points):
        raise ValueError(f"indices of {name} must be integers from 0 to {n_points - 1}, got {check.shown(indices)}")
    return indices.astype(np.intp), weights


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
    metric: MetricLike,
    p: float = 1.0,
    pairs: ArrayLike | None = None,
    n_jobs: int | None = None,
    engine: Engine | None = None,
) -> Distances:
    """Compute exact W_p between all pairs of discrete measures, or between listed pairs.

    Parameters
    ----------
    measures : array or scipy sparse matrix of shape (n, points), or list of (indices, weights)
        One measure per row, on the points of the metric. Masses are ≥ 0; totals need not be 1.
    metric : array, graph, Metric or Space
        A distance matrix (square, symmetric, 0 on the diagonal, up to rounding); points (any other 2-D array); or a
        networkx graph or sparse matrix of edge lengths, for shortest paths (nodes are numbered in the order of the
        graph). `wt.spaces.Dense(D, triangle=True)` asserts the triangle inequality of a matrix: for p = 1 common mass
        then cancels, and close pairs are solved faster.
    p : float, default 1.0
        Order ≥ 1 and < 150, or infinity.
    pairs : array of int, shape (k, 2), optional
        The pairs of measures to compare. None: all pairs.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the engine. The result does not depend on it.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine (`wt.using`).

    Returns
    -------
    Distances
        `values` in SciPy's condensed order (or one per listed pair), `gap` and `report`.

    Notes
    -----
    One transport problem per pair of different measures: n(n−1)/2 for all pairs. Memory O(n²) for all pairs.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> distances = wt.wasserstein_pairs([([0, 1], [1, 1]), ([1, 2], [1, 1]), ([2], [1])], points)
    >>> np.asarray(distances)
    array([1.5, 2.5, 1. ])
    >>> distances.gap < 1e-12
    True
    """
    engine = current(engine, n_jobs=n_jobs)
    check.solvable_p(p)
    metric = as_metric(metric)
    rows = as_measures(measures, metric.n)
    if pairs is None:
        unique, which = rows.distinct()
        engine.reserve(8.0 * (2 * rows.n**2 + unique.n**2), f"distances of {rows.n} measures", "list the pairs")
        warn_of_problems(unique.n * (unique.n - 1) // 2, count_entries(np.diff(unique.indptr)), engine)
        square, report = on(engine, exact_among)(metric, float(p), unique.rows, engine)
        return Distances(squareform(square[np.ix_(which, which)], checks=False), report)
    values, report = solve_listed(metric, float(p), rows, as_pairs(pairs, rows.n), engine)
    return Distances(values, report)


def wasserstein_cross(
    A: MeasuresLike,
    B: MeasuresLike,
    metric: MetricLike,
    p: float = 1.0,
    n_jobs: int | None = None,
    engine: Engine | None = None,
) -> Distances:
    """Compute exact W_p from every measure of A to every measure of B.

    Parameters
    ----------
    A, B : arrays or scipy sparse matrices of shapes (n_a, points) and (n_b, points), or lists of (indices, weights)
        One measure per row, on the points of the metric. Masses are ≥ 0; totals need not be 1.
    metric : array, graph, Metric or Space
        A distance matrix, points, or a graph, as in `wasserstein_pairs`.
    p : float, default 1.0
        Order ≥ 1 and < 150, or infinity.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the engine. The result does not depend on it.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine (`wt.using`).

    Returns
    -------
    Distances
        `values` of shape (n_a, n_b), `gap` and `report`.

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
    check.solvable_p(p)
    metric = as_metric(metric)
    rows, others = as_measures(A, metric.n, "A"), as_measures(B, metric.n, "B")
    (some, which_a), (unique, which_b) = rows.distinct(), others.distinct()
    engine.reserve(8.0 * rows.n * others.n, f"{rows.n} × {others.n} distances", "take A in parts")
    warn_of_problems(some.n * unique.n, float(len(some.indices)) * len(unique.indices), engine)
    values, report = on(engine, exact_between)(metric, float(p), some.rows, unique.rows, engine)
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
        solution = solve_one(mass_a, mass_b, costs, engine)
        plan, (u, v) = solution.plan, solution.prices
    else:  # extend the dual variables to points without mass
        rows, cols = np.flatnonzero(mass_a), np.flatnonzero(mass_b)
        solution = solve_one(mass_a[rows], mass_b[cols], costs[np.ix_(rows, cols)], engine)
        plan = np.zeros(costs.shape)
        plan[np.ix_(rows, cols)] = solution.plan
        v = np.full(costs.shape[1], -np.inf)
        v[cols] = solution.prices[1]
        u = (costs[:, cols] - v[cols]).min(axis=1)
        v = (costs - u[:, None]).min(axis=0)
    plan *= total
    return Coupling(
        value=float(np.ldexp(total * solution.cost, unit)), plan=np.ldexp(plan, unit, out=plan),
        potentials=(u, v), gap=solution.gap,
        status=list(Status)[solution.status], sources=np.arange(len(u)), targets=np.arange(len(v)),
    )  # fmt: skip


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
    warn_of_problems(len(key), float((sizes[sources] * sizes[targets]).sum()), engine)
    values, report = on(engine, exact_listed)(metric, p, unique.rows, unique.rows, indptr, targets, engine)
    return values[inverse.ravel()], report
