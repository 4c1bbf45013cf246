"""Normal distributions in R^m."""

from __future__ import annotations

from dataclasses import dataclass

from .._elsewhere import on_host, where_it_lies
from .._types import Bools, Floats
from ..spaces import GaussianMetric
from .base import Measures


@on_host("means", "covs")
@dataclass(frozen=True, eq=False, repr=False)
class Gaussians(Measures):
    """N(means, lam·covs), one per point; the covariances are kept unscaled."""

    means: Floats
    covs: Floats
    lam: float
    massless: Bools

    def _in_words(self) -> str:
        return f" in R^{self.moved.shape[1]}, lam={self.lam:g}"

    @property
    def n(self) -> int:
        return len(self.moved)

    @property
    def centers(self) -> Floats:
        return self.means

    @property
    def moved(self) -> Floats:
        means: Floats = where_it_lies(self, "means")
        return means

    def metric(self) -> GaussianMetric:
        """W2 of Gaussians, by the formula of Bures."""
        return GaussianMetric(self.moved, where_it_lies(self, "covs"), self.lam)
