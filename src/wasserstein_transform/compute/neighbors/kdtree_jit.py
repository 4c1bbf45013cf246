"""A balanced k-d tree, and nearest points by it.

Nodes are numbered as in a heap: the children of `node` are 2·node + 1 and 2·node + 2, and the last level has the
leaves. Points are numbered by position, leaf by leaf. They are contractions: their Euclidean distances are lower bounds
of the distances.

The results of a search are a heap, worst first, of distances `near` and points `which`. In a tie the smaller index
counts as nearer, so results do not depend on the order of the search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import jit
from ..metrics import geometry_jit as geometries

MAX_LEAF_SIZE = 16  # most points of a leaf, or four per axis: in many dimensions boxes prune little and cost as much
NO_POINT = np.iinfo(np.intp).max  # no point: farther than any point at the same distance
MIXED = -1  # component of a node with points of several components
NOT_IN_TREE = -1  # position of a point that is not in the tree
EXACT = 1 + 1e-9  # tolerance for rounding: all points as near as the farthest result are found


class KdTree(NamedTuple):
    """Points by position, and their boxes.

    `order[position]` is the point, and `rounding` bounds its rounding error. Positions `starts[node]` to `ends[node]`
    lie between `lows[node]` and `highs[node]`, with errors up to `max_rounding[node]`; `min_index` is their smallest
    point index, and `radius[node]` bounds their distances from the middle one.
    """

    points: np.ndarray
    rounding: np.ndarray
    order: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    max_rounding: np.ndarray
    min_index: np.ndarray
    radius: np.ndarray

    @property
    def depth(self) -> int:
        """Number of levels, including the leaves."""
        return len(self.starts).bit_length()


def unsplit_tree(points: np.ndarray, rounding: np.ndarray) -> KdTree:
    """A tree of all points whose nodes must still be split by `split_nodes`."""
    n, dim = points.shape
    n_leaves = 1
    while n_leaves * max(MAX_LEAF_SIZE, 4 * dim) < n:
        n_leaves *= 2
    n_nodes = 2 * n_leaves - 1
    starts, ends = np.zeros(n_nodes, np.intp), np.full(n_nodes, n, np.intp)
    boxes = np.empty((2, n_nodes, dim))
    max_rounding, min_index, radius = np.empty(n_nodes), np.empty(n_nodes, np.intp), np.full(n_nodes, np.inf)
    return KdTree(
        points.copy(), rounding.copy(), np.arange(n), starts, ends, boxes[0], boxes[1], max_rounding, min_index, radius
    )


@jit
def _measure(tree: Any, node: int) -> int:
    """Compute the box of a node; returns its widest axis, −1 if all its points are equal."""
    points, lows, highs = tree.points, tree.lows, tree.highs
    start, end = tree.starts[node], tree.ends[node]
    dim = points.shape[1]
    max_rounding, min_index = 0.0, tree.order[start]
    for a in range(dim):
        lows[node, a] = points[start, a]
        highs[node, a] = points[start, a]
    for p in range(start, end):
        max_rounding = max(max_rounding, tree.rounding[p])
        min_index = min(min_index, tree.order[p])
        for a in range(dim):
            lows[node, a] = min(lows[node, a], points[p, a])
            highs[node, a] = max(highs[node, a], points[p, a])
    tree.max_rounding[node] = max_rounding
    tree.min_index[node] = min_index
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


@jit
def point_distance(geometry: Any, i: int, j: int) -> float:
    """The distance of points i and j, symmetric to the last bit."""
    return np.sqrt(geometries.squared(geometry, min(i, j), max(i, j), np.inf))


@jit
def middle(tree: Any, node: int) -> int:
    """The point in the middle of a node."""
    return tree.order[(tree.starts[node] + tree.ends[node]) // 2]


@jit
def measure_leaves(geometry: Any, tree: Any, start: int, end: int, radii: Any, stop: Any) -> None:
    """Radii of the leaves start…end."""
    for leaf in range(start, end):
        if stop[0] != 0:
            return
        i = middle(tree, leaf)
        radius = 0.0
        for p in range(tree.starts[leaf], tree.ends[leaf]):
            if tree.order[p] != i:
                radius = max(radius, point_distance(geometry, i, tree.order[p]))
        radii[leaf - start] = radius


@jit
def measure_inner(geometry: Any, tree: Any) -> None:
    """Radii of the nodes above the leaves, by the triangle inequality."""
    for node in range(tree.starts.shape[0] // 2 - 1, -1, -1):
        i = middle(tree, node)
        radius = 0.0
        for child in range(2 * node + 1, 2 * node + 3):
            j = middle(tree, child)
            d = point_distance(geometry, i, j) if i != j else 0.0
            radius = max(radius, d + tree.radius[child])
        tree.radius[node] = radius


@jit
def sift(near: Any, which: Any, size: int) -> None:
    """Sift the first element of the heap down."""
    d, j = near[0], which[0]
    slot = 0
    while True:
        child = 2 * slot + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (near[other] > near[child] or (near[other] == near[child] and which[other] > which[child])):
            child = other
        if near[child] < d or (near[child] == d and which[child] < j):
            break
        near[slot], which[slot] = near[child], which[child]
        slot = child
    near[slot], which[slot] = d, j


@jit
def sort_heap(near: Any, which: Any) -> None:
    """Sort the heap by increasing distance."""
    for last in range(near.shape[0] - 1, 0, -1):
        near[0], near[last] = near[last], near[0]
        which[0], which[last] = which[last], which[0]
        sift(near, which, last)


@jit
def square_outside(tree: Any, node: int, x: Any) -> float:
    """Squared distance of x to the box of a node."""
    total = 0.0
    for a in range(x.shape[0]):
        step = max(tree.lows[node, a] - x[a], x[a] - tree.highs[node, a], 0.0)
        total += step * step
    return total


@jit
def square_to_position(points: Any, p: int, x: Any) -> float:
    """Squared distance of x to position p."""
    total = 0.0
    for a in range(x.shape[0]):
        step = points[p, a] - x[a]
        total += step * step
    return total


@jit
def _scan(geometry: Any, tree: Any, leaf: int, x: Any, rounding: float, i: int, itself: int, near: Any,
          which: Any) -> None:  # fmt: skip
    """Offer the points of a leaf to the heap."""
    edge = near[0] * EXACT + rounding
    for p in range(tree.starts[leaf], tree.ends[leaf]):
        reach = edge + tree.rounding[p]
        if p == itself or square_to_position(tree.points, p, x) > reach * reach:
            continue
        j = tree.order[p]
        d = np.sqrt(geometries.squared(geometry, min(i, j), max(i, j), reach * reach))
        if d < near[0] or (d == near[0] and j < which[0]):
            near[0], which[0] = d, j
            sift(near, which, near.shape[0])
            edge = near[0] * EXACT + rounding


@jit
def _search(geometry: Any, tree: Any, x: Any, rounding: float, i: int, itself: int, near: Any, which: Any, nodes: Any,
            gaps: Any) -> int:  # fmt: skip
    """Offer all points but that at the position `itself` that can be near enough to the heap; return their number.

    x, with its rounding, is the contraction of point i of the geometry. `nodes` and `gaps` are scratch, twice as long
    as the tree is deep.
    """
    n_inner, n_offered = tree.starts.shape[0] // 2, 0
    nodes[0], gaps[0] = 0, 0.0
    size = 1
    while size > 0:
        size -= 1
        node = nodes[size]
        reach = near[0] * EXACT + rounding + tree.max_rounding[node]
        if gaps[size] > reach * reach:
            continue
        if near[0] == 0.0 and tree.min_index[node] > which[0]:  # among duplicates, smaller indices come first
            continue
        if 4.0 * tree.radius[node] < near[0] < np.inf:  # a dense cluster: one distance prunes more than the contraction
            j = middle(tree, node)
            if i != j and point_distance(geometry, i, j) - tree.radius[node] * EXACT > reach:
                continue
        if node >= n_inner:
            _scan(geometry, tree, node, x, rounding, i, itself, near, which)
            n_offered += tree.ends[node] - tree.starts[node]
            continue
        child = 2 * node + 1
        other = child + 1
        gap, other_gap = square_outside(tree, child, x), square_outside(tree, other, x)
        if gap < other_gap or (gap == other_gap and tree.min_index[child] < tree.min_index[other]):
            child, other, gap, other_gap = other, child, other_gap, gap
        nodes[size], gaps[size] = child, gap
        nodes[size + 1], gaps[size + 1] = other, other_gap
        size += 2
    return n_offered


@jit
def nearest_others(geometry: Any, tree: Any, queries: Any, first: int, positions: Any, start: int, end: int,
                   distances: Any, indices: Any, nodes: Any, gaps: Any, stop: Any) -> int:  # fmt: skip
    """The nearest points of the tree for positions start…end of the tree `queries`; returns how many were compared.

    Point i of `queries` is point first + i of the geometry; its row of the result is that of its position. `positions`
    are those of the queries in the tree, which are left out.
    """
    n_compared = 0
    for p in range(start, end):
        if stop[0] != 0:
            return n_compared
        near, which = distances[p - start], indices[p - start]
        near[:] = np.inf
        which[:] = NO_POINT
        n_compared += _search(
            geometry, tree, queries.points[p], queries.rounding[p], first + queries.order[p], positions[p], near, which,
            nodes, gaps,
        )  # fmt: skip
        sort_heap(near, which)
    return n_compared


@jit
def nearest_in_rows(geometry: Any, n: int, start: int, end: int, distances: Any, indices: Any, stop: Any) -> None:
    """The nearest other points of points start…end, by comparing all points."""
    for i in range(start, end):
        if stop[0] != 0:
            return
        near, which = distances[i - start], indices[i - start]
        near[:] = np.inf
        which[:] = NO_POINT
        for j in range(n):
            if i == j:
                continue
            d = geometries.distance(geometry, i, j)
            if d < near[0] or (d == near[0] and j < which[0]):
                near[0], which[0] = d, j
                sift(near, which, near.shape[0])
        sort_heap(near, which)
