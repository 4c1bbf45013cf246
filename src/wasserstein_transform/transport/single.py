"""One transport problem, with its plan and prices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats
from ..engine import Engine, Flag, Tile
from ..kernels.basis import workspace
from ..kernels.simplex import INTERRUPTED, OPTIMAL, solve
from ..kernels.transport import GAP


class Solution(NamedTuple):
    """Cost, plan, feasible prices u + v ≤ cost, gap relative to the largest cost, and how it ended."""

    cost: float
    plan: Floats
    prices: tuple[Floats, Floats]
    gap: float
    status: int


def solve_one(a: Floats, b: Floats, costs: Floats) -> Solution:
    """The cheapest plan between positive masses of equal shares; totals may differ, the plan's is 1."""
    found: list[Solution] = []

    def work(tile: Tile, stop: Flag) -> None:
        found.append(_solve(a, b, costs, stop))

    Engine(1).run(work, [Tile(0, 1)], "exact transport")  # in a thread, so that Ctrl-C is heard
    return found[0]


def _solve(a: Floats, b: Floats, costs: Floats, stop: Flag) -> Solution:
    na, nb = costs.shape
    top = float(np.abs(costs).max()) or 1.0
    scaled = costs / top
    table = np.ascontiguousarray(scaled.T).ravel()
    work = workspace(max(na, nb), stop)
    total = a.sum() * b.sum()
    for safe in (False, True):
        work.supply[:na], work.demand[:nb], work.row[:nb] = a * b.sum(), b * a.sum(), np.arange(nb) * na
        value, gap, status, root = solve(na, nb, 1.0, safe, table, work)
        if (status == OPTIMAL and gap <= GAP * total) or status == INTERRUPTED:
            break
    plan = np.zeros((na, nb))
    nodes = np.delete(np.arange(na + nb), root)
    ups = work.parent[nodes]
    source, sink = np.where(nodes < na, nodes, ups), np.where(nodes < na, ups, nodes) - na
    plan[source, sink] = np.maximum(work.flow[nodes], 0.0)
    u = work.dual[:na].copy()
    v = (scaled - u[:, None]).min(axis=0)
    return Solution(float(top * value / total), plan / total, (top * u, top * v), float(gap / total), status)
