"""Minimum spanning trees of mutual reachability, max(d(x, y), core(x), core(y)); those of distances have cores 0.

The algorithms of Prim and Borůvka, and Kruskal's for forests. Pairs are compared by a *key*, the reach rounded to a
billionth, so that equal core distances are equal in spite of rounding, and then by the distance.

Borůvka: in each round every component joins the nearest point outside, until one is left. Each position keeps the
nearest known point outside its component, `partner`, and the pair (key, distance). Components only grow, so it stays
the nearest until it is absorbed. With `partner` = `NO_POINT`, the pair is a lower bound. "Nearest" has a relative
tolerance of 3e-14 (`LOOSE`): seen from far away, all points of a dense cluster are equally near and are not compared.
It also has an absolute one, the rounding of the contraction: points that are nearer than that are not compared either.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit, jit_strict
from ..metrics import geometry_jit as geometries
from ..neighbors import kdtree_jit as kdtree

SEARCHES_PER_GROUP = 512  # searches in a group: a few milliseconds
LOOSE = 1 - 3e-14  # points that are nearer by at most this relative amount, or by rounding, are not searched
_SPLITTER = 2.0**23 + 1.0  # leaves 30 bits of 53


@jit_strict
def coarse(value: float) -> float:
    """A finite number rounded to a share of 5e-10."""
    spread = value * _SPLITTER
    return spread - (spread - value)


@jit
def _useful_distance(key: float, best_key: float, best_distance: float) -> float:
    """The largest distance at which a pair with a key ≥ `key` comes before the best."""
    return best_distance if key == best_key else max(best_key, best_distance)


@jit
def prim(
    geometry: Any, cores: Any, last: int, in_tree: Any, keys: Any, distances: Any, source: Any, edges: Any,
    heights: Any, lengths: Any, stop: Any,
) -> int:  # fmt: skip
    """Add as many edges to the tree as there is memory for; `last` is the point added last. Returns the new last one.

    Points outside the tree know their nearest point of it, `source`, and the pair, `keys` and `distances`.
    """
    n = in_tree.shape[0]
    for k in range(edges.shape[0]):
        for j in range(n):
            if stop[0] != 0:
                return last
            if in_tree[j]:
                continue
            core = max(cores[last], cores[j])
            key = coarse(core)
            if key > keys[j]:
                continue
            useful = _useful_distance(key, keys[j], distances[j])
            square = geometries.squared(geometry, last, j, useful * useful)
            if square > useful * useful:
                continue
            d = np.sqrt(square)
            key = coarse(max(core, d))
            if comes_before(key, d, keys[j], distances[j]):
                keys[j], distances[j], source[j] = key, d, last
        best = -1
        for j in range(n):
            if not in_tree[j] and (best < 0 or comes_before(keys[j], distances[j], keys[best], distances[best])):
                best = j
        in_tree[best] = True
        edges[k, 0], edges[k, 1] = source[best], best
        heights[k] = max(cores[best], cores[source[best]], distances[best])
        lengths[k] = distances[best]
        last = best
    return last


@jit
def prim_of_distances(
    geometry: Any, last: int, in_tree: Any, nearest: Any, source: Any, edges: Any, lengths: Any, stop: Any
) -> int:
    """The same without cores, which takes half of the time: `nearest` are squared distances."""
    n = in_tree.shape[0]
    for k in range(edges.shape[0]):
        for j in range(n):
            if stop[0] != 0:
                return last
            if in_tree[j]:
                continue
            square = geometries.squared(geometry, last, j, nearest[j])
            if square < nearest[j]:
                nearest[j], source[j] = square, last
        best = -1
        for j in range(n):
            if not in_tree[j] and (best < 0 or nearest[j] < nearest[best]):
                best = j
        in_tree[best] = True
        edges[k, 0], edges[k, 1] = source[best], best
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
def find_min_cores(tree: Any, cores: Any, min_cores: Any) -> None:
    """The smallest core distance of each node; those of positions are given."""
    n_inner = min_cores.shape[0] // 2
    for node in range(min_cores.shape[0] - 1, -1, -1):
        if node < n_inner:
            min_cores[node] = min(min_cores[2 * node + 1], min_cores[2 * node + 2])
            continue
        min_cores[node] = np.inf
        for p in range(tree.starts[node], tree.ends[node]):
            min_cores[node] = min(min_cores[node], cores[p])


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

    `limits[c]` is the best known pair of component c: positions whose lower bound does not come before it need not.
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
def _scan(geometry: Any, tree: Any, cores: Any, component: Any, leaf: int, p: int, best: Any, best_point: Any) -> None:
    """Compare the points of a leaf outside the component of p with the best pair."""
    i = tree.order[p]
    for q in range(tree.starts[leaf], tree.ends[leaf]):
        if component[q] == component[p]:
            continue
        core = max(cores[p], cores[q])
        key = coarse(core)
        if key > best[0]:
            continue
        reach = _useful_distance(key, best[0], best[1]) * LOOSE + tree.rounding[p] + tree.rounding[q]
        if kdtree.square_to_position(tree.points, q, tree.points[p]) > reach * reach:
            continue
        j = tree.order[q]
        d = np.sqrt(geometries.squared(geometry, min(i, j), max(i, j), reach * reach))
        key = coarse(max(core, d))
        if comes_before(key, d, best[0], best[1]):
            best[0], best[1], best_point[0] = key, d, j


@jit
def _search(
    geometry: Any, tree: Any, cores: Any, min_cores: Any, component: Any, node_component: Any, p: int, best: Any,
    best_point: Any, nodes: Any, gaps: Any,
) -> int:  # fmt: skip
    """The best pair of position p and a point outside its component, if any comes before `best`.

    Returns the number of leaves visited.
    """
    n_inner, i = tree.starts.shape[0] // 2, tree.order[p]
    x, rounding = tree.points[p], tree.rounding[p]
    nodes[0], gaps[0] = 0, 0.0
    size = 1
    n_leaves = 0
    while size > 0:
        size -= 1
        node = nodes[size]
        key = coarse(max(cores[p], min_cores[node]))
        if node_component[node] == component[p] or key > best[0] or (key == best[0] and best[1] <= rounding):
            continue
        useful = _useful_distance(key, best[0], best[1])
        reach = useful * LOOSE + rounding + tree.max_rounding[node]
        if gaps[size] > reach * reach:
            continue
        if 4.0 * tree.radius[node] < useful < np.inf:  # a dense cluster: one distance prunes more than the contraction
            j = kdtree.middle(tree, node)
            if i != j and kdtree.point_distance(geometry, i, j) - tree.radius[node] * kdtree.EXACT > reach:
                continue
        if node >= n_inner:
            _scan(geometry, tree, cores, component, node, p, best, best_point)
            n_leaves += 1
            continue
        child = 2 * node + 1
        other = child + 1
        gap, other_gap = kdtree.square_outside(tree, child, x), kdtree.square_outside(tree, other, x)
        if gap < other_gap:
            child, other, gap, other_gap = other, child, other_gap, gap
        nodes[size], gaps[size] = child, gap
        nodes[size + 1], gaps[size + 1] = other, other_gap
        size += 2
    return n_leaves


@jit
def search_outside(
    geometry: Any, tree: Any, cores: Any, min_cores: Any, component: Any, node_component: Any, limits: Any,
    key_bounds: Any, distance_bounds: Any, asking: Any, keys: Any, distances: Any, partners: Any, best: Any,
    best_point: Any, nodes: Any, gaps: Any, stop: Any,
) -> int:  # fmt: skip
    """Find the best pair to another component for each of the positions `asking`, or a lower bound above the limit.

    Returns the number of leaves visited.

    A result limits the later searches of the same component, because consecutive positions are close, but only within a
    group of `SEARCHES_PER_GROUP` positions, so that groups can be searched side by side.
    """
    searched, n_leaves = -1, 0
    for k in range(asking.shape[0]):
        if stop[0] != 0:
            return n_leaves
        p = asking[k]
        keys[k], distances[k], partners[k] = key_bounds[p], distance_bounds[p], kdtree.NO_POINT
        if component[p] != searched or k % SEARCHES_PER_GROUP == 0:
            searched = component[p]
            best[0], best[1] = limits[searched, 0], limits[searched, 1]
        if not comes_before(keys[k], distances[k], best[0], best[1]):
            continue
        best_point[0] = kdtree.NO_POINT
        n_leaves += _search(
            geometry, tree, cores, min_cores, component, node_component, p, best, best_point, nodes, gaps
        )
        keys[k], distances[k], partners[k] = best[0], best[1], best_point[0]
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
