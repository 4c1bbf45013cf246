"""Cancellation of common mass, which the triangle inequality allows: similar measures leave small problems."""

from __future__ import annotations

from typing import Any

import numpy as np

from .basis import Work
from .compile import jit
from .minimum import lowest
from .posing import DROWNING, Costs, weigh
from .pricing import OPTIMAL
from .simplex import solve
from .twofold import excess


@jit
def _cancel(A: Any, i: int, B: Any, j: int, scratch: Costs, work: Work) -> tuple[int, int]:
    """Cancel common mass; the remaining sources and sinks are packed, with their own cost table."""
    a, b = A.indptr[i], B.indptr[j]
    na, nb = A.indptr[i + 1] - a, B.indptr[j + 1] - b
    s = 0
    t = 0
    while s < na and t < nb:
        x, y = A.indices[a + s], B.indices[b + t]
        if x == y:
            over = work.supply[s] - work.demand[t]
            if 0.0 < abs(over) < DROWNING * work.supply[s]:  # the difference of rounded products has lost digits
                over = excess(A.masses[a + s], B.totals[j], B.masses[b + t], A.totals[i])
            work.supply[s] = max(over, 0.0)
            work.demand[t] = max(-over, 0.0)
        s += x <= y
        t += y <= x
    ka = 0
    for s in range(na):
        if work.supply[s] > 0.0:
            scratch.kept[0, ka] = s
            work.supply[ka] = work.supply[s]
            work.dual[ka] = work.dual[s]
            ka += 1
    kb = 0
    for t in range(nb):
        scratch.rows[t] = work.row[t]
        if work.demand[t] > 0.0:
            for k in range(ka):
                scratch.own[kb * ka + k] = scratch.table[work.row[t] + scratch.kept[0, k]]
            scratch.kept[1, kb] = t
            work.demand[kb] = work.demand[t]
            kb += 1
    for k in range(kb):
        work.row[k] = k * ka
    return ka, kb


@jit
def _restore(A: Any, i: int, B: Any, j: int, ka: int, kb: int, value: float, scratch: Costs, work: Work) -> float:
    """Potentials of the whole problem from those of the cancelled one; returns their gap to the cost of the plan."""
    na, nb = A.indptr[i + 1] - A.indptr[i], B.indptr[j + 1] - B.indptr[j]
    table, dual, price = scratch.table, work.dual, work.rest
    for k in range(kb):
        price[k] = lowest(scratch.own, k * ka, dual, ka)
    for s in range(na):
        dual[s] = np.inf
    for k in range(kb):
        row = table[scratch.rows[scratch.kept[1, k]] :]
        for s in range(na):
            dual[s] = min(dual[s], row[s] - price[k])
    weigh(A, i, B, j, work)
    bound = 0.0
    for s in range(na):
        bound += work.supply[s] * dual[s]
    for t in range(nb):
        bound += work.demand[t] * lowest(table, scratch.rows[t], dual, na)
    return value - bound


@jit
def near(A: Any, i: int, B: Any, j: int, top: float, scratch: Costs, work: Work) -> tuple[float, float, int]:
    """Cost, gap and status with common mass cancelled; correct if the triangle inequality holds."""
    ka, kb = _cancel(A, i, B, j, scratch, work)
    if ka == 0 or kb == 0:  # equal measures, up to rounding of their masses
        rest = 0.0
        for k in range(ka):
            rest += work.supply[k]
        for k in range(kb):
            rest += work.demand[k]
        for s in range(A.indptr[i + 1] - A.indptr[i]):
            work.dual[s] = 0.0
        return 0.0, rest * top, OPTIMAL
    value, _, status, _ = solve(ka, kb, top, top, False, scratch.own, work)
    return value, _restore(A, i, B, j, ka, kb, value, scratch, work), status


@jit
def overlap(A: Any, i: int, B: Any, j: int) -> bool:
    """Whether two measures have a point in common."""
    s, t = A.indptr[i], B.indptr[j]
    s_end, t_end = A.indptr[i + 1], B.indptr[j + 1]
    while s < s_end and t < t_end:
        x, y = A.indices[s], B.indices[t]
        if x == y:
            return True
        s += x < y
        t += y < x
    return False
