"""Set up a transport problem: masses, costs and the unit; cancel common mass.

Measures A and B are compressed rows: row r has `masses` at `indices[indptr[r]:indptr[r+1]]`, with sum `totals[r]`.
The triangle inequality allows to cancel common mass: similar measures leave small problems.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import jit
from ..jit.arithmetic_jit import excess, lowest
from ..metrics.geometry_jit import distance, scaled_square
from .bottleneck_jit import Bottleneck, bottleneck_workspace
from .simplex_jit import OPTIMAL, solve
from .simplex_tree_jit import Work

DROWNING = 1e-4  # a mean cost below this, relative to the largest cost, has lost digits to rounding
TINY = 1e-290  # close to underflow
_MIN_SQUARE = 1e-200  # problems with squares below this, close to underflow, are scaled separately


class CostRule(NamedTuple):
    """The order p, a unit that scales distances to about 1, and whether common mass may be cancelled."""

    p: float
    unit: float
    cancel: bool


class Costs(NamedTuple):
    """Costs from the points of one measure to the points of all its targets, each computed once for all problems."""

    table: np.ndarray  # costs to the k-th target point begin at k·na
    tops: np.ndarray  # the largest of them
    place: np.ndarray  # index of a point among the target points, if its stamp is the current one
    stamp: np.ndarray
    state: np.ndarray  # current stamp, number of target points
    own: np.ndarray  # (width · cap,) costs of a problem that needs its own table
    rows: np.ndarray  # (cap,) start of the costs to its sinks in the shared table
    kept: np.ndarray  # (2, cap) sources and sinks that remain when common mass is cancelled
    potentials: np.ndarray  # potentials of the problems of this measure, for later problems
    bottleneck: Bottleneck  # for p = ∞


def costs(
    cap: int, n_met: int, n_points: int, n_stored: int, farthest: bool = False, width: int | None = None
) -> Costs:
    """Memory for measures of up to `cap` masses with up to `n_met` of `n_points` target points; `farthest`: for p = ∞.

    `width`: the most masses of a measure with targets, if targets can have more.
    """
    width = cap if width is None else width
    return Costs(
        np.empty(n_met * width + 8),
        np.empty(n_met),
        np.zeros(n_points, np.intp),
        np.zeros(n_points, np.intp),
        np.zeros(2, np.intp),
        np.empty(width * cap + 8),
        np.zeros(cap, np.intp),
        np.zeros((2, cap), np.intp),
        np.empty(n_stored * width),
        bottleneck_workspace(cap if farthest else 0),
    )


def n_bytes(
    cap: int, n_met: int, n_points: int, n_stored: int, farthest: bool = False, width: int | None = None
) -> float:
    """Bytes of this memory and of the workspace of the simplex."""
    width = cap if width is None else width
    plans = 1.1 * cap + 20 if farthest else 0
    return 8.0 * (n_met * (width + 1) + 2 * n_points + cap * (width + plans + 48) + n_stored * width)


@jit
def begin(scratch: Costs) -> None:
    """Forget the costs of the previous measure."""
    scratch.state[0] += 1
    scratch.state[1] = 0


@jit
def _add_target_point(A: Any, i: int, y: int, geometry: Any, rule: CostRule, scratch: Costs) -> int:
    """Compute the costs to a new target point y; returns its index in the table."""
    k = scratch.state[1]
    scratch.state[1] = k + 1
    scratch.stamp[y] = scratch.state[0]
    scratch.place[y] = k
    a = A.indptr[i]
    na = A.indptr[i + 1] - a
    top = 0.0
    for s in range(na):
        x = A.indices[a + s]
        c = scaled_square(geometry, y, x, rule.unit) if rule.p == 2.0 else distance(geometry, y, x) * rule.unit
        scratch.table[k * na + s] = c
        top = max(top, c)
    scratch.tops[k] = top
    return k


@jit
def weigh(A: Any, i: int, B: Any, j: int, work: Work) -> None:
    """Masses, multiplied by the other total instead of divided by their own, so that ties of integers stay exact."""
    a, b = A.indptr[i], B.indptr[j]
    for s in range(A.indptr[i + 1] - a):
        work.supply[s] = A.masses[a + s] * B.totals[j]
    for t in range(B.indptr[j + 1] - b):
        work.demand[t] = B.masses[b + t] * A.totals[i]


@jit
def _longest(A: Any, i: int, B: Any, j: int, geometry: Any, work: Work) -> float:
    """The largest distance between points of two rows."""
    top = 0.0
    for t in range(B.indptr[j], B.indptr[j + 1]):
        if work.stop[0] != 0:
            break
        for s in range(A.indptr[i], A.indptr[i + 1]):
            top = max(top, distance(geometry, B.indices[t], A.indices[s]))
    return top


@jit
def rescale(
    A: Any, i: int, B: Any, j: int, geometry: Any, p: float, length: float, clip: float, scratch: Costs, work: Work
) -> tuple[float, bool]:
    """Costs (d/length)^p, clipped, in the own table of this problem; the largest, and whether any underflowed."""
    a, b = A.indptr[i], B.indptr[j]
    na, nb = A.indptr[i + 1] - a, B.indptr[j + 1] - b
    top = 0.0
    vanished = False
    for t in range(nb):
        if work.stop[0] != 0:
            break
        work.row[t] = t * na
        for s in range(na):
            d = distance(geometry, B.indices[b + t], A.indices[a + s])
            c = min((d / length) ** p, clip) if d > 0.0 else 0.0
            vanished |= c < TINY and d > 0.0
            scratch.own[t * na + s] = c
            top = max(top, c)
    return top, vanished


@jit
def pose(
    A: Any, i: int, B: Any, j: int, geometry: Any, rule: CostRule, scratch: Costs, work: Work
) -> tuple[float, float, bool]:
    """Set up masses and costs; returns the largest cost, the unit of length, and whether the shared table is used.

    Powers other than 1 and 2, and squares near underflow, are relative to the largest distance of the problem. If
    `stop` is set, it ends early with some costs missing, as do all functions that use them.
    """
    weigh(A, i, B, j, work)
    na = A.indptr[i + 1] - A.indptr[i]
    b, stamp = B.indptr[j], scratch.stamp
    if rule.p == 1.0 or rule.p == 2.0 or rule.p == np.inf:  # noqa: PLR1714
        top = 0.0
        for t in range(B.indptr[j + 1] - b):
            if work.stop[0] != 0:
                break
            y = B.indices[b + t]
            known = stamp[y] == scratch.state[0]
            k = scratch.place[y] if known else _add_target_point(A, i, y, geometry, rule, scratch)
            work.row[t] = k * na
            top = max(top, scratch.tops[k])
        if rule.p != 2.0 or top > _MIN_SQUARE:
            return top, 1.0 / rule.unit, True
    longest = _longest(A, i, B, j, geometry, work)
    return rescale(A, i, B, j, geometry, rule.p, longest, 1.0, scratch, work)[0], longest, False


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
def solve_without_common_mass(
    A: Any, i: int, B: Any, j: int, top: float, scratch: Costs, work: Work
) -> tuple[float, float, int]:
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
