"""Where a large problem begins: with the potentials of a sample of itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...._types import Floats, Ints
from ....engine import Flag
from ....kernels.basis import workspace
from ....kernels.simplex import OPTIMAL, solve

SAMPLED = 1000  # points on the smaller side from which on this pays: for 4,000 it saves a third, for 10,000 two thirds
_SHARE = 4  # a sample has one of so many points, and is warmed by one of its own
_PART = 1 << 19  # costs that are handled between two looks at the flag
_GOLDEN = 0.6180339887498949

Costs = Callable[[Ints, Ints], Floats]  # costs from some sources (rows) to some sinks


def warm_potentials(a: Floats, b: Floats, costs: Costs, stop: Flag) -> Floats:
    """Potentials for all sources: nearly optimal where near points have nearly the same costs, of little use elsewhere.

    The sources and sinks of a sample are spread evenly over the numbers of all, however these are sorted.
    """
    spread_a, spread_b = (np.argsort(_GOLDEN * np.arange(len(m)) % 1.0) for m in (a, b))
    share = _SHARE
    while min(len(a), len(b)) >= share * SAMPLED // _SHARE:
        share *= _SHARE
    found = None
    while share > 1 and not stop[0]:
        share //= _SHARE
        sources, sinks = spread_a[: max(1, len(a) // share)], spread_b[: max(1, len(b) // share)]
        u = np.zeros(len(sources)) if found is None else _extended(sources, *found, costs, stop)
        if share == 1:
            out = np.empty(len(a))
            out[sources] = u
            return out
        found = sinks, _solved(a[sources], b[sinks], costs(sources, sinks), u, stop)
    return np.zeros(len(a))


def _extended(sources: Ints, sinks: Ints, prices: Floats, costs: Costs, stop: Flag) -> Floats:
    """Potentials of sources, as high as the prices of some sinks allow."""
    u = np.zeros(len(sources))
    step = max(1, _PART // len(sinks))
    for start in range(0, len(sources), step):
        if stop[0]:
            break
        part = slice(start, start + step)
        u[part] = (costs(sources[part], sinks) - prices).min(axis=1)
    return u


def _solved(a: Floats, b: Floats, costs: Floats, u: Floats, stop: Flag) -> Floats:
    """Prices of the sinks in an optimal plan, if it was found; else those that the sources' potentials allow."""
    na, nb = costs.shape
    top = float(np.abs(costs).max()) or 1.0
    table = np.ascontiguousarray(costs.T) / top
    work = workspace(max(na, nb), stop)
    work.supply[:na], work.demand[:nb], work.row[:nb] = a * b.sum(), b * a.sum(), np.arange(nb) * na
    work.dual[:na] = u / top
    _, _, status, _ = solve(na, nb, 1.0, 1.0, False, table.ravel(), work)
    best = top * work.dual[:na] if status == OPTIMAL else u
    return np.asarray((costs - best[:, None]).min(axis=0))
