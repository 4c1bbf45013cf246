"""Transport in closed form: between Gaussians, between Diracs, and the matrix of all their distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Floats
from ..engine import Engine, current
from ..measures import Diracs, Gaussians, Measures
from ..spaces import Dense, Euclidean, GaussianMetric, Metric
from .transport import Coupling, Status, Transport


@dataclass(frozen=True)
class Bures(Transport):
    """W2 between Gaussians, in closed form: d² = ‖x − y‖² + λ·dcov²(Σ_x, Σ_y), the GT distance.

    dcov²(A, B) = tr A + tr B − 2 tr(A^½ B A^½)^½ is the squared Bures distance. It is computed without cancellation;
    the last trace is the nuclear norm of A^½B^½.

    Notes
    -----
    The metric is computed on demand: memory O(n m²), time O(m³) per distance.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> gt = wt.Transform(wt.Gaussian(wt.Truncation(1.0), lam=4.0), wt.Bures())
    >>> gt(wt.Space.from_points([[0.0], [1.0], [5.0]])).metric.dense()[0].round(3)
    array([0.   , 1.   , 5.099])
    """

    accepts = Gaussians
    makes_matrix = False
    p = 2.0

    def metric(self, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> GaussianMetric:
        self.check(measures)
        assert isinstance(measures, Gaussians)
        return measures.metric()

    def cross(self, new: Measures, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Floats:
        both = self.metric(new, base_metric).concatenate(self.metric(measures, base_metric))
        return rectangle(both, new.n, current(engine))

    def memory(self, n: int, m: int) -> tuple[float, float]:
        return 8.0 * n * (m + m * m), 0.0

    def coupling(self, measures: Measures, base_metric: Metric, i: int, j: int) -> Coupling:
        """Compute the optimal joint Gaussian; `plan` is the covariance E[(X − x)(Y − y)ᵀ] between the two sides."""
        self.check_pair(measures, base_metric, i, j)
        metric = self.metric(measures, base_metric)
        value = float(metric.block(np.array([i]), np.array([j]))[0, 0])
        A, B = metric.lam * metric.covs[i], metric.lam * metric.covs[j]
        plan = _cross_covariance(A, B)
        offset = metric.means[i] - metric.means[j]
        cost = offset @ offset + np.trace(A) + np.trace(B) - 2 * np.trace(plan)
        largest = offset @ offset + np.trace(A) + np.trace(B)
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


def bures_pairs(
    covs: ArrayLike, covs_b: ArrayLike | None = None, *, n_jobs: int | None = None, engine: Engine | None = None
) -> Floats:
    """Compute the Bures distances between all pairs of covariance matrices, or from one stack to another.

    Parameters
    ----------
    covs : array of shape (n, m, m)
        Symmetric positive semidefinite matrices. They may be singular or zero.
    covs_b : array of shape (n_b, m, m), optional
        The second stack. None: all pairs of `covs`.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the engine.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine (`wt.using`).

    Returns
    -------
    array of shape (n(n−1)/2,) or (n, n_b)
        The distances, in the unit of a standard deviation. For one stack in SciPy's condensed order.

    Notes
    -----
    Time O(m³) per distance.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.bures_pairs([np.eye(2), 4 * np.eye(2), np.zeros((2, 2))]).round(4)
    array([1.4142, 1.4142, 2.8284])
    >>> wt.bures_pairs([np.eye(2), 4 * np.eye(2)], [np.zeros((2, 2))]).round(4)
    array([[1.4142],
           [2.8284]])
    """
    return gaussian_wasserstein(None, covs, None, covs_b, n_jobs=n_jobs, engine=engine)


def gaussian_wasserstein(
    means: ArrayLike | None,
    covs: ArrayLike,
    means_b: ArrayLike | None = None,
    covs_b: ArrayLike | None = None,
    *,
    n_jobs: int | None = None,
    engine: Engine | None = None,
) -> Floats:
    """Compute W2 between all pairs of Gaussians, or from one family of Gaussians to another.

    W2² = ‖x − y‖² + tr A + tr B − 2 tr(A^½ B A^½)^½, computed without cancellation: equal Gaussians have distance 0.

    Parameters
    ----------
    means : array of shape (n, m), or None
        The means. None: zeros.
    covs : array of shape (n, m, m) or (n, m)
        Symmetric positive semidefinite matrices, which may be singular or zero. With means, shape (n, m) gives the
        diagonals of diagonal matrices.
    means_b : array of shape (n_b, m), optional
        The means of the second family, if `means` is given.
    covs_b : array of shape (n_b, m, m) or (n_b, m), optional
        The covariances of the second family. None: all pairs of the first family.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the engine.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine (`wt.using`).

    Returns
    -------
    array of shape (n(n−1)/2,) or (n, n_b)
        The distances, in the unit of the means. For one family in SciPy's condensed order.

    Notes
    -----
    Time O(m³) per distance; O(m) if the covariances are diagonals.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> means, covs = [[0.0, 0.0], [3.0, 0.0]], [np.eye(2), 9 * np.eye(2)]
    >>> wt.transport.gaussian_wasserstein(means, covs).round(4)
    array([4.1231])
    >>> wt.transport.gaussian_wasserstein(means, covs, [[3.0, 4.0]], [np.eye(2)]).round(4)
    array([[5.   ],
           [4.899]])
    """
    engine = current(engine, n_jobs=n_jobs)
    x, A = check.gaussians(means, covs)
    if covs_b is None:
        if means_b is not None:
            raise ValueError("means_b needs covs_b: pass both, or neither for all pairs of one family")
        return _metric(x, A).condensed(engine)
    if (means is None) != (means_b is None):
        raise ValueError("means and means_b must both be given or both be None; use np.zeros((n, m)) for zero means")
    y, B = check.gaussians(means_b, covs_b, "_b")
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"both families must have the same dimension, got {x.shape[1]} and {y.shape[1]}")
    if A.ndim != B.ndim:
        A, B = _matrices(A), _matrices(B)
    return rectangle(_metric(np.concatenate([x, y]), np.concatenate([A, B])), len(x), engine)


def _metric(means: Floats, covs: Floats) -> Metric:
    """The W2 metric; for diagonal covariances the Euclidean distance of means and standard deviations."""
    if covs.ndim == 2:
        return Euclidean(np.concatenate([means, np.sqrt(covs)], axis=1))
    return GaussianMetric(means, covs, 1.0)


def _matrices(covs: Floats) -> Floats:
    """Turn diagonals into matrices."""
    return covs if covs.ndim == 3 else np.asarray(covs[:, :, None] * np.eye(covs.shape[1]))


def rectangle(metric: Metric, n: int, engine: Engine) -> Floats:
    """The distances of the first n points to the others."""
    cols = np.arange(n, metric.n)
    engine.reserve(8.0 * n * len(cols), f"{n} × {len(cols)} distances", "use fewer at a time")
    return metric.block(np.arange(n), cols, engine)


@dataclass(frozen=True)
class DiracDistance(Transport):
    """W_p between Diracs, W_p(δ_x, δ_y) = ‖x − y‖ for every p.

    Notes
    -----
    The metric is computed on demand: memory O(n m).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> shift = wt.Transform(wt.Mean(wt.Truncation(1.0)), wt.transport.DiracDistance())
    >>> shift(wt.Space.from_points([[0.0], [1.0], [5.0]])).metric.dense()[0]
    array([0. , 0. , 4.5])
    """

    accepts = Diracs
    makes_matrix = False
    p = 1.0  # the distance is the same for every p

    def metric(self, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Euclidean:
        self.check(measures)
        assert isinstance(measures, Diracs)
        return measures.metric()

    def cross(self, new: Measures, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Floats:
        both = self.metric(new, base_metric).concatenate(self.metric(measures, base_metric))
        return rectangle(both, new.n, current(engine))

    def memory(self, n: int, m: int) -> tuple[float, float]:
        return 8.0 * n * m, 0.0

    def coupling(self, measures: Measures, base_metric: Metric, i: int, j: int) -> Coupling:
        """Return the only plan: all mass goes from one point to the other."""
        self.check_pair(measures, base_metric, i, j)
        metric = self.metric(measures, base_metric)
        value = float(metric.block(np.array([i]), np.array([j]))[0, 0])
        potentials, plan = (np.zeros(1), np.array([value])), np.ones((1, 1))
        return Coupling(value, plan, potentials, 0.0, Status.OPTIMAL, sources=np.array([i]), targets=np.array([j]))


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
    >>> gt = wt.Transform(wt.Gaussian(wt.Truncation(1.0), lam=4.0), wt.transport.Stored(wt.Bures()))
    >>> gt(wt.Space.from_points([[0.0], [1.0], [5.0]])).metric.matrix[0].round(3)
    array([0.   , 1.   , 5.099])
    """

    of: Transport
    accepts = Measures  # of an instance: those of its transport

    def __post_init__(self) -> None:
        if not isinstance(self.of, Transport):
            raise TypeError(f"Stored needs a Transport such as Bures(), got {check.shown(self.of)}")
        object.__setattr__(self, "accepts", self.of.accepts)
        object.__setattr__(self, "p", self.of.p)

    def fits(self, base_metric: Metric) -> bool:
        return self.of.fits(base_metric)

    def metric(self, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Metric:
        metric = self.of.metric(measures, base_metric, engine)
        return metric if isinstance(metric, Dense) else Dense(metric.dense(engine), metric.triangle)

    def cross(self, new: Measures, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Floats:
        return self.of.cross(new, measures, base_metric, engine)

    def memory(self, n: int, m: int) -> tuple[float, float]:
        return 8.0 * n * n, sum(self.of.memory(n, m)) if self.of.memory(n, m)[0] < 8.0 * n * n else 8.0 * n * n

    def seconds(self, n: int, n_seen: float) -> float:
        return self.of.seconds(n, n_seen)

    def coupling(self, measures: Measures, base_metric: Metric, i: int, j: int) -> Coupling:
        return self.of.coupling(measures, base_metric, i, j)
