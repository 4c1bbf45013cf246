"""Skip the step of points whose surroundings did not change in the last step.

If no point that a point depends on changed by a single bit, its next step gives the same result again and is skipped.
The other points are computed as a part of the cloud, with results equal to the bit.
"""

from __future__ import annotations

import numpy as np

from .._elsewhere import where_it_lies
from .._types import Bools, Ints
from ..engine import Engine
from ..spaces import Quotient, Space
from .parts import Part, cells_of, frame_of, halo, near_cells, step_part
from .transform import Transform

WORTH = 0.5  # if more than this share of the points must be computed, compute all
_ASKED = 1000  # size of the sample that is checked first


def awake(before: Quotient, now: Quotient, reach: float, engine: Engine) -> Part | None:
    """The points that may change in the next step, given the changes of the last; None if most points may."""
    here, there = now.space, before.space
    places = [where_it_lies(space, "points") for space in (here, there)]
    if not np.isfinite(reach) or not all(isinstance(points, np.ndarray) for points in places):
        return None  # no coordinates, or on a GPU, which computes all points faster than this search
    if here.metric.n == there.n and _many_differ(there, here):
        return None
    changed = here.metric.differs(there.metric, now.leaders)
    if changed is None:
        return None
    kept = np.arange(there.n) if now.leaders is None else now.leaders
    changed |= there.weights[kept] != here.weights
    if changed.sum() > WORTH * here.n:
        return None
    frame = frame_of(here, reach, engine)
    if frame is None:
        return None
    gone = np.ones(there.n, bool)
    gone[kept[~changed]] = False  # moved away, or merged into another
    cells = cells_of(here.metric, frame, engine)
    hot = np.concatenate([cells_of(there.metric.take(np.flatnonzero(gone)), frame, engine), cells[changed]])
    if len(hot) == 0:
        return Part(np.zeros(0, np.intp), np.zeros(0, np.intp), frame)
    context = np.flatnonzero(near_cells(cells, hot, 2 * halo(frame)))
    if len(context) > WORTH * here.n:
        return None
    return Part(np.flatnonzero(near_cells(cells, hot, halo(frame))), context, frame)


def _many_differ(there: Space, here: Space) -> bool:
    """Whether most points of an evenly spaced sample changed; then the others are not checked."""
    some = asked_first(here.n)
    changed = here.metric.take(some).differs(there.metric.take(some))
    return changed is not None and are_most(int(changed.sum()), len(some))


def asked_first(n: int) -> Ints:
    """Indices of an evenly spaced sample of n points."""
    return np.unique(np.linspace(0, n - 1, _ASKED).astype(np.intp))


def are_most(n_changed: int, n: int) -> bool:
    """Whether `n_changed` of n sampled points mean that most points changed."""
    return n_changed / n > (1 + WORTH) / 2


def step_awake(space: Space, step: Transform, who: Part, engine: Engine) -> tuple[Space, Bools]:
    """Compute the step of the points that may change; the others stay."""
    massless = np.zeros(space.n, bool)
    if len(who.core) == 0:
        return space, massless
    part, massless[who.core] = step_part(space, step, who, engine)
    metric = space.metric.with_rows(who.core, part.metric)
    return Space(metric, space.weights, metric.places), massless
