"""Neighborhoods in a weighted space on the device, for moments, without storing balls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..._types import Floats
from ...engine import Engine
from ...kernels.profiles import FLAT
from .. import records
from ..records import MeansAndCovs, Moments
from .device import Array, Device
from .geometry import MOST

Out = tuple[Array, Array, Array]


@dataclass(frozen=True)
class Asked:
    """The parameters of neighborhoods; `otherwise` makes those of the CPU."""

    weights: Floats
    profile: int
    eps: float
    reach: float
    first: int
    otherwise: Callable[[], records.Neighborhoods]
    device: Device
    engine: Engine

    @property
    def scale(self) -> float:
        """1/ε²."""
        return 1.0 / (self.eps * self.eps)


class Neighborhoods(ABC):
    """Neighborhoods of the points from `first` on under a kernel profile."""

    asked: Asked

    def cached(self) -> Neighborhoods:
        """The same neighborhoods: expensive pairs are tested only once in any case."""
        if self.asked.profile != FLAT:
            raise ValueError("one bit says who is near, and a smooth profile weighs by distance: use profile='flat'")
        return self

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; without mass, the point itself."""
        if points.shape[1] > MOST:
            return self.asked.otherwise().means(points)
        mass, means, _ = self._moments("means", points, second=False)
        return Moments(mass, means)

    def covs(self, points: Floats) -> Moments:
        """Mass and covariance of `points`, divided by the mass; 0 without mass."""
        both = self.means_and_covs(points)
        return Moments(both.mass, both.covs)

    def means_and_covs(self, points: Floats) -> MeansAndCovs:
        """Mass, mean and covariance of `points` in one pass."""
        if points.shape[1] > MOST:
            return self.asked.otherwise().means_and_covs(points)
        return MeansAndCovs(*self._moments("covariances", points, second=True))

    def _moments(self, name: str, points: Floats, second: bool) -> tuple[Any, Any, Any]:
        (n_all, m), device, xp = points.shape, self.asked.device, self.asked.device.xp
        n = n_all - self.asked.first
        device.reserve(8.0 * n * (1 + m + m * m * second), f"{name} of {n} points", "use fewer points at a time")
        out = xp.empty(n), xp.empty((n, m)), xp.empty((n, m, m) if second else 0)
        self._add_up(name, points, second, out)
        mass, means, covs = map(device.handed_out, out)
        return mass, means, covs

    @abstractmethod
    def _add_up(self, name: str, points: Floats, second: bool, out: Out) -> None:
        """Fill mass and means of the points from `first` on, and covariances if `second`."""


def kernel_of(second: bool) -> str:
    """Name of the kernel for first moments, or for first and second moments."""
    return "second_moments" if second else "first_moments"
