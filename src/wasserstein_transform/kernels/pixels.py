"""Mean shift and the Gaussian Transform of pixels: windows around each pixel, in which neighbors never move.

An image is `values`, one row a channel, pixels in the order of memory; pixels outside the mask have values so large
that no window ever holds them. A window is a list of runs: of a pixel (z, y, x) it holds (z + dz, y + dy, x ± half).
Modes are places, by axes of the grid, then the channels; for shapes see `shapes.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .compile import jit, jit_summing
from .shapes import alike, reshape, spread


class Window(NamedTuple):
    """A disc or ball of pixels as runs along the last axis.

    shape : depth, height, width of the image
    dz, dy, half : offsets of each run, and how far it reaches to both sides
    base : the pixel that `values` begin with, which may be a part of the image
    """

    shape: Any
    dz: Any
    dy: Any
    half: Any
    base: int


@jit
def place(window: Window, i: int) -> tuple[int, int, int]:
    """Where pixel i is."""
    height, width = window.shape[1], window.shape[2]
    return i // (height * width), i // width % height, i % width


@jit
def _clip(window: Window, run: int, z: int, y: int, x: int) -> tuple[int, int, int]:
    """Where a run of the window of (z, y, x) begins in `values`, its number of pixels, and the offset of its first."""
    depth, height, width = window.shape[0], window.shape[1], window.shape[2]
    above, beside = z + window.dz[run], y + window.dy[run]
    if above < 0 or above >= depth or beside < 0 or beside >= height:
        return 0, 0, 0
    left, right = max(0, x - window.half[run]), min(width - 1, x + window.half[run])
    return (above * height + beside) * width + left - window.base, right - left + 1, left - x


@jit_summing
def _plain_1(values: Any, window: Window, i: int, t: Any, reach: float, sums: Any) -> float:
    """One channel, all in one loop, over slices: loops over parts of rows are not vectorized."""
    z, y, x = place(window, i)
    a = t[0]
    count, by_z, by_y, by_x, total = 0.0, 0.0, 0.0, 0.0, 0.0
    for run in range(window.half.shape[0]):
        start, n, first = _clip(window, run, z, y, x)
        seen, along, one = 0.0, 0.0, 0.0
        row = values[0, start : start + n]
        for k in range(n):
            value = row[k]
            apart = value - a
            mark = 1.0 if apart * apart <= reach else 0.0
            seen += mark
            along += mark * (first + k)
            one += mark * value
        count += seen
        by_z += seen * window.dz[run]
        by_y += seen * window.dy[run]
        by_x += along
        total += one
    sums[0], sums[1], sums[2], sums[9] = by_z, by_y, by_x, total
    return count


@jit_summing
def _plain_3(values: Any, window: Window, i: int, t: Any, reach: float, sums: Any) -> float:
    """Three channels, likewise."""
    z, y, x = place(window, i)
    a, b, c = t[0], t[1], t[2]
    count, by_z, by_y, by_x = 0.0, 0.0, 0.0, 0.0
    first_sum, second_sum, third_sum = 0.0, 0.0, 0.0
    for run in range(window.half.shape[0]):
        start, n, first = _clip(window, run, z, y, x)
        seen, along, one, two, three = 0.0, 0.0, 0.0, 0.0, 0.0
        us, vs, ws = values[0, start : start + n], values[1, start : start + n], values[2, start : start + n]
        for k in range(n):
            u, v, w = us[k], vs[k], ws[k]
            da, db, dc = u - a, v - b, w - c
            mark = 1.0 if da * da + db * db + dc * dc <= reach else 0.0
            seen += mark
            along += mark * (first + k)
            one += mark * u
            two += mark * v
            three += mark * w
        count += seen
        by_z += seen * window.dz[run]
        by_y += seen * window.dy[run]
        by_x += along
        first_sum += one
        second_sum += two
        third_sum += three
    sums[0], sums[1], sums[2] = by_z, by_y, by_x
    sums[9], sums[10], sums[11] = first_sum, second_sum, third_sum
    return count


@jit
def _shapes(
    values: Any, covs: Any, window: Window, i: int, t: Any, own: Any, lam: float, spatial: float, range_: float,
    marks: Any, sums: Any,
) -> float:  # fmt: skip
    """Any channels, with products of offsets, of those alike in shape."""
    z, y, x = place(window, i)
    for k in range(sums.shape[0]):
        sums[k] = 0.0
    count = 0.0
    for run in range(window.half.shape[0]):
        start, n, offset = _clip(window, run, z, y, x)
        if n == 0:
            continue
        dz, dy = float(window.dz[run]), float(window.dy[run])
        seen, along, square = alike(
            values, start, covs, start + window.base, n, t, own, float(offset), dz * dz + dy * dy, lam, spatial, range_,
            marks, sums,
        )  # fmt: skip
        count += seen
        sums[0] += seen * dz
        sums[1] += seen * dy
        sums[2] += along
        sums[3] += seen * dz * dz
        sums[4] += seen * dz * dy
        sums[5] += along * dz
        sums[6] += seen * dy * dy
        sums[7] += along * dy
        sums[8] += square
    return count


@jit
def gather(
    values: Any, covs: Any, window: Window, i: int, t: Any, own: Any, shapes: bool, lam: float, spatial: float,
    range_: float, marks: Any, sums: Any,
) -> float:  # fmt: skip
    """Moments of the pixels in the window of i that are near t in range, and for λ > 0 alike in shape; their number.

    sums : of dz, dy, dx, dz², dzdy, dzdx, dy², dydx, dx² (products only if `shapes` are asked for), then of each
    channel's values; offsets are from pixel i
    """
    if not shapes and values.shape[0] == 1:
        return _plain_1(values, window, i, t, range_, sums)
    if not shapes and values.shape[0] == 3:
        return _plain_3(values, window, i, t, range_, sums)
    return _shapes(values, covs, window, i, t, own, lam, spatial, range_, marks, sums)


@jit
def first_covs(
    values: Any, unknown: Any, window: Window, range_: float, start: int, end: int, t: Any, marks: Any, sums: Any,
    own: Any, covs: Any, stop: Any,
) -> None:  # fmt: skip
    """The shape of the neighborhood of each pixel from start to end; 0 where there is none. `unknown` is not read."""
    for i in range(start, end):
        if stop[0] != 0:
            return
        for c in range(values.shape[0]):
            t[c] = values[c, i - window.base]
        count = gather(values, unknown, window, i, t, own, True, 0.0, 0.0, range_, marks, sums)
        if count > 0.0:
            spread(sums, count, own)
        for k in range(own.shape[0]):
            covs[k, i - start] = own[k] if count > 0.0 else 0.0


@jit
def leave(window: Window, i: int, dz: float, dy: float, dx: float, mode: Any, axes: int) -> None:
    """Write where pixel i went, given how far from its place."""
    z, y, x = place(window, i)
    if axes == 3:
        mode[0] = z + dz
    mode[axes - 2], mode[axes - 1] = y + dy, x + dx


@jit
def shift(
    values: Any, covs: Any, window: Window, lam: float, spatial: float, range_: float, tol: float, max_iter: int,
    start: int, end: int, t: Any, marks: Any, sums: Any, own: Any, modes: Any, iterations: Any, swinging: Any,
    stop: Any,
) -> None:  # fmt: skip
    """Move the pixels from start to end until they rest, or are found swinging. Radii and tolerance are squares."""
    channels = values.shape[0]
    axes = modes.shape[1] - channels
    for i in range(start, end):
        if stop[0] != 0:
            return
        mode = modes[i - start]
        leave(window, i, 0.0, 0.0, 0.0, mode, axes)
        for c in range(channels):
            t[c] = values[c, i - window.base]
        if lam > 0.0:
            for k in range(own.shape[0]):
                own[k] = covs[k, i]
        done, rests = 0, False
        for _ in range(max_iter):
            count = gather(values, covs, window, i, t, own, lam > 0.0, lam, spatial, range_, marks, sums)
            if count == 0.0:  # nobody is near: the pixel stays
                rests = True
                break
            done += 1
            moved = 0.0
            for c in range(channels):
                mean = sums[9 + c] / count
                moved += (mean - t[c]) ** 2
                t[c] = mean
            if lam > 0.0:
                moved += reshape(sums, count, own)
            leave(window, i, sums[0] / count, sums[1] / count, sums[2] / count, mode, axes)
            if moved <= tol:
                rests = True
                break
        iterations[i - start] = done
        swinging[i - start] = not rests
        for c in range(channels):
            mode[axes + c] = t[c]
