"""New points in a fitted flow: they carry no mass and see what the fitted points saw.

At iteration k a new point is localized on the k-th state, like the others, moved, and merged if the others were.
"""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints
from ..engine import Engine, current
from ..localize import Localization, Point
from ..localize.extrinsic import Extrinsic
from ..measures import Discrete, Gaussians, Measures
from ..spaces import Dense, Euclidean, GaussianMetric, Metric, Quotient, Space, closed
from ..transport import Exact
from .trajectory import Trajectory
from .transform import Process, warn_massless


def follow_points(
    process: Process, space: Space, walk: Trajectory, new: Floats, engine: Engine | None = None
) -> Floats:
    """Where new points go in the flow of an extrinsic process.

    Parameters
    ----------
    process : Process
    space : Space
        What the process started from.
    walk : Trajectory
        Its run, with all states.
    new : array of shape (n_new, m)
    """
    engine = current(engine)
    steps = [] if process.start is None else [process.start]
    steps += [process.at(k) for k in range(walk.n_iter)]
    states = list(walk.quotients)
    if process.start is not None:
        states.insert(0, Quotient(space, np.arange(space.n), space.weights, space.points))
    places, massless = new, np.zeros(len(new), bool)
    visitors: Metric = Euclidean(new)
    for step, here, ahead in zip(steps, states[:-1], states[1:], strict=True):
        measures = _visit(step.localize, here, ahead, visitors, engine)
        assert measures.centers is not None
        places, visitors = measures.centers, _settle(_metric_of(measures), ahead)
        massless |= measures.massless
    warn_massless(massless, "new points")
    return places


def _visit(localize: Localization, here: Quotient, ahead: Quotient, visitors: Metric, engine: Engine) -> Measures:
    """The measures of the visitors of one state, whose own points are known to move on."""
    if not isinstance(localize, Extrinsic) or here.space.points is None or ahead.points is None:
        raise TypeError(f"{localize!r} does not move points: new ones are given by their distances")
    both = Space(
        _join(here.space.metric, visitors),
        np.append(here.space.weights, np.zeros(visitors.n)),
        np.concatenate([here.space.points, _places(visitors)]),
    )
    one_of_each = np.unique(here.labels, return_index=True)[1]
    return localize.around(both, engine, ahead.points[one_of_each])


def _settle(visitors: Metric, state: Quotient) -> Metric:
    """Visitors near a kept point of a merged state become it, as the points that were merged did."""
    if state.leaders is None:
        return visitors
    kept = state.space.metric
    both = _join(kept, visitors)
    which = np.arange(kept.n, both.n)
    for k, row in enumerate(which):
        leader = _leader(both.block(np.array([row]), np.arange(kept.n))[0], state)
        which[k] = row if leader < 0 else leader
    return both.take(which)


def _leader(distances: Floats, state: Quotient) -> int:
    """The first kept point within the tolerance, one with mass before others; −1 if there is none."""
    near = np.flatnonzero(distances * distances <= closed(state.tol))
    if len(near) == 0:
        return -1
    return int(near[np.argmax(state.space.weights[near] > 0)])


def _places(metric: Metric) -> Floats:
    if isinstance(metric, GaussianMetric):
        return metric.means
    assert isinstance(metric, Euclidean)
    return metric.points


def _metric_of(measures: Measures) -> Metric:
    if isinstance(measures, Gaussians):
        return GaussianMetric(measures.means, measures.covs, measures.lam)
    assert measures.centers is not None
    return Euclidean(measures.centers)


def _join(metric: Metric, visitors: Metric) -> Metric:
    """The metric of the points and their visitors."""
    if isinstance(metric, Euclidean | GaussianMetric) and isinstance(visitors, type(metric)):
        return metric.beside(visitors)
    raise ValueError(
        f"new points cannot be placed in a space whose metric is {type(metric).__name__}: "
        "their distances to the fitted points are not known from coordinates; fit on points instead"
    )


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
    massless = np.zeros(len(distances), bool)
    for k in range(walk.n_iter):
        step, here, ahead = process.at(k), walk.quotients[k].space, walk.quotients[k + 1]
        if not isinstance(step.transport, Exact):
            raise TypeError(f"new points are given distances by Exact transport only, not by {step.transport!r}")
        new = step.localize.cross(distances, here)
        measures = step.localize(here, engine)
        assert isinstance(measures, Discrete)
        ground = Dense(here.metric.dense(engine), here.metric.triangle)
        following = step.transport.cross(new, measures, ground, engine)
        following[new.massless] = _from_diracs(distances[new.massless], measures, float(step.transport.p))
        distances = _settle_rows(following, ahead)
        if not isinstance(step.localize, Point):  # there, every point sees itself alone, by definition
            massless |= new.massless
    warn_massless(massless, "new points")
    labels: Ints = walk.quotients[-1].labels
    return distances if distances.shape[1] == len(labels) else distances[:, labels]


def _from_diracs(distances: Floats, measures: Discrete, p: float) -> Floats:
    """W_p(δ_y, m) needs no plan: it is the p-mean of the distances."""
    if p == np.inf:
        return np.maximum.reduceat(distances[:, measures.indices], measures.indptr[:-1], axis=1)
    top = distances.max(axis=1, initial=0.0, keepdims=True)
    top[top == 0] = 1.0
    return np.asarray(top * (measures.matrix() @ ((distances / top) ** p).T).T ** (1 / p))


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
