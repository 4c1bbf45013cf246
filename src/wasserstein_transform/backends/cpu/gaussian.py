"""Gaussians for the kernels: roots, factors and spectra of their covariances, computed once."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import GRAIN, Engine, Flag, PerArray, Record, Rows, Task, Tile, Tilewise, of_size, one_blas_thread
from ...kernels.columns import N_COLUMNS, N_SCRATCH, PIECE, fill_columns
from ...kernels.distances import fill_matched
from ...kernels.gather import take_rows
from ...kernels.geometry import Cloud, GaussianLine, GaussianPlane, GaussianSolid, GaussianSpace, Geometry, for_thread
from ...kernels.lanes import scratch_size
from ...kernels.planes import fill_plane, fill_root_determinants
from ...kernels.qd_lanes import LANES
from ..forms import GaussianCloud
from ..frame import unit_of_size
from .passes import flatten, run, size, size_of, taken, tiles_of
from .sorting import Sorted

_EXPENSIVE = 100.0  # steps of LAPACK per entry and row of a matrix
_MOST = 24  # largest dimension in which processing several pairs in SIMD lanes is faster
_PIECES = 64  # pieces of columns that a task computes at a time, in 3-D
_TINY = 1e-60  # smaller traces, relative to the largest entry, would underflow in the formulas for the plane


def cost(form: GaussianCloud) -> float:
    """Cost of one distance in steps."""
    m = form.means.shape[1]
    return float(m) if form.lam == 0 else 5.0 if m <= 2 else 80.0 if m == 3 else 300.0 + 50.0 * m**2 + m**3


def unit_of(covs: Floats, engine: Engine | None = None) -> float:
    """The unit of covariances."""
    return unit_of_size(size(covs, engine))


def sizes(form: GaussianCloud, engine: Engine) -> tuple[float, float]:
    """The largest absolute entry of all covariances, and the least positive trace; infinity if there is none."""
    return _largest(form, engine), _least_trace(form.covs)


def is_planar(covs: Floats, unit: float) -> bool:
    """Whether the formulas for the plane are accurate for all covariances."""
    return covs.shape[1] == 2 and is_plain(_least_trace(covs), unit)


def is_plain(least: float, unit: float) -> bool:
    """The same in the plane, given the smallest positive trace."""
    return not least / unit < _TINY


def _least_trace(covs: Floats) -> float:
    traces = np.einsum("ijj->i", covs)
    return float(np.min(traces, where=traces > 0, initial=np.inf))


def _largest(form: GaussianCloud, engine: Engine) -> float:
    return form.kept("largest covariance", lambda: size(form.covs, engine))


def geometry(form: GaussianCloud, engine: Engine, found: Sorted | None = None) -> Geometry:
    """The arrays from which distances are computed, in the original or in sorted order."""
    means, rows = (form.means, np.arange(form.n)) if found is None else (found.places, found.order)
    if form.lam == 0:
        return Cloud(means)
    frame = form.frame
    unit = unit_of_size(_largest(form, engine)) if frame is None else frame.unit
    asked = _Gaussians(means, form.covs, rows, unit, _lifted(form, form.lam, unit, engine))
    with _one_thread_each(form):
        made, good = _made(asked, frame is None or frame.planar, engine)
        return made if good or frame is not None else _made(asked, False, engine)[0]


def movement(before: GaussianCloud, after: GaussianCloud, engine: Engine) -> float:
    """The largest distance between the same point before and after."""
    unit = unit_of_size(max(_largest(before, engine), _largest(after, engine)))
    found, good = part_movement(before, after, unit, True, engine)
    return found if good else part_movement(before, after, unit, False, engine)[0]


def part_movement(
    before: GaussianCloud, after: GaussianCloud, unit: float, planar: bool, engine: Engine
) -> tuple[float, bool]:
    """The same in a given unit, with the formulas for the plane or the general ones; and whether these are accurate."""
    larger = max(before, after, key=lambda form: _largest(form, engine))
    lam = _lifted(larger, after.lam, unit, engine)
    asked = _Pairs(before.means, before.covs, after.means, after.covs, unit, lam, planar)
    with _one_thread_each(before):
        return _movement(asked, engine)


class _Pairs(NamedTuple):
    means: Floats
    covs: Floats
    later_means: Floats
    later_covs: Floats
    unit: float
    lam: float
    planar: bool


def rows_of_tile(m: int) -> int:
    """Matrices per call of LAPACK, in four or more dimensions."""
    return max(1, int(GRAIN / (_EXPENSIVE * m**3)))


def _movement(asked: _Pairs, engine: Engine) -> tuple[float, bool]:
    n, m = asked.means.shape
    size = size_of(n) if m <= 3 else rows_of_tile(m)
    tiles = of_size(n, size)
    out = np.empty(len(tiles)), np.empty(len(tiles), np.uint8)
    run(Task("movement", _moved, asked, tiles, Tilewise(size)), out, engine)
    return float(out[0].max()), bool(out[1].all())


def _moved(asked: _Pairs, tile: Tile, stop: Flag, record: Record) -> None:
    part = slice(tile.start, tile.stop)
    means = np.concatenate([asked.means[part], asked.later_means[part]])
    covs = np.concatenate([asked.covs[part], asked.later_covs[part]])
    found, good = _made(_Gaussians(means, covs, np.arange(len(means)), asked.unit, asked.lam), asked.planar, None)
    moved = np.empty(tile.stop - tile.start)
    fill_matched(for_thread(found), len(moved), moved)
    record[0][0], record[1][0] = moved.max(), good


def _one_thread_each(form: GaussianCloud) -> AbstractContextManager[Any]:
    """One BLAS thread for LAPACK: on small matrices more threads only wait for each other."""
    return nullcontext() if form.means.shape[1] <= 3 else one_blas_thread()


def _lifted(form: GaussianCloud, lam: float, unit: float, engine: Engine) -> float:
    """λ for covariances divided by `unit`."""
    lifted = lam * unit
    if not np.isfinite(2 * form.means.shape[1] * lifted):
        raise ValueError(
            f"lam={lam:g} times covariances up to {_largest(form, engine):.3g} leaves the range of floats; "
            "use coordinates in a larger unit, or a smaller lam"
        )
    return lifted


class _Gaussians(NamedTuple):
    """Means, and covariances covs[rows] / unit."""

    means: Floats
    covs: Floats
    rows: Ints
    unit: float
    lam: float


def _made(asked: _Gaussians, planar: bool, engine: Engine | None) -> tuple[Geometry, bool]:
    """The geometry of the listed Gaussians, and whether its formulas are accurate for all of them."""
    m = asked.means.shape[1]
    if m == 2 and planar:
        return _plane(asked, engine)
    make = _line if m == 1 else _space if m == 3 else _solid
    return make(asked, engine), True


def _line(asked: _Gaussians, engine: Engine | None) -> GaussianLine:
    variances = taken(asked.covs[:, 0, 0], asked.rows, engine) / asked.unit
    return GaussianLine(asked.means, variances, np.sqrt(variances), asked.lam)


def _plane(asked: _Gaussians, engine: Engine | None) -> tuple[GaussianPlane, bool]:
    """The geometry in the plane, and whether its formulas are accurate for all Gaussians."""
    n = len(asked.rows)
    columns = tuple(np.empty(n) for _ in range(8))
    tiles = tiles_of(n)
    good = np.empty(len(tiles), np.uint8)
    place = PerArray((*(Rows() for _ in columns), Tilewise(size_of(n))))
    run(Task("covariances", _fill_plane, asked, tiles, place), (*columns, good), engine)
    x, y, a, b, c, rootdets, sizes, lifts = columns
    return GaussianPlane(x, y, a, b, c, rootdets, sizes, lifts, asked.lam), bool(good.all())


def _fill_plane(asked: _Gaussians, tile: Tile, stop: Flag, record: Record) -> None:
    *columns, good = record
    rows = asked.rows[tile.start : tile.stop]
    good[0] = fill_plane(asked.means[tile.start : tile.stop], asked.covs, rows, asked.unit, asked.lam, *columns)


def _space(asked: _Gaussians, engine: Engine | None) -> GaussianSpace:
    n = -(-len(asked.rows) // PIECE)
    columns = np.empty((n, N_COLUMNS, PIECE))
    run(Task("covariances", _fill_space, asked, of_size(n, _PIECES), Rows()), (columns,), engine)
    return GaussianSpace(columns.reshape(-1), asked.lam, np.empty((5, 3, 3)))


def _fill_space(asked: _Gaussians, tile: Tile, stop: Flag, record: Record) -> None:
    part = slice(tile.start * PIECE, tile.stop * PIECE)
    scratch = np.empty(N_SCRATCH * PIECE)
    fill_columns(asked.means[part], asked.covs, asked.rows[part], asked.unit, record[0], scratch)


def _solid(asked: _Gaussians, engine: Engine | None) -> GaussianSolid:
    n, m = len(asked.rows), asked.means.shape[1]
    square = (n, m, m)
    out = np.empty(square), np.empty(square), np.empty(square), np.empty(n, np.intp), np.empty((n, m))
    run(Task("covariances", _fill_solid, asked, of_size(n, rows_of_tile(m)), Rows()), out, engine)
    lanes = np.empty(scratch_size(m) if 4 <= m <= _MOST else 0)
    return GaussianSolid(asked.means, *out, asked.lam, np.empty((3, m, m)), lanes, np.empty(LANES, np.intp))


def _fill_solid(asked: _Gaussians, tile: Tile, stop: Flag, record: Record) -> None:
    rows = asked.rows[tile.start : tile.stop]
    covs, *factors = record
    take_rows(flatten(asked.covs), rows, flatten(covs))
    covs /= asked.unit
    for target, values in zip(factors, _factors(covs), strict=True):
        target[...] = values


def contraction(form: GaussianCloud) -> Floats:
    """Means joined with the roots of the spectra, whose distances are lower bounds: Σ(√λ_k(A) − √λ_k(B))² ≤ dcov²."""
    if form.lam == 0:
        return form.means
    unit = float(np.ldexp(1.0, np.frexp(np.abs(form.covs).max())[1]))  # as in the geometry
    roots = np.sqrt(form.lam * unit) * _root_spectra(form.covs / unit)
    return np.concatenate([form.means, roots], axis=1)


def rounding(form: GaussianCloud, contraction: Floats) -> Floats:
    """Bounds of the rounding error of each point of the contraction."""
    roots = contraction[:, form.means.shape[1] :]
    if roots.shape[1] == 0:
        return np.zeros(len(contraction))
    if roots.shape[1] <= 2:  # closed forms are accurate to the last digits
        return np.asarray(1e-15 * np.linalg.norm(roots, axis=1))
    squares = roots * roots
    off = _eigenvalue_error(roots.shape[1], squares.max(axis=1, keepdims=True))
    widths = np.sqrt(squares + off) - np.sqrt(np.maximum(squares - off, 0.0))
    return np.asarray(np.linalg.norm(widths, axis=1) + 1e-15 * np.linalg.norm(roots, axis=1))


def _root_spectra(covs: Floats) -> Floats:
    """Square roots of the eigenvalues of covariances, in increasing order."""
    if covs.shape[1] == 1:
        return np.asarray(np.sqrt(covs[:, 0]))
    if covs.shape[1] > 2:
        return _root_eigenvalues(covs)
    a, b, c = covs.reshape(-1, 4)[:, [0, 1, 3]].T
    large = np.sqrt((a + c) / 2 + np.hypot((a - c) / 2, b))
    small = _root_determinants(a, b, c) / np.where(large > 0, large, 1.0)
    return np.stack([small, large], axis=1)


def _root_eigenvalues(covs: Floats) -> Floats:
    """The same in more dimensions; values below the rounding error are raised to a common one."""
    if covs.shape[1] == 3:
        return _raised(_spectra_in_space(covs) ** 2)
    values = np.empty(covs.shape[:2])
    piece = max(1, int(1e7 / covs.shape[1] ** 3))  # LAPACK cannot be interrupted by Ctrl-C
    with one_blas_thread():
        for start in range(0, len(covs), piece):
            values[start : start + piece] = np.linalg.eigvalsh(covs[start : start + piece])
    return _raised(values)


def _spectra_in_space(covs: Floats) -> Floats:
    """Square roots of the eigenvalues of 3 × 3 matrices, in increasing order."""
    n = len(covs)
    columns = np.empty((-(-n // PIECE), N_COLUMNS, PIECE))
    fill_columns(np.zeros((n, 3)), covs, np.arange(n), 1.0, columns, np.empty(N_SCRATCH * PIECE))
    return columns[:, :-4:-1].transpose(0, 2, 1).reshape(-1, 3)[:n]


def _raised(values: Floats) -> Floats:
    """Square roots of eigenvalues, with small eigenvalues raised to a common value."""
    # roots of rounding errors of 0 would be far apart; raising small values to a common one can only shorten distances
    least = 1e8 * _eigenvalue_error(values.shape[1], values.max())
    return np.asarray(np.sqrt(np.maximum(values, least)))


def _eigenvalue_error(m: int, largest: Any) -> Any:
    """Bound of the rounding error of the eigenvalues of an m × m matrix, given the largest."""
    return 2e-15 * m * largest


def _root_determinants(a: Floats, b: Floats, c: Floats) -> Floats:
    a, b, c = (np.ascontiguousarray(column) for column in (a, b, c))
    out = np.empty_like(a)
    fill_root_determinants(a, b, c, a + c, np.empty_like(a), out)
    return out


def _factors(covs: Floats) -> tuple[Floats, Floats, Ints, Floats]:
    """Square roots, thin factors, ranks and roots of the eigenvalues of covariances."""
    values, vectors = np.linalg.eigh(covs)
    noise = 2e-16 * covs.shape[1] * values[:, -1:]  # rounding error of an eigenvalue 0
    spectra = np.sqrt(np.where(values > noise, values, 0.0)[:, ::-1])
    columns = vectors[:, :, ::-1]
    halves = (columns * spectra[:, None, :]) @ columns.transpose(0, 2, 1)
    factors = (columns * spectra[:, None, :]).transpose(0, 2, 1)
    return halves, factors, np.count_nonzero(spectra, axis=1), spectra
