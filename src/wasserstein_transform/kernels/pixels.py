"""Mean shift and the Gaussian Transform of pixels: windows around each pixel, in which neighbours never move.

An image is `values`, one row a channel, pixels in the order of memory; pixels outside the mask have values so large
that no window ever holds them. A window is a list of runs: of a pixel (z, y, x) it holds (z + dz, y + dy, x ± half).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .bures import gap_plane
from .compile import jit, jit_summing


class Window(NamedTuple):
    """A disc or ball of pixels as runs along the last axis.

    shape : depth, height, width of the image
    dz, dy, half : offsets of each run, and how far it reaches to both sides
    """

    shape: Any
    dz: Any
    dy: Any
    half: Any


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
    count, place, square = 0.0, 0.0, 0.0
    for k in range(n):
        x = first + k
        count += marks[k]
        place += marks[k] * x
        square += marks[k] * x * x
    return count, place, square


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
        if marks[k] == 0.0:
            continue
        j, x = start + k, first + k
        gap = gap_plane(covs[0, j], covs[1, j], covs[2, j], covs[3, j], own[0], own[1], own[2], own[3])
        if x * x + across + lam * gap > reach:
            marks[k] = 0.0


@jit
def _place(window: Window, i: int) -> tuple[int, int, int]:
    """Where pixel i is."""
    height, width = window.shape[1], window.shape[2]
    return i // (height * width), i // width % height, i % width


@jit
def _clip(window: Window, run: int, z: int, y: int, x: int) -> tuple[int, int, int]:
    """Where a run of the window of (z, y, x) begins in memory, its number of pixels, and the offset of its first."""
    depth, height, width = window.shape[0], window.shape[1], window.shape[2]
    above, beside = z + window.dz[run], y + window.dy[run]
    if above < 0 or above >= depth or beside < 0 or beside >= height:
        return 0, 0, 0
    left, right = max(0, x - window.half[run]), min(width - 1, x + window.half[run])
    return (above * height + beside) * width + left, right - left + 1, left - x


@jit_summing
def _plain_1(values: Any, window: Window, i: int, t: Any, reach: float, sums: Any) -> float:
    """One channel: all in one loop, which is twice as fast as loops for each sum."""
    z, y, x = _place(window, i)
    a = t[0]
    count, by_z, by_y, by_x, total = 0.0, 0.0, 0.0, 0.0, 0.0
    for run in range(window.half.shape[0]):
        start, n, first = _clip(window, run, z, y, x)
        seen, place, one = 0.0, 0.0, 0.0
        for k in range(n):
            value = values[0, start + k]
            apart = value - a
            mark = 1.0 if apart * apart <= reach else 0.0
            seen += mark
            place += mark * (first + k)
            one += mark * value
        count += seen
        by_z += seen * window.dz[run]
        by_y += seen * window.dy[run]
        by_x += place
        total += one
    sums[0], sums[1], sums[2], sums[6] = by_z, by_y, by_x, total
    return count


@jit_summing
def _plain_3(values: Any, window: Window, i: int, t: Any, reach: float, sums: Any) -> float:
    """Three channels, likewise."""
    z, y, x = _place(window, i)
    a, b, c = t[0], t[1], t[2]
    count, by_z, by_y, by_x = 0.0, 0.0, 0.0, 0.0
    first_sum, second_sum, third_sum = 0.0, 0.0, 0.0
    for run in range(window.half.shape[0]):
        start, n, first = _clip(window, run, z, y, x)
        seen, place, one, two, three = 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(n):
            u, v, w = values[0, start + k], values[1, start + k], values[2, start + k]
            da, db, dc = u - a, v - b, w - c
            mark = 1.0 if da * da + db * db + dc * dc <= reach else 0.0
            seen += mark
            place += mark * (first + k)
            one += mark * u
            two += mark * v
            three += mark * w
        count += seen
        by_z += seen * window.dz[run]
        by_y += seen * window.dy[run]
        by_x += place
        first_sum += one
        second_sum += two
        third_sum += three
    sums[0], sums[1], sums[2] = by_z, by_y, by_x
    sums[6], sums[7], sums[8] = first_sum, second_sum, third_sum
    return count


@jit
def _shapes(
    values: Any, covs: Any, window: Window, i: int, t: Any, own: Any, lam: float, spatial: float, range_: float,
    marks: Any, sums: Any,
) -> float:  # fmt: skip
    """Any channels, with products of offsets, of those alike in shape."""
    z, y, x = _place(window, i)
    for k in range(sums.shape[0]):
        sums[k] = 0.0
    count = 0.0
    for run in range(window.half.shape[0]):
        start, n, offset = _clip(window, run, z, y, x)
        if n == 0:
            continue
        dz, dy, first = window.dz[run], window.dy[run], float(offset)
        _mark(values, start, start + n, t, range_, marks)
        if lam > 0.0:
            _keep_alike(covs, start, n, own, first, float(dz * dz + dy * dy), lam, spatial, marks)
        seen, place, square = _count(marks, n, first)
        count += seen
        sums[0] += seen * dz
        sums[1] += seen * dy
        sums[2] += place
        sums[3] += seen * dy * dy
        sums[4] += place * dy
        sums[5] += square
        for c in range(values.shape[0]):
            sums[6 + c] += _total(values[c], start, marks, n)
    return count


@jit
def gather(
    values: Any, covs: Any, window: Window, i: int, t: Any, own: Any, shapes: bool, lam: float, spatial: float,
    range_: float, marks: Any, sums: Any,
) -> float:  # fmt: skip
    """Moments of the pixels in the window of i that are near t in range, and for λ > 0 alike in shape; their number.

    sums : Σdz, Σdy, Σdx, Σdy², Σdydx, Σdx² (products only if `shapes` are asked for), then Σvalue of each channel;
    offsets are from pixel i
    """
    if not shapes and values.shape[0] == 1:
        return _plain_1(values, window, i, t, range_, sums)
    if not shapes and values.shape[0] == 3:
        return _plain_3(values, window, i, t, range_, sums)
    return _shapes(values, covs, window, i, t, own, lam, spatial, range_, marks, sums)


@jit
def _spread(sums: Any, count: float, own: Any) -> None:
    """Spatial covariance of what was gathered, and the root of its determinant."""
    y, x = sums[1] / count, sums[2] / count
    own[0] = max(sums[3] / count - y * y, 0.0)
    own[1] = sums[4] / count - y * x
    own[2] = max(sums[5] / count - x * x, 0.0)
    own[3] = np.sqrt(max(own[0] * own[2] - own[1] * own[1], 0.0))


@jit
def first_covs(
    values: Any, window: Window, range_: float, start: int, end: int, t: Any, marks: Any, sums: Any, own: Any,
    covs: Any, stop: Any,
) -> None:  # fmt: skip
    """Σ of each pixel over its neighbourhood in space and range."""
    for i in range(start, end):
        if stop[0] != 0:
            return
        for c in range(values.shape[0]):
            t[c] = values[c, i]
        count = gather(values, covs, window, i, t, own, True, 0.0, 0.0, range_, marks, sums)
        if count > 0.0:
            _spread(sums, count, own)
            for k in range(4):
                covs[k, i] = own[k]


@jit
def shift(
    values: Any, covs: Any, window: Window, lam: float, spatial: float, range_: float, tol: float, max_iter: int,
    start: int, end: int, t: Any, marks: Any, sums: Any, own: Any, modes: Any, iterations: Any, rested: Any, stop: Any,
) -> None:  # fmt: skip
    """Move pixels until they rest. Radii and tolerance are squares; modes are z, y, x and the channels."""
    channels = values.shape[0]
    for i in range(start, end):
        if stop[0] != 0:
            return
        z, y, x = _place(window, i)
        modes[i, 0], modes[i, 1], modes[i, 2] = z, y, x
        for c in range(channels):
            t[c] = values[c, i]
        if lam > 0.0:
            for k in range(4):
                own[k] = covs[k, i]
        done = 0
        for _ in range(max_iter):
            count = gather(values, covs, window, i, t, own, lam > 0.0, lam, spatial, range_, marks, sums)
            if count == 0.0:  # nobody is near: the pixel stays
                rested[i] = True
                break
            done += 1
            moved = 0.0
            for c in range(channels):
                mean = sums[6 + c] / count
                moved += (mean - t[c]) ** 2
                t[c] = mean
            if lam > 0.0:
                before = own[0], own[1], own[2]
                _spread(sums, count, own)
                moved += (own[0] - before[0]) ** 2 + (own[1] - before[1]) ** 2 + (own[2] - before[2]) ** 2
            modes[i, 0] = z + sums[0] / count
            modes[i, 1] = y + sums[1] / count
            modes[i, 2] = x + sums[2] / count
            if moved <= tol:
                rested[i] = True
                break
        iterations[i] = done
        for c in range(channels):
            modes[i, 3 + c] = t[c]
