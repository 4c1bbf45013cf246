"""The basis of the network simplex: a spanning tree of sources and sinks in the caller's workspace.

Sources are nodes 0…na−1, sinks na…na+nb−1. The tree is rooted at a sink and kept *strongly feasible* (an arc without
flow points to the root), which rules out cycling. The cost from source i to sink j is `cost[work.row[j] + i]`: problems
that share their sources share the rows of one table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit

DEAD = -np.inf  # the potential of a node that a start has placed: nobody finds it the best partner


class Work(NamedTuple):
    """The caller's workspace for problems of up to `cap` nodes a side; `stop[0]` ≠ 0 interrupts."""

    supply: np.ndarray  # (cap,) masses of the sources
    demand: np.ndarray  # (cap,) masses of the sinks
    row: np.ndarray  # (cap,) where the costs to a sink begin
    dual: np.ndarray  # (2cap,) potentials
    flow: np.ndarray  # (2cap,) on the arc from a node to its parent
    rest: np.ndarray  # (2cap,) mass not yet placed
    low: np.ndarray  # (2cap,) what rounding takes from it, where that is kept
    parent: np.ndarray
    depth: np.ndarray
    child: np.ndarray
    after: np.ndarray
    before: np.ndarray
    order: np.ndarray
    arcs: np.ndarray  # (4, 4cap) tight arcs: source, sink, next of the source, next of the sink
    queue: np.ndarray  # (8cap,)
    stop: np.ndarray


def workspace(cap: int, stop: np.ndarray) -> Work:
    """Room for problems of up to `cap` × `cap`, costs apart."""
    dual, flow, rest, low = np.zeros((4, 2 * cap))
    parent, depth, child, after, before, order = np.zeros((6, 2 * cap), np.intp)
    supply, demand = np.zeros((2, cap))
    row, arcs, queue = np.zeros(cap, np.intp), np.zeros((4, 4 * cap), np.intp), np.zeros(8 * cap, np.intp)
    tree = parent, depth, child, after, before, order
    return Work(supply, demand, row, dual, flow, rest, low, *tree, arcs, queue, stop)


@jit
def link(node: int, parent: int, work: Work) -> None:
    """Hang a node under a parent."""
    work.parent[node] = parent
    first = work.child[parent]
    work.after[node] = first
    work.before[node] = -1
    if first >= 0:
        work.before[first] = node
    work.child[parent] = node


@jit
def unlink(node: int, work: Work) -> None:
    """Take a node from its parent."""
    before, after = work.before[node], work.after[node]
    if before >= 0:
        work.after[before] = after
    else:
        work.child[work.parent[node]] = after
    if after >= 0:
        work.before[after] = before


@jit
def arc_cost(node: int, na: int, cost: Any, work: Work) -> float:
    """Cost of the tree arc between a node and its parent."""
    up = work.parent[node]
    if node < na:
        return cost[work.row[up - na] + node]
    return cost[work.row[node - na] + up]


@jit
def grow(na: int, nb: int, root: int, cost: Any, work: Work) -> None:
    """Child lists, depths and potentials of the tree that a start left in `parent` and `order`, leaves first."""
    n = na + nb
    for node in range(n):
        work.child[node] = -1
    work.parent[root] = -1
    work.depth[root] = 0
    work.dual[root] = 0.0
    for k in range(n - 2, -1, -1):
        node = work.order[k]
        up = work.parent[node]
        link(node, up, work)
        work.depth[node] = work.depth[up] + 1
        work.dual[node] = arc_cost(node, na, cost, work) - work.dual[up]


@jit
def refresh(na: int, root: int, cost: Any, work: Work) -> None:
    """Potentials anew from the tree: pivots add their rounding errors up."""
    work.dual[root] = 0.0
    x = root
    while True:
        if work.child[x] >= 0:
            x = work.child[x]
        else:
            while x != root and work.after[x] < 0:
                x = work.parent[x]
            if x == root:
                return
            x = work.after[x]
        work.dual[x] = arc_cost(x, na, cost, work) - work.dual[work.parent[x]]
