"""Warm starts for large problems: potentials from a sample of the problem."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...._types import Floats, Ints
from ....engine import Flag
from ....kernels.basis import workspace
from ....kernels.pricing import OPTIMAL
from ....kernels.simplex import solve
from ....kernels.start import UNKNOWN

_SHARE = 4  # a sample has a quarter of the points, and is itself started from a sample
_SMALLEST = 60  # points on the smaller side of the first sample
SAMPLED = _SMALLEST * _SHARE**2  # smallest size for which this pays: 4,000 points save a third, 10,000 two thirds
_PART = 1 << 19  # costs processed between two checks of the stop flag
_GOLDEN = 0.6180339887498949

Costs = Callable[[Ints, Ints], Floats]  # costs from some sources (rows) to some sinks


def warm_potentials(a: Floats, b: Floats, costs: Costs, stop: Flag) -> Floats:
    """Potentials for all sources, which are nearly optimal if near points have nearly the same costs.

    Otherwise the potentials of a small sample are worse for a larger one than none; then all are UNKNOWN. Sources and
    sinks of a sample are spread evenly over the indices.
    """
    cold = np.full(len(a), UNKNOWN)
    spread_a, spread_b = (np.argsort(_GOLDEN * np.arange(len(m)) % 1.0) for m in (a, b))
    shares = [_SHARE**k for k in range(1, 32) if min(len(a), len(b)) >= _SHARE**k * _SMALLEST]
    sinks, prices = spread_b[:0], np.empty(0)
    for share in reversed(shares):
        sources, known = spread_a[: len(a) // share], sinks
        sinks = spread_b[: len(b) // share]
        table = costs(sources, sinks)
        masses = a[sources] / a[sources].sum(), b[sinks] / b[sinks].sum()
        u = cold[sources]
        if len(known):
            u = _extended(sources, known, prices, costs, stop)
            if _dual(u, *masses, table) <= _dual((table - table.min(axis=0)).min(axis=1), *masses, table):
                return cold
        prices = _solved(*masses, table, u, stop)
        if stop[0]:
            return cold
    return _extended(np.arange(len(a)), sinks, prices, costs, stop)


def _dual(u: Floats, a: Floats, b: Floats, costs: Floats) -> float:
    """The lower bound of the cost that potentials of the sources prove."""
    return float(a @ u + b @ (costs - u[:, None]).min(axis=0))


def _extended(sources: Ints, sinks: Ints, prices: Floats, costs: Costs, stop: Flag) -> Floats:
    """The largest potentials of sources that are feasible with the prices of some sinks."""
    u = np.zeros(len(sources))
    step = max(1, _PART // len(sinks))
    for start in range(0, len(sources), step):
        if stop[0]:
            break
        part = slice(start, start + step)
        u[part] = (costs(sources[part], sinks) - prices).min(axis=1)
    return u


def _solved(a: Floats, b: Floats, costs: Floats, u: Floats, stop: Flag) -> Floats:
    """Optimal prices of the sinks if the solver succeeds; otherwise some feasible prices."""
    na, nb = costs.shape
    top = float(np.abs(costs).max()) or 1.0
    table = np.ascontiguousarray(costs.T) / top
    work = workspace(max(na, nb), stop)
    work.supply[:na], work.demand[:nb], work.row[:nb] = a * b.sum(), b * a.sum(), np.arange(nb) * na
    work.dual[:na] = u / top
    _, _, status, _ = solve(na, nb, 1.0, 1.0, False, table.ravel(), work)
    found = top * work.dual[:na] if status == OPTIMAL else np.zeros(na)
    return np.asarray((costs - found[:, None]).min(axis=0))
