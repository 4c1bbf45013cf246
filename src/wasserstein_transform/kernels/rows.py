"""One point against a run of consecutive positions: the loops that are vectorised.

`squares` and `distances` write how far they are, `within` the weights of those within a limit. Geometries without a
loop of their own are asked pair by pair.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numba.extending import overload

from .bits import read_run
from .bures import is_far, near_plane, overlap_plane
from .compile import OPTIONS, jit, jit_summing
from .geometry import (
    Bits,
    Cloud,
    GaussianPlane,
    Geometry,
    apart,
    distance,
    kind,
    sided,
    square_of_three,
    square_of_two,
    squared,
)

_PIECE = 256  # numbers a loop leaves for the next one, within the first cache


def squares(geometry: Geometry, i: int, start: int, end: int, limit: float, out: np.ndarray) -> None:
    """out[k] = squared distance of i and start + k, or another number above `limit` if it is. Compiled callers only."""
    raise NotImplementedError("squares() exists only inside compiled code")


def within(
    geometry: Geometry, i: int, start: int, end: int, limit: float, weights: np.ndarray, out: np.ndarray
) -> None:
    """out[k] = weights[start + k] if start + k is within `limit` (squared) of i, else 0. Compiled callers only."""
    raise NotImplementedError("within() exists only inside compiled code")


def distances(geometry: Geometry, i: int, start: int, end: int, out: np.ndarray) -> None:
    """out[k] = distance of i and start + k. Compiled callers only."""
    raise NotImplementedError("distances() exists only inside compiled code")


def _squares_one_by_one(geometry: Any, i: Any, start: Any, end: Any, limit: Any, out: Any) -> Any:
    for k in range(end - start):
        out[k] = 0.0 if start + k == i else squared(geometry, i, start + k, limit)


def _within_one_by_one(geometry: Any, i: Any, start: Any, end: Any, limit: Any, weights: Any, out: Any) -> Any:
    for k in range(end - start):
        j = start + k
        out[k] = weights[j] if i == j or sided(geometry, i, j, limit) <= limit else 0.0


@jit
def _cloud(points: Any, i: int, start: int, end: int, out: Any) -> None:
    """A stride known to the compiler makes the difference: one loop for each of the low dimensions."""
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


def _squares_cloud(geometry: Any, i: Any, start: Any, end: Any, limit: Any, out: Any) -> Any:
    _cloud(geometry.points, i, start, end, out)


def _within_cloud(geometry: Any, i: Any, start: Any, end: Any, limit: Any, weights: Any, out: Any) -> Any:
    _cloud(geometry.points, i, start, end, out)
    near = weights[start:end]
    for k in range(near.shape[0]):
        w = near[k]
        out[k] = w if out[k] <= limit else 0.0


@jit_summing
def _plane_plain(g: Any, i: int, start: int, end: int, out: Any) -> int:
    """The trace formula; returns for how many it is not good enough."""
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
    """The difference formula where the trace formula is not good enough."""
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


def _squares_plane(geometry: Any, i: Any, start: Any, end: Any, limit: Any, out: Any) -> Any:
    for at in range(start, end, _PIECE):
        upto = min(at + _PIECE, end)
        if _plane_plain(geometry, i, at, upto, out[at - start :]) > 0:
            _plane_near(geometry, i, at, upto, out[at - start :])


@jit_summing
def _plane_within(g: Any, i: int, start: int, end: int, limit: float, band: float, weights: Any, out: Any) -> int:
    """Who is within the limit, without a root; returns for how many that is within rounding of being decided.

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


def _within_plane(geometry: Any, i: Any, start: Any, end: Any, limit: Any, weights: Any, out: Any) -> Any:
    # no term of a decision at the edge of the ball is larger than `edge`; rounding is some 1e-16 of it. Nor is one of
    # (2λf)² larger than `steep`, whatever k, for entries are at most 1: it stays finite. Infinite, it would win against
    # an s² beyond all floats where that is fused with the subtraction, and k would be near.
    edge = 4.0 * (limit + geometry.lifts[i]) * (limit + geometry.lifts[i])
    steep = 4.0 * geometry.lam * geometry.lifts[i]
    in_range = 1e-280 < edge < 1e300 and steep < 1e300
    if not in_range or _plane_within(geometry, i, start, end, limit, 1e-13 * edge, weights, out) > 0:
        for k in range(end - start):
            out[k] = weights[start + k] if squared(geometry, i, start + k, limit) <= limit else 0.0


def _distances_one_by_one(geometry: Any, i: Any, start: Any, end: Any, out: Any) -> Any:
    for k in range(end - start):
        out[k] = 0.0 if start + k == i else distance(geometry, i, start + k)


def _distances_of_squares(geometry: Any, i: Any, start: Any, end: Any, out: Any) -> Any:
    squares(geometry, i, start, end, np.inf, out)
    for k in range(end - start):
        out[k] = np.sqrt(out[k])


def _within_bits(geometry: Any, i: Any, start: Any, end: Any, limit: Any, weights: Any, out: Any) -> Any:
    read_run(geometry, i, start, end, weights, out)


def _squares_bits(geometry: Any, i: Any, start: Any, end: Any, limit: Any, out: Any) -> Any:
    for k in range(end - start):
        out[k] = np.nan  # bits know no distances: smooth profiles do not get them


_SQUARES = {Cloud: _squares_cloud, GaussianPlane: _squares_plane, Bits: _squares_bits}
_WITHIN = {Cloud: _within_cloud, GaussianPlane: _within_plane, Bits: _within_bits}


@overload(squares, jit_options=cast(Any, OPTIONS))
def _squares(geometry: Any, i: Any, start: Any, end: Any, limit: Any, out: Any) -> Any:
    return _SQUARES.get(kind(geometry), _squares_one_by_one)


@overload(within, jit_options=cast(Any, OPTIONS))
def _within(geometry: Any, i: Any, start: Any, end: Any, limit: Any, weights: Any, out: Any) -> Any:
    return _WITHIN.get(kind(geometry), _within_one_by_one)


@overload(distances, jit_options=cast(Any, OPTIONS))
def _distances(geometry: Any, i: Any, start: Any, end: Any, out: Any) -> Any:
    return _distances_of_squares if kind(geometry) in _SQUARES else _distances_one_by_one
