"""Points as they are stored: which row of the source each was, where it is, and what it carries."""

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
    """Columns of some points of a cloud in R^m.

    Attributes
    ----------
    rows : array of shape (n,)
        Their numbers in the source.
    places : array of shape (n, m)
    covs : array of shape (n, m(m+1)/2), or None
        The lower triangles of their covariances.
    weights : array of shape (n,), or None
        Masses as the source has them; without any, all are equal.
    massless : array of shape (n,), or None
        1 for points that saw no mass in a step; without weights, there are none.
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
        """The columns there are, by name."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: column for name, column in found.items() if column is not None}

    def take(self, which: Ints) -> Points:
        """The points of these numbers."""
        return Points(**{name: column.take(which, axis=0) for name, column in self.columns.items()})

    def metric(self, lam: float | None) -> Euclidean | GaussianMetric:
        """The metric of a state of the flow; lam is None where points have no covariances."""
        if lam is None or self.covs is None:
            return Euclidean(self.places)
        return GaussianMetric(self.places, unpacked(self.covs, self.places.shape[1]), lam)


class Scale(NamedTuple):
    """Makes masses of total 1 of weights: w / largest / total; of the whole cloud."""

    largest: float
    total: float


def masses(points: Points, scale: Scale | None, n: int) -> Floats:
    """The masses of some points of a cloud of n."""
    if points.weights is None or scale is None:
        return np.full(points.n, 1.0 / n)
    return np.asarray(points.weights / scale.largest / scale.total)


def joined(parts: Sequence[Points]) -> Points:
    """All points of the parts, at least one; they have the same columns."""
    if len(parts) == 1:
        return parts[0]
    return Points(**{name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns})


def packed(covs: Floats) -> Floats:
    """The lower triangles of symmetric matrices."""
    below = np.tril_indices(covs.shape[1])
    return np.ascontiguousarray(covs[:, below[0], below[1]])


def unpacked(triangles: Floats, m: int) -> Floats:
    """Symmetric matrices from their lower triangles."""
    covs = np.empty((len(triangles), m, m))
    for k, (i, j) in enumerate(zip(*np.tril_indices(m), strict=True)):
        covs[:, i, j] = covs[:, j, i] = triangles[:, k]
    return covs


def after_step(before: Points, metric: Euclidean | GaussianMetric, massless: Bools) -> Points:
    """Points after a step, with what they carried before it, and who of them has ever seen no mass."""
    covs = packed(metric.covs) if isinstance(metric, GaussianMetric) else None
    ever = None if before.massless is None else before.massless | massless.astype(np.uint8)
    return Points(before.rows, metric.places, covs, before.weights, ever)
