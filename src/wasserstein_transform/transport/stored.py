"""A transport that computes and stores the full matrix of another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from .._types import Floats
from ..engine import Engine
from ..measures import Measures
from ..spaces import Dense, Metric
from .base import Coupling, Transport
from .bures import Bures
from .dirac_distance import DiracDistance


@dataclass(frozen=True)
class Stored(Transport):
    """Compute and store the full matrix of another transport, instead of distances on demand.

    Parameters
    ----------
    of : Transport
        The transport, such as Bures() or DiracDistance().

    Notes
    -----
    n(n−1)/2 distances and 8 n² bytes.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> gt = wt.Transform(wt.Gaussian(wt.Truncation(1.0), lam=4.0), wt.Stored(wt.Bures()))
    >>> gt(wt.Space.from_points([[0.0], [1.0], [5.0]])).metric.matrix[0].round(3)
    array([0.   , 1.   , 5.099])
    """

    of: Transport

    def __post_init__(self) -> None:
        if not isinstance(self.of, Transport):
            raise TypeError(f"Stored needs a Transport such as Bures(), got {self.of!r}")
        object.__setattr__(self, "accepts", self.of.accepts)
        object.__setattr__(self, "p", self.of.p)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(DiracDistance()), cls(Bures())]

    def fits(self, ground: Metric) -> bool:
        return self.of.fits(ground)

    def metric(self, measures: Measures, ground: Metric, engine: Engine | None = None) -> Metric:
        metric = self.of.metric(measures, ground, engine)
        return metric if isinstance(metric, Dense) else Dense(metric.dense(engine), metric.triangle)

    def cross(self, new: Measures, measures: Measures, ground: Metric, engine: Engine | None = None) -> Floats:
        return self.of.cross(new, measures, ground, engine)

    def memory(self, n: int, m: int) -> tuple[float, float]:
        return 8.0 * n * n, sum(self.of.memory(n, m)) if self.of.memory(n, m)[0] < 8.0 * n * n else 8.0 * n * n

    def seconds(self, n: int, n_seen: float) -> float:
        return self.of.seconds(n, n_seen)

    def coupling(self, measures: Measures, ground: Metric, i: int, j: int) -> Coupling:
        return self.of.coupling(measures, ground, i, j)
