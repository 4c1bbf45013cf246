"""Queries of the transformed metric that solve only the pairs that bounds cannot decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array

from .. import _check as check
from .._types import Floats, Ints
from ..engine import Engine, current
from ..measures import Discrete
from ..spaces import Metric, Space, check_space, rim
from ..transport import Exact, Report
from ..transport.batch import Batch
from ..transport.bounds import Lower
from .transform import Process, Transform, warn_massless


class Question(NamedTuple):
    """The distinct measures of a space, the metric of the space, and the order p of the distance."""

    measures: Discrete
    which: Ints  # the index of the measure of each point
    ground: Metric
    p: float
    engine: Engine

    @property
    def batch(self) -> Batch:
        return Batch(self.ground, self.p, self.engine)

    @property
    def lower(self) -> Lower:
        return Lower(self.measures, self.ground, self.p)

    def solve(self, i: Ints, j: Ints) -> tuple[Floats, Report]:
        """Exact distances of the pairs (i[k], j[k]), which must be sorted by i."""
        indptr = np.searchsorted(i, np.arange(self.measures.n + 1))
        return self.batch.listed(self.measures, self.measures, indptr, j)


def ask(transform: Transform | Process, space: Space, engine: Engine | None) -> Question:
    """Localize; raise an error if the transform does not use exact transport."""
    check_space(space)
    space.metric.check_whole("transport between all measures")
    if isinstance(transform, Process) and transform.start is None and isinstance(transform.step, Transform):
        transform = transform.step
    if not isinstance(transform, Transform) or not isinstance(transform.transport, Exact):
        raise TypeError(
            f"a Transform with Exact transport is needed, such as wt.Transform(wt.Truncation(eps), wt.Exact(p=1)), "
            f"got {transform!r}; other transports have closed forms: use "
            "wt.hierarchy.spanning_tree(transform(space))"
        )
    engine = current(engine)
    measures = transform.localize(space, engine)
    assert isinstance(measures, Discrete)
    warn_massless(measures.massless)
    unique, which = measures.distinct()
    return Question(unique, which, space.metric, float(transform.transport.p), engine)


@dataclass(frozen=True, eq=False)
class LazyBalls:
    """Closed balls of the transformed metric, in compressed rows. `lazy_balls` returns it.

    Attributes
    ----------
    indptr : array of int, shape (n+1,)
        Ball i is `indices[indptr[i]:indptr[i+1]]`.
    indices : array of int, shape (total size of the balls,)
        The points of the balls, sorted within each ball; point i is in its own ball.
    n_pairs : int
        Number of pairs of different measures.
    report : Report
        The solutions of the pairs that bounds could not decide.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0], [9.0]])
    >>> balls = wt.transforms.lazy_balls(wt.Transform(wt.Truncation(1.0), wt.Exact(p=1)), space, radius=0.5)
    >>> balls.indptr, balls.indices
    (array([0, 2, 5, 7, 8]), array([0, 1, 0, 1, 2, 1, 2, 3]))
    >>> balls.n_pairs, balls.report.n_problems <= balls.n_pairs
    (6, True)
    """

    indptr: Ints
    indices: Ints
    n_pairs: int
    report: Report

    def __repr__(self) -> str:
        return f"<LazyBalls of {len(self.indptr) - 1} points, {self.share:.1%} of {self.n_pairs} pairs solved>"

    @property
    def share(self) -> float:
        """The share of the pairs that had to be solved, 0 to 1."""
        return self.report.n_problems / max(self.n_pairs, 1)


def lazy_balls(transform: Transform | Process, space: Space, radius: float, engine: Engine | None = None) -> LazyBalls:
    """Find the points within `radius` of each point in the transformed metric; bounds decide most pairs.

    Parameters
    ----------
    transform : Transform or Process
        A transform with Exact transport, such as `wt.local_truncation(eps)`.
    space : Space
        The space to transform.
    radius : float
        The radius ≥ 0, in the unit of the distances.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    LazyBalls

    Notes
    -----
    Lower bounds of all n(n−1)/2 pairs, and one transport problem per pair that neither they nor the upper bounds
    decide. Memory grows with the number of pairs whose lower bound is within the radius, not with n².

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0], [9.0]])
    >>> balls = wt.transforms.lazy_balls(wt.Transform(wt.Truncation(1.0), wt.Exact(p=1)), space, radius=0.5)
    >>> balls.indices[balls.indptr[1] : balls.indptr[2]]
    array([0, 1, 2])
    """
    edge = rim(check.tolerance(radius, "radius"))
    question = ask(transform, space, engine)
    i, j, _ = question.lower.below(edge, question.engine)
    indptr = np.searchsorted(i, np.arange(question.measures.n + 1))
    inside = question.batch.at_most(question.measures, question.measures, indptr, j) <= edge
    open_ = np.flatnonzero(~inside)
    values, report = question.solve(i[open_], j[open_])
    inside[open_] = values <= edge
    n = question.measures.n
    return LazyBalls(*_spread(i[inside], j[inside], question.which), n * (n - 1) // 2, report)


def _spread(i: Ints, j: Ints, which: Ints) -> tuple[Ints, Ints]:
    """Turn pairs of measures into balls of points; points with equal measures are in each other's balls."""
    n = which.max() + 1
    rows, cols = np.concatenate([i, j, np.arange(n)]), np.concatenate([j, i, np.arange(n)])
    near = coo_array((np.ones(len(rows)), (rows, cols)), shape=(n, n)).tocsr()
    balls = near[which][:, which]
    balls.sort_indices()
    return balls.indptr.astype(np.intp), balls.indices.astype(np.intp)
