"""Costs that are not the metric of a space: with a cost for spare mass, and from one set of points to another one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Floats, Ints
from ..compute.metrics.distances import block
from ..compute.metrics.geometry_jit import Geometry, Rectangle, WithDummyPoint
from ..engine import Engine
from ..spaces import Metric

SpareLike: TypeAlias = float | ArrayLike | Callable[[Floats], ArrayLike]
"""A number, one per point, or a function of the points (n, m) that gives one per point."""


class CostSource:
    """What transport problems need of a metric."""

    adjacency = coordinates = None
    lam = 0.0
    triangle = False
    cost = 1.0

    def geometry(self, engine: Engine) -> Geometry:
        """The arrays from which compiled loops compute single costs."""
        raise NotImplementedError

    def block(self, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        """The costs between the points `rows` and the points `cols`."""
        source: Any = self
        return block(source, rows, cols, engine)


@dataclass(frozen=True, eq=False)
class MetricWithDummy(CostSource):
    """A metric, and one point more at the distance `spare` from each point, where mass may stay unmatched."""

    base: Metric
    spare: Floats  # (n + 1,) the last one is 0
    p: float
    triangle: bool
    n = property(lambda self: len(self.spare))
    cost = property(lambda self: self.base.cost)

    def geometry(self, engine: Engine) -> WithDummyPoint:
        return WithDummyPoint(self.base.geometry(engine), self.spare, self.p)

    def largest(self, engine: Engine) -> float:
        """About the largest distance."""
        return max(self.base.largest(engine), float(self.spare.max()))


def add_spare(metric: Metric, spare: SpareLike, p: float) -> MetricWithDummy:
    """Check the costs of spare mass."""
    points = getattr(metric, "points", None)
    if callable(spare):
        if points is None:
            raise TypeError("spare as a function needs points; give a number, or an array with one number per point")
        spare = spare(points)
    costs = check.floats(spare, "spare")
    if costs.ndim > 1 or costs.size not in (1, metric.n) or (costs < 0).any():
        raise ValueError(
            f"spare must be a number ≥ 0, or {metric.n} of them, one per point, got {check.shown(spare)}; it is the "
            "distance at which mass may stay unmatched"
        )
    each = np.append(np.broadcast_to(costs, metric.n), 0.0)
    return MetricWithDummy(metric, each, p, metric.triangle and costs.size == 1)


@dataclass(frozen=True, eq=False)
class CostMatrix(CostSource):
    """Costs from the points of one side to those of another one, for `wt.wasserstein_cross`.

    Parameters
    ----------
    costs : array of shape (n, m)
        Numbers ≥ 0: the way from point i of A to point j of B costs `costs[i, j]`, to the power p.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> costs = wt.transport.CostMatrix([[1.0, 5.0, 2.0], [3.0, 1.0, 1.0]])
    >>> wt.wasserstein_cross([[0.5, 0.5]], [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], costs).values
    array([[1. , 1.5]])
    """

    costs: Floats
    n = property(lambda self: sum(self.costs.shape))
    sides = property(lambda self: ((0, len(self.costs)), self.costs.shape), doc="First point and number of points.")

    def __post_init__(self) -> None:
        costs = check.floats(self.costs, "costs")
        if costs.ndim != 2 or costs.size == 0 or (costs < 0).any():
            raise ValueError(
                "costs must be a matrix of numbers ≥ 0, a row per point of A and a column per point of B, got shape "
                f"{costs.shape}" + (f" and {costs.min()}" if costs.size else "")
            )
        object.__setattr__(self, "costs", costs)

    def geometry(self, engine: Engine) -> Rectangle:
        return Rectangle(self.costs)

    def largest(self, engine: Engine) -> float:
        """The largest cost."""
        return float(self.costs.max())
