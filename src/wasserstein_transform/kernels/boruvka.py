"""Borůvka's algorithm: every component joins the nearest point outside, round after round, until there is one.

Edges are ordered by length, smaller and larger point: a total order, so that no cycle can arise and there is one tree.

Each position keeps the nearest point known outside its component, `which`, at the distance `near`; components only
grow, so it stays the nearest until it is absorbed. `which` = `NOBODY` leaves a lower bound in `near`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit
from .nearest import LOOSE, MIXED, NOBODY, search


@jit
def mark_nodes(tree: Any, component: Any, whole: Any) -> None:
    """The component of each node, `MIXED` where there is more than one."""
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
def list_searches(component: Any, where: Any, near: Any, which: Any, limits: Any, asking: Any) -> int:
    """Who has to search, into `asking`; returns their number.

    The limit of a component is the nearest point that one of its positions knows; those whose lower bound is not below
    it need not search.
    """
    limits[:] = np.inf
    for p in range(component.shape[0]):
        own = component[p]
        if which[p] != NOBODY and component[where[which[p]]] == own:
            which[p] = NOBODY
        if which[p] != NOBODY:
            limits[own] = min(limits[own], near[p])
    count = 0
    for p in range(component.shape[0]):
        if which[p] == NOBODY and near[p] < limits[component[p]]:
            asking[count] = p
            count += 1
    return count


@jit
def search_outside(geometry: Any, tree: Any, component: Any, whole: Any, limits: Any, asking: Any, start: int, end: int,
                   near: Any, which: Any, found: Any, who: Any, nodes: Any, gaps: Any, stop: Any) -> None:  # fmt: skip
    """The nearest point outside its component for the positions asking[start…end], or a lower bound above the limit.

    What a position finds limits those of its component that follow it: positions side by side are near each other.
    """
    own, limit = -1, np.inf
    for k in range(start, end):
        if stop[0] != 0:
            return
        p = asking[k]
        if component[p] != own:
            own = component[p]
            limit = limits[own]
        if near[p] >= limit:
            continue
        found[0], who[0] = limit, NOBODY
        search(
            geometry, tree, component, whole, tree.points[p], tree.blur[p], tree.order[p], own, LOOSE, found, who, nodes,
            gaps,
        )  # fmt: skip
        near[p], which[p] = found[0], who[0]
        limit = found[0]


@jit
def _root(parent: Any, i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@jit
def _before(d: float, i: int, j: int, other: float, k: int, l: int) -> bool:
    """Whether the edge ij of length d comes before the edge kl."""
    if d != other:
        return d < other
    if min(i, j) != min(k, l):
        return min(i, j) < min(k, l)
    return max(i, j) < max(k, l)


@jit
def join_components(component: Any, order: Any, where: Any, near: Any, which: Any, best: Any, parent: Any, edges: Any,
                    heights: Any, n_edges: int) -> int:  # fmt: skip
    """Add the first edge out of each component, and number the components anew; returns the number of edges."""
    n = component.shape[0]
    for c in range(n):
        best[c] = -1
        parent[c] = c
    for p in range(n):
        if which[p] == NOBODY:
            continue
        q = best[component[p]]
        if q < 0 or _before(near[p], order[p], which[p], near[q], order[q], which[q]):
            best[component[p]] = p
    for c in range(n):
        p = best[c]
        if p < 0:
            continue
        here, there = _root(parent, c), _root(parent, component[where[which[p]]])
        if here != there:
            parent[max(here, there)] = min(here, there)
            edges[n_edges, 0], edges[n_edges, 1] = order[p], which[p]
            heights[n_edges] = near[p]
            n_edges += 1
    for p in range(n):
        component[p] = _root(parent, component[p])
    return n_edges
