"""Gaussians in the plane: their columns, and the distances of pairs and of a Gaussian to a run of positions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..jit import arithmetic_jit as arithmetic, jit, jit_strict, jit_summing
from .bures_jit import gap_plane, is_far, overlap_plane

_MIN_TRACE = 1e-60  # smaller traces, relative to the largest entry, would underflow in the formulas


@jit_strict
def fill_plane(
    means: Any, covs: Any, rows: Any, unit: float, lam: float, x: Any, y: Any, a: Any, b: Any, c: Any, rootdets: Any,
    sizes: Any, lifts: Any,
) -> bool:  # fmt: skip
    """Columns of Gaussians with covariances covs[rows] / unit; returns whether none is too small for the formulas."""
    good = True
    for k in range(rows.shape[0]):
        cov = covs[rows[k]]
        x[k], y[k] = means[k, 0], means[k, 1]
        good &= not 0.0 < (cov[0, 0] + cov[1, 1]) / unit < _MIN_TRACE
        a[k], b[k], c[k] = cov[0, 0] / unit, cov[0, 1] / unit, cov[1, 1] / unit
        trace = a[k] + c[k]
        rootdets[k], sizes[k], lifts[k] = _root_determinant(a[k], b[k], c[k]), np.sqrt(trace), lam * trace
    return good


@jit_strict
def _root_determinant(a: float, b: float, c: float) -> float:
    """√(a·c − b²), accurate to the last digits; scaled by a power of two, so that tiny matrices have a determinant."""
    exponent = math.frexp(a + c)[1]
    root = _root(math.ldexp(a, -exponent), math.ldexp(b, -exponent), math.ldexp(c, -exponent))
    return math.ldexp(root, exponent)


@jit_strict
def _root(a: float, b: float, c: float) -> float:
    """√(a·c − b²) of a matrix near 1."""
    ac, bb = a * c, b * b
    # the rounding errors of both products, from the upper and lower halves of the digits (Dekker)
    big_a, big_b, big_c = arithmetic.SPLITTER * a, arithmetic.SPLITTER * b, arithmetic.SPLITTER * c
    a_high, b_high, c_high = big_a - (big_a - a), big_b - (big_b - b), big_c - (big_c - c)
    a_low, b_low, c_low = a - a_high, b - b_high, c - c_high
    lost_ac = ((a_high * c_high - ac) + a_high * c_low + a_low * c_high) + a_low * c_low
    lost_bb = ((b_high * b_high - bb) + b_high * b_low + b_low * b_high) + b_low * b_low
    det = (ac - bb) + (lost_ac - lost_bb)
    return np.sqrt(det if det > 0.0 else 0.0)  # ≥ 0 in theory; rounding of the entries can make it negative


@jit
def gaussian_plane(geometry: Any, i: int, j: int, limit: float) -> float:
    """Squared distance of Gaussians in the plane."""
    x = geometry.x[i] - geometry.x[j]
    y = geometry.y[i] - geometry.y[j]
    apart = x * x + y * y
    if apart > limit:
        return np.inf
    size = geometry.sizes[i] - geometry.sizes[j]
    # (√tr A − √tr B)² ≤ dcov², with a tolerance for rounding
    if apart + geometry.lam * size * size > limit * (1 + 1e-9):
        return np.inf
    p, q = (i, j) if i < j else (j, i)  # symmetric to the last bit
    gap = gap_plane(
        geometry.a[p], geometry.b[p], geometry.c[p], geometry.rootdets[p],
        geometry.a[q], geometry.b[q], geometry.c[q], geometry.rootdets[q],
    )  # fmt: skip
    return apart + geometry.lam * gap


@jit_summing
def _squares_by_trace(g: Any, i: int, start: int, end: int, out: Any) -> int:
    """The trace formula; −1 for positions for which it is not accurate enough. Returns their number."""
    x, y, a, b, c, root = g.x[i], g.y[i], g.a[i], g.b[i], g.c[i], g.rootdets[i]
    X, Y, A, B, C, R = (g.x[start:end], g.y[start:end], g.a[start:end], g.b[start:end], g.c[start:end],
                        g.rootdets[start:end])  # fmt: skip
    near = 0
    for k in range(X.shape[0]):
        dx, dy = X[k] - x, Y[k] - y
        overlap = overlap_plane(a, b, c, root, A[k], B[k], C[k], R[k])
        traces = (a + c) + (A[k] + C[k])
        plain = traces - 2.0 * np.sqrt(overlap)
        known = is_far(plain, traces, overlap)
        near += 0 if known else 1
        out[k] = dx * dx + dy * dy + g.lam * plain if known else -1.0
    return near


@jit
def squares_plane(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    """Of Gaussians in the plane."""
    if _squares_by_trace(geometry, i, start, end, out) > 0:
        for k in range(end - start):
            if out[k] < 0.0:
                out[k] = 0.0 if start + k == i else gaussian_plane(geometry, i, start + k, np.inf)


@jit_summing
def _plane_within(g: Any, i: int, start: int, end: int, limit: float, band: float, weights: Any, out: Any) -> int:
    """Test the limit without a square root; returns the number of positions that rounding might decide.

    d² ≤ limit exactly if 2λf ≥ s, with f² the overlap of the covariances and s = ‖x − y‖² + λ(tr A + tr B) − limit. So
    (2λf)² − max(s, 0)² decides.
    """
    x, y, lam = g.x[i], g.y[i], g.lam
    base = g.lifts[i] - limit
    a, b = 4.0 * lam * (lam * g.a[i]), 8.0 * lam * (lam * g.b[i])
    c, root = 4.0 * lam * (lam * g.c[i]), 8.0 * lam * (lam * g.rootdets[i])
    X, Y, A, B, C, R = (g.x[start:end], g.y[start:end], g.a[start:end], g.b[start:end], g.c[start:end],
                        g.rootdets[start:end])  # fmt: skip
    L, W = g.lifts[start:end], weights[start:end]
    unsure = 0
    for k in range(X.shape[0]):
        dx, dy, w = X[k] - x, Y[k] - y, W[k]
        s = dx * dx + dy * dy + (L[k] + base)
        s = s if s > 0.0 else 0.0
        margin = a * A[k] + b * B[k] + c * C[k] + root * R[k] - s * s
        unsure += 1 if abs(margin) <= band else 0
        out[k] = w if margin >= 0.0 else 0.0
    return unsure


@jit
def within_plane(geometry: Any, i: int, start: int, end: int, limit: float, weights: Any, out: Any) -> None:
    """Of Gaussians in the plane."""
    # No term of a decision at the edge of the ball exceeds `edge`; rounding errors are about 1e-16 of it. No term of
    # (2λf)² exceeds `steep` for any k, because entries are at most 1: it stays finite. If it were infinite, it would
    # exceed an overflowing s² in a fused subtraction, and k would count as near.
    edge = 4.0 * (limit + geometry.lifts[i]) * (limit + geometry.lifts[i])
    steep = 4.0 * geometry.lam * geometry.lifts[i]
    in_range = 1e-280 < edge < 1e300 and steep < 1e300
    if not in_range or _plane_within(geometry, i, start, end, limit, 1e-13 * edge, weights, out) > 0:
        for k in range(end - start):
            out[k] = weights[start + k] if gaussian_plane(geometry, i, start + k, limit) <= limit else 0.0
