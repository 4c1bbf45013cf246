"""Points at rest: where nothing near has changed, a step would give the same again, and is not taken.

If no point that a point's next state depends on changed in the last step, by a single bit, the next step repeats the
last one there; the others are computed as a part of the cloud, to the same bits.
"""

from __future__ import annotations

import numpy as np

from .._elsewhere import where_it_lies
from .._types import Bools, Ints
from ..engine import Engine
from ..spaces import Quotient, Space
from .parts import Part, cells_of, frame_of, halo, near_cells, step_part
from .transform import Transform

WORTH = 0.5  # of the points: with more of them to be looked at, all are
_ASKED = 1000  # points that are asked first


def awake(before: Quotient, now: Quotient, reach: float, engine: Engine) -> Part | None:
    """Who may change in the next step, given what changed in the last; None if that is about everybody."""
    here, there = now.space, before.space
    places = [where_it_lies(space, "points") for space in (here, there)]
    if not np.isfinite(reach) or not all(isinstance(points, np.ndarray) for points in places):
        return None  # there are none, or on a device, which has computed everybody before these are found
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
    """Whether some points, spread over all, tell that most have moved: as long as they do, nobody else is looked at."""
    some = asked_first(here.n)
    changed = here.metric.take(some).differs(there.metric.take(some))
    return changed is not None and are_most(int(changed.sum()), len(some))


def asked_first(n: int) -> Ints:
    """Numbers of some points, spread over all."""
    return np.unique(np.linspace(0, n - 1, _ASKED).astype(np.intp))


def are_most(n_changed: int, n: int) -> bool:
    """Whether so many of those asked first tell that most have moved."""
    return n_changed / n > (1 + WORTH) / 2


def step_awake(space: Space, step: Transform, who: Part, engine: Engine) -> tuple[Space, Bools]:
    """The step where something may change; everybody else stays."""
    massless = np.zeros(space.n, bool)
    if len(who.core) == 0:
        return space, massless
    part, massless[who.core] = step_part(space, step, who, engine)
    metric = space.metric.with_rows(who.core, part.metric)
    return Space(metric, space.weights, metric.places), massless
