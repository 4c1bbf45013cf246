"""Minimum spanning trees and forests: the algorithms of Prim, Borůvka and Kruskal.

Borůvka: in each round every component joins the nearest point outside, until one is left. Each position keeps the
nearest known point outside its component, `which`, at distance `near`. Components only grow, so it stays the nearest
until it is absorbed. With `which` = `NO_POINT`, `near` is a lower bound. "Nearest" has a relative tolerance of 3e-14
(`LOOSE`): seen from far away, all points of a dense cluster are equally near and are not compared. It also has an
absolute one, the rounding of the contraction: points that are nearer than that are not compared either.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit
from ..metrics.geometry_jit import squared
from ..neighbors.kdtree_jit import LOOSE, MIXED, NO_POINT, search

TOGETHER = 512  # searches in a group: a few milliseconds


@jit
def reach_out(geometry: Any, here: int, end: int, done: Any, near: Any, source: Any, stop: Any) -> None:
    """One step of Prim's algorithm: update nearest tree points with `here`. `stop[0]` ≠ 0 interrupts."""
    for j in range(end):
        if stop[0] != 0:
            return
        if done[j]:
            continue
        apart = squared(geometry, here, j, near[j])
        if apart < near[j]:
            near[j] = apart
            source[j] = here


@jit
def prim(
    geometry: Any, first: int, n_steps: int, done: Any, near: Any, source: Any, edges: Any, lengths: Any, stop: Any
) -> int:
    """Grow the tree by `n_steps` edges from the point `first`, last added. Returns the point added last."""
    here = first
    n = done.shape[0]
    for k in range(n_steps):
        reach_out(geometry, here, n, done, near, source, stop)
        if stop[0] != 0:
            return here
        best = -1
        for j in range(n):
            if not done[j] and (best < 0 or near[j] < near[best]):
                best = j
        done[best] = True
        edges[k, 0] = source[best]
        edges[k, 1] = best
        lengths[k] = np.sqrt(near[best])
        here = best
    return here


