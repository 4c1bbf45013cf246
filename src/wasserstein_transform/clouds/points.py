"""Points: columns of a stored cloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._types import Bools, Floats, Ints
from ..spaces import Euclidean, GaussianMetric

Rows: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Points:
    """Columns of n points of a cloud in R^m; `StoredTrajectory.chunks` yields them.

    Attributes
    ----------
    rows : array of int, shape (n,)
        Row numbers in the source.
    places : array of shape (n, m)
        Coordinates.
    covs : array of shape (n, m(m+1)/2), or None
        Lower triangles of the covariances, row by row; None after mean shift.
    weights : array of shape (n,), or None
        Weights as in the source; None means equal weights.
    massless : array of uint8, shape (n,), or None
        1 for points that had no mass within reach in some step; None without weights.

    Examples
    --------
    >>> import tempfile, numpy as np, wasserstein_transform as wt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", [[0.0], [1.0], [5.0]])
    ...     walk = wt.clouds.iterate(wt.mean_shift(1.0), f"{folder}/points.npy", folder=f"{folder}/run", n_iter=1)
    ...     for points in walk.chunks():
    ...         print(points.rows, points.places.ravel())
    [0 1 2] [0.5 0.5 5. ]
    """

    rows: Rows
    places: Floats
    covs: Floats | None = None
    weights: Floats | None = None
    massless: NDArray[np.uint8] | None = None

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.rows)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns that are not None, by name."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: column for name, column in found.items() if column is not None}

    def take(self, which: Ints) -> Points:
        """Return the points of these indices."""
        return Points(**{name: column.take(which, axis=0) for name, column in self.columns.items()})

    def metric(self, lam: float | None) -> Euclidean | GaussianMetric:
        """Return the metric of a state of the flow; `lam` is None if points have no covariances."""
        if lam is None or self.covs is None:
            return Euclidean(self.places)
        return GaussianMetric(self.places, unpacked(self.covs, self.places.shape[1]), lam)


class Scale(NamedTuple):
    """Converts weights of the whole cloud to masses of total 1: w / largest / total."""

    largest: float
    total: float


def masses(points: Points, scale: Scale | None, n: int) -> Floats:
    """Return the masses of some points of a cloud of n points."""
    if points.weights is None or scale is None:
        return np.full(points.n, 1.0 / n)
    return np.asarray(points.weights / scale.largest / scale.total)


def joined(parts: Sequence[Points]) -> Points:
    """Concatenate points with the same columns; at least one part."""
    if len(parts) == 1:
        return parts[0]
    return Points(**{name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns})


def packed(covs: Floats) -> Floats:
    """Return the lower triangles of symmetric matrices."""
    below = np.tril_indices(covs.shape[1])
    return np.ascontiguousarray(covs[:, below[0], below[1]])


def unpacked(triangles: Floats, m: int) -> Floats:
    """Return symmetric matrices from their lower triangles."""
    covs = np.empty((len(triangles), m, m))
    for k, (i, j) in enumerate(zip(*np.tril_indices(m), strict=True)):
        covs[:, i, j] = covs[:, j, i] = triangles[:, k]
    return covs


def after_step(before: Points, metric: Euclidean | GaussianMetric, massless: Bools) -> Points:
    """Return points after a step, with their rows and weights, and a mark on those that ever had no mass in reach."""
    covs = packed(metric.covs) if isinstance(metric, GaussianMetric) else None
    ever = None if before.massless is None else before.massless | massless.astype(np.uint8)
    return Points(before.rows, metric.places, covs, before.weights, ever)


_DIGITS, _HALF = 53, 26  # bits of a float's mantissa, and those summed separately to fit in 64-bit integers
_SHIFT = 1127  # power of two that makes the smallest float an integer


def exact_sum(values: Floats) -> int:
    """Return the exact sum of at most 2³⁶ finite numbers ≥ 0, times 2^_SHIFT, as an integer."""
    fractions, exponents = np.frexp(values)
    whole = (fractions * 2.0**_DIGITS).astype(np.int64)
    total = 0
    for exponent in np.unique(exponents).tolist():
        these = whole[exponents == exponent]
        high, low = int((these >> _HALF).sum()), int((these & ((1 << _HALF) - 1)).sum())
        total += ((high << _HALF) + low) << (exponent - _DIGITS + _SHIFT)
    return total


def rounded(total: int) -> float:
    """Return the float nearest to an exact sum."""
    return total / (1 << _SHIFT)
