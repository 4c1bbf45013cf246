"""The window of a pixel as a patch, and the moments of its pixels that are similar to a value and a shape.

A patch is the content of the runs of a window, concatenated, so that loops over it are long. It has one row for each
quantity and one column for each pixel of the window, in the order of the runs. It is padded to a multiple of `PADDING`
columns with pixels whose values are far from all others, so that loops have no remainder.

Pixels count that are near in range and, for λ > 0, similar in shape. A shape, the covariance of positions, is (yy, yx,
xx, root of the determinant) in images and (zz, zy, zx, yy, yx, xx, root) in volumes. The test needs no square root:
dcov² = tr A + tr B − 2s ≤ `rest`, the remainder of ε², exactly if s ≥ L with 2L = tr A + tr B − rest. In the plane s²
is known. In 3-D s is the root of s² = t + 2√(u + vs), see `gap_space`, and s ≥ L exactly if L² ≤ t or
(L² − t)² ≤ 4(u + vL). Cases within rounding of equality are decided by dcov² itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..gaussians import bures_jit as bures
from ..jit import jit, jit_summing

PADDING = 16  # the number of columns is a multiple of this
_PADDING_VALUE = 1e150  # value of padding pixels: its square does not overflow, and exceeds any radius
_TEST_TOLERANCE = 2e-14  # relative tolerance of the tests, ten times the rounding error


class Window(NamedTuple):
    """A disc or ball of pixels as runs along the last axis.

    shape : depth, height, width of the image
    reach : extent along each axis
    dz, dy, half : offsets of each run, and its half-length
    base : the first pixel of `values`, which may be a part of the image
    """

    shape: Any
    reach: Any
    dz: Any
    dy: Any
    half: Any
    base: int


class Patch(NamedTuple):
    """Scratch for one window.

    steps : memory offsets from the pixel to each pixel of its window
    offsets : dz, dy, dx of each, and (ε² − ‖offset‖²)/λ, the limit of dcov²
    values : values of each channel
    shapes : entries of each shape; no rows without shapes
    lacks : the trace of each shape, minus the limit of dcov²
    marks : 1 for each pixel that counts, 0 for others
    size : number of pixels, without and with padding; 1 if no run is clipped
    """

    steps: Any
    offsets: Any
    values: Any
    shapes: Any
    lacks: Any
    marks: Any
    size: Any


@jit
def position_of(window: Window, i: int) -> tuple[int, int, int]:
    """Position of pixel i."""
    height, width = window.shape[1], window.shape[2]
    return i // (height * width), i // width % height, i % width


@jit
def _clip(window: Window, run: int, z: int, y: int, x: int) -> tuple[int, int, int]:
    """The first pixel of a run of the window of (z, y, x), clipped to the image, its length, and its first offset."""
    depth, height, width = window.shape[0], window.shape[1], window.shape[2]
    above, beside = z + window.dz[run], y + window.dy[run]
    if above < 0 or above >= depth or beside < 0 or beside >= height:
        return 0, 0, 0
    left, right = max(0, x - window.half[run]), min(width - 1, x + window.half[run])
    return (above * height + beside) * width + left, right - left + 1, left - x


@jit
def _is_whole(window: Window, z: int, y: int, x: int) -> bool:
    """Whether the window of (z, y, x) lies within the image."""
    high, wide, long = window.reach[0], window.reach[1], window.reach[2]
    whole = (z >= high) & (z + high < window.shape[0]) & (y >= wide) & (y + wide < window.shape[1])
    return whole & (x >= long) & (x + long < window.shape[2])


@jit
def _lay_out(window: Window, z: int, y: int, x: int, spatial: float, per: float, patch: Patch) -> None:
    """Compute steps and offsets of a window; they are the same for all windows that are not clipped."""
    n, center = 0, (z * window.shape[1] + y) * window.shape[2] + x
    whole = True
    for run in range(window.half.shape[0]):
        start, length, first = _clip(window, run, z, y, x)
        whole &= length == 2 * window.half[run] + 1
        dz, dy = float(window.dz[run]), float(window.dy[run])
        for k in range(length):
            dx = float(first + k)
            patch.steps[n + k] = start + k - center
            patch.offsets[0, n + k], patch.offsets[1, n + k], patch.offsets[2, n + k] = dz, dy, dx
            patch.offsets[3, n + k] = (spatial - (dz * dz + dy * dy + dx * dx)) * per
        n += length
    full = (n + PADDING - 1) // PADDING * PADDING
    for k in range(n, full):
        patch.steps[k] = 0
        for c in range(4):
            patch.offsets[c, k] = 0.0
    patch.size[0], patch.size[1], patch.size[2] = n, full, whole


@jit
def _gather(source: Any, start: int, steps: Any, n: int, out: Any) -> None:
    for k in range(n):
        out[k] = source[np.uintp(start + steps[k])]  # unsigned, so that no test for negative indices is needed


@jit_summing
def _lack(shapes: Any, rests: Any, n: int, lacks: Any) -> None:
    last = 2 if shapes.shape[0] == 4 else 5
    ps, qs, rs = shapes[0], shapes[0 if last == 2 else 3], shapes[last]
    both = 0.0 if last == 2 else 1.0
    for k in range(n):
        lacks[k] = ps[k] + both * qs[k] + rs[k] - rests[k]


@jit
def fill_patch(values: Any, covs: Any, window: Window, i: int, spatial: float, per: float, patch: Patch) -> None:
    """Fill the patch of pixel i. `covs` has all pixels of the image; `per` is 1/λ."""
    z, y, x = position_of(window, i)
    if patch.size[2] == 0 or not _is_whole(window, z, y, x):
        _lay_out(window, z, y, x, spatial, per, patch)
    full = patch.size[1]
    for c in range(values.shape[0]):
        _gather(values[c], i - window.base, patch.steps, full, patch.values[c])
        for k in range(patch.size[0], full):
            patch.values[c, k] = _PADDING_VALUE
    for c in range(patch.shapes.shape[0]):
        _gather(covs[c], i, patch.steps, full, patch.shapes[c])
    if patch.shapes.shape[0] > 0:
        _lack(patch.shapes, patch.offsets[3], full, patch.lacks)


@jit_summing
def _mark_near_1(values: Any, n: int, t: Any, reach: float, marks: Any) -> None:
    """1 for each pixel within reach of t, 0 for others."""
    a, us = t[0], values[0]
    for k in range(n):
        x = us[k] - a
        marks[k] = 1.0 if x * x <= reach else 0.0


@jit_summing
def _mark_near_3(values: Any, n: int, t: Any, reach: float, marks: Any) -> None:
    a, b, c = t[0], t[1], t[2]
    us, vs, ws = values[0], values[1], values[2]
    for k in range(n):
        x, y, z = us[k] - a, vs[k] - b, ws[k] - c
        marks[k] = 1.0 if x * x + y * y + z * z <= reach else 0.0


@jit_summing
def _mark_near_many(values: Any, n: int, t: Any, reach: float, marks: Any) -> None:
    for k in range(n):
        marks[k] = 0.0
    for c in range(values.shape[0]):
        a, us = t[c], values[c]
        for k in range(n):
            x = us[k] - a
            marks[k] += x * x
    for k in range(n):
        marks[k] = 1.0 if marks[k] <= reach else 0.0


@jit
def _mark_near(values: Any, n: int, t: Any, reach: float, marks: Any) -> None:
    if values.shape[0] == 1:
        _mark_near_1(values, n, t, reach, marks)
    elif values.shape[0] == 3:
        _mark_near_3(values, n, t, reach, marks)
    else:
        _mark_near_many(values, n, t, reach, marks)


@jit_summing
def _mark_similar_plane(shapes: Any, lacks: Any, n: int, shape: Any, top: float, marks: Any) -> float:
    """Unmark pixels with a different shape, and mark those with ½ that rounding might decide; returns their number."""
    trace, traces = shape[0] + shape[2], shape[0] + shape[2] + top
    a, b, c, root = 4.0 * shape[0], 8.0 * shape[1], 4.0 * shape[2], 8.0 * shape[3]
    ps, qs, rs, roots = shapes[0], shapes[1], shapes[2], shapes[3]
    doubt, doubts = _TEST_TOLERANCE * traces * traces, 0.0
    for k in range(n):
        lack = trace + lacks[k]
        excess = a * ps[k] + b * qs[k] + c * rs[k] + root * roots[k] - lack * abs(lack)
        likely = marks[k] if excess >= -doubt else 0.0
        surely = marks[k] if excess > doubt else 0.0
        doubts += likely - surely
        marks[k] = 0.5 * (likely + surely)
    return doubts


@jit_summing
def _mark_similar_space(shapes: Any, lacks: Any, n: int, shape: Any, top: float, marks: Any) -> float:
    """The same in 3-D."""
    a, b, c, d, e, f, root = (
        shape[0],
        2.0 * shape[1],
        2.0 * shape[2],
        shape[3],
        2.0 * shape[4],
        shape[5],
        2.0 * shape[6],
    )
    zz, yy, xx = d * f - 0.25 * e * e, a * f - 0.25 * c * c, a * d - 0.25 * b * b
    zy, zx, yx = 0.5 * c * e - b * f, 0.5 * b * e - c * d, 0.5 * b * c - a * e
    ps, qs, rs, us, vs, ws, roots = shapes[0], shapes[1], shapes[2], shapes[3], shapes[4], shapes[5], shapes[6]
    trace, traces = a + d + f, a + d + f + top
    doubt, doubts = _TEST_TOLERANCE * traces * traces * traces * traces, 0.0
    for k in range(n):
        p, q, r, u, v, w = ps[k], qs[k], rs[k], us[k], vs[k], ws[k]
        half = 0.5 * (trace + lacks[k])
        first = a * p + b * q + c * r + d * u + e * v + f * w
        second = zz * (u * w - v * v) + yy * (p * w - r * r) + xx * (p * u - q * q)
        second += zy * (r * v - q * w) + zx * (q * v - r * u) + yx * (q * r - p * v)
        over = half * abs(half) - first
        excess = 4.0 * (second + root * roots[k] * (half if half > 0.0 else 0.0)) - over * abs(over)
        likely = marks[k] if excess >= -doubt else 0.0
        surely = marks[k] if excess > doubt else 0.0
        doubts += likely - surely
        marks[k] = 0.5 * (likely + surely)
    return doubts


@jit
def _decide_doubtful(shapes: Any, rests: Any, n: int, shape: Any, marks: Any) -> None:
    """Decide the pixels marked with ½, one by one."""
    for k in range(n):
        if marks[k] == 0.5:
            gap = 0.0
            if shape.shape[0] == 4:
                p, q, r, root = shapes[0, k], shapes[1, k], shapes[2, k], shapes[3, k]
                gap = bures.gap_plane(p, q, r, root, shape[0], shape[1], shape[2], shape[3])
            else:
                gap = bures.gap_space(shapes[:, k], shape)
            marks[k] = 1.0 if gap <= rests[k] else 0.0


@jit_summing
def _sum_offsets(offsets: Any, marks: Any, n: int, sums: Any) -> float:
    """The number of marked pixels; sums of dy and dx, and of their products."""
    ys, xs = offsets[1], offsets[2]
    count, by_y, by_x, yy, yx, xx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        y, x = marks[k] * ys[k], marks[k] * xs[k]
        count += marks[k]
        by_y += y
        by_x += x
        yy += y * ys[k]
        yx += y * xs[k]
        xx += x * xs[k]
    sums[0], sums[1], sums[2], sums[6], sums[7], sums[8] = 0.0, by_y, by_x, yy, yx, xx
    return count


@jit_summing
def _sum_depths(offsets: Any, marks: Any, n: int, sums: Any) -> None:
    """The additional sums of volumes."""
    zs, ys, xs = offsets[0], offsets[1], offsets[2]
    by_z, zz, zy, zx = 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        z = marks[k] * zs[k]
        by_z += z
        zz += z * zs[k]
        zy += z * ys[k]
        zx += z * xs[k]
    sums[0], sums[3], sums[4], sums[5] = by_z, zz, zy, zx


@jit_summing
def _total(row: Any, marks: Any, n: int) -> float:
    total = 0.0
    for k in range(n):
        total += marks[k] * row[k]
    return total


@jit
def moments(patch: Patch, t: Any, shape: Any, by_shape: bool, axes: int, range_: float, top: float, sums: Any) -> float:
    """Moments of the pixels of a patch near t in range and, if required, similar in shape; returns their number.

    top : upper bound of the traces of shapes
    sums : sums of dz, dy, dx, dz², dzdy, dzdx, dy², dydx, dx², then of the values of each channel; offsets are
    relative to the pixel
    """
    n, marks, rests = patch.size[1], patch.marks, patch.offsets[3]
    _mark_near(patch.values, n, t, range_, marks)
    if by_shape:
        doubts = 0.0
        if shape.shape[0] == 4:
            doubts = _mark_similar_plane(patch.shapes, patch.lacks, n, shape, top, marks)
        else:
            doubts = _mark_similar_space(patch.shapes, patch.lacks, n, shape, top, marks)
        if doubts > 0.0:
            _decide_doubtful(patch.shapes, rests, n, shape, marks)
    count = _sum_offsets(patch.offsets, marks, n, sums)
    if axes == 3:
        _sum_depths(patch.offsets, marks, n, sums)
    for c in range(patch.values.shape[0]):
        sums[9 + c] = _total(patch.values[c], marks, n)
    return count


@jit
def spread(sums: Any, count: float, shape: Any) -> None:
    """The shape from the sums."""
    z, y, x = sums[0] / count, sums[1] / count, sums[2] / count
    k = shape.shape[0] - 4
    shape[k] = max(sums[6] / count - y * y, 0.0)
    shape[k + 1] = sums[7] / count - y * x
    shape[k + 2] = max(sums[8] / count - x * x, 0.0)
    minor = shape[k] * shape[k + 2] - shape[k + 1] * shape[k + 1]
    if k == 0:
        shape[3] = np.sqrt(max(minor, 0.0))
        return
    shape[0] = max(sums[3] / count - z * z, 0.0)
    shape[1] = sums[4] / count - z * y
    shape[2] = sums[5] / count - z * x
    second, third = shape[1] * shape[5] - shape[4] * shape[2], shape[1] * shape[4] - shape[3] * shape[2]
    shape[6] = np.sqrt(max(shape[0] * minor - shape[1] * second + shape[2] * third, 0.0))
