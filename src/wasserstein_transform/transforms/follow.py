"""Move new points through the stored states of a run; they carry no mass and do not change the fitted points.

In iteration k a new point is localized on the k-th state like a fitted point, then moved, and merged if merging is on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._display import ShortRepr
from .._types import Bools, Floats, Ints
from ..engine import Engine, current
from ..localize import Extrinsic, Inductive
from ..localize.extrinsic import takes_new_points
from ..measures import Measures
from ..spaces import Dense, Euclidean, Metric, Quotient, Space, closed
from ..transport.closed_forms import rectangle
from .trajectory import Trajectory
from .transform import Process, Transform


@dataclass(frozen=True, eq=False, repr=False)
class Followed(ShortRepr):
    """New points at the end of a run. `follow_points` returns it.

    Attributes
    ----------
    points : array of shape (n_new, m)
        The moved new points.
    state : Space
        The last state of the run (merged points, if merging is on) followed by the new points, which carry no mass.
    labels : array of int, shape (n,)
        The index in `state` of each fitted point.
    massless : array of bool, shape (n_new,)
        New points that saw no mass in at least one iteration, in which they did not move.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> process, space = wt.transforms.mean_shift(1.0), wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> trajectory = wt.iterate(process, space, n_iter=3, keep="all")
    >>> followed = wt.transforms.follow_points(process, space, trajectory, np.array([[0.9], [4.5]]))
    >>> followed.points.ravel()
    array([0.5, 5. ])
    >>> followed.distances()
    array([[0. , 0. , 4.5],
           [4.5, 4.5, 0. ]])
    """

    points: Floats
    state: Space
    labels: Ints
    massless: Bools

    def distances(self, engine: Engine | None = None) -> Floats:
        """Compute the distances from the new points to all fitted points at the end, shape (n_new, n)."""
        n, k, engine = self.state.n - len(self.points), len(self.points), current(engine)
        merged = n < len(self.labels)  # then columns of merged points are repeated for their original points
        what = f"distances of {k} new points to {len(self.labels)}"
        engine.reserve(8.0 * k * (len(self.labels) + n * merged), what, "take fewer new points at a time")
        new_first = np.append(np.arange(n, self.state.n), np.arange(n))
        rows = rectangle(self.state.metric.take(new_first), k, engine)
        return rows[:, self.labels] if merged else rows


def follow_points(
    process: Process, space: Space, trajectory: Trajectory, new: Floats, engine: Engine | None = None
) -> Followed:
    """Move new points through the states of a run whose localization moves points (`Extrinsic`).

    Parameters
    ----------
    process : Process
        The process of the run.
    space : Space
        The space that the run started from.
    trajectory : Trajectory
        The run, with all states: `iterate(..., keep="all")`.
    new : array of shape (n_new, m)
        The coordinates of the new points.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine.

    Returns
    -------
    Followed
        The moved points and the last state.

    Notes
    -----
    One localization of the new points per iteration.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> process, space = wt.transforms.mean_shift(1.0), wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> trajectory = wt.iterate(process, space, n_iter=3, keep="all")
    >>> wt.transforms.follow_points(process, space, trajectory, np.array([[0.9]])).points
    array([[0.5]])
    """
    engine = current(engine)
    steps = _steps(process, trajectory)
    states = list(trajectory.quotients)
    if process.start is not None:
        states.insert(0, Quotient(space, np.arange(space.n), space.weights, space.points))
    moved, massless = new, np.zeros(len(new), bool)
    both = _merge_new_points(_append_points(states[0].space.metric, new), new, states[0])
    for step, state, next_state in zip(steps, states[:-1], states[1:], strict=True):
        localize = step.localize
        if not isinstance(localize, Extrinsic) or next_state.points is None:
            raise TypeError(f"{localize!r} does not move points: pass the distances of new points to follow_distances")
        one_of_each = np.unique(state.labels, return_index=True)[1]
        measures = localize(both, engine, next_state.points[one_of_each])
        assert measures.centers is not None
        moved = measures.centers
        both = _merge_new_points(_append_measures(step, state, next_state, measures, engine), moved, next_state)
        massless |= measures.massless
    return Followed(moved, both, states[-1].labels, massless)


def _steps(process: Process, trajectory: Trajectory) -> list[Transform]:
    """The transforms of a run, in order; raises an error if a localization has no measures for new points."""
    steps = [] if process.start is None else [process.start]
    steps += [process.at(k) for k in range(trajectory.n_iter)]
    for localize in (step.localize for step in steps):
        if not takes_new_points(localize):
            name = type(localize).__name__
            name = f"{name} of {type(localize.base).__name__}" if isinstance(localize, Extrinsic) else name
            raise ValueError(
                f"{name} has no measures for new points, only for the fitted ones; "
                "fit all points together, the new ones with weight 0, or use a localization such as Truncation"
            )
    return steps


def _append_points(metric: Metric, new: Floats) -> Metric:
    """The metric of the points followed by new points given by coordinates."""
    visitors = Euclidean(new)
    if metric.joins(visitors):
        return metric.concatenate(visitors)
    raise ValueError(
        f"new points cannot be added to a space with a {type(metric).__name__} metric: "
        "coordinates do not give their distances to the fitted points; fit on points instead"
    )


def _append_measures(step: Transform, state: Quotient, next_state: Quotient, new: Measures, engine: Engine) -> Metric:
    """The metric of the points of the next state followed by the new points, given by their measures."""
    kept, visitors = next_state.space.metric, new.metric()
    if visitors is not None and kept.joins(visitors):
        return kept.concatenate(visitors)
    measures = step.localize(state.space, engine)
    rows = step.transport.cross(new, measures, state.space.metric, engine)
    return _append_rows(kept, rows if next_state.leaders is None else rows[:, next_state.leaders], engine)


def _append_rows(metric: Metric, rows: Floats, engine: Engine) -> Dense:
    """Add points without mass to a metric, given by their distances to the others."""
    k, n = rows.shape
    engine.reserve(8.0 * (n + k) ** 2, f"distances of {n} points and {k} new ones", "take fewer new points at a time")
    matrix = np.empty((n + k, n + k))
    matrix[:n, :n], matrix[n:, :n], matrix[:n, n:] = metric.dense(engine), rows, rows.T
    matrix[n:, n:] = 2 * rows.max(initial=0.0)  # never used: points without mass are in no measure
    np.fill_diagonal(matrix, 0.0)
    return Dense(matrix)


def _merge_new_points(metric: Metric, places: Floats, state: Quotient) -> Space:
    """A state followed by new points; a new point within the merge tolerance of a kept point is merged into it."""
    kept = state.space
    n, k = kept.n, len(places)
    assert kept.points is not None
    weights, points = np.append(kept.weights, np.zeros(k)), np.concatenate([kept.points, places])
    if state.leaders is None:
        return Space(metric, weights, points)
    which = np.arange(n + k)
    for row in range(n, n + k):
        leader = _find_leader(metric.block(np.array([row]), np.arange(n))[0], state)
        which[row] = row if leader < 0 else leader
    return Space(metric.take(which), weights, points[which])


def _find_leader(distances: Floats, state: Quotient) -> int:
    """The first kept point within the tolerance, points with mass first; −1 if there is none."""
    within = np.flatnonzero(distances * distances <= closed(state.tol))
    if len(within) == 0:
        return -1
    return int(within[np.argmax(state.space.weights[within] > 0)])


def follow_distances(
    process: Process, trajectory: Trajectory, distances: Floats, engine: Engine | None = None
) -> Floats:
    """Compute the distances from new points to all points at the end of a run that changes only distances.

    Each iteration replaces D(y, j) by W(m(y), m(j)) for the new points y.

    Parameters
    ----------
    process : Process
        The process of the run, with an `Inductive` localization such as Truncation.
    trajectory : Trajectory
        The run, with all states: `iterate(..., keep="all")`. Its first state is the space itself.
    distances : array of shape (n_new, n)
        Distances from the new points to the points of the space.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine.

    Returns
    -------
    array of shape (n_new, n)
        The distances at the end of the run.

    Notes
    -----
    n_new·n transport problems per iteration.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> process, space = wt.transforms.local_truncation(1.0), wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> trajectory = wt.iterate(process, space, n_iter=1, keep="all")
    >>> wt.transforms.follow_distances(process, trajectory, np.array([[0.5, 0.5, 4.5]]))
    array([[0. , 0. , 4.5]])
    """
    engine = current(engine)
    (k, n), largest = distances.shape, max(state.space.n for state in trajectory.quotients)
    n_bytes = 40.0 * k * n + 8.0 * largest * largest  # distances before and after, measures, the matrix of the points
    engine.reserve(n_bytes, f"distances of {k} new points to {n}", "take fewer new points at a time")
    for step, before, next_state in zip(
        _steps(process, trajectory), trajectory.quotients[:-1], trajectory.quotients[1:], strict=True
    ):
        previous, transport = before.space, step.transport
        if not isinstance(step.localize, Inductive):
            raise TypeError(f"{step.localize!r} moves points: pass the coordinates of new points to follow_points")
        new, measures = step.localize.cross(distances, previous), step.localize(previous, engine)
        metric = previous.metric
        # each distance is needed many times
        stored = metric if isinstance(metric, Dense) else Dense(metric.dense(engine), metric.triangle)
        following = transport.cross(new, measures, stored if transport.fits(stored) else metric, engine)
        following[new.massless] = transport.cross_diracs(distances[new.massless], measures)
        distances = _merge_rows(following, next_state)
    labels: Ints = trajectory.quotients[-1].labels
    return distances if distances.shape[1] == len(labels) else distances[:, labels]


def _merge_rows(distances: Floats, state: Quotient) -> Floats:
    """Distances to the kept points of a merged state; the row of a new point merged into one becomes its row."""
    if state.leaders is None:
        return distances
    distances = distances[:, state.leaders]
    matrix = state.space.metric.dense()
    for row in distances:
        leader = _find_leader(row, state)
        if leader >= 0:
            row[:] = matrix[leader]
    return distances
