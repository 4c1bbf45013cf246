"""Mean shift of an image with few gray levels: a histogram of the window slides along the row.

The histogram has, for each level, the number of pixels in the window and the sums of their positions. The iterations of
a pixel read an interval of levels instead of the window, and the histogram of the next pixel differs only by the two
edges of the window. This takes a tenth of the time of scanning windows.
"""

from __future__ import annotations

from typing import Any

from .compile import jit, jit_summing
from .patches import Window, place
from .pixels import RESTS, UNFINISHED, leave


@jit
def _put(window: Window, levels: Any, run: int, z: int, y: int, x: int, sign: float, histogram: Any) -> None:
    """Add or remove the pixel of column x in a run of the window of row (z, y); nothing outside of the image."""
    depth, height, width = window.shape[0], window.shape[1], window.shape[2]
    above, beside = z + window.dz[run], y + window.dy[run]
    if above < 0 or above >= depth or beside < 0 or beside >= height or x < 0 or x >= width:
        return
    level = levels[(above * height + beside) * width + x]
    histogram[level, 0] += sign
    histogram[level, 1] += sign * window.dz[run]
    histogram[level, 2] += sign * window.dy[run]
    histogram[level, 3] += sign * x


@jit
def _fill(window: Window, levels: Any, z: int, y: int, x: int, histogram: Any) -> None:
    for level in range(histogram.shape[0]):
        for k in range(4):
            histogram[level, k] = 0.0
    for run in range(window.half.shape[0]):
        for column in range(x - window.half[run], x + window.half[run] + 1):
            _put(window, levels, run, z, y, column, 1.0, histogram)


@jit
def _slide(window: Window, levels: Any, z: int, y: int, x: int, histogram: Any) -> None:
    """From the window of column x − 1 to that of x."""
    for run in range(window.half.shape[0]):
        _put(window, levels, run, z, y, x - 1 - window.half[run], -1.0, histogram)
        _put(window, levels, run, z, y, x + window.half[run], 1.0, histogram)


@jit
def _stretch(known: Any, t: float, reach: float, low: int, high: int) -> tuple[int, int]:
    """Levels low…high − 1 within reach of t, starting from the interval of a nearby value."""
    n = known.shape[0]
    while low > 0 and (known[low - 1] - t) ** 2 <= reach:
        low -= 1
    while low < n and known[low] < t and (known[low] - t) ** 2 > reach:
        low += 1
    high = max(high, low)
    while high < n and (known[high] - t) ** 2 <= reach:
        high += 1
    while high > low and (known[high - 1] - t) ** 2 > reach:
        high -= 1
    return low, high


@jit_summing
def _sums(histogram: Any, known: Any, low: int, high: int) -> tuple[float, float, float, float, float]:
    count, by_z, by_y, by_x, total = 0.0, 0.0, 0.0, 0.0, 0.0
    for level in range(low, high):
        seen = histogram[level, 0]
        count += seen
        by_z += histogram[level, 1]
        by_y += histogram[level, 2]
        by_x += histogram[level, 3]
        total += seen * known[level]
    return count, by_z, by_y, by_x, total


@jit
def shift_levels(
    levels: Any, known: Any, window: Window, reach: float, tol: float, max_iter: int, start: int, end: int,
    histogram: Any, modes: Any, iterations: Any, ends: Any, stop: Any,
) -> None:  # fmt: skip
    """Move the pixels from start to end until they converge: mean shift never cycles. Radius and tolerance are squares.

    levels : level of each pixel; the last level is that of pixels outside the mask, which do not count
    known : values of the others, ascending
    """
    axes = modes.shape[1] - 1
    for i in range(start, end):
        if stop[0] != 0:
            return
        z, y, x = place(window, i)
        if i == start or x == 0:
            _fill(window, levels, z, y, x, histogram)
        else:
            _slide(window, levels, z, y, x, histogram)
        mode = modes[i - start]
        leave(window, i, 0.0, 0.0, 0.0, mode, axes)
        own, done, ending = levels[i], 0, UNFINISHED
        if own == known.shape[0]:
            mode[axes], iterations[i - start], ends[i - start] = 0.0, 0, RESTS
            continue
        t, low, high = known[own], int(own), int(own) + 1
        for _ in range(max_iter):
            low, high = _stretch(known, t, reach, low, high)
            count, by_z, by_y, by_x, total = _sums(histogram, known, low, high)
            if count == 0.0:  # no neighbors: the pixel stays
                ending = RESTS
                break
            done += 1
            mean = total / count
            moved = (mean - t) ** 2
            t = mean
            leave(window, i, by_z / count, by_y / count, (by_x - x * count) / count, mode, axes)
            if moved <= tol:
                ending = RESTS
                break
        iterations[i - start] = done
        ends[i - start] = ending
        mode[axes] = t
