"""Balls, merging and movement on a device: the same answers as the CPU's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from gpu.test_gpu_moments import gaussians, weights_of

import wasserstein_transform as wt
from wasserstein_transform.backends import Cloud, Cpu, Form, GaussianCloud
from wasserstein_transform.backends.cuda import Cuda, balls, cells, merging, stretches
from wasserstein_transform.kernels.profiles import FLAT

ENGINE = wt.Engine()
TWO_AND_ONE = [2, pytest.param(1, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]


def forms(m: int, rng: np.random.Generator) -> list[Form]:
    """Points and Gaussians, some of them more than once."""
    points = rng.normal(size=(120, m))
    points[30:60] = points[:30]
    shapes = gaussians(points, rng)
    shapes.covs[30:45] = shapes.covs[:15]
    return [Cloud(points), shapes]


def check_leaders(cuda: Cuda, form: Form, weights: np.ndarray, tol: float) -> np.ndarray:
    found = cuda.leaders(form, weights, tol, ENGINE)
    np.testing.assert_array_equal(found, Cpu().leaders(form, weights, tol, ENGINE))
    return found


@pytest.mark.parametrize("m", TWO_AND_ONE)
def test_leaders(m: int, cuda: Cuda, rng: np.random.Generator) -> None:
    for form in forms(m, rng):
        for tol in (0.0, 1e-3, 0.3, 1.0):
            check_leaders(cuda, form, weights_of(120, rng), tol)


def test_equal_points_of_many_coordinates(cuda: Cuda, rng: np.random.Generator) -> None:
    """Points that differ by so little that the square is 0 are not equal; 0 and −0 are."""
    points = rng.integers(0, 2, (60, 5)).astype(float)
    points[0], points[1], points[2] = 0.0, -0.0, 0.0
    points[2, 4] = 1e-200
    found = check_leaders(cuda, Cloud(points), weights_of(60, rng), 0.0)
    assert found[1] == found[0]
    assert found[2] != found[0]


def test_a_point_without_mass_leads_none_with_mass(cuda: Cuda) -> None:
    found = check_leaders(cuda, Cloud(np.zeros((4, 1))), np.array([0.0, 0.0, 1.0, 1.0]), 0.0)
    np.testing.assert_array_equal(found, 2)


@pytest.mark.parametrize("n", [40, 400])
def test_chains(n: int, cuda: Cuda) -> None:
    """Who leads hangs on all before it: a short chain takes rounds, a long one is left to the host."""
    found = check_leaders(cuda, Cloud(np.arange(float(n))[:, None]), np.ones(n), 1.0)
    np.testing.assert_array_equal(found, np.arange(n) // 2 * 2)


def test_equal_points_take_two_rounds(cuda: Cuda, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "_ROUNDS", 2)
    monkeypatch.setattr(Cpu, "leaders", lambda *asked: pytest.fail("left to the host"))
    found = cuda.leaders(Cloud(np.repeat(rng.normal(size=(20, 2)), 5, axis=0)), np.ones(100), 1e-6, ENGINE)
    np.testing.assert_array_equal(found, np.arange(100) // 5 * 5)


@pytest.mark.parametrize("m", TWO_AND_ONE)
def test_balls(m: int, cuda: Cuda, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    for form in forms(m, rng):
        for radius, together in ((0.0, 2**25), (0.5, 2**25), (0.5, 300), (2.0, 1)):
            monkeypatch.setattr(balls, "_TOGETHER", together)
            monkeypatch.setattr(stretches, "_GRAIN", 1e3 * together)
            found, wanted = (backend.balls(form, radius, ENGINE) for backend in (cuda, Cpu()))
            np.testing.assert_array_equal(found.indptr, wanted.indptr)
            np.testing.assert_array_equal(found.indices, wanted.indices)
            np.testing.assert_allclose(found.distances, wanted.distances, rtol=1e-13, atol=1e-13)


def test_ties_at_the_rim_of_balls(cuda: Cuda) -> None:
    points = np.stack(np.meshgrid(np.arange(9), np.arange(9)), axis=-1).reshape(-1, 2) * 0.1
    found, wanted = (backend.balls(Cloud(points), 0.3, ENGINE) for backend in (cuda, Cpu()))
    np.testing.assert_array_equal(found.indices, wanted.indices)
    assert np.diff(found.indptr).max() == 29  # whole numbers with a² + b² ≤ 9


@pytest.mark.parametrize("m", TWO_AND_ONE)
def test_movement(m: int, cuda: Cuda, rng: np.random.Generator) -> None:
    points, shapes = forms(m, rng)
    assert isinstance(points, Cloud)
    assert isinstance(shapes, GaussianCloud)
    moved = points.points + 0.1 * rng.normal(size=(120, m))
    both = (points, Cloud(moved)), (shapes, replace(shapes, means=moved, covs=1.3 * shapes.covs))
    for before, after in both:
        found, wanted = (backend.movement(before, after, ENGINE) for backend in (cuda, Cpu()))
        assert found == pytest.approx(wanted, rel=1e-13)
    flat = replace(shapes, lam=0.0), replace(shapes, means=moved, lam=0.0)
    assert cuda.movement(*flat, ENGINE) == pytest.approx(np.linalg.norm(moved - points.points, axis=1).max(), rel=1e-14)


def test_other_metrics_are_left_to_the_host(cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.normal(size=(20, 4))
    check_leaders(cuda, wt.Dense(wt.Euclidean(points).dense()).form, np.ones(20), 0.5)
    check_leaders(cuda, gaussians(points, rng), np.ones(20), 0.5)


@pytest.mark.slow
def test_gaussians_whose_distance_has_no_formula(cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.normal(size=(20, 4))
    form = gaussians(points, rng)
    found, wanted = (backend.balls(form, 2.5, ENGINE) for backend in (cuda, Cpu()))
    np.testing.assert_array_equal(found.indptr, wanted.indptr)
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_allclose(found.distances, wanted.distances, rtol=1e-12)
    assert 20 < len(found.indices) < 400
    assert cuda.movement(form, replace(form, means=points + 1.0), ENGINE) == pytest.approx(2.0)
    assert cuda.movement(form, replace(form, covs=2 * form.covs), ENGINE) == pytest.approx(
        Cpu().movement(form, replace(form, covs=2 * form.covs), ENGINE), rel=1e-12
    )


def test_few_points_are_left_to_the_host(cuda: Cuda, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "SMALL", 1000)
    monkeypatch.setattr(type(cuda.device), "launch", lambda *asked, **more: pytest.fail("on the device"))
    form, _ = forms(2, rng)
    assert isinstance(form, Cloud)
    check_leaders(cuda, form, np.ones(120), 0.3)
    assert len(cuda.balls(form, 0.3, ENGINE).indptr) == 121
    assert cuda.movement(form, Cloud(form.points + 1.0), ENGINE) == pytest.approx(np.sqrt(2))
    assert cuda.neighborhoods(form, np.ones(120), FLAT, 1.0, 1.0, ENGINE).means(form.points).mass.min() >= 1
