"""One step of the network simplex: an arc enters the tree, another one leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from .basis import Work
from .compile import jit


@jit
def _leaving(na: int, i: int, j: int, work: Work) -> tuple[float, int, bool, int]:
    """The flow change on the cycle of the arc (i, j), the node of the leaving arc, whether on i's side, and the apex.

    Of the blocking arcs, the last one along the cycle from its apex leaves, which keeps trees strongly feasible.
    """
    parent, level, flow = work.parent, work.level, work.flow
    p, q = i, j
    delta = np.inf
    out = -1
    on_source_side = True
    while p != q:
        if level[p] >= level[q]:
            if p < na and flow[p] < delta:
                delta = flow[p]
                out = p
                on_source_side = True
            p = parent[p]
        else:
            if q >= na and flow[q] <= delta:
                delta = flow[q]
                out = q
                on_source_side = False
            q = parent[q]
    return delta, out, on_source_side, p


@jit
def _push(na: int, i: int, j: int, apex: int, delta: float, parent: Any, flow: Any) -> None:
    """Move mass around the cycle."""
    p = i
    while p != apex:
        flow[p] += -delta if p < na else delta
        p = parent[p]
    q = j
    while q != apex:
        flow[q] += delta if q < na else -delta
        q = parent[q]


@jit
def _lift(na: int, x: int, bottom: int, rise: int, step: float, work: Work) -> tuple[int, int]:
    """Update levels and potentials along the ring from x, while below `bottom`; returns the last node and the next."""
    level, dual, after = work.level, work.dual, work.after
    while True:
        level[x] += rise
        dual[x] += step if x < na else -step
        y = after[x]
        if level[y] <= bottom:
            return x, y
        x = y


@jit
def turn(na: int, top: int, out: int, up: int, carried: float, step: float, work: Work) -> None:
    """Attach the branch that was cut at `out` to `up` by its node `top`, reversing the path from `top` to `out`."""
    parent, level, after, before, flow = work.parent, work.level, work.after, work.before, work.flow
    start = before[out]
    node, above = top, up
    bottom = level[top]
    rise = level[up] + 1 - bottom
    last, following = _lift(na, top, bottom, rise, step, work)
    earlier = before[top]
    while True:
        old, kept = parent[node], flow[node]
        parent[node] = above
        flow[node] = carried
        if node == out:
            break
        # the subtree of `old` without `node`: a part before it in the ring, and a part after it
        bottom -= 1
        rise += 2
        behind = before[old]
        after[last] = old
        before[old] = last
        after[earlier] = node  # ends the first part, because `node` has its new level
        x = old
        while x != node:
            level[x] += rise
            work.dual[x] += step if x < na else -step
            x = after[x]
        last = earlier
        if level[following] > bottom:
            after[earlier] = following
            before[following] = earlier
            last, following = _lift(na, following, bottom, rise, step, work)
        earlier = behind
        above, carried, node = node, kept, old
    after[start] = following
    before[following] = start
    following = after[up]
    after[up] = top
    before[top] = up
    after[last] = following
    before[following] = last


@jit
def pivot(na: int, i: int, j: int, reduced: float, work: Work) -> bool:
    """Bring the arc from source i to sink node j into the tree; False if no arc can leave (flows are not numbers)."""
    delta, out, on_source_side, apex = _leaving(na, i, j, work)
    if out < 0:
        return False
    if delta > 0.0:
        _push(na, i, j, apex, delta, work.parent, work.flow)
    top, up, step = (i, j, reduced) if on_source_side else (j, i, -reduced)
    turn(na, top, out, up, delta, step, work)
    return True
