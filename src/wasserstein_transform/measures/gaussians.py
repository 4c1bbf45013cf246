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
    """Normal distributions N(mean, λ·cov) in R^m, one per point. `Gaussian` returns them.

    Attributes
    ----------
    means : array of shape (n, m)
        The centers, in the unit of the coordinates.
    covs : array of shape (n, m, m)
        The covariances before multiplication by λ, in the squared unit of the coordinates.
    lam : float
        The weight λ ≥ 0 of the covariances.
    massless : array of bool, shape (n,)
        Points with no mass within reach.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> normal = wt.Gaussian(wt.Truncation(1.0), lam=4.0)(space)
    >>> normal.means.ravel(), normal.covs.ravel()
    (array([0., 1., 5.]), array([0.25, 0.25, 0.  ]))
    >>> normal.metric().block([1], [2]).round(3)
    array([[4.123]])
    """

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
        """W2 between the Gaussians, by the Bures formula."""
        return GaussianMetric(self.moved, where_it_lies(self, "covs"), self.lam)
