"""Bures distances on a device: what the CPU promises, against arithmetic of 50 digits and closed forms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from gpu.calling import Cuda
from numpy.typing import NDArray
from reference.bures import bures
from scipy.stats import ortho_group

import wasserstein_transform as wt

Floats = NDArray[np.float64]

STEPS = (1.0, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12, 1e-14)
DIMENSIONS = [2, 1, 3, 4, 5, 8]


def distances(covs: Floats, cuda: Cuda) -> Floats:
    """Of each matrix to the one that follows it."""
    metric, k = wt.spaces.GaussianMetric(np.zeros(covs.shape[:2]), covs, 1.0), np.arange(len(covs) - 1)
    there, back = (cuda.pairs(metric, *ends, wt.Engine(device=cuda)) for ends in ((k, k + 1), (k + 1, k)))
    assert (there == back).all()
    return there


def full_rank(rng: np.random.Generator, m: int, condition: float) -> Floats:
    """Eigenvalues from 1 down to 1/condition, along random axes."""
    axes = ortho_group.rvs(m, random_state=rng) if m > 1 else np.eye(1)
    values = condition ** -np.append(rng.random(m)[: m - 2], [0.0, 1.0])[-m:]
    product = (axes * values) @ axes.T
    return np.asarray((product + product.T) / 2)


def near(rng: np.random.Generator, A: Floats, step: float) -> Floats:
    """A^½(I + step·S)A^½ with a random S of norm 9/10."""
    S = rng.normal(size=A.shape)
    S = S + S.T
    root = np.linalg.cholesky(A)
    moved = A + 0.9 * step / np.abs(np.linalg.eigvalsh(S)).max() * (root @ S @ root.T)
    return np.asarray((moved + moved.T) / 2)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("condition", [1e6, 1e1])
@pytest.mark.parametrize("m", DIMENSIONS)
def test_near_and_far_covariances_keep_the_digits_of_the_cpu(m: int, condition: float, cuda: Cuda) -> None:
    rng = np.random.default_rng(1)
    covs = np.concatenate([[A := full_rank(rng, m, condition), near(rng, A, step)] for step in STEPS])
    for found, A, B in zip(distances(covs, cuda), covs[:-1], covs[1:], strict=True):
        expected = bures(A, B)
        tolerance = 1e-9 * expected if m <= 2 else 1e-12 * np.sqrt(np.trace(A + B))
        assert abs(found - expected) <= tolerance


@pytest.mark.slow
@pytest.mark.parametrize("m", [1, 2])
def test_nine_digits_are_kept_by_needles_on_a_line_and_in_the_plane(m: int, cuda: Cuda) -> None:
    rng = np.random.default_rng(8)
    covs = np.concatenate([[A := full_rank(rng, m, 1e12), near(rng, A, step)] for step in STEPS[:-1] for _ in range(6)])
    for found, A, B in zip(distances(covs, cuda), covs[:-1], covs[1:], strict=True):
        assert found == pytest.approx(bures(A, B), rel=1e-9)


@pytest.mark.parametrize("m", DIMENSIONS)
def test_flat_covariances_keep_seven_digits_of_their_size(m: int, cuda: Cuda) -> None:
    rng = np.random.default_rng(2)
    flat = [rng.normal(size=(m, rank)) for rank in range(m + 1)]
    moved = [X + step * rng.normal(size=X.shape) for X in flat for step in (0.0, 1e-3, 1e-8)]
    covs = np.array([X @ X.T for X in (*flat, *moved)])
    for found, A, B in zip(distances(covs, cuda), covs[:-1], covs[1:], strict=True):
        assert abs(found - bures(A, B)) <= 1e-7 * np.sqrt(np.trace(A + B))


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("m", DIMENSIONS)
def test_sizes_may_be_extreme(m: int, scale: float, cuda: Cuda) -> None:
    rng = np.random.default_rng(3)
    A = full_rank(rng, m, 10.0)
    covs = np.array([A, near(rng, A, 1e-9), full_rank(rng, m, 10.0)])
    one, other = distances(scale * covs, cuda), distances(covs, cuda) * np.sqrt(scale)
    np.testing.assert_allclose(one, other, rtol=1e-9 if m <= 2 else 0, atol=1e-12 * np.sqrt(m * scale))


@pytest.mark.parametrize("m", DIMENSIONS)
def test_sizes_may_differ_by_hundreds_of_orders(m: int, cuda: Cuda) -> None:
    rng = np.random.default_rng(4)
    covs = np.array([scale * full_rank(rng, m, 10.0) for scale in (1e-300, 1e-200, 1e-150, 1.0, 1e-300, 1e-150)])
    expected = [bures(A, B) for A, B in pairwise(covs)]
    np.testing.assert_allclose(distances(covs, cuda), expected, rtol=1e-9)


@pytest.mark.parametrize("m", DIMENSIONS)
def test_equal_covariances_have_distance_exactly_zero(m: int, cuda: Cuda) -> None:
    rng = np.random.default_rng(5)
    kinds = [full_rank(rng, m, 1e3), np.ones((m, m)), np.diag(np.arange(m) == 0) * 1.0, 1e-90 * np.eye(m), np.eye(m)]
    assert (distances(np.repeat(kinds, 2, axis=0), cuda)[::2] == 0.0).all()


@pytest.mark.parametrize("m", [3, 20, 50])
def test_many_dimensions_agree_with_closed_forms(m: int, cuda: Cuda) -> None:
    rng = np.random.default_rng(6)
    axes, values = ortho_group.rvs(m, random_state=rng), rng.random((3, m))
    values[2] = values[1] * (1 + 1e-7)
    values[1:, : m // 2] = 0.0
    covs = np.einsum("ak,nk,bk->nab", axes, values, axes)
    found = distances((covs + covs.transpose(0, 2, 1)) / 2, cuda)
    expected = np.linalg.norm(np.sqrt(values[1:]) - np.sqrt(values[:-1]), axis=1)
    assert found[0] == pytest.approx(expected[0], rel=1e-12)
    assert found[1] == pytest.approx(expected[1], abs=1e-12 * np.sqrt(m))


def test_distance_to_zero_is_the_root_of_the_trace(cuda: Cuda) -> None:
    for m in (2, 5):
        A = full_rank(np.random.default_rng(7), m, 1e3)
        assert distances(np.array([A, np.zeros((m, m))]), cuda)[0] == pytest.approx(np.sqrt(np.trace(A)), rel=1e-12)
