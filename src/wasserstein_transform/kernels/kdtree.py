"""A balanced k-d tree, for points in any number of dimensions.

Nodes are numbered as in a heap: the children of `node` are 2·node + 1 and 2·node + 2, and the last level has the
leaves. Points are numbered by position, leaf by leaf.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit

LEAF = 16  # most points of a leaf, or four per axis: in many dimensions boxes prune little and cost as much


class KdTree(NamedTuple):
    """Points by position, and their boxes.

    `order[position]` is the point, and `rounding` bounds its rounding error. Positions `starts[node]` to `ends[node]`
    lie between `lows[node]` and `highs[node]`, with errors up to `max_rounding[node]`; `least` is their smallest point
    index, and `radius[node]` bounds their distances from the middle one.
    """

    points: np.ndarray
    rounding: np.ndarray
    order: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    max_rounding: np.ndarray
    least: np.ndarray
    radius: np.ndarray

    @property
    def depth(self) -> int:
        """Number of levels, including the leaves."""
        return len(self.starts).bit_length()


def seed(points: np.ndarray, rounding: np.ndarray) -> KdTree:
    """A tree of all points whose nodes must still be split by `split_nodes`."""
    n, dim = points.shape
    n_leaves = 1
    while n_leaves * max(LEAF, 4 * dim) < n:
        n_leaves *= 2
    n_nodes = 2 * n_leaves - 1
    starts, ends = np.zeros(n_nodes, np.intp), np.full(n_nodes, n, np.intp)
    boxes = np.empty((2, n_nodes, dim))
    max_rounding, least, radius = np.empty(n_nodes), np.empty(n_nodes, np.intp), np.full(n_nodes, np.inf)
    return KdTree(
        points.copy(), rounding.copy(), np.arange(n), starts, ends, boxes[0], boxes[1], max_rounding, least, radius
    )


@jit
def _measure(tree: Any, node: int) -> int:
    """Compute the box of a node; returns its widest axis, −1 if all its points are equal."""
    points, lows, highs = tree.points, tree.lows, tree.highs
    start, end = tree.starts[node], tree.ends[node]
    dim = points.shape[1]
    max_rounding, least = 0.0, tree.order[start]
    for a in range(dim):
        lows[node, a] = points[start, a]
        highs[node, a] = points[start, a]
    for p in range(start, end):
        max_rounding = max(max_rounding, tree.rounding[p])
        least = min(least, tree.order[p])
        for a in range(dim):
            lows[node, a] = min(lows[node, a], points[p, a])
            highs[node, a] = max(highs[node, a], points[p, a])
    tree.max_rounding[node] = max_rounding
    tree.least[node] = least
    widest, width = -1, 0.0
    for a in range(dim):
        if highs[node, a] - lows[node, a] > width:
            widest, width = a, highs[node, a] - lows[node, a]
    return widest


@jit
def _swap(tree: Any, p: int, q: int) -> None:
    points, rounding, order = tree.points, tree.rounding, tree.order
    for a in range(points.shape[1]):
        points[p, a], points[q, a] = points[q, a], points[p, a]
    rounding[p], rounding[q] = rounding[q], rounding[p]
    order[p], order[q] = order[q], order[p]


@jit
def _pivot(tree: Any, low: int, high: int, axis: int, random: int) -> float:
    """The median of three random coordinates, so that no order of the points is bad."""
    size = high - low + 1
    x = tree.points[low + random % size, axis]
    y = tree.points[low + (random >> 10) % size, axis]
    z = tree.points[low + (random >> 20) % size, axis]
    return max(min(x, y), min(max(x, y), z))


@jit
def _select(tree: Any, start: int, end: int, middle: int, axis: int) -> None:
    """Hoare's quickselect: after it, no position before `middle` is larger along the axis than one from `middle` on."""
    low, high = start, end - 1
    random = 12345
    while low < high:
        random = (random * 1103515245 + 12345) & 0x7FFFFFFFFFFF
        pivot = _pivot(tree, low, high, axis, random >> 5)
        p, q = low, high
        while p <= q:
            while tree.points[p, axis] < pivot:
                p += 1
            while tree.points[q, axis] > pivot:
                q -= 1
            if p <= q:
                _swap(tree, p, q)
                p += 1
                q -= 1
        if middle <= q:
            high = q
        elif middle >= p:
            low = p
        else:
            return


@jit
def split_nodes(tree: Any, root: int, n_levels: int, stop: Any) -> None:
    """Measure the nodes of `n_levels` levels, from `root` down, and split them at the medians of their widest axes."""
    n_nodes = tree.starts.shape[0]
    first, last = root, root + 1
    for _ in range(n_levels):
        if first >= n_nodes:
            return
        for node in range(first, last):
            if stop[0] != 0:
                return
            axis = _measure(tree, node)
            left = 2 * node + 1
            if left >= n_nodes:
                continue
            start, end = tree.starts[node], tree.ends[node]
            middle = (start + end) // 2
            if axis >= 0:
                _select(tree, start, end, middle, axis)
            tree.starts[left], tree.ends[left] = start, middle
            tree.starts[left + 1], tree.ends[left + 1] = middle, end
        first, last = 2 * first + 1, 2 * last + 1
