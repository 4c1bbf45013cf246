"""Agglomerative clustering by chains of nearest neighbors (Murtagh 1983).

Two clusters that are nearest neighbors of each other can be merged at once, even if others are closer. It takes O(n²)
steps and no memory besides the distances, which are overwritten.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit, jit_strict


@jit
def _at(n: int, i: int, j: int) -> int:
    """Position of the distance of i and j in the condensed vector."""
    low, high = min(i, j), max(i, j)
    return n * low - low * (low + 1) // 2 + high - low - 1


@jit
def _nearest(distances: Any, sizes: Any, x: int, before: int) -> tuple[int, float]:
    """The nearest cluster of x and its distance; in a tie, the one `before` it in the chain, so that chains end."""
    n = sizes.shape[0]
    best, least = before, np.inf if before < 0 else distances[_at(n, x, before)]
    for i in range(n):
        if sizes[i] > 0 and i != x:
            apart = distances[_at(n, x, i)]
            if apart < least:
                best, least = i, apart
    return best, least


@jit_strict
def _merge(distances: Any, sizes: Any, x: int, y: int, average: bool) -> None:
    """Merge x into y: the new distance is the mean weighted by size, or the maximum.

    Without fused multiply-adds, to give the same bits as SciPy.
    """
    n, nx, ny = sizes.shape[0], sizes[x], sizes[y]
    sizes[x], sizes[y] = 0, nx + ny
    for i in range(n):
        if sizes[i] > 0 and i != y:
            a, to = distances[_at(n, i, x)], _at(n, i, y)
            b = distances[to]
            distances[to] = (nx * a + ny * b) / (nx + ny) if average else max(a, b)


@jit
def merge_chains(
    distances: Any, sizes: Any, chain: Any, length: int, average: bool, edges: Any, heights: Any, stop: Any
) -> int:
    """Fill `edges` with merges; returns the length of the chain for the next call.

    `sizes` of merged clusters are 0; in the first `length` entries of `chain`, each is followed by its nearest cluster.
    `stop[0]` ≠ 0 interrupts.
    """
    for k in range(edges.shape[0]):
        if length == 0:
            chain[0], length = 0, 1
            while sizes[chain[0]] == 0:
                chain[0] += 1
        while True:
            if stop[0] != 0:
                return length
            x, before = chain[length - 1], -1 if length == 1 else chain[length - 2]
            y, height = _nearest(distances, sizes, x, before)
            if y == before:
                break
            chain[length] = y
            length += 1
        length -= 2
        x, y = min(x, y), max(x, y)
        edges[k, 0], edges[k, 1], heights[k] = x, y, height
        _merge(distances, sizes, x, y, average)
    return length
