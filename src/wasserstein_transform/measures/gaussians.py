"""Normal distributions in R^m."""

from __future__ import annotations

from dataclasses import dataclass

from .._types import Bools, Floats
from ..spaces import GaussianMetric
from .base import Measures


@dataclass(frozen=True, eq=False, repr=False)
class Gaussians(Measures):
    """N(means, lam·covs), one per point; the covariances are kept unscaled."""

    means: Floats
    covs: Floats
    lam: float
    massless: Bools

    def _in_words(self) -> str:
        return f" in R^{self.means.shape[1]}, lam={self.lam:g}"

    @property
    def n(self) -> int:
        return len(self.means)

    @property
    def centers(self) -> Floats:
        return self.means

    def metric(self) -> GaussianMetric:
        """W2 of Gaussians, by the formula of Bures."""
        return GaussianMetric(self.means, self.covs, self.lam)
