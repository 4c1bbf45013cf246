"""Balls of Gaussians in space are those of single distances, however they are looked for."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute.metrics.distances import closed
from wasserstein_transform.compute.neighbors.moments import neighborhoods
from wasserstein_transform.compute.neighbors.moments_jit import FLAT
from wasserstein_transform.spaces import GaussianMetric

_RNG = np.random.default_rng(8)


def _metric(n: int, spread: float = 1.0, rank: int = 3, lam: float = 1.0) -> GaussianMetric:
    factors = 0.1 * spread * _RNG.normal(size=(n, rank, 3))
    return GaussianMetric(spread * _RNG.random((n, 3)), factors.transpose(0, 2, 1) @ factors, lam)


def _heap() -> GaussianMetric:
    """Many of the same, in one place."""
    one = _metric(300)
    which = _RNG.integers(0, 20, 300)
    return GaussianMetric(one.means[which], one.covs[which], 2.0)


_METRICS = {
    "a cloud": (_metric(900), 0.3),
    "balls of all": (_metric(400), 3.0),
    "balls of one": (_metric(200), 1e-3),
    "flat covariances": (_metric(400, rank=1), 0.4),
    "no covariances": (GaussianMetric(_RNG.random((500, 3)), np.zeros((500, 3, 3)), 1.0), 0.3),
    "copies": (_heap(), 0.4),
    "far from the origin": (GaussianMetric(_metric(400).means + 1e7, _metric(400).covs, 1.0), 0.4),
    "tiny": (_metric(300, 1e-60), 4e-61),
    "one point": (_metric(1), 1.0),
}


def _ask(metric: GaussianMetric, eps: float, weights: np.ndarray, n_jobs: int = 1):
    engine = wt.Engine(n_jobs=n_jobs)
    near = neighborhoods(metric, weights, FLAT, eps, eps, engine)
    return near.means(metric.means), near.means_and_covs(metric.means + 0.1 * eps * metric.means[::-1])


@pytest.mark.parametrize("name", _METRICS)
def test_balls_and_moments_are_those_of_single_distances(name):
    metric, eps = _METRICS[name]
    n, X = metric.n, metric.means
    weights = _RNG.integers(0, 3, n).astype(float)
    weights[0] = 1.0
    inside = (metric.dense() ** 2 <= closed(eps)) * weights
    (mass, means), (mass_too, _, covs) = _ask(metric, eps, weights)
    np.testing.assert_array_equal(mass, inside.sum(axis=1))
    np.testing.assert_array_equal(mass_too, mass)
    Y = X + 0.1 * eps * X[::-1]
    for i in np.flatnonzero(mass > 0)[::7]:
        w = inside[i] / mass[i]
        off = 1e-12 * eps + 4e-16 * np.abs(X[i]).max()
        np.testing.assert_allclose(means[i], X[i] + w @ (X - X[i]), rtol=0, atol=off)
        steps = Y - Y[i] - w @ (Y - Y[i])
        extent = np.abs(steps[w > 0]).max(initial=0.0)
        np.testing.assert_allclose(covs[i], steps.T @ (steps * w[:, None]), rtol=0, atol=1e-12 * (eps + extent) ** 2)


def test_threads_make_no_difference():
    X = _RNG.random((6000, 3)) * np.array([3.0, 1.0, 1.0])
    step, engine = wt.transforms.gaussian_transform(0.2, 1.0), wt.Engine(n_jobs=2)
    start = wt.iterate(step, wt.Space.from_points(X), n_iter=0).last
    whole = step.at(0)(start, wt.Engine(n_jobs=1))
    again = step.at(0)(start, engine)
    np.testing.assert_array_equal(whole.metric.covs, again.metric.covs)
