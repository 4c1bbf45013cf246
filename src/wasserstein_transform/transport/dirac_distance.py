"""Transport between Diracs: the distance between their points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._types import Floats
from ..engine import Engine, current
from ..measures import Diracs, Measures
from ..spaces import Euclidean, Metric
from .base import Coupling, Status, Transport
from .bures import rectangle


@dataclass(frozen=True)
class DiracDistance(Transport):
    """W_p between Diracs, W_p(δ_x, δ_y) = ‖x − y‖ for every p.

    Notes
    -----
    The metric is computed on demand: memory O(n m).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> shift = wt.Transform(wt.Mean(wt.Truncation(1.0)), wt.DiracDistance())
    >>> shift(wt.Space.from_points([[0.0], [1.0], [5.0]])).metric.dense()[0]
    array([0. , 0. , 4.5])
    """

    accepts = Diracs
    makes_matrix = False
    p = 1.0  # the distance is the same for every p

    def metric(self, measures: Measures, ground: Metric, engine: Engine | None = None) -> Euclidean:
        self.check(measures)
        assert isinstance(measures, Diracs)
        return measures.metric()

    def cross(self, new: Measures, measures: Measures, ground: Metric, engine: Engine | None = None) -> Floats:
        both = self.metric(new, ground).concatenate(self.metric(measures, ground))
        return rectangle(both, new.n, current(engine))

    def memory(self, n: int, m: int) -> tuple[float, float]:
        return 8.0 * n * m, 0.0

    def coupling(self, measures: Measures, ground: Metric, i: int, j: int) -> Coupling:
        """Return the only plan: all mass goes from one point to the other."""
        self.check_pair(measures, ground, i, j)
        metric = self.metric(measures, ground)
        value = float(metric.block(np.array([i]), np.array([j]))[0, 0])
        potentials = np.zeros(1), np.array([value])
        return Coupling(value, np.ones((1, 1)), potentials, 0.0, Status.OPTIMAL, np.array([i]), np.array([j]))
