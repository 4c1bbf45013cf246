"""Measured points with errors as Gaussians: their W2 distances, as a metric and as coordinates.

W2²(N(x, Σ), N(y, Τ)) = |x − y|² + Bures²(Σ, Τ). With standard errors s, t of independent coordinates this is
|x − y|² + |s − t|²: the Euclidean distance of (x, s) and (y, t). With full covariances, distances are those of
`GaussianMetric`, and the coordinates are x and the entries of Σ^(1/2), whose distance is at least W2, and equals it
where covariances commute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Floats
from ..spaces import GaussianMetric, Space
from ..tables.features import Features, is_frame

BY_ERRORS = "points are Gaussians with the given errors, and distances are W2"


def names_in(covariances: Any) -> Sequence[str] | None:
    """Return covariances that are names of columns; None if they are numbers."""
    named = isinstance(covariances, list | tuple) and covariances and all(isinstance(one, str) for one in covariances)
    return covariances if named else None


def with_errors(table: Features, covariances: ArrayLike | Sequence[str] | bool | None, metric: str) -> Features:
    """Return a table with checked errors of its points: those given, of its columns, or none."""
    if covariances is None or covariances is False:
        return replace(table, errors=None, error_names=())
    if metric != "euclidean":
        raise ValueError(f"covariances need metric='euclidean', got metric={metric!r}; leave one of them out")
    if names_in(covariances) or covariances is True:
        if table.errors is None:
            raise ValueError("X has no columns of standard errors, such as x_err beside x; give covariances as numbers")
        return table
    return replace(table, errors=check_errors(covariances, *table.values.shape), error_names=())


def check_errors(covariances: ArrayLike, n: int, m: int) -> Floats:
    """Return standard errors of shape (n, m) or covariances of shape (n, m, m); raise if they are none."""
    try:
        errors = np.array(covariances, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"covariances must be numbers or names of columns, got {check.shown(covariances)}") from None
    if errors.shape not in ((n, m), (n, m, m)):
        raise ValueError(
            f"covariances must be standard errors of shape {(n, m)} or covariances of shape {(n, m, m)}, "
            f"got shape {errors.shape}"
        )
    if not np.isfinite(errors).all():
        row = int(np.argwhere(~np.isfinite(errors))[0, 0])
        raise ValueError(f"covariances must be finite, got those of row {row}; leave the row out, or give 0")
    if errors.ndim == 3:
        return check.covariances(errors, "covariances")
    if (errors < 0).any():
        raise ValueError(f"standard errors must not be negative, got {errors.min():g}")
    return errors


def space_of(means: Floats, errors: Floats, weights: ArrayLike | None) -> Space:
    """Return the space of the Gaussians, with W2 as its metric."""
    points = coordinates_of(means, errors)
    space = Space.from_points(points, weights)
    return space if errors.ndim == 2 else Space(gaussians_of(points, means.shape[1]), space.weights, space.points)


def coordinates_of(means: Floats, errors: Floats) -> Floats:
    """Return means and standard errors, or means and entries of the roots of covariances, off the diagonal times √2."""
    if errors.ndim == 2:
        return np.column_stack([means, errors])
    values, axes = np.linalg.eigh(errors)
    roots = (axes * np.sqrt(np.maximum(values, 0.0))[:, None]) @ axes.swapaxes(1, 2)
    i, j = np.triu_indices(means.shape[1])
    return np.column_stack([means, roots[:, i, j] * np.where(i == j, 1.0, np.sqrt(2.0))])


def gaussians_of(points: Floats, m: int) -> GaussianMetric:
    """Return the metric of the Gaussians with these coordinates."""
    i, j = np.triu_indices(m)
    roots = np.empty((len(points), m, m))
    roots[:, i, j] = roots[:, j, i] = points[:, m:] / np.where(i == j, 1.0, np.sqrt(2.0))
    return GaussianMetric(points[:, :m], roots @ roots, 1.0)


def new_points(table: Features | None, X: Any, covariances: ArrayLike | None) -> Floats:
    """Return the coordinates of new points in the reading that is used; NaN in rows with gaps."""
    if table is None or table.errors is None:
        if covariances is not None:
            raise ValueError("covariances were not given to wt.cluster, so predict takes none; leave them out")
        return check.points(X, "X") if table is None else table.transform(X)
    new, full = table.transform(X), table.errors.ndim == 3
    if covariances is not None:
        errors = check_errors(covariances, *new.shape)
    elif table.error_names and is_frame(X):
        from ..tables.frames import read_errors  # noqa: PLC0415  needs pandas

        errors = read_errors(X, table.error_names)
    else:
        kind = "covariances" if full else "standard errors"
        raise ValueError(
            f"the fitted points have errors, so predict needs the {kind} of the new ones: predict(X, covariances=...)"
        )
    if full and errors.ndim == 2:
        errors = errors[:, :, None] ** 2 * np.eye(new.shape[1])
    elif errors.ndim == 3 and not full:
        raise ValueError(f"covariances must be standard errors of shape {new.shape}, as the fitted ones")
    return coordinates_of(new, table.scale_errors(errors))
