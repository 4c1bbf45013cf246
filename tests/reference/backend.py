"""A device in plain NumPy: slow, obvious, and good enough for the laws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import wasserstein_transform as wt
from wasserstein_transform.compute.metrics.distances import closed
from wasserstein_transform.compute.neighbors.moments_jit import EPANECHNIKOV, FLAT, GAUSSIAN, TRIANGLE
from wasserstein_transform.compute.records import Balls, KNeighbors, MeansAndCovs, Moments
from wasserstein_transform.engine import Engine
from wasserstein_transform.spaces import GaussianMetric, Metric, Sparse

_PROFILES = {
    FLAT: np.ones_like,
    GAUSSIAN: lambda t: np.exp(-0.5 * t),
    EPANECHNIKOV: lambda t: np.maximum(1.0 - t, 0.0),
    TRIANGLE: lambda t: np.maximum(1.0 - np.sqrt(t), 0.0),
}


class Plain:
    """Distances, balls, neighbors, moments, movement and merging of matrices and clouds; the rest is left to the CPU.

    Its methods have the names of the functions for the CPU, and give NotImplemented for what is left to them.
    """

    name = "plain"
    n_cores = 1.0

    def version_of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        mine = getattr(self, function.__name__, None)
        if mine is None:
            return function

        @wraps(function)
        def run(*args: Any) -> Any:
            result = mine(*args)
            return function(*args) if result is NotImplemented else result

        return run

    def block(self, metric: Metric, rows: np.ndarray, cols: np.ndarray, engine: Engine) -> Any:
        return _matrix(metric)[np.ix_(rows, cols)] if _knows(metric) or _is_sparse(metric) else NotImplemented

    def pairs(self, metric: Metric, rows: np.ndarray, cols: np.ndarray, engine: Engine) -> Any:
        return _matrix(metric)[rows, cols] if _knows(metric) or _is_sparse(metric) else NotImplemented

    def dense(self, metric: Metric, out: np.ndarray, engine: Engine) -> Any:
        if not _knows(metric):
            return NotImplemented
        out[:] = _matrix(metric)
        return None

    def condensed(self, metric: Metric, out: np.ndarray, engine: Engine) -> Any:
        if not _knows(metric):
            return NotImplemented
        out[:] = _matrix(metric)[np.triu_indices(metric.n, 1)]
        return None

    def movement(self, before: Metric, after: Metric, engine: Engine) -> float:
        both = before.concatenate(after)
        return float(_matrix(both)[np.arange(before.n), np.arange(before.n, both.n)].max())

    def balls(self, metric: Metric, radius: float, engine: Engine) -> Any:
        if not _knows(metric):
            return NotImplemented
        D = _matrix(metric)
        near = csr_array(closed(radius) >= D * D)
        owner = np.repeat(np.arange(metric.n), np.diff(near.indptr))
        return Balls(near.indptr.astype(np.intp), near.indices.astype(np.intp), D[owner, near.indices])

    def nearest(self, metric: Metric, k: int, of: Metric | None, engine: Engine) -> Any:
        if of is not None or not _knows(metric):
            return NotImplemented
        D = _matrix(metric).copy()
        np.fill_diagonal(D, np.inf)
        indices = np.argsort(D, axis=1, kind="stable")[:, :k]
        return KNeighbors(np.take_along_axis(D, indices, axis=1), indices)

    def neighborhoods(
        self, metric: Metric, weights: np.ndarray, profile: int, eps: float, reach: float, engine: Engine,
        first: int = 0,
    ) -> Any:  # fmt: skip
        if not _knows(metric):
            return NotImplemented
        D = _matrix(metric)[first:]
        masses = weights * _PROFILES[profile]((D / eps) ** 2)
        masses[(closed(reach) if np.isfinite(reach) else np.inf) < D * D] = 0.0
        return DenseNeighborhoods(masses, first)

    def leaders(self, metric: Metric, weights: np.ndarray, tol: float, engine: Engine) -> Any:
        if not _knows(metric):
            return NotImplemented
        D, order = _matrix(metric), np.argsort(weights == 0, kind="stable")
        leader, leads = np.empty(metric.n, np.intp), []
        for i in order:
            near = [j for j in leads if D[i, j] ** 2 <= closed(tol)]
            leader[i] = near[0] if near else i
            if not near:
                leads.append(i)
        return leader


@dataclass
class DenseNeighborhoods:
    """Masses that each point sees, stored."""

    masses: np.ndarray
    first: int

    def means(self, points: np.ndarray) -> Moments:
        return Moments(*self.means_and_covs(points)[:2])

    def covs(self, points: np.ndarray) -> Moments:
        both = self.means_and_covs(points)
        return Moments(both.mass, both.covs)

    def means_and_covs(self, points: np.ndarray) -> MeansAndCovs:
        here, m = points[self.first :], points.shape[1]
        mass, means, covs = np.zeros(len(here)), here.copy(), np.zeros((len(here), m, m))
        for i, (x, w) in enumerate(zip(here, self.masses, strict=True)):
            mass[i] = w.sum()
            if mass[i] > 0:
                steps = points - x
                drift = w @ steps / mass[i]
                means[i] = x + drift
                covs[i] = (steps - drift).T * w @ (steps - drift) / mass[i]
        return MeansAndCovs(mass, means, covs)

    def cached(self) -> DenseNeighborhoods:
        return self


def _knows(metric: Metric) -> bool:
    return isinstance(metric, wt.spaces.Dense | wt.spaces.Euclidean | GaussianMetric)


def _is_sparse(metric: Metric) -> bool:
    return isinstance(metric, Sparse)


def _matrix(metric: Metric) -> np.ndarray:
    if ("plain matrix",) not in metric.derived.on_devices:
        metric.derived.on_devices["plain matrix",] = _computed(metric)
    return metric.derived.on_devices["plain matrix",]


def _computed(metric: Metric) -> np.ndarray:
    if isinstance(metric, wt.spaces.Dense):
        return metric.matrix
    if isinstance(metric, Sparse):
        out = np.full((metric.n, metric.n), np.inf)
        rows = metric.rows
        out[np.repeat(np.arange(metric.n), np.diff(rows.indptr)), rows.indices] = rows.distances
        return out
    if isinstance(metric, wt.spaces.Euclidean):
        return np.sqrt(((metric.points[:, None] - metric.points[None]) ** 2).sum(axis=2))
    assert isinstance(metric, GaussianMetric)
    apart = ((metric.means[:, None] - metric.means[None]) ** 2).sum(axis=2)
    if metric.lam == 0:
        return np.sqrt(apart)
    values, vectors = np.linalg.eigh(metric.covs)
    values[values < 1e-15 * values.shape[1] * values[:, -1:]] = 0.0  # what rounding makes of an eigenvalue 0
    halves = (vectors * np.sqrt(values)[:, None, :]) @ vectors.transpose(0, 2, 1)
    gaps = np.zeros((metric.n, metric.n))
    for i in range(metric.n):
        for j in range(i + 1, metric.n):  # Procrustes: the smallest ‖A^½ − B^½Q‖, no cancellation
            u, _, vt = np.linalg.svd(halves[j] @ halves[i])
            gaps[i, j] = gaps[j, i] = ((halves[i] - halves[j] @ (u @ vt)) ** 2).sum()
    return np.sqrt(apart + metric.lam * gaps)
