"""Many exact transport problems over one metric: rows of measures against rows of measures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit
from .simplex import INTERRUPTED, OPTIMAL, Work, solve

GAP = 1e-12  # largest primal–dual gap accepted, of the largest cost of the problem


class Rows(NamedTuple):
    """Ragged measures: row r holds masses on points `indices[indptr[r]:indptr[r+1]]`, `totals[r]` together."""

    indptr: np.ndarray
    indices: np.ndarray
    masses: np.ndarray
    totals: np.ndarray


@jit
def _same(A: Any, i: int, B: Any, j: int) -> bool:
    a, b = A.indptr[i], B.indptr[j]
    size = A.indptr[i + 1] - a
    if B.indptr[j + 1] - b != size or A.totals[i] != B.totals[j]:
        return False
    for k in range(size):  # noqa: SIM110
        if A.indices[a + k] != B.indices[b + k] or A.masses[a + k] != B.masses[b + k]:
            return False
    return True


@jit
def pose(A: Any, i: int, B: Any, j: int, distances: Any, p: float, work: Work) -> tuple[int, int, float, float]:
    """Write the problem of rows i and j into `work`: sizes, the scale of its distances, and its total mass.

    Masses are cross-multiplied by the other total instead of divided by their own: ties of counted masses stay exact.
    """
    a, b = A.indptr[i], B.indptr[j]
    na, nb = A.indptr[i + 1] - a, B.indptr[j + 1] - b
    for k in range(na):
        work.supply[k] = A.masses[a + k] * B.totals[j]
    for k in range(nb):
        work.demand[k] = B.masses[b + k] * A.totals[i]
    top = 0.0
    for t in range(nb):
        y = B.indices[b + t]
        for s in range(na):
            d = distances[y, A.indices[a + s]]
            work.cost[t * na + s] = d
            top = max(top, d)
    if top > 0.0:
        scale = 1.0 / top
        for k in range(na * nb):
            c = work.cost[k] * scale if scale < np.inf else work.cost[k] / top  # 1/top overflows below 1e-308
            if p == 1.0:
                work.cost[k] = c
            elif p == 2.0:
                work.cost[k] = c * c
            else:
                work.cost[k] = c**p
    return na, nb, top, A.totals[i] * B.totals[j]


@jit
def transport(
    A: Any, i: int, B: Any, j: int, distances: Any, p: float, work: Work
) -> tuple[float, float, int, int, int]:
    """W_p of rows i and j, relative gap, status, root and whether the safe path was taken."""
    na, nb, top, total = pose(A, i, B, j, distances, p, work)
    safe = 0
    value, gap, status, root = solve(na, nb, False, work)
    if status != INTERRUPTED and not (status == OPTIMAL and gap <= GAP * total):  # NaN is no certificate
        safe = 1
        value, gap, status, root = solve(na, nb, True, work)
    value = max(value / total, 0.0)
    if p == 2.0:
        value = np.sqrt(value)
    elif p != 1.0:
        value = value ** (1.0 / p)
    return top * value, gap / total, status, root, safe


@jit
def transport_row(
    A: Any, i: int, B: Any, first: int, distances: Any, p: float, work: Work, out: Any, report: Any
) -> int:
    """out[j] = W_p(A_i, B_j) for j ≥ first. `report`: largest gap, safe solves. Returns −1, or the j that failed.

    The potentials of A_i's points carry over from one j to the next: neighbouring problems share them.
    """
    work.dual[:] = 0.0
    for j in range(first, B.totals.shape[0]):
        if _same(A, i, B, j):
            out[j] = 0.0
            continue
        value, gap, status, _, safe = transport(A, i, B, j, distances, p, work)
        if not (status == OPTIMAL and gap <= GAP):
            return j
        out[j] = value
        report[0] = max(report[0], gap)
        report[1] += safe
    return -1
