"""Nearest points by a k-d tree over contractions: points whose Euclidean distances are lower bounds of the distances.

The results of a search are a heap, worst first, of distances `near` and points `which`. In a tie the smaller index
counts as nearer, so results do not depend on the order of the search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit
from .formulas import distance, squared

NOBODY = np.iinfo(np.intp).max  # no point: farther than any point at the same distance
MIXED = -1  # group of a node with points of several groups
STRANGER = -2  # group of a point that is not in the tree

EXACT = 1 + 1e-9  # tolerance for rounding: all points as near as the farthest result are found
LOOSE = 1 - 3e-14  # points that are nearer by at most this relative amount, or by rounding, are not searched


@jit
def point_distance(geometry: Any, i: int, j: int) -> float:
    """The distance of points i and j, symmetric to the last bit."""
    return np.sqrt(squared(geometry, min(i, j), max(i, j), np.inf))


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
            apart = point_distance(geometry, i, j) if i != j else 0.0
            radius = max(radius, apart + tree.radius[child])
        tree.radius[node] = radius


@jit
def _sift(near: Any, which: Any, size: int) -> None:
    """Sift the first element of the heap down."""
    d, j = near[0], which[0]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (near[other] > near[child] or (near[other] == near[child] and which[other] > which[child])):
            child = other
        if near[child] < d or (near[child] == d and which[child] < j):
            break
        near[at], which[at] = near[child], which[child]
        at = child
    near[at], which[at] = d, j


@jit
def _sort(near: Any, which: Any) -> None:
    """Sort the heap by increasing distance."""
    for last in range(near.shape[0] - 1, 0, -1):
        near[0], near[last] = near[last], near[0]
        which[0], which[last] = which[last], which[0]
        _sift(near, which, last)


@jit
def square_outside(tree: Any, node: int, x: Any) -> float:
    """Squared distance of x to the box of a node."""
    total = 0.0
    for a in range(x.shape[0]):
        step = max(tree.lows[node, a] - x[a], x[a] - tree.highs[node, a], 0.0)
        total += step * step
    return total


@jit
def square_apart(points: Any, p: int, x: Any) -> float:
    """Squared distance of x to position p."""
    total = 0.0
    for a in range(x.shape[0]):
        step = points[p, a] - x[a]
        total += step * step
    return total


@jit
def _scan(geometry: Any, tree: Any, groups: Any, leaf: int, x: Any, rounding: float, i: int, group: int, slack: float,
          near: Any, which: Any) -> None:  # fmt: skip
    """Offer the points of a leaf to the heap."""
    edge = near[0] * slack + rounding
    for p in range(tree.starts[leaf], tree.ends[leaf]):
        if groups[p] == group:
            continue
        reach = edge + tree.rounding[p]
        if square_apart(tree.points, p, x) > reach * reach:
            continue
        j = tree.order[p]
        d = np.sqrt(squared(geometry, min(i, j), max(i, j), reach * reach))
        if d < near[0] or (d == near[0] and j < which[0]):
            near[0], which[0] = d, j
            _sift(near, which, near.shape[0])
            edge = near[0] * slack + rounding


@jit
def search(geometry: Any, tree: Any, groups: Any, whole: Any, x: Any, rounding: float, i: int, group: int,
           slack: float, near: Any, which: Any, nodes: Any, gaps: Any) -> int:  # fmt: skip
    """Offer all points of other groups that can be near enough to the heap, with slack `EXACT` or `LOOSE`.

    Returns the number of leaves visited.

    x, with its rounding, is the contraction of point i of the geometry. `groups` are those of the positions, `whole`
    those of the nodes; `nodes` and `gaps` are scratch, twice as long as the tree is deep.
    """
    n_inner = tree.starts.shape[0] // 2
    nodes[0], gaps[0] = 0, 0.0
    size = 1
    n_leaves = 0
    while size > 0:
        size -= 1
        node = nodes[size]
        reach = near[0] * slack + rounding + tree.max_rounding[node]
        if gaps[size] > reach * reach or whole[node] == group:
            continue
        if near[0] == 0.0 and tree.least[node] > which[0]:  # among duplicates, smaller indices come first
            continue
        if slack < 1.0 and near[0] <= rounding:
            return n_leaves
        if 4.0 * tree.radius[node] < near[0] < np.inf:  # a dense cluster: one distance prunes more than the contraction
            j = middle(tree, node)
            if i != j and point_distance(geometry, i, j) - tree.radius[node] * EXACT > reach:
                continue
        if node >= n_inner:
            _scan(geometry, tree, groups, node, x, rounding, i, group, slack, near, which)
            n_leaves += 1
            continue
        one = 2 * node + 1
        other = one + 1
        gap, other_gap = square_outside(tree, one, x), square_outside(tree, other, x)
        if gap < other_gap or (gap == other_gap and tree.least[one] < tree.least[other]):
            one, other, gap, other_gap = other, one, other_gap, gap
        nodes[size], gaps[size] = one, gap
        nodes[size + 1], gaps[size + 1] = other, other_gap
        size += 2
    return n_leaves


@jit
def nearest_others(geometry: Any, tree: Any, groups: Any, whole: Any, asked: Any, first: int, asking: Any, start: int,
                   end: int, distances: Any, indices: Any, nodes: Any, gaps: Any, stop: Any) -> None:  # fmt: skip
    """The nearest points of the tree for positions start…end of the tree `asked`, whose groups are `asking`.

    Point i of `asked` is point first + i of the geometry; its row of the result is that of its position.
    """
    for p in range(start, end):
        if stop[0] != 0:
            return
        i = asked.order[p]
        near, which = distances[p - start], indices[p - start]
        near[:] = np.inf
        which[:] = NOBODY
        search(
            geometry, tree, groups, whole, asked.points[p], asked.rounding[p], first + i, asking[p], EXACT, near, which,
            nodes, gaps,
        )  # fmt: skip
        _sort(near, which)


@jit
def nearest_in_rows(geometry: Any, n: int, start: int, end: int, distances: Any, indices: Any, stop: Any) -> None:
    """The nearest other points of points start…end, by comparing all points."""
    for i in range(start, end):
        if stop[0] != 0:
            return
        near, which = distances[i - start], indices[i - start]
        near[:] = np.inf
        which[:] = NOBODY
        for j in range(n):
            if i == j:
                continue
            d = distance(geometry, i, j)
            if d < near[0] or (d == near[0] and j < which[0]):
                near[0], which[0] = d, j
                _sift(near, which, near.shape[0])
        _sort(near, which)
