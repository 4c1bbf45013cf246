"""What a run will take, known before it starts: the states it keeps, and what a step takes on the way to the next."""

from __future__ import annotations

from typing import NamedTuple

from ..backends import backend_of
from ..engine import AT_A_TIME, Engine, goes_to_disk
from ..localize import Extrinsic
from ..spaces import Space
from .transform import Process, Transform

_SLACK = 2.0**22  # bytes that every run takes: tiles, workspaces, lists of neighbors of a few points


class Plan(NamedTuple):
    """Bytes that each state of a flow holds, and that a step takes beside them."""

    state: float
    working: float

    def total(self, n_states: int) -> float:
        """Bytes of a run that holds so many new states at a time."""
        return n_states * self.state + self.working


def plan_of(process: Process, n_iter: int, space: Space, engine: Engine, n_seen: float | None = None) -> Plan:
    """The plan of a process: of its dearest step; points see about `n_seen` others, if that is known."""
    steps = [process.at(k) for k in range(n_iter)] if not isinstance(process.step, Transform) else [process.step]
    if process.start is not None:
        steps.append(process.start)
    plans = [_plan(step, space, engine, n_seen) for step in steps]
    state, working = max(plan.state for plan in plans), max(plan.working for plan in plans)
    return Plan(state, working + min(_SLACK, 2 * (state + working)))


def _plan(step: Transform, space: Space, engine: Engine, n_seen: float | None) -> Plan:
    n, m = space.n, 0 if space.points is None else space.points.shape[1]
    state, working = step.transport.memory(n, m)
    if step.transport.makes_matrix and goes_to_disk(state, engine, AT_A_TIME):
        state = working = 0.0
    if isinstance(step.localize, Extrinsic):
        working += backend_of(engine).working_bytes(space.metric.form, state, engine)
    elif n_seen is not None:  # balls while they are sorted; or measures, and once more in the order they are compared
        working = max(40.0 * n * n_seen, working + 32.0 * n * n_seen)
    return Plan(state, working)
