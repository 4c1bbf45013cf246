"""Points at rest: where nothing near has changed, a step would give the same again, and is not taken.

A point's next Gaussian depends on the points within its reach and on theirs. If none of those changed in the last
step, by a single bit, the next step repeats the last one there; the others are computed among fewer points, which may
round their sums in another order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from .._types import Bools, Floats, Ints
from ..engine import Engine
from ..spaces import Euclidean, GaussianMetric, Metric, Quotient, Space
from .transform import Transform

_WORTH = 0.5  # of the points: with more of them to be looked at, all are


class Awake(NamedTuple):
    """Points that may change in the next step, and all points they can see or that those can see."""

    active: Ints
    context: Ints


def awake(before: Quotient, now: Quotient, reach: float) -> Awake | None:
    """Who may change in the next step, given what changed in the last; None if that is about everybody."""
    here, there = now.space, before.space
    if not np.isfinite(reach) or here.points is None or there.points is None:
        return None
    if not isinstance(here.metric, type(there.metric)) or not isinstance(here.metric, Euclidean | GaussianMetric):
        return None
    kept = np.arange(there.n) if now.leaders is None else now.leaders
    changed = _differ(there.metric, here.metric, kept) | (there.weights[kept] != here.weights)
    if changed.sum() > _WORTH * here.n:
        return None
    gone = np.ones(there.n, bool)
    gone[kept[~changed]] = False  # moved away, or merged into another
    hot = np.concatenate([there.points[gone], here.points[changed]])
    if len(hot) == 0:
        return Awake(np.zeros(0, np.intp), np.zeros(0, np.intp))
    apart = cKDTree(hot).query(here.points, distance_upper_bound=4.001 * reach)[0]
    context = np.flatnonzero(np.isfinite(apart))
    if len(context) > _WORTH * here.n:
        return None
    return Awake(np.flatnonzero(apart <= 2.0005 * reach), context)


def step_awake(state: Quotient, step: Transform, who: Awake, engine: Engine) -> tuple[Space, Bools]:
    """The step where something may change; everybody else stays."""
    space = state.space
    massless = np.zeros(space.n, bool)
    if len(who.active) == 0:
        return space, massless
    part, alone = step.step(space.take(who.context), engine)
    rows = np.searchsorted(who.context, who.active)
    massless[who.active] = alone[rows]
    assert part.points is not None
    assert space.points is not None
    points = _written(space.points, who.active, part.points[rows])
    if isinstance(space.metric, GaussianMetric):
        assert isinstance(part.metric, GaussianMetric)
        covs = _written(space.metric.covs, who.active, part.metric.covs[rows])
        return Space(GaussianMetric(points, covs, part.metric.lam), space.weights, points), massless
    return Space(Euclidean(points), space.weights, points), massless


def _written(values: Floats, rows: Ints, new: Floats) -> Floats:
    out = values.copy()
    out[rows] = new
    return out


def _differ(before: Metric, now: Metric, kept: Ints) -> Bools:
    """Points that are not, bit for bit, what they were."""
    if isinstance(before, GaussianMetric) and isinstance(now, GaussianMetric):
        if before.lam != now.lam:
            return np.ones(now.n, bool)
        moved = (before.means[kept] != now.means).any(axis=1)
        return np.asarray(moved | (before.covs[kept] != now.covs).any(axis=(1, 2)))
    assert isinstance(before, Euclidean)
    assert isinstance(now, Euclidean)
    return np.asarray((before.points[kept] != now.points).any(axis=1))
