"""Questions about the transformed metric that need few of its distances: bounds decide most pairs."""

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
    """The measures of a space (equal ones once), the ground they live on, and the order of the distance asked about."""

    measures: Discrete
    which: Ints  # for each point its measure
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
        """Exact distances of the pairs (i[k], j[k]), sorted by i."""
        indptr = np.searchsorted(i, np.arange(self.measures.n + 1))
        return self.batch.listed(self.measures, self.measures, indptr, j)


def ask(transform: Transform | Process, space: Space, engine: Engine | None) -> Question:
    """Localize, and refuse transforms whose distances are no transport problems."""
    check_space(space)
    space.metric.check_whole("transport between all measures")
    if isinstance(transform, Process) and transform.start is None and isinstance(transform.step, Transform):
        transform = transform.step
    if not isinstance(transform, Transform) or not isinstance(transform.transport, Exact):
        raise TypeError(
            f"a Transform with Exact transport is needed, such as wt.Transform(wt.Truncation(eps), wt.Exact(p=1)), "
            f"got {transform!r}; distances of other transports are closed forms: "
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
    """Closed balls of the transformed metric: members of ball i are `indices[indptr[i]:indptr[i+1]]`, sorted.

    Attributes
    ----------
    n_pairs : int
        Pairs of different measures there are.
    report : Report
        How those that bounds could not decide were solved.
    """

    indptr: Ints
    indices: Ints
    n_pairs: int
    report: Report

    def __repr__(self) -> str:
        return f"<LazyBalls of {len(self.indptr) - 1} points, {self.share:.1%} of {self.n_pairs} pairs solved>"

    @property
    def share(self) -> float:
        """The share of pairs that had to be solved."""
        return self.report.n_problems / max(self.n_pairs, 1)


def lazy_balls(transform: Transform | Process, space: Space, radius: float, engine: Engine | None = None) -> LazyBalls:
    """Who lies within `radius` of whom in the transformed metric; only pairs that bounds cannot decide are solved.

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
    """Balls of points from pairs of measures: points with equal measures are in each other's balls."""
    n = which.max() + 1
    rows, cols = np.concatenate([i, j, np.arange(n)]), np.concatenate([j, i, np.arange(n)])
    near = coo_array((np.ones(len(rows)), (rows, cols)), shape=(n, n)).tocsr()
    balls = near[which][:, which]
    balls.sort_indices()
    return balls.indptr.astype(np.intp), balls.indices.astype(np.intp)
