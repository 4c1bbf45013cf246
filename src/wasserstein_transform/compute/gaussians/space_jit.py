"""Gaussians in 3-D: their columns, closed forms for 3 × 3 matrices, and the distances of pairs and of runs.

Columns are means, symmetric roots and spectra of covariances, made by Jacobi's method. They are stored in pieces of
`PIECE` positions, with all columns of a piece adjacent: the stride between columns is then a compile-time constant, and
loops over many columns are vectorized.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..jit import jit, jit_inline, jit_inline_strict
from .bures_jit import is_far, orthogonalize, procrustes, unit_of
from .nuclear_jit import dot

PIECE = 128  # positions per piece: all its columns fit the first-level cache
N_COLUMNS = 14
# x, y, z; the root of the covariance (xx, xy, xz, yy, yz, zz); its determinant; the trace of the covariance; the
# eigenvalues of the root, decreasing
ROOT, DET, TRACE, SPECTRUM = 3 * PIECE, 9 * PIECE, 10 * PIECE, 11 * PIECE
N_SCRATCH = 15  # columns of a matrix that is being diagonalized: its entries, and its axes
_MAX_SWEEPS = 12  # it takes 3 to 6
_MIN_EXPONENT = -510  # smallest exponent of a root whose squared inverse does not overflow
_NEGLIGIBLE_SQUARE = 1e-36  # square of the entries that count as 0, for a trace of 1 to 4
_EIGENVALUE_NOISE = 6e-16  # rounding error of an eigenvalue 0, relative to the largest
# below this, relative to (Σσ)³, N has numerical rank 1, and the rotation about its axis is undetermined
_MIN_DETERMINANT = 1e-12
_MIN_TRACE = 1e-60  # smaller traces, relative to the largest, would underflow in the formulas
_DECISION_ROUNDING = 1e-12  # bound of the relative rounding error of the terms of a decision


@jit
def first_column(i: int) -> int:
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
            _load_matrix(means[first + k], covs[rows[first + k]], unit, k, out, scratch)
        for _ in range(_MAX_SWEEPS):
            if _sweep(scratch, n) == 0:
                break
        _store_columns(scratch, n, out)


@jit
def _load_matrix(mean: Any, cov: Any, unit: float, k: int, out: Any, w: Any) -> None:
    """Load a matrix, scaled to about 1 by a power of 4, whose root is stored in the column of the determinant."""
    trace = cov[0, 0] / unit + cov[1, 1] / unit + cov[2, 2] / unit
    half = max(math.frexp(trace)[1] // 2, _MIN_EXPONENT)
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
def _jacobi_rotation(p: float, q: float, pq: float) -> Any:
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
        active += 1 if xy * xy + xz * xz + yz * yz > _NEGLIGIBLE_SQUARE else 0
        cos, sin, tan = _jacobi_rotation(xx, yy, xy)
        xx, yy, xy, xz, yz = xx - tan * xy, yy + tan * xy, 0.0, cos * xz - sin * yz, sin * xz + cos * yz
        a, b, d, e, g, h = (cos * a - sin * b, sin * a + cos * b, cos * d - sin * e, sin * d + cos * e,
                            cos * g - sin * h, sin * g + cos * h)  # fmt: skip
        cos, sin, tan = _jacobi_rotation(xx, zz, xz)
        xx, zz, xz, xy, yz = xx - tan * xz, zz + tan * xz, 0.0, cos * xy - sin * yz, sin * xy + cos * yz
        a, c, d, f, g, i = (cos * a - sin * c, sin * a + cos * c, cos * d - sin * f, sin * d + cos * f,
                            cos * g - sin * i, sin * g + cos * i)  # fmt: skip
        cos, sin, tan = _jacobi_rotation(yy, zz, yz)
        yy, zz, yz, xy, xz = yy - tan * yz, zz + tan * yz, 0.0, cos * xy - sin * xz, sin * xy + cos * xz
        b, c, e, f, h, i = (cos * b - sin * c, sin * b + cos * c, cos * e - sin * f, sin * e + cos * f,
                            cos * h - sin * i, sin * h + cos * i)  # fmt: skip
        w[k], w[P + k], w[2 * P + k], w[3 * P + k], w[4 * P + k], w[5 * P + k] = xx, xy, xz, yy, yz, zz
        w[6 * P + k], w[7 * P + k], w[8 * P + k] = a, b, c
        w[9 * P + k], w[10 * P + k], w[11 * P + k] = d, e, f
        w[12 * P + k], w[13 * P + k], w[14 * P + k] = g, h, i
    return active


@jit_inline
def _clipped_root(value: float, noise: float) -> float:
    return np.sqrt(value if value > noise else 0.0)


@jit
def _store_columns(w: Any, n: int, out: Any) -> None:
    """Compute roots from eigenvalues and axes."""
    P = PIECE
    for k in range(n):
        x, y, z = w[k], w[3 * P + k], w[5 * P + k]
        most = max(x, y, z)
        noise, back = _EIGENVALUE_NOISE * most, out[DET + k]
        x, y, z = back * _clipped_root(x, noise), back * _clipped_root(y, noise), back * _clipped_root(z, noise)
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


@jit_inline
def product(a: Any, b: Any) -> Any:
    """The rows of N = H_A H_B."""
    return (
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
        a[0] * b[1] + a[1] * b[3] + a[2] * b[4],
        a[0] * b[2] + a[1] * b[4] + a[2] * b[5],
        a[1] * b[0] + a[3] * b[1] + a[4] * b[2],
        a[1] * b[1] + a[3] * b[3] + a[4] * b[4],
        a[1] * b[2] + a[3] * b[4] + a[4] * b[5],
        a[2] * b[0] + a[4] * b[1] + a[5] * b[2],
        a[2] * b[1] + a[4] * b[3] + a[5] * b[4],
        a[2] * b[2] + a[4] * b[4] + a[5] * b[5],
    )


@jit_inline_strict
def squares_of(n: Any) -> float:
    """Σσ², the sum of the squared entries of a matrix, with the same bits for its transpose (A and B exchanged)."""
    return (
        (n[0] * n[0] + n[4] * n[4] + n[8] * n[8])
        + (n[1] * n[1] + n[3] * n[3])
        + (n[2] * n[2] + n[6] * n[6])
        + (n[5] * n[5] + n[7] * n[7])
    )


@jit_inline
def squared_minors(n: Any) -> float:
    """Σσ²σ'², the sum of the squared minors of a matrix given by its rows."""
    a, b, c = n[4] * n[8] - n[5] * n[7], n[3] * n[8] - n[5] * n[6], n[3] * n[7] - n[4] * n[6]
    d, e, f = n[1] * n[8] - n[2] * n[7], n[0] * n[8] - n[2] * n[6], n[0] * n[7] - n[1] * n[6]
    g, h, i = n[1] * n[5] - n[2] * n[4], n[0] * n[5] - n[2] * n[3], n[0] * n[4] - n[1] * n[3]
    return squares_of((a, b, c, d, e, f, g, h, i))


