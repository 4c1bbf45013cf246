"""Differences of the values on both sides of a pixel, in every direction."""

from __future__ import annotations

from math import floor
from typing import Any

from .compile import jit

_STEPS = 2.0**20  # of a unit of similarity, so that rounding errors decide nothing


@jit
def _mirrored(i: int, n: int) -> int:
    """The pixel that stands for pixel i of a side of n pixels: beyond the ends they are mirrored."""
    i %= 2 * n
    return min(i, 2 * n - 1 - i)


@jit
def smooth(values: Any, weights: Any, row: Any, out: Any) -> None:
    """Filter both axes symmetrically; pixels beyond the border are mirrored.

    weights : of the offsets 0, 1, …, reach
    row : memory for a row of the image, and twice the reach
    """
    height, width = values.shape
    reach = weights.shape[0] - 1
    inner = row[reach : reach + width]
    for y in range(height):
        for x in range(width):
            inner[x] = weights[0] * values[y, x]
        for k in range(1, reach + 1):
            above, below = values[_mirrored(y - k, height)], values[_mirrored(y + k, height)]
            for x in range(width):
                inner[x] += weights[k] * (above[x] + below[x])
        for k in range(reach):
            row[reach - 1 - k], row[reach + width + k] = (
                inner[_mirrored(-1 - k, width)],
                inner[_mirrored(width + k, width)],
            )
        for x in range(width):
            out[y, x] = weights[0] * inner[x]
        for k in range(1, reach + 1):
            left, right, sums = row[reach - k :], row[reach + k :], out[y]
            for x in range(width):
                sums[x] += weights[k] * (left[x] + right[x])


@jit
def add_gaps(level: Any, cosines: Any, sines: Any, out: Any) -> None:
    """Add |∂_θ level| of every pixel, over two pixels, to each of the directions θ.

    level : smoothed share of values below a threshold, shape (h, w)
    cosines, sines : of the directions
    out : shape (directions, h, w)
    """
    n, height, width = out.shape
    for k in range(n):
        c, s = cosines[k], sines[k]
        for y in range(height):
            above, here, below, sums = level[max(y - 1, 0)], level[y], level[min(y + 1, height - 1)], out[k, y]
            sums[0] += abs(c * (here[min(1, width - 1)] - here[0]) + s * (below[0] - above[0]))
            for x in range(1, width - 1):
                sums[x] += abs(c * (here[x + 1] - here[x - 1]) + s * (below[x] - above[x]))
            if width > 1:
                x = width - 1
                sums[x] += abs(c * (here[x] - here[x - 1]) + s * (below[x] - above[x]))


@jit
def carry_up(picture: Any, small: Any, labels: Any, top: int, full: int, sharpness: float, out: Any, stop: Any) -> None:
    """Transfer labels of a reduced image to some rows of the full image.

    Each pixel takes the label of the most similar of the nine reduced pixels around it. Similarity is the distance of
    positions, in reduced pixels, plus that of values times `sharpness`, rounded; in a tie the smallest label. The pixel
    in the middle of a reduced one has its label.

    picture : rows of the full image, shape (rows, width, channels)
    small, labels : the reduced image, shape (h, w, channels), and its labels; negative ones are none
    top, full : index of the first row, and the number of rows of the full image
    out : labels, shape (rows, width)
    """
    height, width, channels = small.shape
    wide = out.shape[1]
    for i in range(out.shape[0]):
        if stop[0] != 0:
            return
        y = (2 * (top + i) + 1) * height  # positions are whole numbers: a reduced pixel has length 2 · full
        row = y // (2 * full)
        middle = abs(y - (2 * row + 1) * full) <= height
        for j in range(wide):
            x = (2 * j + 1) * width
            column = x // (2 * wide)
            if middle and abs(x - (2 * column + 1) * wide) <= width:
                out[i, j] = labels[row, column]
                continue
            best, found = 1e300, -1
            for v in range(max((y - 1) // (2 * full) - 1, 0), min(row + 2, height)):
                down = (y - (2 * v + 1) * full) / (2.0 * full)
                for u in range(max((x - 1) // (2 * wide) - 1, 0), min(column + 2, width)):
                    if labels[v, u] < 0:
                        continue
                    right = (x - (2 * u + 1) * wide) / (2.0 * wide)
                    apart = 0.0
                    for c in range(channels):
                        apart += (picture[i, j, c] - small[v, u, c]) ** 2
                    apart = floor((apart * sharpness + down * down + right * right) * _STEPS + 0.5)
                    if apart < best or (apart == best and labels[v, u] < found):
                        best, found = apart, labels[v, u]
            out[i, j] = found
