"""Moments on a device: those of the CPU, to the last digits."""

from __future__ import annotations

import numpy as np
import pytest
from gpu.calling import CPU, Cuda

import wasserstein_transform as wt
from wasserstein_transform.compute.neighbors.moments_jit import FLAT, GAUSSIAN, PROFILES, TRIANGLE
from wasserstein_transform.cuda import cells as stretches
from wasserstein_transform.engine.device_arrays import to_host

CODES = [profile.code for profile in PROFILES.values()]


def compare(
    cuda: Cuda, metric: wt.spaces.Metric, weights: np.ndarray, reach: float, points: np.ndarray, *, profile: int = FLAT,
    eps: float = 0.7, first: int = 0,
) -> None:  # fmt: skip
    """Means, and means with covariances, agree to 1e-12 of their sizes."""
    asked = metric, weights, profile, eps, reach, wt.Engine(), first
    there, here = cuda.neighborhoods(*asked), CPU.neighborhoods(*asked)
    wanted, found, means = here.means_and_covs(points), there.means_and_covs(points), there.means(points)
    size = np.abs(points).max()
    np.testing.assert_allclose(to_host(found.mass), wanted.mass, rtol=1e-12)
    np.testing.assert_allclose(to_host(found.means), wanted.means, atol=1e-12 * size)
    np.testing.assert_allclose(to_host(means.values), wanted.means, atol=1e-12 * size)
    np.testing.assert_allclose(
        to_host(found.covs), wanted.covs, rtol=1e-11, atol=1e-12 * max(wanted.covs.max(), eps**2)
    )
    np.testing.assert_array_equal(to_host(there.covs(points).values), to_host(found.covs))


def weights_of(n: int, rng: np.random.Generator) -> np.ndarray:
    """Some of them 0."""
    weights = rng.uniform(size=n)
    weights[::7] = 0
    return np.asarray(weights / weights.sum())


def gaussians(means: np.ndarray, rng: np.random.Generator, lam: float = 1.5) -> wt.spaces.GaussianMetric:
    n, m = means.shape
    roots = 0.3 * rng.normal(size=(n, m, m))
    return wt.spaces.GaussianMetric(means, roots @ roots.transpose(0, 2, 1), lam)


@pytest.mark.parametrize("m", [pytest.param(1, marks=pytest.mark.slow), 2, 3, 5])
def test_points(m: int, cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.normal(size=(200 if m < 5 else 30, m))
    points[:20] = points[-20:]
    for profile in CODES:
        compare(
            cuda,
            wt.spaces.Euclidean(points),
            weights_of(len(points), rng),
            0.7 if m < 5 else 2.5,
            points,
            profile=profile,
        )


@pytest.mark.repeated(1)
@pytest.mark.parametrize("gap", [0.0, -1e-11, -1e-16, 1e-16, 4e-13, 1e-11])
def test_supports_of_profiles_at_the_rim(gap: float, cuda: Cuda) -> None:
    far = 0.7 * (1 + gap)
    points = np.array([[0.0, 0.0], [far, 0.0], [0.0, far], [-far, 0.0]])
    for profile in CODES:
        compare(cuda, wt.spaces.Euclidean(points), np.array([1.0, 0.5, 0.25, 0.125]), 0.7, points, profile=profile)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("m", [2, 5])
def test_an_unknown_profile_gives_nan(m: int, cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.uniform(size=(30, m))
    seen = cuda.neighborhoods(wt.spaces.Euclidean(points), np.ones(30), max(CODES) + 1, 1.0, 2.0, wt.Engine())
    means = seen.means(points)
    assert np.isnan(to_host(means.mass)).all()
    assert np.isnan(to_host(means.values)).all()


@pytest.mark.parametrize("m", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)])
def test_gaussians(m: int, cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.normal(size=(100, m))
    for profile in CODES:
        compare(cuda, gaussians(points, rng), weights_of(100, rng), 1.5, points, profile=profile)


@pytest.mark.slow
def test_gaussians_whose_distance_has_no_formula(cuda: Cuda, rng: np.random.Generator) -> None:
    points, weights = rng.normal(size=(25, 4)), weights_of(25, rng)
    shapes = gaussians(points, rng)
    compare(cuda, shapes, weights, 2.5, points, eps=2.5)
    compare(cuda, shapes, weights, np.inf, points, profile=GAUSSIAN)
    compare(cuda, shapes, weights, 2.5, points, profile=TRIANGLE, eps=2.5, first=11)


def test_gaussians_without_a_weight_for_shapes_are_points(cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.normal(size=(60, 2))
    compare(cuda, gaussians(points, rng, lam=0.0), weights_of(60, rng), 0.7, points)


@pytest.mark.parametrize("columns", [7, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 20, 64))])
def test_other_coordinates_than_those_of_the_metric(columns: int, cuda: Cuda, rng: np.random.Generator) -> None:
    compare(
        cuda, wt.spaces.Euclidean(rng.normal(size=(40, 2))), weights_of(40, rng), 0.7, rng.normal(size=(40, columns))
    )


def test_more_columns_than_a_device_has_sums_for(cuda: Cuda, rng: np.random.Generator) -> None:
    compare(cuda, wt.spaces.Euclidean(rng.normal(size=(20, 2))), weights_of(20, rng), 0.7, rng.normal(size=(20, 65)))


