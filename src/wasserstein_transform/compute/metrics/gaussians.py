"""Gaussians for the kernels: roots, factors and spectra of their covariances, computed once."""

from __future__ import annotations

from contextlib import nullcontext
from math import frexp, ldexp
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import GRAIN, Engine, Flag, Tile, cut_by_size, one_blas_thread
from ..cells.index import CellIndex
from ..cells.rows import for_tiles, rows_per_tile, take, tiles_of
from ..gaussians import plane_jit as gaussian_plane, space_jit as gaussian_space
from .geometry_jit import Cloud, GaussianLine, GaussianPlane, GaussianSolid, GaussianSpace, Geometry

if TYPE_CHECKING:
    from ...spaces import GaussianMetric

_LAPACK_STEPS = 100.0  # steps of LAPACK per entry and row of a matrix
_PIECES_PER_TILE = 64  # pieces of columns computed at a time, in 3-D


def unit_of_size(largest: float | None) -> float:
    """A power of two of the order of the largest covariance: divided by it, products of entries do not overflow."""
    return ldexp(1.0, min(frexp(largest or 0.0)[1], 1023))


def cost(metric: GaussianMetric) -> float:
    """Cost of one distance in steps."""
    m = metric.means.shape[1]
    return float(m) if metric.lam == 0 else 5.0 if m <= 2 else 80.0 if m == 3 else 300.0 + 50.0 * m**2 + m**3


def _largest(metric: GaussianMetric) -> float:
    if metric.derived.largest_covariance is None:
        metric.derived.largest_covariance = float(max(metric.covs.max(initial=0.0), -metric.covs.min(initial=0.0)))
    return metric.derived.largest_covariance


def geometry_near(metric: GaussianMetric, index: CellIndex, reach: float, engine: Engine) -> Geometry:
    """The arrays from which distances are computed, in the order of the positions of a search."""
    if index.sorted_points is None and metric.derived.geometry is not None:
        return metric.derived.geometry
    means, rows = metric.means if index.sorted_points is None else index.sorted_points, index.order
    if metric.lam == 0:
        return Cloud(means)
    unit = unit_of_size(_largest(metric))
    gaussians = _Gaussians(means, metric.covs, rows, unit, _scale_lam(metric, unit))
    if means.shape[1] == 2:
        n = len(rows)
        columns, tiles = np.empty((8, n)), tiles_of(n)
        good = np.empty(len(tiles), np.uint8)  # whether the formulas for the plane are accurate

        def fill(tile: Tile, stop: Flag) -> None:
            part = slice(*tile)
            values = (column[part] for column in columns)
            good[tile.start // rows_per_tile(n)] = gaussian_plane.fill_plane(
                means[part], metric.covs, rows[part], unit, gaussians.lam, *values
            )

        for_tiles("covariances", tiles, fill, engine)
        if good.all():
            return GaussianPlane._make([*columns, gaussians.lam])
    m = means.shape[1]
    make = _line if m == 1 else _space if m == 3 else _solid
    with nullcontext() if m <= 3 else one_blas_thread():  # more threads only wait for each other on small matrices
        return make(gaussians, engine)


def rows_of_tile(m: int) -> int:
    """Matrices per call of LAPACK, in four or more dimensions."""
    return max(1, int(GRAIN / (_LAPACK_STEPS * m**3)))


def _scale_lam(metric: GaussianMetric, unit: float) -> float:
    """λ for covariances divided by `unit`."""
    scaled = metric.lam * unit
    if not np.isfinite(2 * metric.means.shape[1] * scaled):
        raise ValueError(
            f"lam={metric.lam:g} times covariances up to {_largest(metric):.3g} leaves the range of floats; "
            "use coordinates in a larger unit, or a smaller lam"
        )
    return scaled


class _Gaussians(NamedTuple):
    """Means, and covariances covs[rows] / unit."""

    means: Floats
    covs: Floats
    rows: Ints
    unit: float
    lam: float


def _line(gaussians: _Gaussians, engine: Engine | None) -> GaussianLine:
    variances = take(gaussians.covs[:, 0, 0], gaussians.rows, engine) / gaussians.unit
    return GaussianLine(gaussians.means, variances, np.sqrt(variances), gaussians.lam)


