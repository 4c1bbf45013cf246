"""Recompute the flows of a tree from the masses, so that small differences of large masses keep their digits."""

from __future__ import annotations

from typing import Any

from .basis import Work
from .compile import jit
from .twofold import add, times


@jit
def _sum(masses: Any, n: int) -> tuple[float, float]:
    total, low = 0.0, 0.0
    for k in range(n):
        total, low = add(total, low, masses[k], 0.0)
    return total, low


@jit
def _list_tree(root: int, work: Work) -> int:
    """Put all nodes into `order`, each after its parent; returns their number."""
    node, size = root, 0
    while True:
        work.order[size] = node
        size += 1
        node = work.after[node]
        if node == root:
            return size


@jit
def settle(na: int, nb: int, root: int, a: Any, b: Any, work: Work) -> None:
    """Flows of the tree between the masses a and b, cross-multiplied by the totals, in double-double precision.

    Products beyond 2⁵³ are rounded, and a small flow may be the difference of two of them, which pivots cannot resolve.
    """
    net, low, flow = work.rest, work.low, work.flow
    total_a, low_a = _sum(a, na)
    total_b, low_b = _sum(b, nb)
    for i in range(na):
        net[i], low[i] = times(a[i], total_b, low_b)
    for j in range(nb):
        net[na + j], low[na + j] = times(-b[j], total_a, low_a)
    for k in range(_list_tree(root, work) - 1, 0, -1):
        node = work.order[k]
        up = work.parent[node]
        flow[node] = net[node] if node < na else -net[node]
        net[up], low[up] = add(net[up], low[up], net[node], low[node])
