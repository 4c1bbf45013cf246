"""One transport problem, with its plan and prices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ...._types import Bools, Floats
from ....engine import Engine, Flag
from ....kernels.basis import workspace
from ....kernels.bottleneck import certified, plan, solve_bottleneck
from ....kernels.flows import settle
from ....kernels.posing import DROWNING, TINY
from ....kernels.pricing import INTERRUPTED, OPTIMAL
from ....kernels.simplex import fill_plan, solve
from ....kernels.start import UNKNOWN
from ....kernels.transport import CLIP, GAP, LOST, ROUNDS, STEEP
from .sampling import SAMPLED, warm_potentials

_PART = 1 << 19  # costs processed between two checks of the stop flag


class Solution(NamedTuple):
    """Cost, plan, feasible prices u + v ≤ cost, gap relative to the largest cost, and status."""

    cost: float
    plan: Floats
    prices: tuple[Floats, Floats]
    gap: float
    status: int


def solve_one(a: Floats, b: Floats, costs: Floats, engine: Engine, unit: float = np.inf) -> Solution:
    """The optimal plan between positive masses, which are normalized; the total of the plan is 1.

    `unit` is the scale of the relevant costs if others are much larger.
    """
    return engine.alone(lambda stop: _solve(a, b, _table(costs, np.asarray, stop), unit, stop), "exact transport")


def _parts(n: int, width: int, stop: Flag) -> Iterator[slice]:
    """Slices of n rows of a table, until the stop flag is set."""
    step = max(1, _PART // width)
    for start in range(0, n, step):
        if stop[0]:
            return
        yield slice(start, start + step)


def _table(costs: Floats, function: Callable[[Floats], Floats], stop: Flag) -> Floats:
    """A function of the costs, with one row for each sink."""
    na, nb = costs.shape
    table = np.empty((nb, na))
    for part in _parts(nb, na, stop):
        table[part] = function(costs[:, part].T)
    return table


def _near_one(masses: Floats) -> Floats:
    """Masses scaled to about 1 by a power of two, because totals of two measures are multiplied."""
    return np.asarray(np.ldexp(masses, -np.frexp(masses.max())[1]))


def _solve(a: Floats, b: Floats, table: Floats, unit: float, stop: Flag) -> Solution:
    """Solve the problem; `table` has a row of costs for each sink, and is overwritten."""
    nb, na = table.shape
    a, b = _near_one(a), _near_one(b)
    top = max((float(np.abs(table[part]).max()) for part in _parts(nb, na, stop)), default=0.0) or 1.0
    for part in _parts(nb, na, stop):
        table[part] /= top
    costs = table.ravel()
    work = workspace(max(na, nb), stop)
    total = a.sum() * b.sum()
    work.dual[:na] = UNKNOWN
    if min(na, nb) >= SAMPLED:
        work.dual[:na] = warm_potentials(a, b, lambda x, y: table[np.ix_(y, x)].T, stop)
    for safe in (False, True):
        work.supply[:na], work.demand[:nb], work.row[:nb] = a * b.sum(), b * a.sum(), np.arange(nb) * na
        value, gap, status, root = solve(na, nb, 1.0, min(unit / top, 1.0), safe, costs, work)
        if (status == OPTIMAL and abs(gap) <= GAP * total) or status == INTERRUPTED:
            break
    flow = np.zeros((na, nb))
    if root >= 0 and status != INTERRUPTED:
        bound = value - gap
        value, dropped = settle(na, nb, root, a, b, costs, work)
        gap = value + dropped - bound
        fill_plan(na, nb, root, total, work, flow)
    u = work.dual[:na].copy()
    v = np.empty(nb)
    for part in _parts(nb, na, stop):
        v[part] = (table[part] - u).min(axis=1)
    return Solution(float(top * value / total), flow, (top * u, top * v), float(gap / total), status)


def solve_power(a: Floats, b: Floats, distances: Floats, p: float, engine: Engine) -> tuple[Solution, float]:
    """The same for costs (d/length)^p, and the length, which is about W_p if W_p is small compared with the distances.

    Otherwise the costs of short moves would be lost in rounding next to the largest cost. Costs far above 1 are
    clipped; the clip is raised if the plan would use clipped costs.
    """
    return engine.alone(lambda stop: _solve_power(a, b, distances, p, stop), "exact transport")


def _solve_power(a: Floats, b: Floats, distances: Floats, p: float, stop: Flag) -> tuple[Solution, float]:
    length, clip = float(distances.max()) or 1.0, 1.0
    if p >= STEEP:
        far = _solve_farthest(a, b, distances, stop)
        if far.value == 0.0:
            return Solution(0.0, far.plan, (np.zeros(len(a)), np.zeros(len(b))), 0.0, OPTIMAL), length
        length, clip = far.value, CLIP
    for _ in range(ROUNDS):
        powers = partial(_powers, length=length, p=p, clip=clip)
        found = _solve(a, b, _table(distances, powers, stop), CLIP, stop)
        used = distances[found.plan > 0]
        if found.status != OPTIMAL or not used.any():
            return found, length
        if 1.0 < clip < 1 / TINY and (powers(used) >= clip).any():
            clip *= CLIP
        elif found.cost >= (DROWNING if p != 1.0 else LOST):
            return found, length
        else:
            shorter = length * max(found.cost, TINY) ** (1 / p)
            if shorter in (0.0, length):
                break
            length, clip = shorter, max(clip, CLIP)
    return found, length


def _powers(distances: Floats, length: float, p: float, clip: float) -> Floats:
    with np.errstate(under="ignore", over="ignore"):
        return np.asarray(np.minimum((distances / length) ** p, clip))


class Farthest(NamedTuple):
    """W_∞, a plan with no longer move, and a set of sources or sinks that proves optimality (a Hall violator)."""

    value: float
    plan: Floats
    violator: tuple[Bools, Bools]


def solve_farthest(a: Floats, b: Floats, distances: Floats, engine: Engine) -> Farthest:
    """The plan between positive masses, which are normalized, with the shortest longest move; its total is 1."""
    return engine.alone(lambda stop: _solve_farthest(a, b, distances, stop), "bottleneck transport")


def _solve_farthest(a: Floats, b: Floats, distances: Floats, stop: Flag) -> Farthest:
    na, nb = distances.shape
    a, b = _near_one(a), _near_one(b)
    cap = max(na, nb)
    work, scratch = workspace(cap, stop), plan(cap)
    total = a.sum() * b.sum()
    work.supply[:na], work.demand[:nb], work.row[:nb] = a * b.sum(), b * a.sum(), np.arange(nb) * na
    table = _table(distances, np.asarray, stop).ravel()
    value, status = solve_bottleneck(na, nb, a, b, table, work, scratch)
    if not stop[0] and (status != OPTIMAL or not certified(na, nb, value, a, b, table, work, scratch)):
        raise RuntimeError("the bottleneck problem could not be certified; please report it with the data")
    flow = np.zeros((na, nb))
    for part in _parts(nb, na, stop):
        flow[:, part] = scratch.flow[: na * nb].reshape(nb, na)[part].T / total
    marks = scratch.violator[: na + nb] > 0
    return Farthest(float(value), flow, (marks[:na], marks[na:]))
