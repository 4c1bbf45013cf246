"""The basis of the network simplex: a spanning tree of sources and sinks in the caller's workspace.

Sources are nodes 0…na−1, sinks na…na+nb−1. The tree is rooted at a sink and kept *strongly feasible* (an arc without
flow points to the root), which rules out cycling. The cost from source i to sink j is `cost[work.row[j] + i]`: problems
that share their sources share the rows of one table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit

DEAD = -np.inf  # potential of a node whose mass is placed: it is never the best partner


class Work(NamedTuple):
    """The caller's workspace for problems of up to `cap` nodes per side; `stop[0]` ≠ 0 interrupts."""

    supply: np.ndarray  # (cap,) masses of the sources
    demand: np.ndarray  # (cap,) masses of the sinks
    row: np.ndarray  # (cap,) start of the costs to a sink
    dual: np.ndarray  # (2cap,) potentials
    flow: np.ndarray  # (2cap,) flow on the arc from a node to its parent
    rest: np.ndarray  # (2cap,) mass not yet placed
    low: np.ndarray  # (2cap + 8,) rounding error of `rest`, if it is tracked
    loose: np.ndarray  # (2cap,) masses that are rounded, of a branch or a node
    parent: np.ndarray
    level: np.ndarray  # depth below the root
    after: np.ndarray  # the next node in a ring in preorder: every node comes right before its subtree
    before: np.ndarray  # the previous node in that ring
    depth: np.ndarray
    child: np.ndarray  # (2cap + 8,)
    order: np.ndarray
    arcs: np.ndarray  # (4, 4cap) tight arcs: source, sink, next of the source, next of the sink
    queue: np.ndarray  # (8cap,)
    stop: np.ndarray


def workspace(cap: int, stop: np.ndarray) -> Work:
    """A workspace for problems of up to `cap` × `cap`, without costs."""
    dual, flow, rest, loose = np.zeros((4, 2 * cap))
    parent, level, after, before, order = np.zeros(
        (5, 2 * cap), np.uint32
    )  # unsigned, to avoid tests for negative indices
    low, depth, child = np.zeros(2 * cap + 8), np.zeros(2 * cap, np.intp), np.zeros(2 * cap + 8, np.intp)
    supply, demand = np.zeros((2, cap))
    row, arcs, queue = np.zeros(cap, np.intp), np.zeros((4, 4 * cap), np.intp), np.zeros(8 * cap, np.uint32)
    tree = parent, level, after, before, depth, child, order
    return Work(supply, demand, row, dual, flow, rest, low, loose, *tree, arcs, queue, stop)


@jit
def arc_cost(node: int, na: int, cost: Any, work: Work) -> float:
    """Cost of the tree arc between a node and its parent."""
    up = work.parent[node]
    if node < na:
        return cost[work.row[up - na] + node]
    return cost[work.row[node - na] + up]


@jit
def grow(na: int, nb: int, root: int, cost: Any, work: Work) -> None:
    """Compute ring, levels and potentials of the initial tree in `parent` and `order` (leaves first)."""
    parent, level, after, before, dual = work.parent, work.level, work.after, work.before, work.dual
    parent[root] = root
    level[root] = 0
    after[root] = root
    before[root] = root
    dual[root] = 0.0
    for k in range(na + nb - 2, -1, -1):
        node = work.order[k]
        up = parent[node]
        following = after[up]
        after[up] = node
        before[node] = up
        after[node] = following
        before[following] = node
        level[node] = level[up] + 1
        dual[node] = arc_cost(node, na, cost, work) - dual[up]


@jit
def refresh(na: int, root: int, base: int, cost: Any, work: Work) -> None:
    """Recompute the potentials from the tree, because rounding errors of pivots accumulate; that of `base` is 0."""
    dual, parent, on_way = work.dual, work.parent, work.child
    x = root
    while True:
        on_way[x] = 0
        x = work.after[x]
        if x == root:
            break
    dual[base] = 0.0
    x = base
    while x != root:
        on_way[x] = 1
        dual[parent[x]] = arc_cost(x, na, cost, work) - dual[x]
        x = parent[x]
    x = work.after[root]
    while x != root:
        if on_way[x] == 0:
            dual[x] = arc_cost(x, na, cost, work) - dual[parent[x]]
        x = work.after[x]