@jit_inline
def sum_of_three(first: float, second: float, third: float) -> float:
    """s = Σσ of three numbers ≥ 0, given Σσ², Σσ²σ'² and Πσ: the root of s² = Σσ² + 2√(Σσ²σ'² + 2sΠσ).

    Newton's method from above: its error is 0.7, 1e-3, 1e-8 and then rounding, whatever the three are. The slope of the
    right side's root, Πσ / pq, is at most 1/9 at the solution, and 0 where one of the three is.
    """
    s = np.sqrt(3.0 * first)
    for _ in range(3):
        p = np.sqrt(second + 2.0 * third * s)
        q = np.sqrt(first + 2.0 * p)
        pq = p * q
        rest = pq - third
        step = (s - q) * pq / (rest if rest > 0.0 else 1.0)
        s = s - step if rest > 0.0 else q
    return s


@jit_inline
def procrustes_gap(a: Any, b: Any, n: Any, s: float) -> float:
    """dcov² of near matrices: ‖H_AQ − H_B‖² with the rotation Q nearest to N, whose σ add up to s; −1 if undetermined.

    With t = tr N and k the axis of N − Nᵀ, Q has the quaternion (1, v), (s + t)v − (N + Nᵀ)v = k (Horn): the
    eigenvector of a symmetric 4 × 4 matrix to the eigenvalue s. An error of v counts squared. H_A and H_B commute up to
    their difference, and k is made of it: equal matrices have distance 0.
    """
    d0, d1, d2, d3, d4, d5 = b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3], b[4] - a[4], b[5] - a[5]
    # the axis of H_AΔ − ΔH_A
    x = (a[2] * d1 - d2 * a[1]) + (a[4] * d3 - d4 * a[3]) + (a[5] * d4 - d5 * a[4])
    y = (a[0] * d2 - d0 * a[2]) + (a[1] * d4 - d1 * a[4]) + (a[2] * d5 - d2 * a[5])
    z = (a[1] * d0 - d1 * a[0]) + (a[3] * d1 - d3 * a[1]) + (a[4] * d2 - d4 * a[2])
    grown = s + (n[0] + n[4] + n[8])
    m0, m3, m5 = grown - 2.0 * n[0], grown - 2.0 * n[4], grown - 2.0 * n[8]
    m1, m2, m4 = -(n[1] + n[3]), -(n[2] + n[6]), -(n[5] + n[7])
    c0, c1, c2 = m3 * m5 - m4 * m4, m2 * m4 - m1 * m5, m1 * m4 - m2 * m3
    c3, c4, c5 = m0 * m5 - m2 * m2, m1 * m2 - m0 * m4, m0 * m3 - m1 * m1
    det = m0 * c0 + m1 * c1 + m2 * c2
    same = abs(d0) + abs(d1) + abs(d2) + abs(d3) + abs(d4) + abs(d5) == 0.0
    known = (det > _MIN_DETERMINANT * s * s * s) | same
    over = 1.0 / (det if known and not same else 1.0)
    u, v, w = (c0 * x + c1 * y + c2 * z) * over, (c1 * x + c3 * y + c4 * z) * over, (c2 * x + c4 * y + c5 * z) * over
    twice = 2.0 / (1.0 + u * u + v * v + w * w)
    # Q − I = twice · ([v] + [v]²), row by row
    x, y, z = twice * u, twice * v, twice * w
    turn = (
        -(y * v + z * w), x * v - z, x * w + y,
        x * v + z, -(x * u + z * w), y * w - x,
        x * w - y, y * w + x, -(x * u + y * v),
    )  # fmt: skip
    rows = _row_difference(a[0], a[1], a[2], d0, d1, d2, turn) + _row_difference(a[1], a[3], a[4], d1, d3, d4, turn)
    return rows + _row_difference(a[2], a[4], a[5], d2, d4, d5, turn) if known else -1.0


