"""New points in a fitted flow: they carry no mass and see what the fitted points saw.

At iteration k a new point is localized on the k-th state, like the others, and moved.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._types import Floats
from ..engine import Engine
from ..localize import Localization, Point
from ..localize.extrinsic import Extrinsic
from ..measures import Discrete, Gaussians, Measures
from ..spaces import Dense, Euclidean, GaussianMetric, Metric, Space
from ..transport import Exact
from .transform import Process, warn_massless


def follow_points(
    process: Process, space: Space, states: Sequence[Space], new: Floats, engine: Engine | None = None
) -> Floats:
    """Where new points go in the flow of an extrinsic process.

    Parameters
    ----------
    process : Process
    space : Space
        What the process started from.
    states : sequence of Space
        Its states τ = 0, 1, …, merged or not.
    new : array of shape (n_new, m)
    """
    engine = engine or Engine()
    massless = np.zeros(len(new), bool)
    metric: Metric = Euclidean(new)
    if process.start is not None:
        metric, alone = _visit(process.start.localize, space, states[0], metric, engine)
        massless |= alone
    for k in range(len(states) - 1):
        metric, alone = _visit(process.at(k).localize, states[k], states[k + 1], metric, engine)
        massless |= alone
    warn_massless(massless)
    return _places(metric)


def _visit(
    localize: Localization, here: Space, ahead: Space, visitors: Metric, engine: Engine
) -> tuple[Metric, np.ndarray]:
    """One step of the visitors of state `here`, whose own points are known to move to those of `ahead`."""
    if not isinstance(localize, Extrinsic) or here.points is None:
        raise TypeError(f"{localize!r} does not move points")
    both = Space(
        _join(here.metric, visitors),
        np.append(here.weights, np.zeros(visitors.n)),
        np.concatenate([here.points, _places(visitors)]),
    )
    known = _known(here, ahead)
    measures = localize.around(both, engine, known)
    return _metric_of(measures), measures.massless


def _known(here: Space, ahead: Space) -> Floats:
    assert here.points is not None
    assert ahead.points is not None
    if len(ahead.points) != len(here.points):
        raise ValueError("the states of a followed flow must hold the same points; expand merged states first")
    return ahead.points


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
    if isinstance(metric, GaussianMetric) and isinstance(visitors, GaussianMetric):
        means = np.concatenate([metric.means, visitors.means])
        return GaussianMetric(means, np.concatenate([metric.covs, visitors.covs]), metric.lam)
    if isinstance(metric, Euclidean) and isinstance(visitors, Euclidean):
        return Euclidean(np.concatenate([metric.points, visitors.points]))
    raise ValueError(
        f"new points cannot be placed in a space whose metric is {type(metric).__name__}: "
        "their distances to the fitted points are not known from coordinates; fit on points instead"
    )


def follow_distances(
    process: Process, states: Sequence[Space], distances: Floats, engine: Engine | None = None
) -> Floats:
    """Distances of new points to all points at the end of an intrinsic process: D(y,j) ← W(m(y), m(j)).

    Parameters
    ----------
    process : Process
    states : sequence of Space
        All states, from τ = 0 (the space itself) on.
    distances : array of shape (n_new, n)
        Distances of the new points to the points of the space.
    """
    engine = engine or Engine()
    massless = np.zeros(len(distances), bool)
    for k, state in enumerate(states[:-1]):
        step = process.at(k)
        assert isinstance(step.transport, Exact)
        new = step.localize.cross(distances, state)
        measures = step.localize(state, engine)
        assert isinstance(measures, Discrete)
        ground = Dense(state.metric.dense(engine), state.metric.triangle)
        following = step.transport.cross(new, measures, ground, engine)
        stay = new.massless  # W(δ_y, m) needs no plan: it is the mean of the distances
        p = float(step.transport.p)
        following[stay] = (measures.matrix() @ (distances[stay] ** p).T).T ** (1 / p)
        distances = following
        if not isinstance(step.localize, Point):  # there, every point sees itself alone, by definition
            massless |= stay
    warn_massless(massless)
    return distances
