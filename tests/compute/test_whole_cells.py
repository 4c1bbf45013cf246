"""Whole cells within a ball are summed at once: the same balls, the same moments as point by point."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute.metrics.distances import closed
from wasserstein_transform.compute.neighbors.moments import neighborhoods
from wasserstein_transform.compute.neighbors.moments_jit import FLAT

_RNG = np.random.default_rng(5)


def _clouds() -> dict[str, tuple[np.ndarray, float]]:
    """Clouds with balls that hold whole cells, and a radius."""
    blobs = np.repeat(5.0 * _RNG.random((4, 3)), 300, axis=0) + 0.05 * _RNG.normal(size=(1200, 3))
    lattice = np.stack(np.meshgrid(np.arange(40.0), np.arange(40.0)), axis=-1).reshape(-1, 2)
    heap = np.concatenate([np.zeros((900, 2)), 1e-9 * _RNG.normal(size=(300, 2)), _RNG.random((300, 2))])
    return {
        "plane": (_RNG.random((2500, 2)), 0.4),
        "line": (_RNG.random((2000, 1)), 0.3),
        "solid": (_RNG.random((3000, 3)), 0.9),
        "tight clusters": (blobs, 1.0),
        "four axes": (np.repeat(_RNG.random((6, 4)), 200, axis=0) + 1e-3 * _RNG.random((1200, 4)), 0.5),
        "ties at the rim": (lattice, 10.0),
        "far from the origin": (_RNG.random((2000, 2)) + 1e8, 0.4),
        "heaps": (heap, 0.5),
        "tiny": (1e-130 * _RNG.random((1500, 2)), 4e-131),
        "too tiny to compare boxes": (1e-145 * _RNG.random((600, 2)), 4e-146),
        "huge": (1e150 * _RNG.random((1500, 2)), 4e149),
        "one point": (np.array([[1.0, 2.0]]), 1.0),
    }


_CLOUDS = _clouds()


def _ask(X: np.ndarray, eps: float, weights: np.ndarray, n_jobs: int = 1):
    engine = wt.Engine(n_jobs=n_jobs)
    near = neighborhoods(wt.spaces.Euclidean(X), weights, FLAT, eps, eps, engine)
    return near.means(X), near.means_and_covs(X)


def _within(X: np.ndarray, eps: float) -> np.ndarray:
    """Who is in whose ball, pair by pair, summed as one by one: at a tie bits decide."""
    metric = wt.Space.from_points(X).metric
    return metric.dense() ** 2 <= closed(eps) if X.shape[1] > 3 else _squares(X) <= closed(eps)


def _squares(X: np.ndarray) -> np.ndarray:
    apart = X[:, None, :] - X[None, :, :]
    total = apart[..., 0] * apart[..., 0]
    for a in range(1, X.shape[1]):
        total = total + apart[..., a] * apart[..., a]
    return total


@pytest.mark.repeated(4)
@pytest.mark.parametrize("name", _CLOUDS)
def test_balls_and_moments_are_those_of_single_pairs(name):
    X, eps = _CLOUDS[name]
    weights = _RNG.integers(0, 4, len(X)).astype(float)  # sums of whole numbers are exact, however they are taken
    weights[0] = 1.0
    inside = _within(X, eps) * weights
    (mass, means), (mass_too, means_too, covs) = _ask(X, eps, weights)
    np.testing.assert_array_equal(mass, inside.sum(axis=1))
    np.testing.assert_array_equal(mass_too, mass)
    some = np.flatnonzero(mass > 0)[:: max(1, len(X) // 300)]
    for i in some:
        seen = inside[i] > 0
        steps, w = X[seen] - X[i], inside[i][seen] / mass[i]
        step = w @ steps
        off = 1e-12 * eps + 4e-16 * np.abs(X[i]).max()
        np.testing.assert_allclose(means[i], X[i] + step, rtol=0, atol=off)
        np.testing.assert_allclose(means_too[i], X[i] + step, rtol=0, atol=off)
        true = (steps - step).T @ ((steps - step) * w[:, None])
        np.testing.assert_allclose(covs[i], true, rtol=0, atol=1e-12 * eps**2)


@pytest.mark.parametrize("name", ["plane", "solid", "tight clusters", "ties at the rim"])
def test_neither_threads_nor_the_order_of_points_make_a_difference(name):
    X, eps = _CLOUDS[name]
    weights, mixed = _RNG.random(len(X)), _RNG.permutation(len(X))
    (_, one), (*_, covs) = _ask(X, eps, weights)
    (_, two), (*_, covs_too) = _ask(X[mixed], eps, weights[mixed], n_jobs=2)
    np.testing.assert_array_equal(one[mixed], two)
    np.testing.assert_array_equal(covs[mixed], covs_too)


def test_mean_shift_to_rest_is_that_of_plain_sums():
    X = np.repeat(4.0 * _RNG.random((5, 2)), 240, axis=0) + 0.1 * _RNG.normal(size=(1200, 2))
    walk, Y = wt.iterate(wt.transforms.mean_shift(0.8), wt.Space.from_points(X), n_iter=3), X
    for _ in range(3):
        inside = _squares(Y) <= closed(0.8)
        Y = (inside @ Y) / inside.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(walk.points, Y, atol=1e-12)