def test_without_end_everybody_is_seen(cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.normal(size=(50, 2))
    compare(cuda, wt.spaces.Euclidean(points), weights_of(50, rng), np.inf, points, profile=GAUSSIAN)


def test_ties_at_the_rim(cuda: Cuda) -> None:
    """On a grid, balls hold whole numbers of points, those on the rim included."""
    points = np.stack(np.meshgrid(np.arange(12), np.arange(12)), axis=-1).reshape(-1, 2) * 0.1
    for reach in (0.1, 0.2, 0.5):
        asked = wt.spaces.Euclidean(points), np.ones(144), FLAT, reach, reach, wt.Engine()
        found = to_host(cuda.neighborhoods(*asked).means(points).mass)
        np.testing.assert_array_equal(found, CPU.neighborhoods(*asked).means(points).mass)
        whole = np.arange(-5, 6)
        most = np.count_nonzero(whole[:, None] ** 2 + whole**2 <= round((reach / 0.1) ** 2))
        assert found.max() == most


@pytest.mark.parametrize("first", [1, 45, 59])
def test_new_points_see_all_and_are_not_seen(first: int, cuda: Cuda, rng: np.random.Generator) -> None:
    points, weights = rng.normal(size=(60, 2)), np.ones(60)
    weights[first:] = 0
    compare(cuda, wt.spaces.Euclidean(points), weights, 0.7, points, first=first)


def test_far_from_the_origin(cuda: Cuda, rng: np.random.Generator) -> None:
    points = 1e6 + rng.normal(size=(100, 2))
    compare(cuda, wt.spaces.Euclidean(points), weights_of(100, rng), 0.7, points)


def test_cells_far_apart(cuda: Cuda, rng: np.random.Generator) -> None:
    """So far that not all empty cells between can be counted."""
    places = rng.choice([0.0, 1e9, 1e18], size=(100, 3)) + 1e3 * rng.integers(0, 3, (100, 3))
    compare(cuda, wt.spaces.Euclidean(places), weights_of(100, rng), 1e3, places)


def test_one_point(cuda: Cuda) -> None:
    compare(cuda, wt.spaces.Euclidean(np.array([[3.0, 4.0]])), np.ones(1), 1.0, np.array([[3.0, 4.0]]))


def test_points_that_see_no_mass_stay(cuda: Cuda) -> None:
    points = np.array([[0.0, 0.0], [0.5, 0.0], [9.0, 9.0]])
    seen = cuda.neighborhoods(wt.spaces.Euclidean(points), np.array([1.0, 1.0, 0.0]), FLAT, 1.0, 1.0, wt.Engine())
    mass, means, covs = map(to_host, seen.means_and_covs(points))
    np.testing.assert_array_equal(mass, [2.0, 2.0, 0.0])
    np.testing.assert_array_equal(means, [[0.25, 0.0], [0.25, 0.0], [9.0, 9.0]])
    np.testing.assert_array_equal(covs[2], 0.0)


def test_launches_do_not_show(cuda: Cuda, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut into launches in another way, sums come out with the same bits, and progress is told."""
    points, told = rng.normal(size=(200, 2)), list[int]()
    engine = wt.Engine(progress=lambda update: told.append(update.total))

    def asked() -> list[np.ndarray]:
        seen = cuda.neighborhoods(wt.spaces.Euclidean(points), weights, FLAT, 0.7, 0.7, engine)
        return [to_host(part) for part in seen.means_and_covs(points)]

    weights = weights_of(200, rng)
    once = asked()
    monkeypatch.setattr(stretches, "MAX_LAUNCH_STEPS", 2e4)
    for one, other in zip(once, asked(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert told[0] == 1
    assert told[-1] > 5


def test_bits_of_neighbors_are_for_flat_profiles(cuda: Cuda) -> None:
    points = np.zeros((2, 1))
    seen = cuda.neighborhoods(wt.spaces.Euclidean(points), np.ones(2), TRIANGLE, 1.0, 1.0, wt.Engine())
    with pytest.raises(ValueError, match="flat"):
        seen.cached()


def test_matrices_are_left_to_the_host(cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.normal(size=(30, 2))
    compare(cuda, wt.spaces.Dense(wt.spaces.Euclidean(points).dense()), weights_of(30, rng), 0.7, points)


@pytest.mark.parametrize("process", [wt.transforms.mean_shift(0.8), wt.transforms.gaussian_transform(0.8, lam=1.0)])
@pytest.mark.parametrize("merge", [None, 1e-3])
def test_flows(process: wt.transforms.Process, merge: float | None, cuda: Cuda, rng: np.random.Generator) -> None:
    points = np.concatenate([0.4 * rng.normal(size=(40, 2)) + center for center in ((0, 0), (2, 0), (0, 2))])
    space = wt.Space.from_points(points)
    here = wt.iterate(process, space, n_iter=4, merge=merge)
    there = wt.iterate(process, space, n_iter=4, merge=merge, engine=wt.Engine(device=cuda))
    np.testing.assert_allclose(to_host(there.points), here.points, atol=1e-12)
    np.testing.assert_allclose(there.movements, here.movements, atol=1e-11)
