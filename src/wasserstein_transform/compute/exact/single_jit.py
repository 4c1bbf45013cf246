"""One transport problem with a table of costs: scaled to 1, solved, its plan and feasible prices written out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..jit import arithmetic_jit as arithmetic, jit
from .simplex_jit import INTERRUPTED, OPTIMAL, solve
from .simplex_tree_jit import SimplexWorkspace
from .transport_jit import MAX_GAP, recompute_flows


@jit
def scale_to_one(masses: Any) -> tuple[float, float, int]:
    """Scale masses to about 1 by a power of two, because totals of two measures are multiplied.

    Returns the smallest mass and the total, both scaled, and the exponent that was taken out.
    """
    smallest, largest, total = np.inf, 0.0, 0.0
    for k in range(masses.shape[0]):
        smallest, largest = min(smallest, masses[k]), max(largest, masses[k])
    exponent = math.frexp(largest)[1]
    for k in range(masses.shape[0]):
        masses[k] = math.ldexp(masses[k], -exponent)
        total += masses[k]
    return smallest, total, exponent


@jit
def scale_costs(costs: Any, table: Any, stop: Any) -> float:
    """Put the costs, divided by the largest absolute one, into a table with a row for each sink.

    Returns the largest, or 1 if all are 0.
    """
    top = 0.0
    for i in range(costs.shape[0]):
        if stop[0] != 0:
            return 1.0
        for j in range(costs.shape[1]):
            top = max(top, abs(costs[i, j]))
    top = top if top > 0.0 else 1.0
    for i in range(costs.shape[0]):
        if stop[0] != 0:
            return 1.0
        for j in range(costs.shape[1]):
            table[j, i] = costs[i, j] / top
    return top


@jit
def solve_scaled(
    a: Any, b: Any, totals: tuple[float, float], unit: int, top: float, costs: Any, work: SimplexWorkspace, plan: Any,
    prices: Any,
) -> tuple[float, float, int]:  # fmt: skip
    """Cost, gap and status of a problem whose row j of `costs` begins at j·len(a); `work.potential` is a warm start.

    Fills the plan, an array of zeros, and the prices of sources and sinks. The unit of masses is 2^`unit`, that of
    costs is `top`; the gap has none.
    """
    na, nb = a.shape[0], b.shape[0]
    total = totals[0] * totals[1]
    value, gap, status, root = 0.0, 0.0, OPTIMAL, -1
    for attempt in range(2):
        for i in range(na):
            work.supply[i] = a[i] * totals[1]
        for j in range(nb):
            work.demand[j] = b[j] * totals[0]
            work.cost_start[j] = j * na
        value, gap, status, root = solve(na, nb, 1.0, 1.0, attempt == 1, costs, work)
        if (status == OPTIMAL and abs(gap) <= MAX_GAP * total) or status == INTERRUPTED:
            break
    if root >= 0 and status != INTERRUPTED:
        bound = value - gap
        value, dropped = recompute_flows(na, nb, root, a, b, costs, work)
        gap = value + dropped - bound
        for node in range(na + nb):
            if node != root:
                up = work.parent[node]
                i, j = (node, up - na) if node < na else (up, node - na)
                plan[i, j] = math.ldexp(work.flow[node] / totals[1], unit)
    for i in range(na):
        prices[i] = top * work.potential[i]
    for j in range(nb):
        prices[na + j] = top * arithmetic.lowest(costs, j * na, work.potential, na) if work.stop[0] == 0 else 0.0
    return math.ldexp(top * (value / totals[1]), unit), gap / total, status