@jit
def root(parent: Any, i: int) -> int:
    """The root of the component of i, with path halving."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@jit
def unite(parent: Any, i: int, j: int) -> bool:
    """Join two components with the earlier root as root. Returns whether they were different."""
    a, b = root(parent, i), root(parent, j)
    parent[max(a, b)] = min(a, b)
    return a != b


@jit
def mark_nodes(tree: Any, component: Any, whole: Any) -> None:
    """The component of each node; `MIXED` if there are several."""
    n_inner = whole.shape[0] // 2
    for node in range(whole.shape[0] - 1, -1, -1):
        if node < n_inner:
            left, right = whole[2 * node + 1], whole[2 * node + 2]
            whole[node] = left if left == right else MIXED
            continue
        start = tree.starts[node]
        whole[node] = component[start]
        for p in range(start + 1, tree.ends[node]):
            if component[p] != component[start]:
                whole[node] = MIXED


@jit
def comes_before(key: float, apart: float, other_key: float, other_apart: float) -> bool:
    """Whether one pair comes before another."""
    return key < other_key or (key == other_key and apart < other_apart)


@jit
def list_searches(component: Any, where: Any, near: Any, apart: Any, which: Any, limits: Any, asking: Any) -> int:
    """List the positions that have to search in `asking`; returns their number.

    Pairs are compared by `near`, then by `apart`; both are the distance unless it is a reach. `limits[c]` is the best
    known pair of component c: positions whose lower bound does not come before it do not search.
    """
    limits[:] = np.inf
    for p in range(component.shape[0]):
        own = component[p]
        if which[p] != NO_POINT and component[where[which[p]]] == own:
            which[p] = NO_POINT
        if which[p] != NO_POINT and comes_before(near[p], apart[p], limits[own, 0], limits[own, 1]):
            limits[own, 0], limits[own, 1] = near[p], apart[p]
    count = 0
    for p in range(component.shape[0]):
        own = component[p]
        if which[p] == NO_POINT and comes_before(near[p], apart[p], limits[own, 0], limits[own, 1]):
            asking[count] = p
            count += 1
    return count


@jit
def search_outside(geometry: Any, tree: Any, component: Any, whole: Any, limits: Any, known: Any, asking: Any,
                   near: Any, which: Any, best: Any, who: Any, nodes: Any, gaps: Any, stop: Any) -> int:  # fmt: skip
    """Find the nearest point outside its component for the positions `asking`, or a lower bound above the limit.

    `known` are lower bounds of all positions. Returns the number of leaves visited.

    A result limits the later searches of the same component, because consecutive positions are near each other, but
    only within a group of `TOGETHER` positions, so that groups can be searched side by side.
    """
    own, limit, n_leaves = -1, np.inf, 0
    for k in range(asking.shape[0]):
        if stop[0] != 0:
            return n_leaves
        p = asking[k]
        near[k], which[k] = known[p], NO_POINT
        if component[p] != own or k % TOGETHER == 0:
            own = component[p]
            limit = limits[own, 0]
        if near[k] >= limit:
            continue
        best[0], who[0] = limit, NO_POINT
        n_leaves += search(
            geometry, tree, component, whole, tree.points[p], tree.rounding[p], tree.order[p], own, LOOSE, best, who,
            nodes, gaps,
        )  # fmt: skip
        near[k], which[k] = best[0], who[0]
        limit = best[0]
    return n_leaves


@jit
def first_edges(component: Any, near: Any, apart: Any, which: Any, first: Any, chosen: Any) -> int:
    """Put one position of each component with its best pair into `chosen`; returns their number."""
    n = component.shape[0]
    first[:] = -1
    for p in range(n):
        q = first[component[p]]
        if which[p] != NO_POINT and (q < 0 or comes_before(near[p], apart[p], near[q], apart[q])):
            first[component[p]] = p
    count = 0
    for c in range(n):
        if first[c] >= 0:
            chosen[count] = first[c]
            count += 1
    return count


@jit
def join_components(chosen: Any, component: Any, order: Any, where: Any, near: Any, which: Any, parent: Any, edges: Any,
                    heights: Any, n_edges: int) -> int:  # fmt: skip
    """Add the edges of the chosen positions, shortest first, and renumber the components; returns the number of edges.

    Edges of equal length may form a cycle of components: the edge that would close it is left out.
    """
    for c in range(parent.shape[0]):
        parent[c] = c
    for k in range(chosen.shape[0]):
        p = chosen[k]
        if unite(parent, component[p], component[where[which[p]]]):
            edges[n_edges, 0], edges[n_edges, 1] = order[p], which[p]
            heights[n_edges] = near[p]
            n_edges += 1
    for p in range(component.shape[0]):
        component[p] = root(parent, component[p])
    return n_edges


@jit
def shortest_forest(edges: Any, parent: Any, picked: Any) -> int:
    """Mark the edges, sorted by length, that join two components (Kruskal); returns their number."""
    for i in range(parent.shape[0]):
        parent[i] = i
    count = 0
    for k in range(edges.shape[0]):
        picked[k] = unite(parent, edges[k, 0], edges[k, 1])
        count += picked[k]
    return count


@jit
def undecided(
    edges: Any, lengths: Any, rows: Any, cols: Any, bounds: Any, first: int, parent: Any, chosen: Any
) -> tuple[int, int]:
    """From pair `first` on, list pairs that are not connected by edges up to their lower bound.

    All other pairs can be left out of a spanning tree. Edges and bounds are sorted. Returns the number of listed pairs
    and the first pair that was not examined.
    """
    for i in range(parent.shape[0]):
        parent[i] = i
    e = 0
    count = 0
    for k in range(first, rows.shape[0]):
        if count == chosen.shape[0]:
            return count, k
        while e < edges.shape[0] and lengths[e] <= bounds[k]:
            unite(parent, edges[e, 0], edges[e, 1])
            e += 1
        if root(parent, rows[k]) != root(parent, cols[k]):
            chosen[count] = k
            count += 1
    return count, rows.shape[0]
