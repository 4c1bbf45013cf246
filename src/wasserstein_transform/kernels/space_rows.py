"""Gaussians in 3-D: distances of one pair, and of one Gaussian to a run of consecutive positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .bures import is_far, orthogonalize, procrustes, unit_of
from .columns import DET, PIECE, ROOT, SPECTRUM, TRACE, place
from .compile import jit, jit_inline
from .nuclear import dot
from .space import product, squared_minors, squares_of, sum_of_three, turned_gap

_TINY = 1e-60  # smaller traces, relative to the largest, would underflow in the formulas
_ROUNDING = 1e-12  # bound of the relative rounding error of the terms of a decision


@jit_inline
def _root(c: Any, k: int) -> Any:
    """The root of the covariance whose first column is at k."""
    P = PIECE
    return (c[ROOT + k], c[ROOT + P + k], c[ROOT + 2 * P + k], c[ROOT + 3 * P + k], c[ROOT + 4 * P + k],
            c[ROOT + 5 * P + k])  # fmt: skip


@jit_inline
def _apart(c: Any, k: int, x: float, y: float, z: float) -> float:
    """The squared distance of means."""
    dx, dy, dz = c[k] - x, c[PIECE + k] - y, c[2 * PIECE + k] - z
    return dx * dx + dy * dy + dz * dz


@jit_inline
def _is_good(plain: float, traces: float) -> bool:
    """Whether the trace formula keeps enough digits."""
    return is_far(plain, traces, 1.0) & (traces > _TINY)


@jit
def _plain(columns: Any, own: int, c: Any, n: int, lam: float, out: Any) -> int:
    """Squared distances by the trace formula; returns the number of positions for which it is not accurate enough."""
    x, y, z, a = columns[own], columns[own + PIECE], columns[own + 2 * PIECE], _root(columns, own)
    det, trace = columns[own + DET], columns[own + TRACE]
    near = 0
    for k in range(n):
        N = product(a, _root(c, k))
        traces = trace + c[TRACE + k]
        plain = traces - 2.0 * sum_of_three(squares_of(N), squared_minors(N), det * c[DET + k])
        near += 0 if _is_good(plain, traces) else 1
        out[k] = _apart(c, k, x, y, z) + lam * plain
    return near


@jit
def _turned(columns: Any, own: int, c: Any, n: int, lam: float, out: Any) -> int:
    """By rotated roots if the trace formula is inaccurate; −1 if these are inaccurate too; returns their number."""
    x, y, z, a = columns[own], columns[own + PIECE], columns[own + 2 * PIECE], _root(columns, own)
    det, trace = columns[own + DET], columns[own + TRACE]
    unknown = 0
    for k in range(n):
        b = _root(c, k)
        N = product(a, b)
        s = sum_of_three(squares_of(N), squared_minors(N), det * c[DET + k])
        traces = trace + c[TRACE + k]
        plain = traces - 2.0 * s
        near = turned_gap(a, b, N, s)
        near = near if (traces > _TINY) | (near == 0.0) else -1.0
        gap = plain if _is_good(plain, traces) else near
        unknown += 1 if gap < 0.0 else 0
        out[k] = _apart(c, k, x, y, z) + lam * gap if gap >= 0.0 else -1.0
    return unknown


@jit
def squares_space(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    """For Gaussians in 3-D."""
    columns, own, at = geometry.columns, place(i), start
    while at < end:
        n = min(PIECE - at % PIECE, end - at)
        here, found = columns[place(at) :], out[at - start :]
        near = _plain(columns, own, here, n, geometry.lam, found)
        if at <= i < at + n:
            found[i - at] = 0.0
            near -= 1
        if near > 0 and _turned(columns, own, here, n, geometry.lam, found) > 0:
            for k in range(n):
                if found[k] < 0.0:
                    found[k] = _by_thin_factors(geometry, i, at + k)
        at += n


@jit
def _decide(columns: Any, own: int, c: Any, n: int, lam: float, limit: float, weights: Any, out: Any) -> int:
    """Test the limit without a square root; −1 for positions that rounding might decide; returns their number.

    d² ≤ limit exactly if s ≥ t, where 2λt = ‖x − y‖² + λ(tr A + tr B) − limit and s = Σσ: that is, if
    t² ≤ Σσ² + 2√(Σσ²σ'² + 2tΠσ), for both sides are equal at s and nowhere else.
    """
    x, y, z, a = columns[own], columns[own + PIECE], columns[own + 2 * PIECE], _root(columns, own)
    det, trace, half = 8.0 * columns[own + DET], columns[own + TRACE], 0.5 / lam
    most = trace + limit / lam
    band = _ROUNDING * most * most * most * most
    unsure = 0
    for k in range(n):
        N, w = product(a, _root(c, k)), weights[k]
        low = (_apart(c, k, x, y, z) - limit) * half + 0.5 * (trace + c[TRACE + k])
        low = low if low > 0.0 else 0.0
        over = low * low - squares_of(N)
        margin = 4.0 * squared_minors(N) + det * c[DET + k] * low - over * abs(over)
        unsure += 1 if abs(margin) <= band else 0
        out[k] = -1.0 if abs(margin) <= band else w if margin >= 0.0 else 0.0
    return unsure


@jit
def within_space(geometry: Any, i: int, start: int, end: int, limit: float, weights: Any, out: Any) -> None:
    """For Gaussians in 3-D."""
    columns, own, at = geometry.columns, place(i), start
    most = columns[own + TRACE] + limit / geometry.lam  # at the edge of the ball no term exceeds its fourth power
    in_range = 1e-60 < most < 1e60 and geometry.lam > 1e-300
    while at < end:
        n = min(PIECE - at % PIECE, end - at)
        here, found, w = columns[place(at) :], out[at - start :], weights[at:]
        if not in_range:
            squares_space(geometry, i, at, at + n, limit, found)
            for k in range(n):
                found[k] = w[k] if found[k] <= limit else 0.0
        elif _decide(columns, own, here, n, geometry.lam, limit, w, found) > 0:
            for k in range(n):
                if found[k] < 0.0:
                    found[k] = w[k] if gaussian_space(geometry, i, at + k, limit) <= limit else 0.0
        at += n


@jit
def gaussian_space(geometry: Any, i: int, j: int, limit: float) -> float:
    """The squared distance of one pair."""
    c = geometry.columns
    p, q = place(min(i, j)), place(max(i, j))  # symmetric to the last bit
    apart = _apart(c, p, c[q], c[q + PIECE], c[q + 2 * PIECE])
    if apart > limit:
        return np.inf
    floor = _apart(c, p + SPECTRUM, c[q + SPECTRUM], c[q + SPECTRUM + PIECE], c[q + SPECTRUM + 2 * PIECE])
    if apart + geometry.lam * floor > limit * (
        1 + 1e-9
    ):  # Σ(√λ_k(A) − √λ_k(B))² ≤ dcov², with a tolerance for rounding
        return np.inf
    a, b = _root(c, p), _root(c, q)
    N = product(a, b)
    s = sum_of_three(squares_of(N), squared_minors(N), c[p + DET] * c[q + DET])
    traces = c[p + TRACE] + c[q + TRACE]
    gap = traces - 2.0 * s
    if not _is_good(gap, traces):
        gap = turned_gap(a, b, N, s)
        if gap < 0.0 or (traces <= _TINY and gap > 0.0):
            return _by_thin_factors(geometry, i, j)
    return apart + geometry.lam * gap


@jit
def gaussian_space_side(geometry: Any, i: int, j: int, limit: float) -> float:
    """A number on the correct side of the limit; usually a bound decides."""
    c, p, q = geometry.columns, place(i), place(j)
    roof = _apart(c, p, c[q], c[q + PIECE], c[q + 2 * PIECE])
    if roof > limit:
        return np.inf
    a, b = _root(c, p), _root(c, q)
    x, y, z, u, v, w = a[0] - b[0], a[3] - b[3], a[5] - b[5], a[1] - b[1], a[2] - b[2], a[4] - b[4]
    roof += geometry.lam * (x * x + y * y + z * z + 2.0 * (u * u + v * v + w * w))  # dcov² ≤ ‖A^½ − B^½‖²
    return roof if roof < limit * (1 - 1e-9) else gaussian_space(geometry, i, j, limit)


@jit
def _by_thin_factors(geometry: Any, i: int, j: int) -> float:
    """The squared distance of near Gaussians of numerical rank 1, or tiny ones."""
    c, factors, scratch = geometry.columns, geometry.scratch[3:], geometry.scratch[:3]
    p, q = place(min(i, j)), place(max(i, j))
    unit = unit_of(c[p + TRACE] + c[q + TRACE])
    rank_p = _factor(c, p, np.sqrt(unit), factors[0], scratch)
    rank_q = _factor(c, q, np.sqrt(unit), factors[1], scratch)
    gap = procrustes(factors[0], rank_p, factors[1], rank_q, 1.0, scratch) / unit
    return _apart(c, p, c[q], c[q + PIECE], c[q + 2 * PIECE]) + geometry.lam * gap


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
