"""Gaussians in space: closed forms in lanes against eigenvalues of NumPy, single pairs and arithmetic of 50 digits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.bures import bures

import wasserstein_transform as wt
from wasserstein_transform.compute.gaussians import space_jit as gaussian_space
from wasserstein_transform.compute.metrics.gaussians import unit_of_size
from wasserstein_transform.compute.metrics.geometry_jit import GaussianSpace

Floats = NDArray[np.float64]

SPECTRA = {
    "round": (1.0, 0.7, 0.4),
    "equal": (1.0, 1.0, 1.0),
    "plate": (1.0, 0.5, 1e-8),
    "flat": (1.0, 0.5, 0.0),
    "needle": (1.0, 1e-7, 1e-8),
    "thin needle": (1.0, 1e-13, 1e-13),
    "line": (1.0, 0.0, 0.0),
    "zero": (0.0, 0.0, 0.0),
}


def around(rng: np.random.Generator, spectrum: tuple[float, ...], step: float) -> Floats:
    """A matrix with that spectrum, about the same axes as others of the same generator, and one `step` beside it."""
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0] * np.sqrt(spectrum)
    twist = rng.normal(size=(3, 3))
    moved = axes @ (np.eye(3) + step * (twist + twist.T) / 8) @ axes.T
    return np.array([axes @ axes.T, (moved + moved.T) / 2])


def zoo(rng: np.random.Generator) -> Floats:
    """All kinds of matrices, some near each other, some equal, some far smaller."""
    steps = (1.0, 1e-3, 1e-6, 1e-12)
    pairs = [around(rng, spectrum, step) for spectrum in SPECTRA.values() for step in steps]
    covs = np.concatenate([*pairs, *(scale * pairs[k] for k in (0, 9, 20) for scale in (1e-8, 1e-90, 1e-250))])
    return np.concatenate([covs, covs[::7], rng.random((150, 1, 1)) * np.eye(3)])


def geometry(means: Floats, covs: Floats, lam: float = 1.0) -> GaussianSpace:
    found = wt.spaces.GaussianMetric(means, covs, lam).geometry(wt.Engine(1))
    assert isinstance(found, GaussianSpace)
    return found


def column(found: GaussianSpace, n: int, *which: int) -> Floats:
    table = found.columns.reshape(-1, gaussian_space.N_COLUMNS, gaussian_space.PIECE).transpose(0, 2, 1)
    return np.asarray(table.reshape(-1, gaussian_space.N_COLUMNS)[:n, which])


def test_three_numbers_are_added_from_their_symmetric_functions(rng: np.random.Generator) -> None:
    plain, graded = rng.random((3000, 3)), 10.0 ** rng.uniform(-9, 0, (3000, 3))
    for x in np.concatenate([plain, graded, 1 - graded, np.eye(3), 1 - np.eye(3), np.ones((1, 3)), np.zeros((1, 3))]):
        a, b, c = map(float, x)
        found = gaussian_space.sum_of_three(
            a * a + b * b + c * c, (a * b) ** 2 + (b * c) ** 2 + (a * c) ** 2, a * b * c
        )
        assert abs(found - (a + b + c)) <= 1e-15 * (a + b + c)


def test_columns_are_means_roots_and_spectra(rng: np.random.Generator) -> None:
    covs = zoo(rng)
    n, means = len(covs), rng.normal(size=(len(covs), 3))
    found, unit = geometry(means, covs), unit_of_size(np.abs(covs).max())
    roots = column(found, n, 3, 4, 5, 4, 6, 7, 5, 7, 8).reshape(n, 3, 3)
    traces = np.trace(covs, axis1=1, axis2=2)
    assert (column(found, n, 0, 1, 2) == means).all()
    np.testing.assert_allclose(column(found, n, 10)[:, 0], traces / unit, rtol=1e-15)
    scale = np.sqrt(np.where(traces > 0, traces, 1.0))[:, None, None]  # squares of tiny ones are no floats
    roots = roots * np.sqrt(unit) / scale
    np.testing.assert_allclose(roots @ roots, covs / scale**2, rtol=0, atol=4e-15)
    spectra = column(found, n, 11, 12, 13) * np.sqrt(unit) / scale[:, 0]
    np.testing.assert_allclose(spectra**2, np.linalg.eigvalsh(covs / scale**2)[:, ::-1], rtol=0, atol=4e-15)
    assert (spectra[:, :-1] >= spectra[:, 1:]).all()


def test_runs_agree_with_single_pairs(rng: np.random.Generator) -> None:
    covs = zoo(rng)
    n, means = len(covs), np.round(rng.normal(size=(len(covs), 3)))
    for lam in (1e-3, 1.0, 30.0):
        found = geometry(means, covs, lam)
        for i in range(0, n, 9):
            start, end = sorted(rng.integers(0, n + 1, 2))
            run = np.full(end - start, np.inf)
            gaussian_space.squares_space(found, i, start, end, np.inf, run)
            single = np.array([gaussian_space.gaussian_space(found, i, j, np.inf) for j in range(start, end)])
            np.testing.assert_allclose(np.sqrt(run), np.sqrt(single), rtol=1e-10, atol=1e-7 * np.sqrt(lam))


@pytest.mark.slow
@pytest.mark.parametrize("lam", [1e-6, 1.0, 1e3])
def test_balls_hold_those_whose_distance_says_so(lam: float, rng: np.random.Generator) -> None:
    covs = zoo(rng)
    n, means = len(covs), np.round(rng.normal(size=(len(covs), 3)), 1)
    found, weights, mass, run = geometry(means, covs, lam), rng.random(n), np.empty(n), np.empty(n)
    for i in range(0, n, 7):
        gaussian_space.squares_space(found, i, 0, n, np.inf, run)
        for limit in (0.0, 1e-30, *np.quantile(run, [0.03, 0.3, 0.7]) * 1.0001, np.inf):
            gaussian_space.within_space(found, i, 0, n, limit, weights, mass)
            inside = np.array([i == j or gaussian_space.gaussian_space(found, i, j, limit) <= limit for j in range(n)])
            side = np.array([gaussian_space.gaussian_space_side(found, i, j, limit) <= limit for j in range(n)])
            assert (mass == np.where(inside, weights, 0.0)).all()
            assert (side == inside).all()


@pytest.mark.parametrize("kind", ["thin needle", "line", "flat"])
def test_near_matrices_that_lack_rank_keep_eight_digits_of_their_size(kind: str, rng: np.random.Generator) -> None:
    for step in (1e-2, 1e-4, 1e-8, 1e-13):
        A, B = around(rng, SPECTRA[kind], step)
        far = [around(rng, SPECTRA["round"], 1.0)[0] for _ in range(4)]
        for found in (wt.bures_pairs([A, B])[0], wt.bures_pairs(np.array([A, *far, B, *far]))[4]):
            assert abs(found - bures(A, B)) <= 1e-8 * np.sqrt(np.trace(A + B))


def test_equal_matrices_in_a_run_have_distance_exactly_zero(rng: np.random.Generator) -> None:
    covs = np.repeat(zoo(rng)[:60], 5, axis=0)
    found = wt.spaces.GaussianMetric(np.zeros((len(covs), 3)), covs, 1.0).dense()
    for k in range(60):
        assert (found[5 * k : 5 * k + 5, 5 * k : 5 * k + 5] == 0.0).all()
