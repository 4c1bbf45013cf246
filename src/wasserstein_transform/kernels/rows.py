"""Distances of one point to a run of consecutive positions: vectorized loops, and loops that read bits.

Metrics without a special loop are evaluated pair by pair (`formulas.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bures import is_far, near_plane, overlap_plane
from .compile import jit, jit_summing
from .pairs import apart, gaussian_plane, square_of_three, square_of_two

_PIECE = 256  # numbers passed from one loop to the next, within the first-level cache


@jit
def _cloud(points: Any, i: int, start: int, end: int, out: Any) -> None:
    """One loop for each of the low dimensions, because a constant stride makes them much faster."""
    m = points.shape[1]
    flat = points.reshape(points.size)[m * start : m * end]
    if m == 1:
        x = points[i, 0]
        for k in range(end - start):
            out[k] = (flat[k] - x) * (flat[k] - x)
    elif m == 2:
        x, y = points[i, 0], points[i, 1]
        for k in range(end - start):
            a, b = flat[2 * k] - x, flat[2 * k + 1] - y
            out[k] = square_of_two(a, b)
    elif m == 3:
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        for k in range(end - start):
            a, b, c = flat[3 * k] - x, flat[3 * k + 1] - y, flat[3 * k + 2] - z
            out[k] = square_of_three(a, b, c)
    else:
        for k in range(end - start):
            out[k] = apart(points[i], points[start + k])


@jit
def squares_cloud(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    """Of points."""
    _cloud(geometry.points, i, start, end, out)


@jit
def within_cloud(geometry: Any, i: int, start: int, end: int, limit: float, weights: Any, out: Any) -> None:
    """Of points."""
    _cloud(geometry.points, i, start, end, out)
    near = weights[start:end]
    for k in range(near.shape[0]):
        w = near[k]
        out[k] = w if out[k] <= limit else 0.0


@jit_summing
def _plane_plain(g: Any, i: int, start: int, end: int, out: Any) -> int:
    """The trace formula; returns the number of positions for which it is not accurate enough."""
    x, y, a, b, c, root = g.x[i], g.y[i], g.a[i], g.b[i], g.c[i], g.rootdets[i]
    X, Y, A, B, C, R = (g.x[start:end], g.y[start:end], g.a[start:end], g.b[start:end], g.c[start:end],
                        g.rootdets[start:end])  # fmt: skip
    near = 0
    for k in range(X.shape[0]):
        dx, dy = X[k] - x, Y[k] - y
        overlap = overlap_plane(a, b, c, root, A[k], B[k], C[k], R[k])
        traces = (a + c) + (A[k] + C[k])
        plain = traces - 2.0 * np.sqrt(overlap)
        near += 0 if is_far(plain, traces, overlap) else 1
        out[k] = dx * dx + dy * dy + g.lam * plain
    return near


@jit
def _plane_near(g: Any, i: int, start: int, end: int, out: Any) -> None:
    """The difference formula, if the trace formula is not accurate enough."""
    x, y, a, b, c, root = g.x[i], g.y[i], g.a[i], g.b[i], g.c[i], g.rootdets[i]
    X, Y, A, B, C, R = (g.x[start:end], g.y[start:end], g.a[start:end], g.b[start:end], g.c[start:end],
                        g.rootdets[start:end])  # fmt: skip
    for k in range(X.shape[0]):
        dx, dy = X[k] - x, Y[k] - y
        overlap = overlap_plane(a, b, c, root, A[k], B[k], C[k], R[k])
        traces = (a + c) + (A[k] + C[k])
        plain = traces - 2.0 * np.sqrt(overlap)
        near = near_plane(a, b, c, root, A[k], B[k], C[k], R[k])
        out[k] = dx * dx + dy * dy + g.lam * (plain if is_far(plain, traces, overlap) else near)


@jit
def squares_plane(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    """Of Gaussians in the plane."""
    for at in range(start, end, _PIECE):
        upto = min(at + _PIECE, end)
        if _plane_plain(geometry, i, at, upto, out[at - start :]) > 0:
            _plane_near(geometry, i, at, upto, out[at - start :])


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


@jit
def is_set(bits: Any, start: int, k: int) -> bool:
    """Whether the k-th bit from byte `start` on is set."""
    return (bits[start + k // 8] >> (k % 8)) & 1 != 0


@jit
def rank_of(book: Any, i: int, j: int) -> int:
    """Rank of j among the candidates of i."""
    runs = book.runs[book.cell[i]]
    count = 0
    for r in range(runs.shape[0]):
        if runs[r, 0] <= j < runs[r, 1]:
            return count + j - runs[r, 0]
        count += runs[r, 1] - runs[r, 0]
    return -1


@jit
def within_bits(geometry: Any, i: int, start: int, end: int, limit: float, weights: Any, out: Any) -> None:
    """out[k] = weights[start + k] if start + k, of a run of i, is in the ball of i, else 0."""
    if start == end:
        return
    rank, near, n = rank_of(geometry, i, start), weights[start:end], end - start
    at, shift = geometry.starts[i] + rank // 8, rank % 8
    for b in range(n // 8):  # a byte at a time, from two adjacent ones
        byte = np.int64(geometry.bits[at + b]) >> shift
        if shift > 0:
            byte |= np.int64(geometry.bits[at + b + 1]) << (8 - shift)
        for k in range(8):
            w = near[8 * b + k]
            out[8 * b + k] = w if (byte >> k) & 1 != 0 else 0.0
    for k in range(n // 8 * 8, n):
        out[k] = near[k] if is_set(geometry.bits, geometry.starts[i], rank + k) else 0.0


@jit
def squares_bits(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    """Not available: bits have no distances, and profiles that need distances do not use bits."""
    for k in range(end - start):
        out[k] = np.nan
