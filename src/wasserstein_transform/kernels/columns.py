"""The columns of `GaussianSpace`: means, symmetric roots and spectra of 3 × 3 covariances, made by Jacobi's method.

Columns are stored in pieces of `PIECE` positions, with all columns of a piece adjacent: the stride between columns is
then a compile-time constant, and loops over many columns are vectorized.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .compile import jit, jit_inline

PIECE = 128  # positions per piece: all its columns fit the first-level cache
N_COLUMNS = 14
# x, y, z; the root of the covariance (xx, xy, xz, yy, yz, zz); its determinant; the trace of the covariance; the
# eigenvalues of the root, decreasing
ROOT, DET, TRACE, SPECTRUM = 3 * PIECE, 9 * PIECE, 10 * PIECE, 11 * PIECE
N_SCRATCH = 15  # columns of a matrix that is being diagonalized: its entries, and its axes

_SWEEPS = 12  # it takes 3 to 6
_LEAST = -510  # smallest exponent of a root whose squared inverse does not overflow
_QUIET = 1e-36  # square of the entries that count as 0, for a trace of 1 to 4
_NOISE = 6e-16  # rounding error of an eigenvalue 0, relative to the largest


@jit
def place(i: int) -> int:
    """Index of the first column of position i."""
    return (i // PIECE) * (N_COLUMNS * PIECE) + i % PIECE


@jit
def fill_columns(means: Any, covs: Any, rows: Any, unit: float, columns: Any, scratch: Any) -> None:
    """Columns of Gaussians with covariances covs[rows], divided by `unit`."""
    for piece in range(columns.shape[0]):
        first = piece * PIECE
        n = min(PIECE, rows.shape[0] - first)
        out = columns[piece].reshape(N_COLUMNS * PIECE)
        for k in range(n):
            _load(means[first + k], covs[rows[first + k]], unit, k, out, scratch)
        for _ in range(_SWEEPS):
            if _sweep(scratch, n) == 0:
                break
        _finish(scratch, n, out)


@jit
def _load(mean: Any, cov: Any, unit: float, k: int, out: Any, w: Any) -> None:
    """Load a matrix, scaled to about 1 by a power of 4, whose root is stored in the column of the determinant."""
    trace = cov[0, 0] / unit + cov[1, 1] / unit + cov[2, 2] / unit
    half = max(math.frexp(trace)[1] // 2, _LEAST)
    scale = math.ldexp(1.0, -2 * half)
    for a in range(3):
        out[a * PIECE + k] = mean[a]
    out[TRACE + k] = trace
    out[DET + k] = math.ldexp(1.0, half)
    at = k
    for a in range(3):
        for b in range(a, 3):
            w[at] = cov[a, b] / unit * scale
            at += PIECE
    for a in range(3):
        for b in range(3):
            w[at] = 1.0 if a == b else 0.0
            at += PIECE


@jit_inline
def _turn(p: float, q: float, pq: float) -> Any:
    """Cosine, sine and tangent of the rotation, of at most 45°, that makes the entry pq of a symmetric matrix 0."""
    gap = q - p
    size = abs(gap) + np.sqrt(gap * gap + 4.0 * pq * pq)
    t = (2.0 * pq if gap >= 0.0 else -2.0 * pq) / (size if size > 0.0 else 1.0)
    c = 1.0 / np.sqrt(1.0 + t * t)
    return c, c * t, t


@jit
def _sweep(w: Any, n: int) -> int:
    """One Jacobi sweep over the off-diagonal entries; returns the number of matrices that were not diagonal yet."""
    active = 0
    P = PIECE
    for k in range(n):
        xx, xy, xz, yy, yz, zz = w[k], w[P + k], w[2 * P + k], w[3 * P + k], w[4 * P + k], w[5 * P + k]
        a, b, c = w[6 * P + k], w[7 * P + k], w[8 * P + k]
        d, e, f = w[9 * P + k], w[10 * P + k], w[11 * P + k]
        g, h, i = w[12 * P + k], w[13 * P + k], w[14 * P + k]
        active += 1 if xy * xy + xz * xz + yz * yz > _QUIET else 0
        cos, sin, tan = _turn(xx, yy, xy)
        xx, yy, xy, xz, yz = xx - tan * xy, yy + tan * xy, 0.0, cos * xz - sin * yz, sin * xz + cos * yz
        a, b, d, e, g, h = (cos * a - sin * b, sin * a + cos * b, cos * d - sin * e, sin * d + cos * e,
                            cos * g - sin * h, sin * g + cos * h)  # fmt: skip
        cos, sin, tan = _turn(xx, zz, xz)
        xx, zz, xz, xy, yz = xx - tan * xz, zz + tan * xz, 0.0, cos * xy - sin * yz, sin * xy + cos * yz
        a, c, d, f, g, i = (cos * a - sin * c, sin * a + cos * c, cos * d - sin * f, sin * d + cos * f,
                            cos * g - sin * i, sin * g + cos * i)  # fmt: skip
        cos, sin, tan = _turn(yy, zz, yz)
        yy, zz, yz, xy, xz = yy - tan * yz, zz + tan * yz, 0.0, cos * xy - sin * xz, sin * xy + cos * xz
        b, c, e, f, h, i = (cos * b - sin * c, sin * b + cos * c, cos * e - sin * f, sin * e + cos * f,
                            cos * h - sin * i, sin * h + cos * i)  # fmt: skip
        w[k], w[P + k], w[2 * P + k], w[3 * P + k], w[4 * P + k], w[5 * P + k] = xx, xy, xz, yy, yz, zz
        w[6 * P + k], w[7 * P + k], w[8 * P + k] = a, b, c
        w[9 * P + k], w[10 * P + k], w[11 * P + k] = d, e, f
        w[12 * P + k], w[13 * P + k], w[14 * P + k] = g, h, i
    return active


@jit_inline
def _clip(value: float, noise: float) -> float:
    return np.sqrt(value if value > noise else 0.0)


@jit
def _finish(w: Any, n: int, out: Any) -> None:
    """Compute roots from eigenvalues and axes."""
    P = PIECE
    for k in range(n):
        x, y, z = w[k], w[3 * P + k], w[5 * P + k]
        most = max(x, y, z)
        noise, back = _NOISE * most, out[DET + k]
        x, y, z = back * _clip(x, noise), back * _clip(y, noise), back * _clip(z, noise)
        a, b, c = w[6 * P + k], w[7 * P + k], w[8 * P + k]
        d, e, f = w[9 * P + k], w[10 * P + k], w[11 * P + k]
        g, h, i = w[12 * P + k], w[13 * P + k], w[14 * P + k]
        out[ROOT + k] = x * a * a + y * b * b + z * c * c
        out[ROOT + P + k] = x * a * d + y * b * e + z * c * f
        out[ROOT + 2 * P + k] = x * a * g + y * b * h + z * c * i
        out[ROOT + 3 * P + k] = x * d * d + y * e * e + z * f * f
        out[ROOT + 4 * P + k] = x * d * g + y * e * h + z * f * i
        out[ROOT + 5 * P + k] = x * g * g + y * h * h + z * i * i
        out[DET + k] = x * y * z
        low, high = (x if x < y else y), (y if x < y else x)
        least, upper = (low if low < z else z), (z if low < z else low)
        out[SPECTRUM + k] = upper if upper > high else high
        out[SPECTRUM + P + k] = high if upper > high else upper
        out[SPECTRUM + 2 * P + k] = least
