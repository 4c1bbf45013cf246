"""Hierarchies: SciPy's linkage matrix from a tree, its joins as ranges, cuts into large pieces."""

from __future__ import annotations

from typing import Any

from ..jit import jit
from .spanning_jit import root


@jit
def join_edges(edges: Any, heights: Any, parent: Any, label: Any, size: Any, out: Any) -> None:
    """SciPy's linkage matrix from spanning-tree edges sorted by height.

    At first each point is its own `parent` and `label`, with `size` 1.
    """
    n = edges.shape[0] + 1
    for k in range(n - 1):
        a, b = root(parent, edges[k, 0]), root(parent, edges[k, 1])
        out[k, 0], out[k, 1] = min(label[a], label[b]), max(label[a], label[b])
        out[k, 2] = heights[k]
        out[k, 3] = size[a] + size[b]
        parent[b] = a
        size[a] += size[b]
        label[a] = n + k


@jit
def lay_out(Z: Any, level: Any, start: Any, merge: Any) -> None:
    """Where each point and each join of a linkage matrix starts if every join is a range of positions.

    `merge` of a join is the last one above it on its `level`, at first itself; `start` of the last join is given.
    """
    n = level.shape[0] + 1
    for k in range(n - 2, -1, -1):
        position = start[n + k]
        for side in range(2):
            child = int(Z[k, side])
            start[child] = position
            if child < n:
                position += 1
            else:
                position += int(Z[child - n, 3])
                if level[child - n] == level[k]:
                    merge[child - n] = merge[k]


@jit
def root_tree(edges: Any, last: Any, before: Any, order: Any, above: Any, below: Any, mass: Any) -> None:
    """Root a tree at the point 0: the point `above` each one, the lower point of each edge, masses of subtrees.

    `order` lists every point after the one above it. `last` and `above` are −1 at first, `order` 0, and `mass` that of
    the points.
    """
    n = last.shape[0]
    for e in range(n - 1):
        for side in range(2):  # lists of the ends of edges at each point
            i = edges[e, side]
            before[2 * e + side] = last[i]
            last[i] = 2 * e + side
    n_placed = 1
    for k in range(n):
        i = order[k]
        end = last[i]
        while end >= 0:
            j = edges[end // 2, 1 - end % 2]
            if j != above[i]:
                above[j] = i
                below[end // 2] = j
                order[n_placed] = j
                n_placed += 1
            end = before[end]
    for k in range(n - 1, 0, -1):
        mass[above[order[k]]] += mass[order[k]]


@jit
def walk_down(above: Any, below: Any, mass: Any, min_mass: float, cuts: Any) -> int:
    """Cut the highest edges for which both sides of the remaining tree have at least the mass `min_mass`.

    The tree is rooted by `root_tree`, edges are sorted by height; `above` and `mass` are overwritten. Fills `cuts`,
    highest first, up to its length; returns the number of such edges.
    """
    count = 0
    for e in range(below.shape[0] - 1, -1, -1):
        branch = below[e]
        if count == cuts.shape[0] or mass[branch] < min_mass:
            continue
        top = branch
        while above[top] >= 0:
            top = above[top]
        if mass[top] - mass[branch] < min_mass:
            continue
        i = above[branch]
        while i >= 0:
            mass[i] -= mass[branch]
            i = above[i]
        above[branch] = -1
        cuts[count] = e
        count += 1
    return count
