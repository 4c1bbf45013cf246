"""Convert the measures and metrics that users pass to those of the library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from .. import _check as check
from .._types import Floats, Ints
from ..engine import Engine
from ..measures import Discrete
from ..measures.discrete import discrete, within_range
from ..spaces import Dense, Euclidean, Graph, Metric, Space
from ..spaces.edges import is_graph

MeasuresLike: TypeAlias = Any
"""Discrete measures, a sparse or dense matrix with one measure per row, or a list of (indices, weights)."""

MetricLike: TypeAlias = Any
"""A Metric, a Space, a distance matrix, points, or a graph."""


def as_metric(metric: MetricLike, engine: Engine) -> Metric:
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
        raise TypeError(f"metric must be distances, points or a graph, got {metric!r}; pass the points themselves")
    array = check.floats(metric, "metric")
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        array = _settle(array)
        if not array.diagonal().any() and (array == array.T).all():
            return Dense(check.distances(array, "metric"))
    if array.ndim != 2:
        raise ValueError(
            f"metric must be a square matrix of distances or an array with one point per row, got shape {array.shape}; "
            "scipy.spatial.distance.squareform makes a condensed vector square"
        )
    return Euclidean(check.points(array, "metric as points"))


def _settle(array: Floats) -> Floats:
    """Make distances exactly symmetric, return points unchanged, and raise an error for arrays that may be either."""
    small = 1e-9 * np.abs(array).max()
    symmetric, hollow = bool((np.abs(array - array.T) <= small).all()), bool((np.abs(array.diagonal()) <= small).all())
    if symmetric and hollow:
        array = (array + array.T) / 2
        np.fill_diagonal(array, 0.0)
    elif hollow and len(array) > 1:
        raise ValueError(
            "metric is square with zeros on the diagonal but not symmetric: distances must be symmetric, "
            "pass (D + D.T) / 2; for points pass wt.Euclidean(X)"
        )
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
    rows.data = within_range(rows.data, rows.indptr)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    empty = np.flatnonzero(np.diff(rows.indptr) == 0)
    if len(empty):
        raise ValueError(f"every measure needs mass, but {name} number {empty[0]} has none; drop it")
    return discrete(rows.indptr, rows.indices, rows.data, np.zeros(rows.shape[0], np.intp), n_points)


def _matrix(measures: MeasuresLike, n_points: int, name: str) -> csr_array:
    if issparse(measures):
        rows = csr_array(measures, dtype=np.float64, copy=True)
        rows.check_format(full_check=True)
        return rows
    if hasattr(measures, "__array__") or _is_table(measures):
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


def _is_table(measures: MeasuresLike) -> bool:
    """Whether the measures are a nested list of numbers."""
    return (
        isinstance(measures, Sequence)
        and all(
            isinstance(row, Sequence) and len(row) > 0 and all(np.ndim(x) == 0 for x in row) for row in measures[:1]
        )
        and len(measures) > 0
        and not isinstance(measures[0], str)
    )


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
        raise ValueError(f"indices of {name} must be whole numbers from 0 to {n_points - 1}, got {indices!r}")
    return indices.astype(np.intp), weights


def as_pairs(pairs: ArrayLike, n: int) -> Ints:
    """Check pairs of indices of measures, shape (k, 2)."""
    array = np.asarray(pairs)
    if array.size == 0:
        return np.empty((0, 2), np.intp)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"pairs must be a k × 2 array of whole numbers, got shape {array.shape} of {array.dtype}; "
            "np.column_stack([i, j]) makes one"
        )
    if array.min() < 0 or array.max() >= n:
        raise ValueError(f"pairs must hold indices of measures from 0 to {n - 1}, got {array.min()} to {array.max()}")
    return array.astype(np.intp)