def _space(gaussians: _Gaussians, engine: Engine | None) -> GaussianSpace:
    n = -(-len(gaussians.rows) // gaussian_space.PIECE)
    columns = np.empty((n, gaussian_space.N_COLUMNS, gaussian_space.PIECE))

    def fill(tile: Tile, stop: Flag) -> None:
        part = slice(tile.start * gaussian_space.PIECE, tile.stop * gaussian_space.PIECE)
        scratch = np.empty(gaussian_space.N_SCRATCH * gaussian_space.PIECE)
        gaussian_space.fill_columns(
            gaussians.means[part], gaussians.covs, gaussians.rows[part], gaussians.unit, columns[slice(*tile)], scratch
        )

    for_tiles("covariances", cut_by_size(n, _PIECES_PER_TILE), fill, engine)
    return GaussianSpace(columns.reshape(-1), gaussians.lam, np.empty((5, 3, 3)))


def _solid(gaussians: _Gaussians, engine: Engine | None) -> GaussianSolid:
    n, m = len(gaussians.rows), gaussians.means.shape[1]
    covs, halves, factors = np.empty((3, n, m, m))
    ranks, spectra = np.empty(n, np.intp), np.empty((n, m))

    def fill(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        np.take(gaussians.covs, gaussians.rows[part], axis=0, out=covs[part], mode="clip")
        covs[part] /= gaussians.unit
        halves[part], factors[part], ranks[part], spectra[part] = _factors(covs[part])

    for_tiles("covariances", cut_by_size(n, rows_of_tile(m)), fill, engine)
    return GaussianSolid(gaussians.means, covs, halves, factors, ranks, spectra, gaussians.lam, np.empty((3, m, m)))


def contraction(metric: GaussianMetric) -> Floats:
    """Means joined with the roots of the spectra, whose distances are lower bounds: Σ(√λ_k(A) − √λ_k(B))² ≤ dcov²."""
    if metric.lam == 0:
        return metric.means
    unit = float(np.ldexp(1.0, np.frexp(np.abs(metric.covs).max())[1]))  # as in the geometry
    roots = np.sqrt(metric.lam * unit) * _root_spectra(metric.covs / unit)
    return np.concatenate([metric.means, roots], axis=1)


def rounding(metric: GaussianMetric, contraction: Floats) -> Floats:
    """Bounds of the rounding error of each point of the contraction."""
    roots = contraction[:, metric.means.shape[1] :]
    if roots.shape[1] == 0:
        return np.zeros(len(contraction))
    squares = roots * roots
    off = _eigenvalue_error(roots.shape[1], squares.max(axis=1, keepdims=True))
    widths = np.sqrt(squares + off) - np.sqrt(np.maximum(squares - off, 0.0))
    return np.asarray(np.linalg.norm(widths, axis=1) + 1e-15 * np.linalg.norm(roots, axis=1))


def _root_spectra(covs: Floats) -> Floats:
    """Square roots of the eigenvalues of covariances, in increasing order."""
    values: Floats = np.empty(covs.shape[:2])
    piece = max(1, int(1e7 / covs.shape[1] ** 3))  # LAPACK cannot be interrupted by Ctrl-C
    with one_blas_thread():
        for start in range(0, len(covs), piece):
            values[start : start + piece] = np.linalg.eigvalsh(covs[start : start + piece])
    # roots of rounding errors of 0 would be far apart; raising small values to a common one can only shorten distances
    least = 1e8 * _eigenvalue_error(values.shape[1], values.max())
    return np.asarray(np.sqrt(np.maximum(values, least)))


def _eigenvalue_error(m: int, largest: Any) -> Any:
    """Bound of the rounding error of the eigenvalues of an m × m matrix, given the largest."""
    return 2e-15 * m * largest


def _factors(covs: Floats) -> tuple[Floats, Floats, Ints, Floats]:
    """Square roots, thin factors, ranks and roots of the eigenvalues of covariances."""
    values, vectors = np.linalg.eigh(covs)
    noise = 2e-16 * covs.shape[1] * values[:, -1:]  # rounding error of an eigenvalue 0
    spectra = np.sqrt(np.where(values > noise, values, 0.0)[:, ::-1])
    columns = vectors[:, :, ::-1]
    halves = (columns * spectra[:, None, :]) @ columns.transpose(0, 2, 1)
    factors = (columns * spectra[:, None, :]).transpose(0, 2, 1)
    return halves, factors, np.count_nonzero(spectra, axis=1), spectra