@jit_inline
def _row_difference(x: float, y: float, z: float, dx: float, dy: float, dz: float, turn: Any) -> float:
    """‖row of H_A(Q − I) − row of the difference‖²."""
    u = x * turn[0] + y * turn[3] + z * turn[6] - dx
    v = x * turn[1] + y * turn[4] + z * turn[7] - dy
    w = x * turn[2] + y * turn[5] + z * turn[8] - dz
    return u * u + v * v + w * w


@jit_inline
def _root(c: Any, k: int) -> Any:
    """The root of the covariance whose first column is at k."""
    P = PIECE
    return (c[ROOT + k], c[ROOT + P + k], c[ROOT + 2 * P + k], c[ROOT + 3 * P + k], c[ROOT + 4 * P + k],
            c[ROOT + 5 * P + k])  # fmt: skip


@jit_inline
def _square_of_means(c: Any, k: int, x: float, y: float, z: float) -> float:
    """The squared distance of means."""
    dx, dy, dz = c[k] - x, c[PIECE + k] - y, c[2 * PIECE + k] - z
    return dx * dx + dy * dy + dz * dz


@jit_inline
def _is_accurate(plain: float, traces: float) -> bool:
    """Whether the trace formula keeps enough digits."""
    return is_far(plain, traces, 1.0) & (traces > _MIN_TRACE)


@jit
def _squares_by_trace(columns: Any, column: int, c: Any, n: int, lam: float, out: Any) -> int:
    """Squared distances by the trace formula; −1 where it is not accurate enough. Returns the number of these."""
    x, y, z, a = columns[column], columns[column + PIECE], columns[column + 2 * PIECE], _root(columns, column)
    det, trace = columns[column + DET], columns[column + TRACE]
    near = 0
    for k in range(n):
        N = product(a, _root(c, k))
        traces = trace + c[TRACE + k]
        plain = traces - 2.0 * sum_of_three(squares_of(N), squared_minors(N), det * c[DET + k])
        known = _is_accurate(plain, traces)
        near += 0 if known else 1
        out[k] = _square_of_means(c, k, x, y, z) + lam * plain if known else -1.0
    return near


