"""Differences of the values on both sides of a pixel, in every direction."""

from __future__ import annotations

from typing import Any

from .compile import jit


@jit
def add_gaps(level: Any, unit: float, cosines: Any, sines: Any, out: Any) -> None:
    """Add |∂_θ level| · unit of every pixel to each of the directions θ.

    level : smoothed share of values below a threshold, shape (h, w)
    cosines, sines : of the directions
    out : shape (directions, h, w)
    """
    n, height, width = out.shape
    half = cosines.dtype.type(0.5 * unit)
    for k in range(n):
        c, s = half * cosines[k], half * sines[k]
        for y in range(height):
            above, here, below, sums = level[max(y - 1, 0)], level[y], level[min(y + 1, height - 1)], out[k, y]
            sums[0] += abs(c * (here[min(1, width - 1)] - here[0]) + s * (below[0] - above[0]))
            for x in range(1, width - 1):
                sums[x] += abs(c * (here[x + 1] - here[x - 1]) + s * (below[x] - above[x]))
            if width > 1:
                x = width - 1
                sums[x] += abs(c * (here[x] - here[x - 1]) + s * (below[x] - above[x]))


@jit
def carry_up(
    picture: Any, small: Any, labels: Any, top: int, factors: Any, sharpness: float, out: Any, stop: Any
) -> None:
    """Transfer labels of a reduced image to some rows of the full image.

    Each pixel takes the label of the most similar of the nine reduced pixels around it. Similarity is the distance of
    positions, in reduced pixels, plus that of values times `sharpness`; in a tie the first. The pixel in the middle of
    a reduced one has its label.

    picture : rows of the full image, shape (rows, width, channels)
    small, labels : the reduced image, shape (h, w, channels), and its labels; negative ones are none
    top : index of the first row
    factors : reduced pixels per full pixel, along both axes
    out : labels, shape (rows, width)
    """
    height, width, channels = small.shape
    for i in range(out.shape[0]):
        if stop[0] != 0:
            return
        y = (top + i + 0.5) * factors[0] - 0.5
        row = min(max(int(y + 0.5), 0), height - 1)
        middle = abs(y - row) <= 0.5 * factors[0] + 1e-9
        for j in range(out.shape[1]):
            x = (j + 0.5) * factors[1] - 0.5
            column = min(max(int(x + 0.5), 0), width - 1)
            if middle and abs(x - column) <= 0.5 * factors[1] + 1e-9:
                out[i, j] = labels[row, column]
                continue
            best, found = 1e300, -1
            for v in range(max(row - 1, 0), min(row + 2, height)):
                for u in range(max(column - 1, 0), min(column + 2, width)):
                    if labels[v, u] < 0:
                        continue
                    apart = 0.0
                    for c in range(channels):
                        apart += (picture[i, j, c] - small[v, u, c]) ** 2
                    apart = apart * sharpness + (y - v) ** 2 + (x - u) ** 2
                    if apart < best:
                        best, found = apart, labels[v, u]
            out[i, j] = found
