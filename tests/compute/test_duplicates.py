"""Many equal points cost no more than as many different ones: what is quadratic here does not end."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute.neighbors.moments_jit import PROFILES

MANY = 100_000


@pytest.mark.parametrize("tol", [0.0, 0.1])
def test_equal_points_merge_into_one(tol: float) -> None:
    merged = wt.spaces.quotient(wt.Space.from_points(np.zeros((MANY, 2))), tol)
    assert merged.space.n == 1
    np.testing.assert_allclose(merged.space.weights, 1.0)
    assert (merged.leaders == 0).all()


def test_merging_equal_rows_looks_at_all_coordinates() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(1, 3, (MANY // 2, 8)) * (rng.random((MANY // 2, 8)) < 0.4) * 1.0  # of few axes, rows look alike
    weights = (rng.random(len(X)) < 0.5) * 1.0
    merged = wt.spaces.quotient(wt.Space.from_points(X, weights))
    rows, first, which = np.unique(X, axis=0, return_index=True, return_inverse=True)
    assert merged.space.n == len(rows)
    np.testing.assert_array_equal(merged.space.points[merged.labels], X)
    heavy = np.full(len(rows), len(X))
    np.minimum.at(heavy, which.ravel()[weights > 0], np.flatnonzero(weights > 0))
    np.testing.assert_array_equal(merged.leaders, np.sort(np.where(heavy < len(X), heavy, first)))


@pytest.mark.parametrize(
    "process",
    [wt.transforms.mean_shift(0.5), wt.transforms.mean_shift(0.5, "gaussian"), wt.transforms.gaussian_transform(0.5)],
    ids=["mean shift", "uncut", "GT"],
)
def test_equal_points_stay_where_they_are(process: wt.transforms.Process) -> None:
    X = np.full((MANY, 2), 3.0)
    walk = wt.iterate(process, wt.Space.from_points(X), n_iter=2)
    np.testing.assert_array_equal(walk.points, X)


@pytest.mark.parametrize("profile", PROFILES)
def test_equal_points_see_what_one_of_them_sees(profile: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (400, 2)) + (rng.random((400, 1)) < 0.3) * rng.random((400, 2))
    space = wt.Space.from_points(X)
    gaussians = wt.Gaussian(wt.Kernel(1.5, profile), lam=1.0, move=True)(space)
    _, which = np.unique(X, axis=0, return_inverse=True)
    for k in range(which.max() + 1):
        (rows,) = np.nonzero(which.ravel() == k)
        assert (gaussians.centers[rows] == gaussians.centers[rows[0]]).all()
        assert (gaussians.covs[rows] == gaussians.covs[rows[0]]).all()
    stored = wt.Kernel(1.5, profile)(space)
    means = stored.means(space.points).values
    np.testing.assert_allclose(gaussians.centers, means, rtol=0, atol=1e-12)
    np.testing.assert_allclose(gaussians.covs, stored.covs(means).values, rtol=0, atol=1e-12)


def test_equal_points_with_coordinates_of_their_own_are_summed_each_around_itself() -> None:
    places, points = np.zeros((50, 1)), np.arange(50.0)[:, None]
    space = wt.Space(wt.spaces.Euclidean(places), np.full(50, 0.02), points)
    moved = wt.Mean(wt.Truncation(1.0))(space)
    np.testing.assert_allclose(moved.points, 24.5)
