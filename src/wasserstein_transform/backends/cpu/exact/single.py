"""One transport problem, with its plan and prices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...._types import Bools, Floats
from ....engine import Engine, Flag
from ....kernels.basis import workspace
from ....kernels.bottleneck import certified, plan, solve_bottleneck
from ....kernels.simplex import INTERRUPTED, OPTIMAL, faint_mass, moves, solve
from ....kernels.transport import CLIP, DROWNING, GAP, ROUNDS, TINY


class Solution(NamedTuple):
    """Cost, plan, feasible prices u + v ≤ cost, gap relative to the largest cost, and how it ended."""

    cost: float
    plan: Floats
    prices: tuple[Floats, Floats]
    gap: float
    status: int


def solve_one(a: Floats, b: Floats, costs: Floats, engine: Engine, unit: float = np.inf) -> Solution:
    """The cheapest plan between positive masses of equal shares; totals may differ, the plan's is 1.

    `unit` is the size of the costs of interest, where others are much larger.
    """
    return engine.alone(lambda stop: _solve(a, b, costs, unit, stop), "exact transport")


def _near_one(masses: Floats) -> Floats:
    """Scaled by a power of two: totals of two measures are multiplied."""
    return np.asarray(np.ldexp(masses, -np.frexp(masses.max())[1]))


def _solve(a: Floats, b: Floats, costs: Floats, unit: float, stop: Flag) -> Solution:
    na, nb = costs.shape
    a, b = _near_one(a), _near_one(b)
    top = float(np.abs(costs).max()) or 1.0
    scaled = costs / top
    table = np.ascontiguousarray(scaled.T).ravel()
    work = workspace(max(na, nb), stop)
    total = a.sum() * b.sum()
    for safe in (False, True):
        work.supply[:na], work.demand[:nb], work.row[:nb] = a * b.sum(), b * a.sum(), np.arange(nb) * na
        value, gap, status, root = solve(na, nb, 1.0, min(unit / top, 1.0), safe, table, work)
        if (status == OPTIMAL and abs(gap) <= GAP * total) or status == INTERRUPTED:
            break
    flow = np.zeros((na, nb))
    nodes = np.delete(np.arange(na + nb), root)
    ups = work.parent[nodes]
    source, sink = np.where(nodes < na, nodes, ups), np.where(nodes < na, ups, nodes) - na
    faint = faint_mass(na, work)
    flow[source, sink] = [work.flow[node] if moves(node, na, faint, work) else 0.0 for node in nodes]
    u = work.dual[:na].copy()
    v = (scaled - u[:, None]).min(axis=0)
    return Solution(float(top * value / total), flow / total, (top * u, top * v), float(gap / total), status)


def solve_power(a: Floats, b: Floats, distances: Floats, p: float, engine: Engine) -> tuple[Solution, float]:
    """The same for costs (d/length)^p, and the length: about W_p itself where it is small beside the distances.

    Beside the largest cost, that of short moves would drown in rounding; costs far above 1 are clipped then, and the
    clip is lifted where the plan would pay them.
    """
    length, clip = float(distances.max()) or 1.0, 1.0
    for _ in range(ROUNDS):
        with np.errstate(under="ignore", over="ignore"):
            costs = np.minimum((distances / length) ** p, clip)
        found = solve_one(a, b, costs, engine, CLIP)
        if p == 1.0 or found.status != OPTIMAL or not (found.plan * distances).any():
            return found, length
        if 1.0 < clip < 1 / TINY and found.plan[costs >= clip].any():
            clip *= CLIP
        elif found.cost >= DROWNING:
            return found, length
        else:
            length, clip = length * max(found.cost, TINY) ** (1 / p), max(clip, CLIP)
            if length == 0.0:
                break
    return found, length


class Farthest(NamedTuple):
    """W_∞, a plan that reaches no farther, and sources or sinks that cannot do with less (a Hall violator)."""

    value: float
    plan: Floats
    violator: tuple[Bools, Bools]


def solve_farthest(a: Floats, b: Floats, distances: Floats, engine: Engine) -> Farthest:
    """The plan between positive masses of equal shares whose longest way is shortest; the plan's total is 1."""
    return engine.alone(lambda stop: _solve_farthest(a, b, distances, stop), "bottleneck transport")


def _solve_farthest(a: Floats, b: Floats, distances: Floats, stop: Flag) -> Farthest:
    na, nb = distances.shape
    cap = max(na, nb)
    work, room = workspace(cap, stop), plan(cap)
    total = a.sum() * b.sum()
    work.supply[:na], work.demand[:nb], work.row[:nb] = a * b.sum(), b * a.sum(), np.arange(nb) * na
    table = np.ascontiguousarray(distances.T).ravel()
    value, status = solve_bottleneck(na, nb, table, work, room)
    if not stop[0] and (status != OPTIMAL or not certified(na, nb, value, table, work, room, total)):
        raise RuntimeError("the bottleneck problem could not be certified; please report it with the data")
    flow = room.flow[: na * nb].reshape(nb, na).T / total
    marks = room.violator[: na + nb] > 0
    return Farthest(float(value), flow, (marks[:na], marks[na:]))
