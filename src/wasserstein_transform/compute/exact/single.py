"""One transport problem, with its plan and prices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..._types import Bools, Floats, Ints
from ...engine import Engine, Flag
from .bottleneck_jit import bottleneck_workspace, certified, solve_bottleneck
from .simplex_jit import OPTIMAL, solve
from .simplex_tree_jit import UNKNOWN_POTENTIAL, SimplexWorkspace, simplex_workspace
from .single_jit import scale_costs, scale_to_one, solve_scaled

MAX_COSTS_BETWEEN_CHECKS = 1 << 19  # costs processed between two checks of the stop flag
_MAX_SHORT = 1 << 14  # costs of a problem that takes milliseconds
_SIDE_OF_KEPT = 128
_KEPT: list[SimplexWorkspace] = []  # memory for small problems, which takes as long to make as they take to solve


class Solution(NamedTuple):
    """Cost, plan, feasible prices u + v ≤ cost, gap relative to the largest cost, and status."""

    cost: float
    plan: Floats
    prices: tuple[Floats, Floats]
    gap: float
    status: int


def solve_one(a: Floats, b: Floats, totals: tuple[float, float], unit: int, costs: Floats, engine: Engine) -> Solution:
    """The optimal plan between positive masses of about 1; that of `a`, times 2^unit, is the total of the plan."""
    is_short = costs.size <= _MAX_SHORT
    return engine.run_single(lambda stop: _solve(a, b, totals, unit, costs, stop), "exact transport", is_short=is_short)


def _parts(n: int, width: int, stop: Flag) -> Iterator[slice]:
    """Slices of n rows of a table, until the stop flag is set."""
    step = max(1, MAX_COSTS_BETWEEN_CHECKS // width)
    for start in range(0, n, step):
        if stop[0]:
            return
        yield slice(start, start + step)


def _table(costs: Floats, stop: Flag) -> Floats:
    """The costs, with one row for each sink."""
    na, nb = costs.shape
    table = np.empty((nb, na))
    for part in _parts(nb, na, stop):
        table[part] = costs[:, part].T
    return table


def _borrow() -> SimplexWorkspace:
    try:
        return _KEPT.pop()
    except IndexError:  # all are in use
        return simplex_workspace(_SIDE_OF_KEPT, np.zeros(1, np.uint8))


def _solve(a: Floats, b: Floats, totals: tuple[float, float], unit: int, costs: Floats, stop: Flag) -> Solution:
    (na, nb), is_small = costs.shape, max(costs.shape) <= _SIDE_OF_KEPT
    table, plan, prices = np.empty((nb, na)), np.zeros((na, nb)), np.empty(na + nb)
    top = scale_costs(costs, table, stop)
    work = _borrow() if is_small else simplex_workspace(max(na, nb), stop)
    work.potential[:na] = UNKNOWN_POTENTIAL
    if min(na, nb) >= MIN_POINTS_TO_SAMPLE:
        work.potential[:na] = warm_potentials(a, b, lambda x, y: table[np.ix_(y, x)].T, stop)
    cost, gap, status = solve_scaled(a, b, totals, unit, top, table.ravel(), work, plan, prices)
    if is_small:
        _KEPT.append(work)
    return Solution(cost, plan, (prices[:na], prices[na:]), gap, status)


class Farthest(NamedTuple):
    """W_∞, a plan with no longer move, and a set of sources or sinks that proves optimality (a Hall violator)."""

    value: float
    plan: Floats
    violator: tuple[Bools, Bools]


def solve_farthest(a: Floats, b: Floats, distances: Floats, engine: Engine) -> Farthest:
    """The plan between positive masses, which are normalized, with the shortest longest move; its total is 1."""
    return engine.run_single(
        lambda stop: _solve_farthest(a, b, distances, stop),
        "bottleneck transport",
        is_short=distances.size <= _MAX_SHORT,
    )


def _solve_farthest(a: Floats, b: Floats, distances: Floats, stop: Flag) -> Farthest:
    na, nb = distances.shape
    a, b = a.copy(), b.copy()
    totals = scale_to_one(a)[1], scale_to_one(b)[1]
    cap = max(na, nb)
    work, memory = simplex_workspace(cap, stop), bottleneck_workspace(cap)
    work.supply[:na], work.demand[:nb], work.cost_start[:nb] = a * totals[1], b * totals[0], np.arange(nb) * na
    table = _table(distances, stop).ravel()
    value, status = solve_bottleneck(na, nb, a, b, table, work, memory)
    if not stop[0] and (status != OPTIMAL or not certified(na, nb, value, table, work, memory)):
        raise RuntimeError("the bottleneck problem could not be certified; please report it with the data")
    flow = np.zeros((na, nb))
    for part in _parts(nb, na, stop):
        flow[:, part] = memory.flow.amount[: na * nb].reshape(nb, na)[part].T / (totals[0] * totals[1])
    marks = memory.violator[: na + nb] > 0
    return Farthest(float(value), flow, (marks[:na], marks[na:]))


_POINTS_PER_SAMPLED = 4  # a sample has a quarter of the points, and is itself started from a sample
_MIN_SAMPLE = 60  # points on the smaller side of the first sample
MIN_POINTS_TO_SAMPLE = (
    _MIN_SAMPLE * _POINTS_PER_SAMPLED**2
)  # from here on it pays: 4,000 points save a third, 10,000 two thirds
_GOLDEN_RATIO = 0.6180339887498949

Costs = Callable[[Ints, Ints], Floats]  # costs from some sources (rows) to some sinks


def warm_potentials(a: Floats, b: Floats, costs: Costs, stop: Flag) -> Floats:
    """Potentials for all sources, which are nearly optimal if near points have nearly the same costs.

    Otherwise the potentials of a small sample are worse for a larger one than none; then all are unknown. Sources and
    sinks of a sample are spread evenly over the indices.
    """
    cold = np.full(len(a), UNKNOWN_POTENTIAL)
    spread_a, spread_b = (np.argsort(_GOLDEN_RATIO * np.arange(len(m)) % 1.0) for m in (a, b))
    shares = [_POINTS_PER_SAMPLED**k for k in range(1, 32)]
    shares = [share for share in shares if min(len(a), len(b)) >= share * _MIN_SAMPLE]
    sinks, prices = spread_b[:0], np.empty(0)
    for share in reversed(shares):
        sources, priced_sinks = spread_a[: len(a) // share], sinks
        sinks = spread_b[: len(b) // share]
        table = costs(sources, sinks)
        masses = a[sources] / a[sources].sum(), b[sinks] / b[sinks].sum()
        u = cold[sources]
        if len(priced_sinks):
            u = _extend_prices(sources, priced_sinks, prices, costs, stop)
            if _dual(u, *masses, table) <= _dual((table - table.min(axis=0)).min(axis=1), *masses, table):
                return cold
        prices = _price_sinks(*masses, table, u, stop)
        if stop[0]:
            return cold
    return _extend_prices(np.arange(len(a)), sinks, prices, costs, stop)


def _dual(u: Floats, a: Floats, b: Floats, costs: Floats) -> float:
    """The lower bound of the cost that potentials of the sources prove."""
    return float(a @ u + b @ (costs - u[:, None]).min(axis=0))


def _extend_prices(sources: Ints, sinks: Ints, prices: Floats, costs: Costs, stop: Flag) -> Floats:
    """The largest potentials of sources that are feasible with the prices of some sinks."""
    u = np.zeros(len(sources))
    for part in _parts(len(sources), len(sinks), stop):
        u[part] = (costs(sources[part], sinks) - prices).min(axis=1)
    return u


def _price_sinks(a: Floats, b: Floats, costs: Floats, u: Floats, stop: Flag) -> Floats:
    """Optimal prices of the sinks if the solver succeeds; otherwise some feasible prices."""
    na, nb = costs.shape
    top = float(np.abs(costs).max()) or 1.0
    table = np.ascontiguousarray(costs.T) / top
    work = simplex_workspace(max(na, nb), stop)
    work.supply[:na], work.demand[:nb], work.cost_start[:nb] = a * b.sum(), b * a.sum(), np.arange(nb) * na
    work.potential[:na] = u / top
    _, _, status, _ = solve(na, nb, 1.0, 1.0, False, table.ravel(), work)
    u = top * work.potential[:na] if status == OPTIMAL else np.zeros(na)
    return np.asarray((costs - u[:, None]).min(axis=0))
