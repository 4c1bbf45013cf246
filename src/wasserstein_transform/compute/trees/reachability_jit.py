"""Spanning trees of mutual reachability, max(d(x, y), core(x), core(y)), with ties broken by d.

Prim's algorithm, and Borůvka's as in `spanning_trees.py`. Pairs are compared by a *key*, the reach rounded to a
billionth, so that equal core distances are equal in spite of rounding, and then by the distance. Each position keeps
the best known pair (key, distance) to another component, or without `partner` a lower bound of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit, jit_strict
from ..metrics import geometry_jit as geometries
from ..neighbors import kdtree_jit as kdtree
from .spanning_jit import SEARCHES_PER_GROUP, comes_before

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
def prim_by_reach(
    geometry: Any, cores: Any, last: int, in_tree: Any, keys: Any, distances: Any, source: Any, edges: Any,
    heights: Any, lengths: Any, stop: Any,
) -> int:  # fmt: skip
    """Add edges to the tree as `prim` does."""
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
            d = np.sqrt(geometries.squared(geometry, min(last, j), max(last, j), useful * useful))
            if d > useful:
                continue
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
        reach = _useful_distance(key, best[0], best[1]) * kdtree.LOOSE + tree.rounding[p] + tree.rounding[q]
        if kdtree.square_to_position(tree.points, q, tree.points[p]) > reach * reach:
            continue
        j = tree.order[q]
        d = np.sqrt(geometries.squared(geometry, min(i, j), max(i, j), reach * reach))
        if d > reach:
            continue
        key = coarse(max(core, d))
        if comes_before(key, d, best[0], best[1]):
            best[0], best[1], best_point[0] = key, d, j


@jit
def _search(
    geometry: Any, tree: Any, cores: Any, min_cores: Any, component: Any, node_component: Any, p: int, best: Any,
    best_point: Any, nodes: Any, gaps: Any,
) -> None:  # fmt: skip
    """The best pair of position p and a point outside its component, if any comes before `best`."""
    n_inner, i = tree.starts.shape[0] // 2, tree.order[p]
    x, rounding = tree.points[p], tree.rounding[p]
    nodes[0], gaps[0] = 0, 0.0
    size = 1
    while size > 0:
        size -= 1
        node = nodes[size]
        key = coarse(max(cores[p], min_cores[node]))
        if node_component[node] == component[p] or key > best[0] or (key == best[0] and best[1] <= rounding):
            continue
        useful = _useful_distance(key, best[0], best[1])
        reach = useful * kdtree.LOOSE + rounding + tree.max_rounding[node]
        if gaps[size] > reach * reach:
            continue
        if 4.0 * tree.radius[node] < useful < np.inf:  # a dense cluster: one distance prunes more than the contraction
            j = kdtree.middle(tree, node)
            if i != j and kdtree.point_distance(geometry, i, j) - tree.radius[node] * kdtree.EXACT > reach:
                continue
        if node >= n_inner:
            _scan(geometry, tree, cores, component, node, p, best, best_point)
            continue
        child = 2 * node + 1
        other = child + 1
        gap, other_gap = kdtree.square_outside(tree, child, x), kdtree.square_outside(tree, other, x)
        if gap < other_gap:
            child, other, gap, other_gap = other, child, other_gap, gap
        nodes[size], gaps[size] = child, gap
        nodes[size + 1], gaps[size + 1] = other, other_gap
        size += 2


@jit
def search_by_reach(
    geometry: Any, tree: Any, cores: Any, min_cores: Any, component: Any, node_component: Any, limits: Any,
    key_bounds: Any, distance_bounds: Any, asking: Any, keys: Any, distances: Any, partners: Any, best: Any,
    best_point: Any, nodes: Any, gaps: Any, stop: Any,
) -> None:  # fmt: skip
    """Find the best pair to another component for each of the positions `asking`, or a lower bound above the limit.

    A result limits the later searches of the same component, as in `search_outside`.
    """
    searched = -1
    for k in range(asking.shape[0]):
        if stop[0] != 0:
            return
        p = asking[k]
        keys[k], distances[k], partners[k] = key_bounds[p], distance_bounds[p], kdtree.NO_POINT
        if component[p] != searched or k % SEARCHES_PER_GROUP == 0:
            searched = component[p]
            best[0], best[1] = limits[searched, 0], limits[searched, 1]
        if not comes_before(keys[k], distances[k], best[0], best[1]):
            continue
        best_point[0] = kdtree.NO_POINT
        _search(geometry, tree, cores, min_cores, component, node_component, p, best, best_point, nodes, gaps)
        keys[k], distances[k], partners[k] = best[0], best[1], best_point[0]
