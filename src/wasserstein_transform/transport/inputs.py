"""What users pass: a metric, and measures on its points, or clouds with points of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array, issparse

from .. import _check as check
from .._types import Floats, Ints
from ..measures import Discrete, make_discrete, scale_into_range
from ..spaces import Dense, Euclidean, GaussianMetric, Graph, Metric, PointMetric, Space, is_graph
from ..spaces.dense import as_distances
from .costs import CostMatrix, SpareLike, add_spare

MeasuresLike: TypeAlias = Any
"""Discrete measures, a sparse or dense matrix with one per row, or a list of clouds."""

MetricLike: TypeAlias = Any
"""A Metric, a Space, a distance matrix, points, or a graph; for clouds the name of a distance, or a function."""

_MAX_DIFFERENCE = 1e-9  # of totals that count as equal, relative to the larger one


class InputMeasures(NamedTuple):
    """Measures, and how they were given: the first point of each one and their number, and its unit of mass."""

    measures: Discrete
    starts: Ints
    sizes: Ints
    units: Floats


def as_metric(metric: MetricLike) -> Metric:
    """Make a metric from a matrix of distances, from points (Euclidean), or from a graph (shortest paths).

    A square array with zeros on the diagonal, up to rounding, is read as distances. Any other 2-D array is read as
    points, unless it may be costs.
    """
    if isinstance(metric, Space):
        metric = metric.metric
    if is_graph(metric):
        metric = Graph.of(metric, weight="length" if issparse(metric) else "ask")
    if isinstance(metric, Metric):
        metric.check_whole("transport between all measures")
        return metric.checked()
    array = check.floats(metric, "metric")
    if array.ndim != 2:
        raise ValueError(
            f"metric must be a square matrix of distances or an array with one point per row, got shape {array.shape}; "
            "scipy.spatial.distance.squareform makes a condensed vector square"
        )
    if array.shape[0] == array.shape[1]:
        diagonal = array.diagonal()
        if (np.abs(diagonal) <= _MAX_DIFFERENCE * max(array.max(), -array.min())).all():
            name = "metric (if it is points, pass wt.spaces.Euclidean(X))"
            return Dense(as_distances(array - np.diag(diagonal) if diagonal.any() else array, name))
        if len(array) > 1 and array.min() >= 0:
            raise ValueError(
                f"metric is square but not 0 on the diagonal, got {diagonal.max()}: for points pass "
                "wt.spaces.Euclidean(X), for costs from one side to another wt.transport.CostMatrix(C) to "
                "wasserstein_cross"
            )
    return Euclidean(check.points(array, "metric as points"))


def read_problem(
    given: dict[str, MeasuresLike], weights: Sequence[Any], metric: MetricLike, p: float, spare: SpareLike | None,
    plans: bool,
) -> tuple[Any, list[InputMeasures]]:  # fmt: skip
    """Check measures, by name, and what they are compared by."""
    check.solvable_p(p)
    if plans and p == np.inf:
        raise ValueError("plans=True needs p < ∞; for p = ∞, wt.Exact(np.inf).coupling(measures, metric, i, j) has one")
    keeps_points = plans or not (
        spare is None or callable(spare) or np.ndim(spare) == 0
    )  # they are numbered as they were given
    is_counted = all(one is None for one in weights)  # each point of a cloud has the mass 1
    if isinstance(metric, str) or callable(metric):
        metric, sides = _read_clouds(given, weights, metric, keeps_points)
    elif not is_counted:
        raise ValueError(
            "weights= are for clouds of points, with a metric by its name, such as 'euclidean'; measures on shared "
            "points are rows of masses"
        )
    else:
        metric = metric if isinstance(metric, CostMatrix) else as_metric(metric)
        ends = metric.sides if isinstance(metric, CostMatrix) else ((0, metric.n),) * len(given)
        if len(ends) != len(given):
            raise TypeError("a CostMatrix is from one side to another one: use wt.wasserstein_cross")
        is_counted = all(isinstance(one, Discrete) for one in given.values())
        sides = [_read_rows(*one, end, metric.n) for one, end in zip(given.items(), ends, strict=True)]
        if not keeps_points and isinstance(metric, Euclidean | GaussianMetric | PointMetric):
            used = np.unique(np.concatenate([rows.indices for rows, *_ in sides]))
            if len(used) < metric.n:
                metric, sides = metric.take(used), [(rows[:, used], *rest) for rows, *rest in sides]
    totals, flags = np.concatenate([rows.sum(axis=1) for rows, *_ in sides]), (spare is not None, is_counted)
    inputs = [make_measures(name, *side, *flags) for name, side in zip(given, sides, strict=True)]
    if spare is None and not is_counted:
        check_totals(totals, totals[0], " and ".join(given), ", or give spare=, the cost of mass that stays unmatched")
    return metric if spare is None else add_spare(metric, spare, float(p)), inputs


def _read_clouds(
    given: dict[str, MeasuresLike], weights: Sequence[Any], metric: Any, keeps_points: bool
) -> tuple[Metric, list[tuple[csr_array, Ints, Ints]]]:
    """The metric of all points; the rows of the clouds, their first points and sizes. Equal points are one point."""
    for one in given.values():
        if issparse(one) or isinstance(one, Discrete) or np.ndim(one if hasattr(one, "shape") else 0) in (1, 2):
            raise TypeError(
                "metric must be distances, points or a graph for measures on shared points, got "
                f"{check.shown(metric)}; pass the points themselves; clouds with points of their own come as a list"
            )
    stacks = [_stack_clouds(*one, masses) for one, masses in zip(given.items(), weights, strict=True)]
    points, masses, sizes = (np.concatenate(column) for column in zip(*stacks, strict=True))
    ends, columns = np.cumsum(sizes), np.arange(len(points))
    points = check.points(points, " and ".join(given))
    if not keeps_points:
        points, columns = np.unique(points, axis=0, return_inverse=True)
    rows = csr_array((masses, columns.ravel(), np.append(0, ends)), shape=(len(sizes), len(points)))
    parts = [slice(*pair) for pair in pairwise(np.cumsum([0, *(len(stack[2]) for stack in stacks)]))]
    return _metric_of_points(metric, points), [(rows[part], (ends - sizes)[part], sizes[part]) for part in parts]


def _stack_clouds(name: str, clouds: Any, weights: Any) -> tuple[Floats, Floats, Ints]:
    """The points of all clouds, their masses, 1 unless they are given, and the sizes of the clouds."""
    arrays: list[np.ndarray] = [check.floats(cloud, f"{name} number {k}") for k, cloud in enumerate(clouds)]
    if not arrays:
        raise ValueError(f"{name} must hold at least one cloud of points, got none")
    masses: list[np.ndarray] = [np.ones(cloud.shape[:1]) for cloud in arrays]
    if weights is not None:
        masses = [check.floats(one, f"weights of {name} number {k}") for k, one in enumerate(weights)]
    if len(masses) != len(arrays):
        raise ValueError(f"weights must hold one array per cloud, got {len(masses)} for {len(arrays)} clouds")
    for k, (cloud, mass) in enumerate(zip(arrays, masses, strict=True)):
        if cloud.ndim != 2 or cloud.shape[1] != arrays[0].shape[-1]:
            raise ValueError(
                f"{name} must be clouds of shape (points, coordinates) with the same number of coordinates, number {k} "
                f"has shape {cloud.shape}, number 0 {arrays[0].shape}; measures on shared points need these as metric"
            )
        if mass.shape != (len(cloud),) or (mass < 0).any():
            raise ValueError(
                f"weights of {name} number {k} must be {len(cloud)} numbers ≥ 0, one per point, got {check.shown(mass)}"
            )
    return np.concatenate(arrays), np.concatenate(masses), np.array([len(cloud) for cloud in arrays])


def _metric_of_points(metric: Any, points: Floats) -> Metric:
    """The metric of points that a name or a function gives."""
    if metric == "euclidean":
        return Euclidean(points)
    try:
        made = (partial(PointMetric, distance=metric) if isinstance(metric, str) else metric)(points)
    except TypeError as error:
        made = error
    if not isinstance(made, Metric):
        raise TypeError(
            "metric as a function must make a metric of the points (n, m) of all clouds, such as "
            f"functools.partial(wt.spaces.PointMetric, distance='cityblock'), got {check.shown(made)}; for a function "
            "of two points compute the matrix of distances"
        )
    return made


def _read_rows(name: str, given: Any, part: tuple[int, int], n: int) -> tuple[csr_array, Ints, Ints]:
    """Rows of masses ≥ 0 on a part of n points, its first one and their number, which is returned for each row."""
    start, n_points = part
    if isinstance(given, Discrete):
        given = csr_array((given.masses, given.indices, given.indptr), shape=(given.n, given.size))
    if issparse(given):
        rows = csr_array(given, dtype=np.float64, copy=True)
        rows.check_format(full_check=True)
        check.floats(rows.data, f"masses of {name}")
    else:
        table = check.floats(given, f"{name}, a matrix with one measure per row,")
        if table.ndim != 2:
            raise ValueError(
                f"{name} as an array must have one measure per row, got shape {table.shape}; clouds with points of "
                "their own need a metric by its name, such as 'euclidean'"
            )
        rows = csr_array(table)
    if rows.shape[0] == 0:
        raise ValueError(f"{name} must hold at least one measure, got none")
    if rows.shape[1] != n_points:
        raise ValueError(f"{name} must have {n_points} columns, one per point of the metric, got {rows.shape[1]}")
    if rows.nnz and rows.data.min() < 0:
        raise ValueError(f"masses of {name} must not be negative, got {rows.data.min()}")
    rows = csr_array((rows.data, rows.indices + start, rows.indptr), shape=(rows.shape[0], n))
    return rows, np.full(rows.shape[0], start), np.full(rows.shape[0], n_points)


def make_measures(
    name: str, rows: csr_array, starts: Ints, sizes: Ints, has_spare: bool = False, is_counted: bool = False
) -> InputMeasures:
    """Discrete measures. Each must have mass, unless it may be spare: then they have a point more, without mass yet.

    If points are only counted, plans have the total 1.
    """
    given = np.ones(rows.shape[0]) if is_counted and not has_spare else np.asarray(rows.sum(axis=1))
    masses = scale_into_range(rows.data, rows.indptr)
    if has_spare and masses is not rows.data:
        raise ValueError(
            f"with spare=, masses of {name} must be from 1e-60 to 1e60, got {rows.data.min()} to {rows.data.max()}; "
            "rescale them"
        )
    rows.data = masses
    rows.sum_duplicates()
    rows.eliminate_zeros()
    (n, n_points), indptr, indices, masses = rows.shape, rows.indptr, rows.indices, rows.data
    if has_spare:
        indices, masses = np.insert(indices, indptr[1:], n_points), np.insert(masses, indptr[1:], 0.0)
        indptr = np.asarray(indptr + np.arange(n + 1), np.intp)
        totals = np.add.reduceat(masses, indptr[:-1])
        measures = Discrete(indptr, np.asarray(indices, np.intp), masses, totals, np.zeros(n, bool), n_points + 1)
    else:
        empty = np.flatnonzero(np.diff(indptr) == 0)
        if len(empty):
            raise ValueError(
                f"every measure needs mass, but {name} number {empty[0]} has none; drop it, or give spare=, the cost "
                "of unmatched mass"
            )
        measures = make_discrete(indptr, indices, masses, np.zeros(n, np.intp), n_points)
    units = np.divide(given, measures.totals, out=np.ones(n), where=measures.totals > 0)
    return InputMeasures(measures, starts, sizes, units)


def check_totals(totals: Floats, expected: Any, name: str, instead: str = "") -> None:
    """Raise an error if totals differ by more than rounding from what is expected."""
    expected = np.broadcast_to(expected, totals.shape)
    with np.errstate(invalid="ignore"):  # masses may be so large that totals overflow
        differs = np.abs(totals - expected) > _MAX_DIFFERENCE * np.maximum(totals, expected)
    if differs.any():
        k = int(differs.argmax())
        raise ValueError(
            f"{name} must have equal totals, got {expected[k]} and {totals[k]} (number {k}); divide each by its "
            f"sum{instead}"
        )
