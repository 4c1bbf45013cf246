"""Estimate the memory of a run before it starts: the states that it keeps, and the working memory of a step."""

from __future__ import annotations

from typing import NamedTuple

from ..backends import backend_of
from ..engine import AT_A_TIME, Engine, goes_to_disk
from ..localize import Extrinsic
from ..spaces import Space
from .transform import Process, Transform

_SLACK = 2.0**22  # bytes that every run needs: tiles, workspaces, short lists of neighbors


class Plan(NamedTuple):
    """Bytes of each state of a run, and of the working memory of a step."""

    state: float
    working: float

    def total(self, n_states: int) -> float:
        """Bytes of a run that holds `n_states` new states at a time."""
        return n_states * self.state + self.working


def plan_of(process: Process, n_iter: int, space: Space, engine: Engine, n_seen: float | None = None) -> Plan:
    """The memory plan of the most expensive step, for about `n_seen` neighbors per point, if that is known."""
    steps = [process.at(k) for k in range(n_iter)] if not isinstance(process.step, Transform) else [process.step]
    if process.start is not None:
        steps.append(process.start)
    plans = [_plan(step, space, engine, n_seen) for step in steps]
    state, working = max(plan.state for plan in plans), max(plan.working for plan in plans)
    return Plan(state, working + min(_SLACK, 2 * (state + working)))


def merged_bytes(space: Space) -> float:
    """Bytes of a merged state besides its metric: labels, leaders, masses, and the coordinates of all points."""
    return space.n * (24.0 + (0.0 if space.points is None else 8.0 * space.points.shape[1]))


def _plan(step: Transform, space: Space, engine: Engine, n_seen: float | None) -> Plan:
    n, m = space.n, 0 if space.points is None else space.points.shape[1]
    state, working = step.transport.memory(n, m)
    if step.transport.makes_matrix and goes_to_disk(state, engine, AT_A_TIME):
        state = working = 0.0
    if isinstance(step.localize, Extrinsic):
        working += backend_of(engine).working_bytes(space.metric.form, state, engine)
    elif n_seen is not None:  # balls while they are sorted, or measures and a reordered copy of them
        working = max(40.0 * n * n_seen, working + 32.0 * n * n_seen)
    return Plan(state, working)
