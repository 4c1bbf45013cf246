"""Points under the Euclidean distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._types import Floats, Ints
from ..engine import Engine
from ..kernels.geometry import Cloud
from .metric import Metric, matched
from .search import Search, sort_into_cells


@dataclass(frozen=True, eq=False)
class Euclidean(Metric):
    """The Euclidean distance of points, computed when asked for.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.Euclidean(np.array([[0.0, 0.0], [3.0, 4.0]])).dense()
    array([[0., 5.],
           [5., 0.]])
    """

    points: Floats
    triangle = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", np.ascontiguousarray(self.points, np.float64))

    @property
    def n(self) -> int:
        return len(self.points)

    @property
    def geometry(self) -> Cloud:
        return Cloud(self.points)

    @property
    def steps(self) -> float:
        return float(self.points.shape[1])

    def take(self, rows: Ints) -> Euclidean:
        return Euclidean(np.ascontiguousarray(self.points[rows]))

    @property
    def n_bytes(self) -> int:
        return self.points.nbytes

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        if not isinstance(other, Euclidean):
            return other.movement(self, engine)
        return float(matched(Euclidean(np.concatenate([self.points, other.points]))).max())

    def shadow(self) -> Floats:
        return self.points

    @property
    def is_euclidean(self) -> bool:
        return True

    def joins(self, other: Metric) -> bool:
        return isinstance(other, Euclidean)

    def beside(self, other: Metric) -> Euclidean:
        if not isinstance(other, Euclidean):
            raise TypeError(f"new points must be Euclidean, as these are, got {type(other).__name__}")
        if other.points.shape[1] != self.points.shape[1]:
            raise ValueError(
                f"new points must have {self.points.shape[1]} coordinates, as these have, got {other.points.shape[1]}"
            )
        return Euclidean(np.concatenate([self.points, other.points]))

    def search(self, reach: float) -> Search:
        if not np.isfinite(reach):
            return Search.exhaustive(self.n, self.geometry)
        order, cells = sort_into_cells(self.points, reach)
        return Search(order, cells, self.take(order).geometry)
