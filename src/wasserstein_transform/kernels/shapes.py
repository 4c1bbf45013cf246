"""One run of a window: which of its pixels are near in range and, for λ > 0, alike in shape.

A shape, the covariance of places, is (yy, yx, xx, root of the determinant) in images and (zz, zy, zx, yy, yx, xx, root)
in volumes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bures import gap_plane, gap_space
from .compile import jit, jit_summing

PAD = 4  # columns that `values` and `covs` have beyond the last pixel: costly loops take so many pixels at a time


@jit_summing
def _mark_1(u: Any, start: int, stop: int, t: Any, reach: float, marks: Any) -> None:
    """1 for each pixel of the run within reach of t, 0 for others."""
    a = t[0]
    for j in range(start, stop):
        x = u[0, j] - a
        marks[j - start] = 1.0 if x * x <= reach else 0.0


@jit_summing
def _mark_3(u: Any, start: int, stop: int, t: Any, reach: float, marks: Any) -> None:
    a, b, c = t[0], t[1], t[2]
    for j in range(start, stop):
        x, y, z = u[0, j] - a, u[1, j] - b, u[2, j] - c
        marks[j - start] = 1.0 if x * x + y * y + z * z <= reach else 0.0


@jit_summing
def _mark_many(u: Any, start: int, stop: int, t: Any, reach: float, marks: Any) -> None:
    for j in range(start, stop):
        marks[j - start] = 0.0
    for c in range(u.shape[0]):
        a = t[c]
        for j in range(start, stop):
            x = u[c, j] - a
            marks[j - start] += x * x
    for j in range(start, stop):
        marks[j - start] = 1.0 if marks[j - start] <= reach else 0.0


@jit
def _mark(u: Any, start: int, stop: int, t: Any, reach: float, marks: Any) -> None:
    if u.shape[0] == 1:
        _mark_1(u, start, stop, t, reach, marks)
    elif u.shape[0] == 3:
        _mark_3(u, start, stop, t, reach, marks)
    else:
        _mark_many(u, start, stop, t, reach, marks)


@jit_summing
def _count(marks: Any, n: int, first: float) -> tuple[float, float, float]:
    """Number of marked pixels, sum of their offsets from the pixel along the run, and of the squares."""
    count, along, square = 0.0, 0.0, 0.0
    for k in range(n):
        x = first + k
        count += marks[k]
        along += marks[k] * x
        square += marks[k] * x * x
    return count, along, square


@jit_summing
def _total(row: Any, start: int, marks: Any, n: int) -> float:
    total = 0.0
    for k in range(n):
        total += marks[k] * row[start + k]
    return total


@jit
def _keep_alike(
    covs: Any, start: int, n: int, own: Any, first: float, across: float, lam: float, reach: float, marks: Any
) -> None:
    """Unmark those whose Gaussian is too far, ‖offset‖² + λ·dcov² > ε²; `across`: its square across the run."""
    for k in range(n):
        if marks[k] != 0.0:
            x = first + k
            if x * x + across + lam * _gap(covs[:, start + k], own) > reach:
                marks[k] = 0.0


@jit
def _gap(a: Any, b: Any) -> float:
    """dcov² of two shapes."""
    if a.shape[0] == 4:
        return gap_plane(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3])
    return gap_space(a, b)


@jit
def _whole(n: int) -> int:
    """So many that no pixel of a run is left over for a loop of single ones."""
    return (n + PAD - 1) // PAD * PAD


@jit_summing
def _alike_1(
    values: Any, start: int, covs: Any, j: int, n: int, t: Any, own: Any, first: float, rest: float, per: float,
    range_: float, sums: Any,
) -> tuple[float, float, float, float]:  # fmt: skip
    """Of one run in an image: number, Σdx, Σdx² of those alike, and of how many rounding might decide.

    No root is taken: dcov² = tr A + tr B − 2√f is at most `rest` − dx²·`per`, what ε² leaves of it, exactly if
    4f ≥ (tr A + tr B − that)². Values are added to `sums` if rounding decides nothing.
    """
    a, b, c, root, u = own[0], own[1], own[2], own[3], t[0]
    count, along, square, doubts, one = 0.0, 0.0, 0.0, 0.0, 0.0
    m, last = _whole(n), first + n - 1
    row = values[0, start : start + m]
    ps, qs, rs, roots = covs[0, j : j + m], covs[1, j : j + m], covs[2, j : j + m], covs[3, j : j + m]
    for k in range(m):
        x = first + k
        value = row[k]
        traces = (a + c) + (ps[k] + rs[k])
        lack = traces - rest + x * x * per
        lack = lack if lack > 0.0 else 0.0
        inner = a * ps[k] + 2.0 * b * qs[k] + c * rs[k] + 2.0 * root * roots[k]
        excess = 4.0 * inner - lack * lack
        near = (1.0 if (value - u) ** 2 <= range_ else 0.0) * (1.0 if x <= last else 0.0)
        doubts += near * (1.0 if abs(excess) <= 4e-12 * traces * traces else 0.0)
        mark = near * (1.0 if excess >= 0.0 else 0.0)
        count += mark
        along += mark * x
        square += mark * x * x
        one += mark * value
    if doubts == 0.0:
        sums[9] += one
    return count, along, square, doubts


@jit_summing
def _alike_3(
    values: Any, start: int, covs: Any, j: int, n: int, t: Any, own: Any, first: float, rest: float, per: float,
    range_: float, sums: Any,
) -> tuple[float, float, float, float]:  # fmt: skip
    """Three channels, likewise."""
    a, b, c, root = own[0], own[1], own[2], own[3]
    t0, t1, t2 = t[0], t[1], t[2]
    count, along, square, doubts = 0.0, 0.0, 0.0, 0.0
    one, two, three = 0.0, 0.0, 0.0
    m, last = _whole(n), first + n - 1
    us, vs, ws = values[0, start : start + m], values[1, start : start + m], values[2, start : start + m]
    ps, qs, rs, roots = covs[0, j : j + m], covs[1, j : j + m], covs[2, j : j + m], covs[3, j : j + m]
    for k in range(m):
        x = first + k
        u, v, w = us[k], vs[k], ws[k]
        traces = (a + c) + (ps[k] + rs[k])
        lack = traces - rest + x * x * per
        lack = lack if lack > 0.0 else 0.0
        inner = a * ps[k] + 2.0 * b * qs[k] + c * rs[k] + 2.0 * root * roots[k]
        excess = 4.0 * inner - lack * lack
        near = 1.0 if (u - t0) ** 2 + (v - t1) ** 2 + (w - t2) ** 2 <= range_ else 0.0
        near *= 1.0 if x <= last else 0.0
        doubts += near * (1.0 if abs(excess) <= 4e-12 * traces * traces else 0.0)
        mark = near * (1.0 if excess >= 0.0 else 0.0)
        count += mark
        along += mark * x
        square += mark * x * x
        one += mark * u
        two += mark * v
        three += mark * w
    if doubts == 0.0:
        sums[9] += one
        sums[10] += two
        sums[11] += three
    return count, along, square, doubts


@jit
def alike(
    values: Any, start: int, covs: Any, j: int, n: int, t: Any, own: Any, first: float, across: float, lam: float,
    spatial: float, range_: float, marks: Any, sums: Any,
) -> tuple[float, float, float]:  # fmt: skip
    """Those of a run near in range, and for λ > 0 alike in shape: number, Σdx, Σdx²; their values go to `sums`."""
    if lam > 0.0 and own.shape[0] == 4:
        rest, doubts = (spatial - across) / lam, 1.0
        count, along, square = 0.0, 0.0, 0.0
        if values.shape[0] == 1:
            count, along, square, doubts = _alike_1(
                values, start, covs, j, n, t, own, first, rest, 1.0 / lam, range_, sums
            )
        elif values.shape[0] == 3:
            count, along, square, doubts = _alike_3(
                values, start, covs, j, n, t, own, first, rest, 1.0 / lam, range_, sums
            )
        if doubts == 0.0:
            return count, along, square
    _mark(values, start, start + n, t, range_, marks)
    if lam > 0.0:
        _keep_alike(covs, j, n, own, first, across, lam, spatial, marks)
    for c in range(values.shape[0]):
        sums[9 + c] += _total(values[c], start, marks, n)
    return _count(marks, n, first)


@jit
def spread(sums: Any, count: float, own: Any) -> None:
    """The shape of what was gathered."""
    z, y, x = sums[0] / count, sums[1] / count, sums[2] / count
    k = own.shape[0] - 4
    own[k] = max(sums[6] / count - y * y, 0.0)
    own[k + 1] = sums[7] / count - y * x
    own[k + 2] = max(sums[8] / count - x * x, 0.0)
    minor = own[k] * own[k + 2] - own[k + 1] * own[k + 1]
    if k == 0:
        own[3] = np.sqrt(max(minor, 0.0))
        return
    own[0] = max(sums[3] / count - z * z, 0.0)
    own[1] = sums[4] / count - z * y
    own[2] = sums[5] / count - z * x
    own[6] = np.sqrt(
        max(
            own[0] * minor
            - own[1] * (own[1] * own[5] - own[4] * own[2])
            + own[2] * (own[1] * own[4] - own[3] * own[2]),
            0.0,
        )
    )


@jit
def reshape(sums: Any, count: float, own: Any) -> float:
    """The new shape; returns how far its entries are from the old ones, squared."""
    last = own.shape[0] - 1
    if last == 3:
        a, b, c = own[0], own[1], own[2]
        spread(sums, count, own)
        return (own[0] - a) ** 2 + (own[1] - b) ** 2 + (own[2] - c) ** 2
    a, b, c, d, e, f = own[0], own[1], own[2], own[3], own[4], own[5]
    spread(sums, count, own)
    moved = (own[0] - a) ** 2 + (own[1] - b) ** 2 + (own[2] - c) ** 2
    return moved + (own[3] - d) ** 2 + (own[4] - e) ** 2 + (own[5] - f) ** 2