@jit
def squares_space(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    """For Gaussians in 3-D."""
    columns, column, at = geometry.columns, first_column(i), start
    while at < end:
        n = min(PIECE - at % PIECE, end - at)
        here, values = columns[first_column(at) :], out[at - start :]
        if _squares_by_trace(columns, column, here, n, geometry.lam, values) > 0:
            for k in range(n):
                if values[k] < 0.0:
                    values[k] = 0.0 if at + k == i else gaussian_space(geometry, i, at + k, np.inf)
        at += n


@jit
def _decide(columns: Any, column: int, c: Any, n: int, lam: float, limit: float, weights: Any, out: Any) -> int:
    """Test the limit without a square root; −1 for positions that rounding might decide; returns their number.

    d² ≤ limit exactly if s ≥ t, where 2λt = ‖x − y‖² + λ(tr A + tr B) − limit and s = Σσ: that is, if
    t² ≤ Σσ² + 2√(Σσ²σ'² + 2tΠσ), for both sides are equal at s and nowhere else.
    """
    x, y, z, a = columns[column], columns[column + PIECE], columns[column + 2 * PIECE], _root(columns, column)
    det, trace, half = 8.0 * columns[column + DET], columns[column + TRACE], 0.5 / lam
    most = trace + limit / lam
    band = _DECISION_ROUNDING * most * most * most * most
    unsure = 0
    for k in range(n):
        N, w = product(a, _root(c, k)), weights[k]
        low = (_square_of_means(c, k, x, y, z) - limit) * half + 0.5 * (trace + c[TRACE + k])
        low = low if low > 0.0 else 0.0
        over = low * low - squares_of(N)
        margin = 4.0 * squared_minors(N) + det * c[DET + k] * low - over * abs(over)
        unsure += 1 if abs(margin) <= band else 0
        out[k] = -1.0 if abs(margin) <= band else w if margin >= 0.0 else 0.0
    return unsure


@jit
def within_space(geometry: Any, i: int, start: int, end: int, limit: float, weights: Any, out: Any) -> None:
    """For Gaussians in 3-D."""
    columns, column, at = geometry.columns, first_column(i), start
    most = columns[column + TRACE] + limit / geometry.lam  # at the edge of the ball no term exceeds its fourth power
    in_range = 1e-60 < most < 1e60 and geometry.lam > 1e-300
    while at < end:
        n = min(PIECE - at % PIECE, end - at)
        here, values, w = columns[first_column(at) :], out[at - start :], weights[at:]
        if not in_range:
            squares_space(geometry, i, at, at + n, limit, values)
            for k in range(n):
                values[k] = w[k] if values[k] <= limit else 0.0
        elif _decide(columns, column, here, n, geometry.lam, limit, w, values) > 0:
            for k in range(n):
                if values[k] < 0.0:
                    values[k] = w[k] if gaussian_space(geometry, i, at + k, limit) <= limit else 0.0
        at += n


@jit
def gaussian_space(geometry: Any, i: int, j: int, limit: float) -> float:
    """The squared distance of one pair."""
    c = geometry.columns
    p, q = first_column(min(i, j)), first_column(max(i, j))  # symmetric to the last bit
    apart = _square_of_means(c, p, c[q], c[q + PIECE], c[q + 2 * PIECE])
    if apart > limit:
        return np.inf
    floor = _square_of_means(c, p + SPECTRUM, c[q + SPECTRUM], c[q + SPECTRUM + PIECE], c[q + SPECTRUM + 2 * PIECE])
    # Σ(√λ_k(A) − √λ_k(B))² ≤ dcov², with a tolerance for rounding
    if apart + geometry.lam * floor > limit * (1 + 1e-9):
        return np.inf
    a, b = _root(c, p), _root(c, q)
    N = product(a, b)
    s = sum_of_three(squares_of(N), squared_minors(N), c[p + DET] * c[q + DET])
    traces = c[p + TRACE] + c[q + TRACE]
    gap = traces - 2.0 * s
    if not _is_accurate(gap, traces):
        gap = procrustes_gap(a, b, N, s)
        if gap < 0.0 or (traces <= _MIN_TRACE and gap > 0.0):
            return _by_thin_factors(geometry, i, j)
    return apart + geometry.lam * gap


@jit
def _by_thin_factors(geometry: Any, i: int, j: int) -> float:
    """The squared distance of near Gaussians of numerical rank 1, or tiny ones."""
    c, factors, scratch = geometry.columns, geometry.scratch[3:], geometry.scratch[:3]
    p, q = first_column(min(i, j)), first_column(max(i, j))
    unit = unit_of(c[p + TRACE] + c[q + TRACE])
    rank_p = _factor(c, p, np.sqrt(unit), factors[0], scratch)
    rank_q = _factor(c, q, np.sqrt(unit), factors[1], scratch)
    gap = procrustes(factors[0], rank_p, factors[1], rank_q, 1.0, scratch) / unit
    return _square_of_means(c, p, c[q], c[q + PIECE], c[q + 2 * PIECE]) + geometry.lam * gap


@jit
def _factor(columns: Any, at: int, size: float, out: Any, scratch: Any) -> int:
    """The rows of the root times `size`, orthogonalized, without rounding errors of 0; returns their number."""
    k = at + ROOT
    for a in range(3):
        for b in range(a, 3):
            out[a, b] = out[b, a] = size * columns[k]
            k += PIECE
    orthogonalize(out, 3, 3, scratch[0], 0, scratch[1, 0])
    most = 0.0
    for a in range(3):
        most = max(most, dot(out[a], out[a], 3))
    rank = 0
    for a in range(3):
        if dot(out[a], out[a], 3) > 1e-30 * most:
            for b in range(3):
                out[rank, b] = out[a, b]
            rank += 1
    return rank
