"""Balls, merging and movement on a device: the same answers as the CPU's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from gpu.calling import CPU, Cuda
from gpu.test_gpu_moments import gaussians, weights_of

import wasserstein_transform as wt
from wasserstein_transform.compute.neighbors.moments_jit import FLAT
from wasserstein_transform.cuda import balls, balls as merging, cells, cells as stretches

ENGINE = wt.Engine()
TWO_AND_ONE = [2, pytest.param(1, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]


def metrics(m: int, rng: np.random.Generator) -> list[wt.spaces.Metric]:
    """Points and Gaussians, some of them more than once."""
    points = rng.normal(size=(120, m))
    points[30:60] = points[:30]
    shapes = gaussians(points, rng)
    shapes.covs[30:45] = shapes.covs[:15]
    return [wt.spaces.Euclidean(points), shapes]


def check_leaders(cuda: Cuda, metric: wt.spaces.Metric, weights: np.ndarray, tol: float) -> np.ndarray:
    found = cuda.leaders(metric, weights, tol, ENGINE)
    np.testing.assert_array_equal(found, CPU.leaders(metric, weights, tol, ENGINE))
    return found


@pytest.mark.parametrize("m", TWO_AND_ONE)
def test_leaders(m: int, cuda: Cuda, rng: np.random.Generator) -> None:
    for metric in metrics(m, rng):
        for tol in (0.0, 1e-3, 0.3, 1.0):
            check_leaders(cuda, metric, weights_of(120, rng), tol)


def test_equal_points_of_many_coordinates(cuda: Cuda, rng: np.random.Generator) -> None:
    """Points that differ by so little that the square is 0 are not equal; 0 and −0 are."""
    points = rng.integers(0, 2, (60, 5)).astype(float)
    points[0], points[1], points[2] = 0.0, -0.0, 0.0
    points[2, 4] = 1e-200
    found = check_leaders(cuda, wt.spaces.Euclidean(points), weights_of(60, rng), 0.0)
    assert found[1] == found[0]
    assert found[2] != found[0]


def test_a_point_without_mass_leads_none_with_mass(cuda: Cuda) -> None:
    found = check_leaders(cuda, wt.spaces.Euclidean(np.zeros((4, 1))), np.array([0.0, 0.0, 1.0, 1.0]), 0.0)
    np.testing.assert_array_equal(found, 2)


@pytest.mark.parametrize("n", [40, 400])
def test_chains(n: int, cuda: Cuda) -> None:
    """Who leads hangs on all before it: a short chain takes rounds, a long one is left to the host."""
    found = check_leaders(cuda, wt.spaces.Euclidean(np.arange(float(n))[:, None]), np.ones(n), 1.0)
    np.testing.assert_array_equal(found, np.arange(n) // 2 * 2)


def test_equal_points_take_two_rounds(cuda: Cuda, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "MAX_ROUNDS", 2)
    metric = wt.spaces.Euclidean(np.repeat(rng.normal(size=(20, 2)), 5, axis=0))
    found = merging.leaders(metric, np.ones(100), 1e-6, ENGINE, device=cuda.device)
    assert found is not NotImplemented  # left to the host
    np.testing.assert_array_equal(found, np.arange(100) // 5 * 5)


@pytest.mark.parametrize("m", TWO_AND_ONE)
def test_balls(m: int, cuda: Cuda, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    for metric in metrics(m, rng):
        for radius, together in ((0.0, 2**25), (0.5, 2**25), (0.5, 300), (2.0, 1)):
            monkeypatch.setattr(balls, "MAX_LISTED_MEMBERS", together)
            monkeypatch.setattr(stretches, "MAX_LAUNCH_STEPS", 1e3 * together)
            found, wanted = (functions.balls(metric, radius, ENGINE) for functions in (cuda, CPU))
            np.testing.assert_array_equal(found.indptr, wanted.indptr)
            np.testing.assert_array_equal(found.indices, wanted.indices)
            np.testing.assert_allclose(found.distances, wanted.distances, rtol=1e-13, atol=1e-13)


def test_ties_at_the_rim_of_balls(cuda: Cuda) -> None:
    points = np.stack(np.meshgrid(np.arange(9), np.arange(9)), axis=-1).reshape(-1, 2) * 0.1
    found, wanted = (functions.balls(wt.spaces.Euclidean(points), 0.3, ENGINE) for functions in (cuda, CPU))
    np.testing.assert_array_equal(found.indices, wanted.indices)
    assert np.diff(found.indptr).max() == 29  # whole numbers with a² + b² ≤ 9


@pytest.mark.parametrize("m", TWO_AND_ONE)
def test_movement(m: int, cuda: Cuda, rng: np.random.Generator) -> None:
    points, shapes = metrics(m, rng)
    assert isinstance(points, wt.spaces.Euclidean)
    assert isinstance(shapes, wt.spaces.GaussianMetric)
    moved = points.points + 0.1 * rng.normal(size=(120, m))
    both = (points, wt.spaces.Euclidean(moved)), (shapes, replace(shapes, means=moved, covs=1.3 * shapes.covs))
    for before, after in both:
        found, wanted = cuda.movement(before, after, ENGINE), before.movement(after, ENGINE)
        assert found == pytest.approx(wanted, rel=1e-13)
    flat = replace(shapes, lam=0.0), replace(shapes, means=moved, lam=0.0)
    assert cuda.movement(*flat, ENGINE) == pytest.approx(np.linalg.norm(moved - points.points, axis=1).max(), rel=1e-14)


def test_other_metrics_are_left_to_the_host(cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.normal(size=(20, 4))
    check_leaders(cuda, wt.spaces.Dense(wt.spaces.Euclidean(points).dense()), np.ones(20), 0.5)
    check_leaders(cuda, gaussians(points, rng), np.ones(20), 0.5)


@pytest.mark.slow
def test_gaussians_whose_distance_has_no_formula(cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.normal(size=(20, 4))
    metric = gaussians(points, rng)
    found, wanted = (functions.balls(metric, 2.5, ENGINE) for functions in (cuda, CPU))
    np.testing.assert_array_equal(found.indptr, wanted.indptr)
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_allclose(found.distances, wanted.distances, rtol=1e-12)
    assert 20 < len(found.indices) < 400
    assert cuda.movement(metric, replace(metric, means=points + 1.0), ENGINE) == pytest.approx(2.0)
    assert cuda.movement(metric, replace(metric, covs=2 * metric.covs), ENGINE) == pytest.approx(
        metric.movement(replace(metric, covs=2 * metric.covs), ENGINE), rel=1e-12
    )


def test_few_points_are_left_to_the_host(cuda: Cuda, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MIN_POINTS", 1000)
    monkeypatch.setattr(type(cuda.device), "launch", lambda *asked, **more: pytest.fail("on the device"))
    metric, _ = metrics(2, rng)
    assert isinstance(metric, wt.spaces.Euclidean)
    check_leaders(cuda, metric, np.ones(120), 0.3)
    assert len(cuda.balls(metric, 0.3, ENGINE).indptr) == 121
    assert cuda.movement(metric, wt.spaces.Euclidean(metric.points + 1.0), ENGINE) == pytest.approx(np.sqrt(2))
    assert cuda.neighborhoods(metric, np.ones(120), FLAT, 1.0, 1.0, ENGINE).means(metric.points).mass.min() >= 1
