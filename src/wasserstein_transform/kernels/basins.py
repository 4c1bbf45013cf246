"""Watershed basins of a height map."""

from __future__ import annotations

from typing import Any

from .compile import jit


@jit
def _lowest(height: Any, away: Any, y: int, x: int) -> tuple[float, int]:
    """Height and distance of the lowest pixels around a pixel, including itself; among equal heights the nearest."""
    best, least = height[y, x], away[y, x]
    for v in range(max(y - 1, 0), min(y + 2, height.shape[0])):
        for u in range(max(x - 1, 0), min(x + 2, height.shape[1])):
            if height[v, u] < best or (height[v, u] == best and away[v, u] < least):
                best, least = height[v, u], away[v, u]
    return best, least


@jit
def find_exits(height: Any, away: Any, queue: Any) -> None:
    """Count steps from each pixel over level ground to one with a lower neighbor; as many as pixels if there is none.

    queue : memory for all pixels
    """
    h, w = height.shape
    n, done = 0, 0
    for i in range(h * w):
        away[i // w, i % w] = h * w
        if _lowest(height, away, i // w, i % w)[0] < height[i // w, i % w]:
            queue[n] = i
            n += 1
    for k in range(n):
        away[queue[k] // w, queue[k] % w] = 0
    while done < n:
        y, x = queue[done] // w, queue[done] % w
        done += 1
        for v in range(max(y - 1, 0), min(y + 2, h)):
            for u in range(max(x - 1, 0), min(x + 2, w)):
                if height[v, u] == height[y, x] and away[v, u] == h * w:
                    away[v, u] = away[y, x] + 1
                    queue[n] = v * w + u
                    n += 1


@jit
def fill_basins(height: Any, away: Any, stack: Any, labels: Any) -> int:
    """Label each pixel by the basin that it drains to; returns the number of basins.

    A pixel drains to the lowest pixel around it, among equal heights to the one nearest to an exit (`find_exits`), then
    to one beside it rather than across a corner. If pixels that are equal in all of this are in different basins, the
    pixel is a basin of its own: no choice between them would survive mirroring.

    stack : memory for all pixels
    labels : −1 initially
    """
    h, w = height.shape
    count = 0
    for i in range(h * w):
        if labels[i // w, i % w] >= 0:
            continue
        stack[0], n = i, 1
        while n > 0:
            y, x = stack[n - 1] // w, stack[n - 1] % w
            best, least = _lowest(height, away, y, x)
            if labels[y, x] >= 0:
                n -= 1
            elif away[y, x] == h * w:  # a sink: its equal neighbors are of the same basin
                labels[y, x] = count
                count += 1
                n = _fill_sink(height, labels, y, x, stack, n)
            else:
                n = _follow(height, away, labels, y, x, best, least, count, stack, n)
                if labels[y, x] == count:
                    count += 1
    return count


@jit
def _fill_sink(height: Any, labels: Any, y: int, x: int, stack: Any, n: int) -> int:
    """Label all pixels of a sink, whose first is the last of the stack."""
    h, w = height.shape
    bottom = n - 1
    while n > bottom:
        n -= 1
        b, a = stack[n] // w, stack[n] % w
        for v in range(max(b - 1, 0), min(b + 2, h)):
            for u in range(max(a - 1, 0), min(a + 2, w)):
                if height[v, u] == height[y, x] and labels[v, u] < 0:
                    labels[v, u] = labels[y, x]
                    stack[n] = v * w + u
                    n += 1
    return bottom


@jit
def _follow(
    height: Any, away: Any, labels: Any, y: int, x: int, best: float, least: int, count: int, stack: Any, n: int
) -> int:
    """Label a pixel by those it drains to, or put the first of them without a label onto the stack."""
    h, w = height.shape
    for corners in range(2):
        found = -1
        for v in range(max(y - 1, 0), min(y + 2, h)):
            for u in range(max(x - 1, 0), min(x + 2, w)):
                if (v != y and u != x) != (corners == 1) or height[v, u] != best or away[v, u] != least:
                    continue
                if labels[v, u] < 0:
                    stack[n] = v * w + u
                    return n + 1
                found = labels[v, u] if found in (-1, labels[v, u]) else count
        if found >= 0:
            labels[y, x] = found
            return n - 1
    return n
