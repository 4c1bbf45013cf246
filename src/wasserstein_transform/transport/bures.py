"""Transport between Gaussians: the closed form of W2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Floats
from ..engine import Engine
from ..measures import Gaussians, Measures
from ..spaces import GaussianMetric, Metric
from .base import Coupling, Status, Transport


@dataclass(frozen=True)
class Bures(Transport):
    """W2 of Gaussians: d² = ‖x − y‖² + λ·dcov²(Σ_x, Σ_y), without cancellation (the GT distance).

    dcov²(A, B) = tr A + tr B − 2 tr(A^½ B A^½)^½, and the last trace is the nuclear norm of A^½B^½.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> gt = wt.Transform(wt.Gaussian(wt.Truncation(1.0), lam=4.0), wt.Bures())
    >>> gt(wt.Space.from_points([[0.0], [1.0], [5.0]])).metric.dense()[0].round(3)
    array([0.   , 1.   , 5.099])
    """

    accepts = Gaussians

    def metric(self, measures: Measures, ground: Metric, engine: Engine | None = None) -> GaussianMetric:
        self.check(measures)
        assert isinstance(measures, Gaussians)
        return GaussianMetric(measures.means, measures.covs, measures.lam)

    def coupling(self, measures: Measures, ground: Metric, i: int, j: int) -> Coupling:
        """The optimal joint Gaussian; `plan` is the covariance E[(X − x)(Y − y)ᵀ] between the two sides."""
        self.check_pair(measures, ground, i, j)
        metric = self.metric(measures, ground)
        value = float(metric.block(np.array([i]), np.array([j]))[0, 0])
        A, B = metric.lam * metric.covs[i], metric.lam * metric.covs[j]
        plan = _cross_covariance(A, B)
        apart = metric.means[i] - metric.means[j]
        cost = apart @ apart + np.trace(A) + np.trace(B) - 2 * np.trace(plan)
        largest = apart @ apart + np.trace(A) + np.trace(B)
        gap = float((cost - value**2) / largest) if largest > 0 else 0.0
        return Coupling(value, plan, None, gap, Status.OPTIMAL)


def _cross_covariance(A: Floats, B: Floats) -> Floats:
    """A^½ Qᵀ B^½ with Q the polar factor of B^½A^½."""
    a, b = _root(A), _root(B)
    u, _, vt = np.linalg.svd(b @ a)
    return np.asarray(a @ (u @ vt).T @ b)


def _root(A: Floats) -> Floats:
    values, vectors = np.linalg.eigh(A)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def bures_pairs(covs: ArrayLike, n_jobs: int = -1) -> Floats:
    """Bures distances dcov of all pairs of a stack of covariance matrices, condensed in SciPy's order.

    Parameters
    ----------
    covs : array of shape (n, m, m)
        Symmetric positive semidefinite matrices; singular and zero ones are fine.
    n_jobs : int
        Threads; −1 means all cores.

    Returns
    -------
    array of shape (n(n−1)/2,)

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.bures_pairs([np.eye(2), 4 * np.eye(2), np.zeros((2, 2))]).round(4)
    array([1.4142, 1.4142, 2.8284])
    """
    stack = check.covariances(covs)
    metric = GaussianMetric(np.zeros(stack.shape[:2]), stack, 1.0)
    return metric.condensed(Engine(n_jobs))
