"""Gaussians under the Wasserstein distance: the GT distance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._types import Floats, Ints
from ..kernels.geometry import Cloud, GaussianLine, GaussianPlane, GaussianSolid, Geometry
from .euclidean import Euclidean
from .metric import Metric, matched
from .search import Search, sort_into_cells


@dataclass(frozen=True, eq=False)
class GaussianMetric(Metric):
    """d² = ‖x − y‖² + λ·dcov²(Σ_x, Σ_y): W2 of N(x, λΣ_x) and N(y, λΣ_y), never stored unless asked for.

    The covariances are kept unscaled, so another λ needs no new neighbourhoods.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> means, covs = np.zeros((2, 1)), np.array([[[1.0]], [[9.0]]])
    >>> wt.GaussianMetric(means, covs, lam=4.0).dense()
    array([[0., 4.],
           [4., 0.]])
    """

    means: Floats
    covs: Floats
    lam: float
    triangle = True

    @property
    def n(self) -> int:
        return len(self.means)

    @property
    def steps(self) -> float:
        m = self.means.shape[1]
        return float(m) if self.lam == 0 else 5.0 if m <= 2 else 20.0 * m**3

    @cached_property
    def geometry(self) -> Geometry:
        m = self.means.shape[1]
        if self.lam == 0:
            return Cloud(self.means)
        if m == 1:
            variances = np.ascontiguousarray(self.covs[:, 0, 0])
            return GaussianLine(self.means, variances, np.sqrt(variances), self.lam)
        sizes = np.sqrt(np.trace(self.covs, axis1=1, axis2=2))
        if m == 2:
            entries = np.ascontiguousarray(self.covs.reshape(-1, 4)[:, [0, 1, 3]])
            rootdets = _root_determinants(entries)
            return GaussianPlane(self.means, entries, _halves(entries, rootdets), rootdets, sizes, self.lam)
        return GaussianSolid(self.means, self.covs, _roots(self.covs), sizes, self.lam, np.empty((2, m, m)))

    def take(self, rows: Ints) -> GaussianMetric:
        return GaussianMetric(np.ascontiguousarray(self.means[rows]), np.ascontiguousarray(self.covs[rows]), self.lam)

    def movement(self, other: Metric) -> float:
        if isinstance(other, Euclidean):
            other = GaussianMetric(other.points, np.zeros_like(self.covs), self.lam)
        if not isinstance(other, GaussianMetric):
            return other.movement(self)
        both = GaussianMetric(
            np.concatenate([self.means, other.means]), np.concatenate([self.covs, other.covs]), other.lam
        )
        return float(matched(both).max())

    def search(self, reach: float) -> Search:
        if not np.isfinite(reach):
            return Search.exhaustive(self.n, self.geometry)
        order, cells = sort_into_cells(self.means, reach)  # ‖x − y‖ ≤ d: who is far in space is far in the metric
        return Search(order, cells, _take(self.geometry, order))


def _take(geometry: Geometry, rows: Ints) -> Geometry:
    """The geometry of the listed points: roots are not taken again."""
    picked: dict[str, Any] = {
        name: np.ascontiguousarray(field[rows])
        for name, field in geometry._asdict().items()
        if isinstance(field, np.ndarray) and name != "scratch"
    }
    return geometry._replace(**picked)


def _root_determinants(entries: Floats) -> Floats:
    a, b, c = entries.T
    # scaled so that neither tiny nor huge covariances leave the range of floats
    size = np.maximum(a, c)
    size[size == 0] = 1.0
    a, b, c = a / size, b / size, c / size
    return np.asarray(size * np.sqrt(np.maximum(a * c - b * b, 0.0)))  # ≥ 0 in theory; clip what rounding adds


def _halves(entries: Floats, rootdets: Floats) -> Floats:
    """Entries of the square roots: A^½ = (A + √det·I) / √(tr A + 2√det)."""
    a, b, c = entries.T
    norm = np.sqrt(a + c + 2 * rootdets)
    norm[norm == 0] = 1.0
    return np.ascontiguousarray(np.stack([a + rootdets, b, c + rootdets], axis=1) / norm[:, None])


def _roots(covs: Floats) -> Floats:
    values, vectors = np.linalg.eigh(covs)
    values = np.sqrt(np.maximum(values, 0.0))
    return np.ascontiguousarray((vectors * values[:, None, :]) @ vectors.transpose(0, 2, 1))
