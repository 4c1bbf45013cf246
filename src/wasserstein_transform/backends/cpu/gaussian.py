"""Gaussians for compiled loops: roots, factors and spectra of their covariances, made once."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ..._types import Floats, Ints
from ...kernels.geometry import Cloud, GaussianLine, GaussianPlane, GaussianSolid, Geometry
from ..forms import GaussianCloud

_TINY = 1e-60  # beside the largest: the formulas of the plane would leave the range of floats


def steps(form: GaussianCloud) -> float:
    """What one distance costs."""
    m = form.means.shape[1]
    return float(m) if form.lam == 0 else 5.0 if m <= 2 else 300.0 + 50.0 * m**2 + m**3


def unit_of(covs: Floats) -> float:
    """A power of two at the size of the largest covariance: divided by it, no product of entries leaves the floats."""
    return float(np.ldexp(1.0, min(np.frexp(np.abs(covs).max(initial=0.0))[1], 1023)))


def is_planar(covs: Floats, unit: float) -> bool:
    """Whether the formulas of the plane are good for all of them."""
    if covs.shape[1] != 2:
        return False
    traces = (covs[:, 0, 0] + covs[:, 1, 1]) / unit
    return not bool(((traces > 0) & (traces < _TINY)).any())


def geometry(form: GaussianCloud) -> Geometry:
    """The arrays distances are read from."""
    m = form.means.shape[1]
    if form.lam == 0:
        return Cloud(form.means)
    unit = unit_of(form.covs) if form.frame is None else form.frame.unit
    covs, lam = form.covs / unit, form.lam * unit
    if not np.isfinite(2 * m * lam):
        raise ValueError(
            f"lam={form.lam:g} times covariances up to {np.abs(form.covs).max():.3g} leaves the range of floats; "
            "use coordinates in a larger unit, or a smaller lam"
        )
    if m == 1:
        variances = np.ascontiguousarray(covs[:, 0, 0])
        return GaussianLine(form.means, variances, np.sqrt(variances), lam)
    if is_planar(form.covs, unit) if form.frame is None else form.frame.planar:
        a, b, c = (np.ascontiguousarray(covs[:, k, l]) for k, l in ((0, 0), (0, 1), (1, 1)))
        x, y = (np.ascontiguousarray(column) for column in form.means.T)
        return GaussianPlane(x, y, a, b, c, _root_determinants(a, b, c), np.sqrt(a + c), lam * (a + c), lam)
    return GaussianSolid(form.means, covs, *_factors(covs), lam, np.empty((3, m, m)))


def shadow(form: GaussianCloud) -> Floats:
    """Means beside the roots of the spectra: Σ(√λ_k(A) − √λ_k(B))² ≤ dcov²."""
    if form.lam == 0:
        return form.means
    unit = float(np.ldexp(1.0, np.frexp(np.abs(form.covs).max())[1]))  # as in the geometry
    roots = np.sqrt(form.lam * unit) * _root_spectra(form.covs / unit)
    return np.concatenate([form.means, roots], axis=1)


def blur(form: GaussianCloud, shadow: Floats) -> Floats:
    """How far rounding can have moved each place of the shadow."""
    roots = shadow[:, form.means.shape[1] :]
    if roots.shape[1] == 0:
        return np.zeros(len(shadow))
    if roots.shape[1] <= 2:  # closed forms know each root to its last digits
        return np.asarray(1e-15 * np.linalg.norm(roots, axis=1))
    squares = roots * roots
    off = _rounding(roots.shape[1], squares.max(axis=1, keepdims=True))
    widths = np.sqrt(squares + off) - np.sqrt(np.maximum(squares - off, 0.0))
    return np.asarray(np.linalg.norm(widths, axis=1) + 1e-15 * np.linalg.norm(roots, axis=1))


def _root_spectra(covs: Floats) -> Floats:
    """Roots of the eigenvalues of covariances, rising."""
    if covs.shape[1] == 1:
        return np.asarray(np.sqrt(covs[:, 0]))
    if covs.shape[1] > 2:
        return _root_eigenvalues(covs)
    a, b, c = covs.reshape(-1, 4)[:, [0, 1, 3]].T
    large = np.sqrt((a + c) / 2 + np.hypot((a - c) / 2, b))
    small = _root_determinants(a, b, c) / np.where(large > 0, large, 1.0)
    return np.stack([small, large], axis=1)


def _root_eigenvalues(covs: Floats) -> Floats:
    """The same in more dimensions; what is small enough to be rounding is the same for all."""
    values = np.empty(covs.shape[:2])
    piece = max(1, int(1e7 / covs.shape[1] ** 3))  # LAPACK does not hear Ctrl-C
    with threadpool_limits(1, user_api="blas"):  # on small matrices its threads only wait for each other
        for start in range(0, len(covs), piece):
            values[start : start + piece] = np.linalg.eigvalsh(covs[start : start + piece])
    # roots of what rounding makes of 0 would be far apart; raising small numbers to one and the same shortens distances
    least = 1e8 * _rounding(len(covs[0]), values.max())
    return np.asarray(np.sqrt(np.maximum(values, least)))


def _rounding(m: int, largest: Any) -> Any:
    """What rounding does to the eigenvalues of an m × m matrix, given the largest."""
    return 1e-15 * m * largest


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
