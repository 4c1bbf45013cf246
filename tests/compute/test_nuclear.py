"""Nuclear norms against NumPy's singular values, arithmetic of 50 digits and closed forms."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ortho_group

from wasserstein_transform.compute.gaussians import bures_jit as bures, nuclear_jit as nuclear

Floats = NDArray[np.float64]

SIZES = (1, 2, 3, 4, 5, 7, 8, 10, 17, 33, 64)


def norm(G: Floats) -> float:
    """‖G‖_*, with what lies beside the part in use set to NaN: nobody may read it."""
    p, q = sorted(G.shape)
    m = max(q, 3)
    scratch = np.full((m, m), np.nan)
    scratch[:p, :q] = G if G.shape == (p, q) else G.T
    return float(nuclear.nuclear_norm(scratch, p, q, np.full((m, m), np.nan), np.full((m, m), np.nan)))


def agrees(G: Floats, scratch: float = 1e-15) -> None:
    values = np.linalg.svd(G, compute_uv=False)
    assert abs(norm(G) - values.sum()) <= scratch * (values.sum() + len(values) * values[0])


def with_values(rng: np.random.Generator, values: Floats) -> Floats:
    m = len(values)
    if m == 1:
        return values[:, None]
    return np.asarray(ortho_group.rvs(m, random_state=rng) * values @ ortho_group.rvs(m, random_state=rng))


@pytest.mark.repeated(16)
@pytest.mark.parametrize("p", SIZES)
@pytest.mark.parametrize("q", SIZES)
def test_random_matrices_of_any_shape_agree_with_numpy(p: int, q: int) -> None:
    rng = np.random.default_rng(p + 100 * q)
    for _ in range(5):
        agrees(rng.normal(size=(p, q)))


@pytest.mark.repeated(1)
@pytest.mark.parametrize("m", [100, 200, 300])
def test_large_matrices_agree_with_numpy(m: int) -> None:
    agrees(np.random.default_rng(m).normal(size=(m, m)))


@pytest.mark.repeated(11)
@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("condition", [1e1, 1e3, 1e6, 1e12, 1e18, 1e100])
def test_graded_matrices_agree_with_numpy(m: int, condition: float) -> None:
    rng = np.random.default_rng(m)
    for _ in range(5):
        agrees(with_values(rng, condition ** -rng.random(m)))
        agrees(condition ** -np.linspace(0, 1, m)[:, None] * rng.normal(size=(m, m)))
        agrees(condition ** -np.linspace(1, 0, m) * rng.normal(size=(m, m)))
        agrees(np.diag(condition ** -rng.random(m)))


@pytest.mark.parametrize("m", SIZES)
def test_clustered_values_agree_with_numpy(m: int) -> None:
    rng = np.random.default_rng(m)
    agrees(with_values(rng, np.ones(m)))
    agrees(with_values(rng, 1 + 1e-13 * rng.random(m)))
    agrees(with_values(rng, np.where(np.arange(m) % 2, 1.0, 1e-8)))
    agrees(np.eye(m))
    agrees(np.ones((m, m)))
    agrees(np.triu(np.ones((m, m))))
    agrees(np.eye(m) - 0.5 * np.eye(m, k=1))
    agrees(np.eye(m, k=1))
    agrees(np.tri(m)[::-1] * rng.integers(0, 2, (m, m)))


@pytest.mark.parametrize("m", SIZES)
def test_matrices_that_lack_rank_agree_with_numpy(m: int) -> None:
    rng = np.random.default_rng(m)
    for rank in {1, m // 2, m - 1} - {0}:
        agrees(rng.normal(size=(m, rank)) @ rng.normal(size=(rank, m)))
        sparse = rng.normal(size=(m, m))
        sparse[rng.permutation(m)[rank:]] = 0.0
        agrees(sparse)
        agrees(sparse.T.copy())
        agrees(np.diag(np.arange(m) < rank).astype(np.float64))


@pytest.mark.repeated(6)
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-61, 1e-59, 1e59, 1e61, 1e200, 1e300])
@pytest.mark.parametrize("m", [1, 2, 5, 10])
def test_size_does_not_matter(m: int, scale: float) -> None:
    G = np.random.default_rng(m).normal(size=(m, m))
    assert norm(scale * G) == pytest.approx(scale * norm(G), rel=1e-14, abs=0)
    G[: m // 2] *= 1e-200
    assert norm(scale * G) == pytest.approx(scale * norm(G), rel=1e-14, abs=0)


@pytest.mark.parametrize(("p", "q"), [(1, 1), (1, 7), (3, 3), (4, 9)])
def test_norm_of_nothing_is_zero(p: int, q: int) -> None:
    assert norm(np.zeros((p, q))) == 0.0


@pytest.mark.repeated(4)
@pytest.mark.parametrize("m", [2, 3, 6, 12])
@pytest.mark.parametrize("condition", [1e1, 1e8, 1e20])
def test_few_rounding_errors_against_arithmetic_of_50_digits(m: int, condition: float) -> None:
    rng = np.random.default_rng(m)
    G = with_values(rng, condition ** -np.linspace(0, 1, m))
    with mpmath.workdps(50):
        exact = float(mpmath.fsum(mpmath.svd_r(mpmath.matrix(G.tolist()), compute_uv=False)))
    assert abs(norm(G) - exact) <= 2e-16 * m * np.linalg.norm(G, 2)


@pytest.mark.repeated(6)
@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("q", [1, 2, 3, 6, 8])
def test_products_agree_with_numpy(p: int, q: int) -> None:
    rng = np.random.default_rng(1)
    rows, cols, G = rng.normal(size=(10, 10)), rng.normal(size=(10, 10)), np.full((10, 10), np.nan)
    nuclear.products(rows, p, cols, q, G)
    np.testing.assert_allclose(G[:p, :q], rows[:p] @ cols[:q].T, rtol=0, atol=1e-14)
    assert np.isnan(G).sum() == 100 - p * q


@pytest.mark.parametrize("m", [5, 20])
def test_turning_rows_gives_the_same_norm(m: int) -> None:
    """The way taken for few rows, and where shifted qd should ever fail."""
    rng = np.random.default_rng(m)
    G = rng.normal(size=(m, m))
    turned = G.copy()
    bures.orthogonalize(turned, m, m, np.empty((m, m)), 0, np.empty(m))
    assert np.linalg.norm(turned, axis=1).sum() == pytest.approx(norm(G), rel=1e-14)
