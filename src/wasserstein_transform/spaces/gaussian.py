"""Gaussians under the Wasserstein distance: the GT distance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .. import _check as check
from .._types import Floats, Ints
from ..engine import Engine
from ..kernels.geometry import Cloud, GaussianLine, GaussianPlane, GaussianSolid, Geometry
from .euclidean import Euclidean
from .metric import Metric, matched
from .nearest import root_errors, root_spectra
from .search import Search, sort_into_cells

_TINY = 1e-60  # beside the largest: the formulas of the plane would leave the range of floats


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", np.ascontiguousarray(self.means, np.float64))
        object.__setattr__(self, "covs", np.ascontiguousarray(self.covs, np.float64))
        means, covs = self.means.shape, self.covs.shape
        if len(means) != 2 or covs != (*means, means[1]):
            raise ValueError(f"means of shape (n, m) need covs of shape (n, m, m), got {means} and {covs}")
        check.lam(self.lam)

    @property
    def n(self) -> int:
        return len(self.means)

    @property
    def steps(self) -> float:
        m = self.means.shape[1]
        return float(m) if self.lam == 0 else 5.0 if m <= 2 else 300.0 + 50.0 * m**2 + m**3

    @cached_property
    def geometry(self) -> Geometry:
        m = self.means.shape[1]
        if self.lam == 0:
            return Cloud(self.means)
        # the largest covariance becomes 1, by a power of 2, so that no product of entries leaves the range of floats
        unit = float(np.ldexp(1.0, min(np.frexp(np.abs(self.covs).max())[1], 1023)))
        covs, lam = self.covs / unit, self.lam * unit
        if not np.isfinite(2 * m * lam):
            raise ValueError(
                f"lam={self.lam:g} times covariances up to {np.abs(self.covs).max():.3g} leaves the range of floats; "
                "use coordinates in a larger unit, or a smaller lam"
            )
        if m == 1:
            variances = np.ascontiguousarray(covs[:, 0, 0])
            return GaussianLine(self.means, variances, np.sqrt(variances), lam)
        traces = np.trace(covs, axis1=1, axis2=2)
        if m == 2 and not ((traces > 0) & (traces < _TINY)).any():
            a, b, c = (np.ascontiguousarray(covs[:, k, l]) for k, l in ((0, 0), (0, 1), (1, 1)))
            x, y = (np.ascontiguousarray(column) for column in self.means.T)
            return GaussianPlane(x, y, a, b, c, _root_determinants(a, b, c), np.sqrt(a + c), lam * (a + c), lam)
        return GaussianSolid(self.means, covs, *_factors(covs), lam, np.empty((3, m, m)))

    def take(self, rows: Ints) -> GaussianMetric:
        return GaussianMetric(np.ascontiguousarray(self.means[rows]), np.ascontiguousarray(self.covs[rows]), self.lam)

    @property
    def n_bytes(self) -> int:
        return self.means.nbytes + self.covs.nbytes

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        if isinstance(other, Euclidean):
            other = GaussianMetric(other.points, np.zeros_like(self.covs), self.lam)
        if not isinstance(other, GaussianMetric):
            return other.movement(self, engine)
        both = GaussianMetric(
            np.concatenate([self.means, other.means]), np.concatenate([self.covs, other.covs]), other.lam
        )
        return float(matched(both).max())

    def shadow(self) -> Floats:
        if self.lam == 0:
            return self.means
        unit = float(np.ldexp(1.0, np.frexp(np.abs(self.covs).max())[1]))  # as in the geometry
        roots = np.sqrt(self.lam * unit) * _root_spectra(self.covs / unit)
        return np.concatenate([self.means, roots], axis=1)  # Σ(√λ_k(A) − √λ_k(B))² ≤ dcov²

    def blur(self, shadow: Floats) -> Floats:
        roots = shadow[:, self.means.shape[1] :]
        if roots.shape[1] <= 2:  # closed forms know each root to its last digits
            return np.asarray(1e-15 * np.linalg.norm(roots, axis=1))
        return root_errors(roots)

    @property
    def is_euclidean(self) -> bool:
        return self.lam == 0

    def joins(self, other: Metric) -> bool:
        return isinstance(other, GaussianMetric)

    def beside(self, other: Metric) -> GaussianMetric:
        if not isinstance(other, GaussianMetric):
            raise TypeError(f"new points must be a GaussianMetric, as these are, got {type(other).__name__}")
        here, there = (self.means.shape[1], self.lam), (other.means.shape[1], other.lam)
        if here != there:
            raise ValueError(
                f"new Gaussians must live in R^{here[0]} with lam={here[1]:g}, got R^{there[0]} with lam={there[1]:g}"
            )
        return GaussianMetric(
            np.concatenate([self.means, other.means]), np.concatenate([self.covs, other.covs]), self.lam
        )

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


def _root_spectra(covs: Floats) -> Floats:
    """Roots of the eigenvalues of covariances, rising."""
    if covs.shape[1] == 1:
        return np.asarray(np.sqrt(covs[:, 0]))
    if covs.shape[1] > 2:
        return root_spectra(covs)
    a, b, c = covs.reshape(-1, 4)[:, [0, 1, 3]].T
    large = np.sqrt((a + c) / 2 + np.hypot((a - c) / 2, b))
    small = _root_determinants(a, b, c) / np.where(large > 0, large, 1.0)
    return np.stack([small, large], axis=1)


def _root_determinants(a: Floats, b: Floats, c: Floats) -> Floats:
    exponents = np.frexp(a + c)[1]  # each matrix is brought near 1: tiny ones have a determinant, too
    a, b, c = (np.ldexp(entry, -exponents) for entry in (a, b, c))
    (ac, ac_rest), (bb, bb_rest) = _exact_product(a, c), _exact_product(b, b)
    det = (ac - bb) + (ac_rest - bb_rest)
    root = np.sqrt(np.maximum(det, 0.0))  # ≥ 0 in theory; clip what the rounding of the entries adds
    return np.asarray(np.ldexp(root, exponents))


def _exact_product(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The product and what rounding it lost (Dekker): a·c − b² is then good to its last digits."""
    (x_high, x_low), (y_high, y_low) = _halve(x), _halve(y)
    product = x * y
    return product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def _halve(x: Floats) -> tuple[Floats, Floats]:
    """The upper and the lower half of the digits."""
    big = 134217729.0 * x
    high = big - (big - x)
    return high, x - high


def _factors(covs: Floats) -> tuple[Floats, Floats, Ints, Floats]:
    """Square roots, thin factors, ranks and roots of the eigenvalues of covariances."""
    values, vectors = np.empty(covs.shape[:2]), np.empty_like(covs)
    piece = max(1, int(1e7 / covs.shape[1] ** 3))  # LAPACK does not hear Ctrl-C
    with threadpool_limits(1, user_api="blas"):  # on small matrices its threads only wait for each other
        for start in range(0, len(covs), piece):
            part = slice(start, start + piece)
            values[part], vectors[part] = np.linalg.eigh(covs[part])
    noise = 2e-16 * covs.shape[1] * values[:, -1:]  # what rounding makes of an eigenvalue 0
    spectra = np.sqrt(np.where(values > noise, values, 0.0)[:, ::-1])
    columns = vectors[:, :, ::-1]
    halves = (columns * spectra[:, None, :]) @ columns.transpose(0, 2, 1)
    factors = (columns * spectra[:, None, :]).transpose(0, 2, 1)
    ranks = np.count_nonzero(spectra, axis=1)
    return np.ascontiguousarray(halves), np.ascontiguousarray(factors), ranks, np.ascontiguousarray(spectra)
