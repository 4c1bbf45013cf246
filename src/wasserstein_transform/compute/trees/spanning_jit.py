"""Minimum spanning trees and forests: the algorithms of Prim, Borůvka and Kruskal.

Borůvka: in each round every component joins the nearest point outside, until one is left. Each position keeps the
nearest known point outside its component, `partner`, and its distance. Components only grow, so it stays the nearest
until it is absorbed. With `partner` = `NO_POINT`, the distance is a lower bound. "Nearest" has a relative tolerance of
3e-14 (`LOOSE`): seen from far away, all points of a dense cluster are equally near and are not compared. It also has an
absolute one, the rounding of the contraction: points that are nearer than that are not compared either.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit
from ..metrics import geometry_jit as geometries
from ..neighbors import kdtree_jit as kdtree

SEARCHES_PER_GROUP = 512  # searches in a group: a few milliseconds


@jit
def prim(geometry: Any, last: int, in_tree: Any, nearest: Any, source: Any, edges: Any, lengths: Any, stop: Any) -> int:
    """Add as many edges to the tree as there is memory for; `last` is the point added last. Returns the new last one.

    Points outside the tree know their nearest point of it, `source`, and its squared distance, `nearest`.
    """
    n = in_tree.shape[0]
    for k in range(edges.shape[0]):
        for j in range(n):
            if stop[0] != 0:
                return last
            if in_tree[j]:
                continue
            square = geometries.squared(geometry, last, j, nearest[j])
            if square < nearest[j]:
                nearest[j] = square
                source[j] = last
        best = -1
        for j in range(n):
            if not in_tree[j] and (best < 0 or nearest[j] < nearest[best]):
                best = j
        in_tree[best] = True
        edges[k, 0] = source[best]
        edges[k, 1] = best
        lengths[k] = np.sqrt(nearest[best])
        last = best
    return last


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
def mark_nodes(tree: Any, component: Any, node_component: Any) -> None:
    """The component of each node; `MIXED` if there are several."""
    n_inner = node_component.shape[0] // 2
    for node in range(node_component.shape[0] - 1, -1, -1):
        if node < n_inner:
            left, right = node_component[2 * node + 1], node_component[2 * node + 2]
            node_component[node] = left if left == right else kdtree.MIXED
            continue
        start = tree.starts[node]
        node_component[node] = component[start]
        for p in range(start + 1, tree.ends[node]):
            if component[p] != component[start]:
                node_component[node] = kdtree.MIXED


@jit
def comes_before(key: float, distance: float, other_key: float, other_distance: float) -> bool:
    """Whether one pair comes before another."""
    return key < other_key or (key == other_key and distance < other_distance)


@jit
def list_searches(
    component: Any, position: Any, keys: Any, distances: Any, partner: Any, limits: Any, asking: Any
) -> int:
    """List the positions that have to search in `asking`; returns their number.

    Pairs are compared by `keys`, then by `distances`; both are the distance unless it is a reach. `limits[c]` is the
    best known pair of component c: positions whose lower bound does not come before it do not search.
    """
    limits[:] = np.inf
    for p in range(component.shape[0]):
        c = component[p]
        if partner[p] != kdtree.NO_POINT and component[position[partner[p]]] == c:
            partner[p] = kdtree.NO_POINT
        if partner[p] != kdtree.NO_POINT and comes_before(keys[p], distances[p], limits[c, 0], limits[c, 1]):
            limits[c, 0], limits[c, 1] = keys[p], distances[p]
    count = 0
    for p in range(component.shape[0]):
        c = component[p]
        if partner[p] == kdtree.NO_POINT and comes_before(keys[p], distances[p], limits[c, 0], limits[c, 1]):
            asking[count] = p
            count += 1
    return count


@jit
def search_outside(
    geometry: Any, tree: Any, component: Any, node_component: Any, limits: Any, bounds: Any, asking: Any,
    distances: Any, partners: Any, best_distance: Any, best_point: Any, nodes: Any, gaps: Any, stop: Any,
) -> int:  # fmt: skip
    """Find the nearest point outside its component for the positions `asking`, or a lower bound above the limit.

    `bounds` are lower bounds of all positions. Returns the number of leaves visited.

    A result limits the later searches of the same component, because consecutive positions are close, but only within a
    group of `SEARCHES_PER_GROUP` positions, so that groups can be searched side by side.
    """
    searched, limit, n_leaves = -1, np.inf, 0
    for k in range(asking.shape[0]):
        if stop[0] != 0:
            return n_leaves
        p = asking[k]
        distances[k], partners[k] = bounds[p], kdtree.NO_POINT
        if component[p] != searched or k % SEARCHES_PER_GROUP == 0:
            searched = component[p]
            limit = limits[searched, 0]
        if distances[k] >= limit:
            continue
        best_distance[0], best_point[0] = limit, kdtree.NO_POINT
        n_leaves += kdtree.search(
            geometry, tree, component, node_component, tree.points[p], tree.rounding[p], tree.order[p], searched,
            kdtree.LOOSE, best_distance, best_point, nodes, gaps,
        )  # fmt: skip
        distances[k], partners[k] = best_distance[0], best_point[0]
        limit = best_distance[0]
    return n_leaves


@jit
def first_edges(component: Any, keys: Any, distances: Any, partner: Any, first: Any, chosen: Any) -> int:
    """Put one position of each component with its best pair into `chosen`; returns their number."""
    n = component.shape[0]
    first[:] = -1
    for p in range(n):
        q = first[component[p]]
        if partner[p] != kdtree.NO_POINT and (q < 0 or comes_before(keys[p], distances[p], keys[q], distances[q])):
            first[component[p]] = p
    count = 0
    for c in range(n):
        if first[c] >= 0:
            chosen[count] = first[c]
            count += 1
    return count


@jit
def join_components(chosen: Any, component: Any, order: Any, position: Any, cores: Any, distances: Any, partner: Any,
                    parent: Any, edges: Any, heights: Any, lengths: Any, n_edges: int) -> int:  # fmt: skip
    """Add the edges of the chosen positions, best first, and renumber the components; returns the number of edges.

    Equally good edges may form a cycle of components: the edge that would close it is left out.
    """
    for c in range(parent.shape[0]):
        parent[c] = c
    for k in range(chosen.shape[0]):
        p = chosen[k]
        q = position[partner[p]]
        if unite(parent, component[p], component[q]):
            edges[n_edges, 0], edges[n_edges, 1] = order[p], partner[p]
            heights[n_edges] = max(cores[p], cores[q], distances[p])
            lengths[n_edges] = distances[p]
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
