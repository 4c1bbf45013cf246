"""New points in a fitted flow: they carry no mass and see what the fitted points saw.

At iteration k a new point is localized on the k-th state, like the others, moved, and merged if the others were.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._shown import Brief
from .._types import Bools, Floats, Ints
from ..engine import Engine, current
from ..localize import Extrinsic, Identity, Inductive, Localization, takes_new_points
from ..measures import Measures
from ..spaces import Dense, Euclidean, Metric, Quotient, Space, closed
from ..transport import Transport
from ..transport.bures import rectangle
from .trajectory import Trajectory
from .transform import Process, Transform, warn_massless


@dataclass(frozen=True, eq=False, repr=False)
class Followed(Brief):
    """New points at the end of a flow.

    Attributes
    ----------
    points : array of shape (n_new, m)
        Where they went.
    state : Space
        The last state as it was computed, and after its points the new ones, which carry no mass.
    labels : array of shape (n,)
        For each fitted point its point of the state.
    massless : array of shape (n_new,)
        Which of them saw no mass on their way, and stayed where they were.
    """

    points: Floats
    state: Space
    labels: Ints
    massless: Bools

    def distances(self, engine: Engine | None = None) -> Floats:
        """Distances of the new points to all fitted points, n_new × n, under the metric at the end."""
        n, k, engine = self.state.n - len(self.points), len(self.points), current(engine)
        merged = n < len(self.labels)  # then all points are to have the columns of those that are left
        what = f"distances of {k} new points to {len(self.labels)}"
        engine.reserve(8.0 * k * (len(self.labels) + n * merged), what, "take fewer new points at a time")
        new_first = np.append(np.arange(n, self.state.n), np.arange(n))
        rows = rectangle(self.state.metric.take(new_first), k, engine)
        return rows[:, self.labels] if merged else rows


def follow_points(
    process: Process, space: Space, walk: Trajectory, new: Floats, engine: Engine | None = None, *, warns: bool = True
) -> Followed:
    """Where new points go in the flow of an extrinsic process.

    Parameters
    ----------
    process : Process
    space : Space
        What the process started from.
    walk : Trajectory
        Its run, with all states.
    new : array of shape (n_new, m)
    engine : Engine, optional
    warns : bool
        Whether points that see no mass get a warning.
    """
    engine = current(engine)
    steps = _steps(process, walk)
    states = list(walk.quotients)
    if process.start is not None:
        states.insert(0, Quotient(space, np.arange(space.n), space.weights, space.points))
    places, massless = new, np.zeros(len(new), bool)
    both = _settled(_placed(states[0].space.metric, new), new, states[0])
    for step, here, ahead in zip(steps, states[:-1], states[1:], strict=True):
        measures = _visit(step.localize, both, here, ahead, engine)
        assert measures.centers is not None
        places, both = measures.centers, _settled(_joined(step, here, ahead, measures, engine), measures.centers, ahead)
        massless |= measures.massless
    if warns:
        warn_massless(massless, "new points")
    return Followed(places, both, states[-1].labels, massless)


def _steps(process: Process, walk: Trajectory) -> list[Transform]:
    """The transforms of a run, in order; refuses one whose localization has no measures for new points."""
    steps = [] if process.start is None else [process.start]
    steps += [process.at(k) for k in range(walk.n_iter)]
    for step in steps:
        if not takes_new_points(step.localize):
            raise ValueError(
                f"{_named(step.localize)} has no measures for new points: those of the fitted ones are all it knows; "
                "fit all points together, the new ones with weight 0, or use a localization such as Truncation"
            )
    return steps


def _named(localize: Localization) -> str:
    name = type(localize).__name__
    return f"{name} of {type(localize.base).__name__}" if isinstance(localize, Extrinsic) else name


def _visit(localize: Localization, both: Space, here: Quotient, ahead: Quotient, engine: Engine) -> Measures:
    """The measures of the visitors of one state, whose own points are known to move on."""
    if not isinstance(localize, Extrinsic) or ahead.points is None:
        raise TypeError(f"{localize!r} does not move points: new ones are given by their distances")
    one_of_each = np.unique(here.labels, return_index=True)[1]
    return localize.around(both, engine, ahead.points[one_of_each])


def _placed(metric: Metric, new: Floats) -> Metric:
    """The metric of the points and of new ones, known by their coordinates."""
    visitors = Euclidean(new)
    if metric.joins(visitors):
        return metric.concatenate(visitors)
    raise ValueError(
        f"new points cannot be placed in a space whose metric is {type(metric).__name__}: "
        "their distances to the fitted points are not known from coordinates; fit on points instead"
    )


def _joined(step: Transform, here: Quotient, ahead: Quotient, new: Measures, engine: Engine) -> Metric:
    """The metric of the points of the state ahead and of their visitors, known by their measures."""
    kept, visitors = ahead.space.metric, new.metric()
    if visitors is not None and kept.joins(visitors):
        return kept.concatenate(visitors)
    measures = step.localize(here.space, engine)
    rows = step.transport.cross(new, measures, here.space.metric, engine)
    return _extended(kept, rows if ahead.leaders is None else rows[:, ahead.leaders], engine)


def _extended(metric: Metric, rows: Floats, engine: Engine) -> Dense:
    """A metric and points that carry no mass, known by their distances to the others."""
    k, n = rows.shape
    engine.reserve(8.0 * (n + k) ** 2, f"distances of {n} points and {k} new ones", "take fewer new points at a time")
    matrix = np.empty((n + k, n + k))
    matrix[:n, :n], matrix[n:, :n], matrix[:n, n:] = metric.dense(engine), rows, rows.T
    matrix[n:, n:] = 2 * rows.max(initial=0.0)  # never asked for: nobody sees a point without mass
    np.fill_diagonal(matrix, 0.0)
    return Dense(matrix)


def _settled(metric: Metric, places: Floats, state: Quotient) -> Space:
    """A state and its visitors; those near a kept point of a merged state become it, as merged points did."""
    kept = state.space
    n, k = kept.n, len(places)
    assert kept.points is not None
    weights, points = np.append(kept.weights, np.zeros(k)), np.concatenate([kept.points, places])
    if state.leaders is None:
        return Space(metric, weights, points)
    which = np.arange(n + k)
    for row in range(n, n + k):
        leader = _leader(metric.block(np.array([row]), np.arange(n))[0], state)
        which[row] = row if leader < 0 else leader
    return Space(metric.take(which), weights, points[which])


def _leader(distances: Floats, state: Quotient) -> int:
    """The first kept point within the tolerance, one with mass before others; −1 if there is none."""
    near = np.flatnonzero(distances * distances <= closed(state.tol))
    if len(near) == 0:
        return -1
    return int(near[np.argmax(state.space.weights[near] > 0)])


def follow_distances(process: Process, walk: Trajectory, distances: Floats, engine: Engine | None = None) -> Floats:
    """Distances of new points to all points at the end of an intrinsic process: D(y,j) ← W(m(y), m(j)).

    Parameters
    ----------
    process : Process
    walk : Trajectory
        Its run, with all states; the first is the space itself.
    distances : array of shape (n_new, n)
        Distances of the new points to the points of the space.
    """
    engine = current(engine)
    _reserve(distances.shape, walk, engine)
    massless = np.zeros(len(distances), bool)
    for step, before, ahead in zip(_steps(process, walk), walk.quotients[:-1], walk.quotients[1:], strict=True):
        here = before.space
        if not isinstance(step.localize, Inductive):
            raise TypeError(f"{step.localize!r} moves points: new ones are given by their coordinates")
        new, measures = step.localize.cross(distances, here), step.localize(here, engine)
        following = step.transport.cross(new, measures, _ground(step.transport, here.metric, engine), engine)
        following[new.massless] = step.transport.cross_diracs(distances[new.massless], measures)
        distances = _settle_rows(following, ahead)
        if not isinstance(step.localize, Identity):  # there, every point sees itself alone, by definition
            massless |= new.massless
    warn_massless(massless, "new points")
    labels: Ints = walk.quotients[-1].labels
    return distances if distances.shape[1] == len(labels) else distances[:, labels]


def _reserve(shape: tuple[int, ...], walk: Trajectory, engine: Engine) -> None:
    """Old and new distances, measures that may hold every point, and the matrix of the points themselves."""
    k, n = shape
    most = max(state.space.n for state in walk.quotients)
    what = f"distances of {k} new points to {n}"
    engine.reserve(40.0 * k * n + 8.0 * most * most, what, "take fewer new points at a time")


def _ground(transport: Transport, metric: Metric, engine: Engine) -> Metric:
    """Distances are stored where that is all the same to the transport: each will be asked for many times."""
    stored = metric if isinstance(metric, Dense) else Dense(metric.dense(engine), metric.triangle)
    return stored if transport.fits(stored) else metric


def _settle_rows(distances: Floats, state: Quotient) -> Floats:
    """Distances to the kept points of a merged state; rows near one of them become its row."""
    if state.leaders is None:
        return distances
    distances = distances[:, state.leaders]
    matrix = state.space.metric.dense()
    for row in distances:
        leader = _leader(row, state)
        if leader >= 0:
            row[:] = matrix[leader]
    return distances
