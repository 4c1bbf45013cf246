"""Spanning trees of mutual reachability, max(d(x, y), core(x), core(y)), with ties broken by d.

Prim's algorithm, and Borůvka's as in `spanning_trees.py`. Pairs are compared by a *key*, the reach rounded to a
billionth, so that equal core distances are equal in spite of rounding, and then by the distance. Each position keeps
the best known pair (key, distance) to another component, or with `which` = `NO_POINT` a lower bound of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit, jit_strict
from ..metrics.geometry_jit import squared
from ..neighbors.kdtree_jit import EXACT, LOOSE, NO_POINT, middle, point_distance, square_apart, square_outside
from .spanning_jit import TOGETHER, comes_before, root, unite

_SPLITTER = 2.0**23 + 1.0  # leaves 30 bits of 53


@jit_strict
def coarse(value: float) -> float:
    """A finite number rounded to a share of 5e-10."""
    spread = value * _SPLITTER
    return spread - (spread - value)


@jit
def _useful_distance(key: float, best_key: float, best_apart: float) -> float:
    """The largest distance at which a pair with a key ≥ `key` comes before the best."""
    return best_apart if key == best_key else max(best_key, best_apart)


@jit
def prim_by_reach(geometry: Any, cores: Any, first: int, n_steps: int, done: Any, near: Any, apart: Any, source: Any,
                  edges: Any, heights: Any, lengths: Any, stop: Any) -> int:  # fmt: skip
    """Grow the tree by `n_steps` edges from the point `first`, last added. Returns the point added last."""
    here, n = first, done.shape[0]
    for k in range(n_steps):
        for j in range(n):
            if stop[0] != 0:
                return here
            if done[j]:
                continue
            core = max(cores[here], cores[j])
            key = coarse(core)
            if key > near[j]:
                continue
            useful = _useful_distance(key, near[j], apart[j])
            d = np.sqrt(squared(geometry, min(here, j), max(here, j), useful * useful))
            if d > useful:
                continue
            key = coarse(max(core, d))
            if comes_before(key, d, near[j], apart[j]):
                near[j], apart[j], source[j] = key, d, here
        best = -1
        for j in range(n):
            if not done[j] and (best < 0 or comes_before(near[j], apart[j], near[best], apart[best])):
                best = j
        done[best] = True
        edges[k, 0], edges[k, 1] = source[best], best
        heights[k] = max(cores[best], cores[source[best]], apart[best])
        lengths[k] = apart[best]
        here = best
    return here


@jit
def least_cores(tree: Any, cores: Any, least: Any) -> None:
    """The smallest core distance of each node; those of positions are given."""
    n_inner = least.shape[0] // 2
    for node in range(least.shape[0] - 1, -1, -1):
        if node < n_inner:
            least[node] = min(least[2 * node + 1], least[2 * node + 2])
            continue
        least[node] = np.inf
        for p in range(tree.starts[node], tree.ends[node]):
            least[node] = min(least[node], cores[p])


@jit
def _scan(geometry: Any, tree: Any, cores: Any, component: Any, leaf: int, p: int, best: Any, who: Any) -> None:
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
        if square_apart(tree.points, q, tree.points[p]) > reach * reach:
            continue
        j = tree.order[q]
        d = np.sqrt(squared(geometry, min(i, j), max(i, j), reach * reach))
        if d > reach:
            continue
        key = coarse(max(core, d))
        if comes_before(key, d, best[0], best[1]):
            best[0], best[1], who[0] = key, d, j


@jit
def _search(geometry: Any, tree: Any, cores: Any, least: Any, component: Any, whole: Any, p: int, best: Any, who: Any,
            nodes: Any, gaps: Any) -> None:  # fmt: skip
    """The best pair of position p and a point outside its component, if any comes before `best`."""
    n_inner, i = tree.starts.shape[0] // 2, tree.order[p]
    x, rounding = tree.points[p], tree.rounding[p]
    nodes[0], gaps[0] = 0, 0.0
    size = 1
    while size > 0:
        size -= 1
        node = nodes[size]
        key = coarse(max(cores[p], least[node]))
        if whole[node] == component[p] or key > best[0] or (key == best[0] and best[1] <= rounding):
            continue
        useful = _useful_distance(key, best[0], best[1])
        reach = useful * LOOSE + rounding + tree.max_rounding[node]
        if gaps[size] > reach * reach:
            continue
        if 4.0 * tree.radius[node] < useful < np.inf:  # a dense cluster: one distance prunes more than the contraction
            j = middle(tree, node)
            if i != j and point_distance(geometry, i, j) - tree.radius[node] * EXACT > reach:
                continue
        if node >= n_inner:
            _scan(geometry, tree, cores, component, node, p, best, who)
            continue
        one = 2 * node + 1
        other = one + 1
        gap, other_gap = square_outside(tree, one, x), square_outside(tree, other, x)
        if gap < other_gap:
            one, other, gap, other_gap = other, one, other_gap, gap
        nodes[size], gaps[size] = one, gap
        nodes[size + 1], gaps[size + 1] = other, other_gap
        size += 2


@jit
def search_by_reach(geometry: Any, tree: Any, cores: Any, least: Any, component: Any, whole: Any, limits: Any,
                    known: Any, known_apart: Any, asking: Any, near: Any, apart: Any, which: Any, best: Any, who: Any,
                    nodes: Any, gaps: Any, stop: Any) -> None:  # fmt: skip
    """Find the best pair to another component for each of the positions `asking`, or a lower bound above the limit.

    A result limits the later searches of the same component, as in `search_outside`.
    """
    own = -1
    for k in range(asking.shape[0]):
        if stop[0] != 0:
            return
        p = asking[k]
        near[k], apart[k], which[k] = known[p], known_apart[p], NO_POINT
        if component[p] != own or k % TOGETHER == 0:
            own = component[p]
            best[0], best[1] = limits[own, 0], limits[own, 1]
        if not comes_before(near[k], apart[k], best[0], best[1]):
            continue
        who[0] = NO_POINT
        _search(geometry, tree, cores, least, component, whole, p, best, who, nodes, gaps)
        near[k], apart[k], which[k] = best[0], best[1], who[0]


@jit
def join_by_reach(chosen: Any, component: Any, order: Any, where: Any, cores: Any, apart: Any, which: Any, parent: Any,
                  edges: Any, heights: Any, lengths: Any, n_edges: int) -> int:  # fmt: skip
    """Add the edges of the chosen positions, best first, as in `join_components`; returns the number of edges."""
    for c in range(parent.shape[0]):
        parent[c] = c
    for k in range(chosen.shape[0]):
        p = chosen[k]
        q = where[which[p]]
        if unite(parent, component[p], component[q]):
            edges[n_edges, 0], edges[n_edges, 1] = order[p], which[p]
            heights[n_edges] = max(cores[p], cores[q], apart[p])
            lengths[n_edges] = apart[p]
            n_edges += 1
    for p in range(component.shape[0]):
        component[p] = root(parent, component[p])
    return n_edges
