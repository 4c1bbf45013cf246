"""The basis of a large problem: the same tree as in `basis`, its nodes in one ring, each before all below it.

A branch is then a stretch of the ring. It is cut out, turned around and put back by a few links for every node of the
path that turns; potentials change along the branch or along the rest, whichever is shorter, and no depth is kept. For
problems of a hundred points a side and more this beats lists of children, for smaller ones these.

The fields of the workspace hold other things meanwhile: `after` and `before` the neighbors on the ring, `depth` how many
nodes a branch has, `child` its last one. Potentials of sinks have the opposite sign, so that a branch has one shift.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .basis import Work, link
from .compile import jit


@jit
def to_ring(na: int, nb: int, root: int, work: Work) -> None:
    """From lists of children to the ring."""
    n, order, place = na + nb, work.order, work.queue
    x = root
    for k in range(n):
        order[k] = x
        place[x] = k
        if work.child[x] >= 0:
            x = work.child[x]
        else:
            while x != root and work.after[x] < 0:
                x = work.parent[x]
            if x != root:
                x = work.after[x]
    for k in range(n):
        work.depth[k] = 1
        work.after[order[k]] = order[k + 1 if k + 1 < n else 0]
        work.before[order[k]] = order[k - 1 if k > 0 else n - 1]
    for k in range(n - 1, 0, -1):
        work.depth[work.parent[order[k]]] += work.depth[order[k]]
    for k in range(n):
        work.child[order[k]] = order[k + work.depth[order[k]] - 1]
    for j in range(na, n):
        work.dual[j] = -work.dual[j]


@jit
def from_ring(na: int, nb: int, root: int, work: Work) -> None:
    """Back to lists of children, with depths."""
    n = na + nb
    x = root
    for k in range(n):
        work.order[k] = x
        x = work.after[x]
    for k in range(n):
        work.child[k] = -1
    work.depth[root] = 0
    for k in range(1, n):
        x = work.order[k]
        work.depth[x] = work.depth[work.parent[x]] + 1
        link(x, work.parent[x], work)
    for j in range(na, n):
        work.dual[j] = -work.dual[j]


@jit
def refresh_ring(na: int, root: int, cost: Any, work: Work) -> None:
    """Potentials anew from the tree: pivots add their rounding errors up."""
    price = work.dual
    price[root] = 0.0
    x = work.after[root]
    while x != root:
        up = work.parent[x]
        if x < na:
            price[x] = cost[work.row[up - na] + x] + price[up]
        else:
            price[x] = price[up] - cost[work.row[x - na] + up]
        x = work.after[x]


@jit
def _leaving(na: int, i: int, j: int, work: Work) -> tuple[int, int, float]:
    """The node whose arc leaves (−1: none can), the apex of the cycle, and how much flows around it.

    Of the arcs that block, the last one along the cycle, seen from its apex, leaves: the tree stays strongly feasible.
    """
    parent, size, flow = work.parent, work.depth, work.flow
    p, q, out, delta = i, j, -1, np.inf
    while p != q:
        if size[p] <= size[q]:
            if p < na and flow[p] < delta:
                delta = flow[p]
                out = p
            p = parent[p]
        else:
            if q >= na and flow[q] <= delta:
                delta = flow[q]
                out = q
            q = parent[q]
    return out, p, delta


@jit
def _push(na: int, i: int, j: int, apex: int, delta: float, work: Work) -> None:
    """Let `delta` flow around the cycle."""
    parent, flow = work.parent, work.flow
    p = i
    while p != apex:
        flow[p] += -delta if p < na else delta
        p = parent[p]
    q = j
    while q != apex:
        flow[q] += delta if q < na else -delta
        q = parent[q]


@jit
def _cut(out: int, apex: int, work: Work) -> None:
    """Take the branch of `out` from the ring; its own links stay."""
    parent, size, last = work.parent, work.depth, work.child
    end, total = last[out], size[out]
    before, after = work.before[out], work.after[end]
    work.after[before] = after
    work.before[after] = before
    x = parent[out]
    while x >= 0 and last[x] == end:
        last[x] = before
        x = parent[x]
    x = parent[out]
    while x != apex:
        size[x] -= total
        x = parent[x]


@jit
def _turn(top: int, out: int, up: int, carried: float, work: Work) -> int:
    """Turn a branch that was cut at `out` around, so that `top` is its root, below `up`; the last node of the result.

    What hangs below a node of the path, less what hung below the one before, is appended to what came so far.
    """
    parent, size, last, flow = work.parent, work.depth, work.child, work.flow
    total, end = size[out], last[out]
    x, above = top, parent[top]
    size_x, last_x, flow_x = size[x], last[x], flow[x]
    left, right = work.before[x], work.after[last_x]  # on both sides of what hangs below x
    tail = last_x
    parent[x] = up
    flow[x] = carried
    size[x] = total
    while x != out:
        y = above
        above, size_y, last_y, flow_y, left_y = parent[y], size[y], last[y], flow[y], work.before[y]
        right_y = right if last_y == last_x else work.after[last_y]
        work.after[tail] = y
        work.before[y] = tail
        if last_y != last_x:
            work.after[left] = right
            work.before[right] = left
            tail = last_y
        else:
            tail = left
        parent[y] = x
        flow[y] = flow_x
        size[y] = total - size_x
        x, size_x, last_x, flow_x, left, right = y, size_y, last_y, flow_y, left_y, right_y
    while x != up:
        last[x] = tail
        x = parent[x]
    return tail


@jit
def _hang(top: int, tail: int, up: int, apex: int, work: Work) -> None:
    """Put the branch from `top` to `tail` back on the ring, right behind `up`."""
    parent, size, last = work.parent, work.depth, work.child
    total = size[top]
    after = work.after[up]
    work.after[up] = top
    work.before[top] = up
    work.after[tail] = after
    work.before[after] = tail
    x = up
    while x >= 0 and last[x] == up:
        last[x] = tail
        x = parent[x]
    x = up
    while x != apex:
        size[x] += total
        x = parent[x]


@jit
def _shift(top: int, tail: int, step: float, n: int, work: Work) -> None:
    """Raise the potentials of the branch by `step`, or lower all others."""
    price, after, total = work.dual, work.after, work.depth[top]
    x = top
    if 2 * total > n:
        x, total, step = after[tail], n - total, -step
    for _ in range(total):
        price[x] += step
        x = after[x]


@jit
def pivot_ring(na: int, nb: int, i: int, j: int, reduced: float, work: Work) -> bool:
    """Bring the arc from source i to sink node j into the tree; False if no arc can leave (flows are not numbers)."""
    out, apex, delta = _leaving(na, i, j, work)
    if out < 0:
        return False
    if delta > 0.0:
        _push(na, i, j, apex, delta, work)
    # an arc that leaves on the way up from i is that of a source, one on the way up from j that of a sink
    top, up, step = (i, j, reduced) if out < na else (j, i, -reduced)
    _cut(out, apex, work)
    tail = _turn(top, out, up, delta, work)
    _hang(top, tail, up, apex, work)
    _shift(top, tail, step, na + nb, work)
    return True
