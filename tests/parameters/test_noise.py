"""The noise across curves and surfaces."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.engine import Engine
from wasserstein_transform.parameters import noise_scale
from wasserstein_transform.parameters.noise import _in_balls, _neighbors, _spreads


def _ring(sigma: float, n: int = 1500, seed: int = 0) -> np.ndarray:
    return wt.datasets.circles(seed, n=n, noise=sigma, radii=(1.0,)).points


def _sphere(sigma: float, n: int = 3000, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] + sigma * rng.normal(size=(n, 3))


@pytest.mark.repeated(3)
@pytest.mark.parametrize("sigma", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_noise_of_a_ring_is_found_to_an_eighth(sigma: float, seed: int) -> None:
    found = noise_scale(_ring(sigma, seed=seed), 1)
    assert found.seen
    assert found.sigma == pytest.approx(sigma, rel=0.125)
    assert 2.5 * sigma < found.eps < 10 * sigma  # it holds the noise, and little curvature


@pytest.mark.parametrize("sigma", [0.03, 0.1])
def test_noise_of_a_sphere_is_found_to_an_eighth(sigma: float) -> None:
    found = noise_scale(_sphere(sigma), 2)
    assert found.seen
    assert found.sigma == pytest.approx(sigma, rel=0.125)


@pytest.mark.slow
def test_noise_does_not_depend_on_how_many_points_there_are() -> None:
    few, many = (noise_scale(_ring(0.05, n=n)).sigma for n in (500, 50_000))
    assert few == pytest.approx(many, rel=0.125)


def test_outliers_and_other_arms_are_not_taken_for_noise() -> None:
    noisy = wt.datasets.spiral(0, noise=0.5)
    found = noise_scale(noisy.points)
    assert 0.4 < found.sigma < 0.75
    assert found.eps < 5  # the arms are 10 apart


@pytest.mark.parametrize(("shape", "dim"), [(_ring, 1), (_sphere, 2)])
def test_one_ridge_step_at_this_radius_halves_the_noise(shape, dim: int) -> None:  # type: ignore[no-untyped-def]
    X = shape(0.05)
    found = noise_scale(X, dim)
    moved = wt.GaussianTransform(found.eps, ridge=dim).fit_transform(X)
    off = [np.sqrt(np.mean((np.linalg.norm(P, axis=1) - 1) ** 2)) for P in (X, moved)]
    assert off[1] < off[0] / 2


def test_it_depends_neither_on_order_nor_on_unit_nor_on_copies() -> None:
    X, order = _ring(0.05, 600), np.random.default_rng(1).permutation(600)
    found, shuffled = noise_scale(X), noise_scale(X[order])
    assert (found.sigma, found.eps) == (shuffled.sigma, shuffled.eps)
    assert noise_scale(1000 * X).eps == pytest.approx(1000 * found.eps)
    heavy = np.arange(600) % 3 + 1
    copies, weighted = noise_scale(np.repeat(X, heavy, axis=0)), noise_scale(X, sample_weight=heavy)
    assert copies.eps == pytest.approx(weighted.eps)
    assert copies.sigma == pytest.approx(weighted.sigma)


@pytest.mark.parametrize("m", [2, 3, 9])
def test_spread_across_is_that_of_the_best_plane(m: int) -> None:
    rng = np.random.default_rng(m)
    points, weights = rng.normal(size=(1, 7, m)), np.ones((1, 7))
    for dim in range(1, m):
        off = points[0] - points[0].mean(axis=0)
        singular = np.linalg.svd(off, compute_uv=False)
        expected = np.sqrt((singular[dim:] ** 2).sum() / (m - dim) / max(7 - 1 - dim, 0.5))
        across, thickness = _spreads(points, weights, dim)
        assert across[0] == pytest.approx(expected, abs=1e-7)
        if dim >= 7:  # points
            continue
        wide = singular[dim] / np.sqrt(max(7 - 1 - dim, 0.5)), np.sqrt((singular[:dim] ** 2).mean() / 7)
        assert thickness[0] == pytest.approx(wide[0] / wide[1], abs=1e-7)


def test_balls_are_those_of_all_points_or_of_every_fourth_if_they_are_large() -> None:
    space = wt.Space.from_points(_ring(0.05, 3000))
    assert space.points is not None
    centers = np.arange(0, 3000, 100)
    levels = _neighbors(space, centers, 750, Engine())
    assert [level[0] for level in levels] == [1, 4]
    for radius in (0.1, 0.5):
        counts, across, _ = _in_balls(space, levels, radius, 1)
        for k, center in enumerate(centers):
            inside = np.linalg.norm(space.points - space.points[center], axis=1) <= radius
            if inside.sum() > 288:
                inside &= np.arange(3000) % 4 == 0
            points = space.points[inside]
            assert counts[k] == len(points) * (4 if radius == 0.5 and counts[k] % 4 == 0 and len(points) < 288 else 1)
            spread = np.sqrt(np.linalg.eigvalsh(np.cov(points.T))[0] * (len(points) - 1) / (len(points) - 2))
            assert across[k] == pytest.approx(spread, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_streets_driven_rarely_do_not_widen_the_noise_of_busy_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    busy = np.column_stack([2000 * rng.random(3000), 500 * rng.integers(0, 3, 3000)])
    rare = 2000 * rng.random((1500, 2))
    found = noise_scale(np.concatenate([busy, rare]) + rng.normal(scale=5.0, size=(4500, 2)))
    assert found.seen
    assert found.sigma == pytest.approx(5.0, rel=0.25)
    assert found.eps < 30


@pytest.mark.parametrize(
    ("points", "dim", "words"),
    [
        ([[0.0, 1.0]] * 5, 1, "1 place, too few"),
        ([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0]], 1, "3 places, too few"),
        (np.arange(40.0)[:, None], 1, "lie on lines without noise: they span 1 dimension"),
        (np.random.default_rng(0).normal(size=(40, 2)), 2, "lie on planes without noise: they span 2 dimensions"),
        (np.arange(80.0)[:, None] * [1.0, 2.0], 1, "lie on lines without noise"),
        (np.random.default_rng(0).normal(size=(800, 2)), 1, "no curve can be seen"),
        (wt.datasets.circles(0, noise=0.0).points, 1, "the noise cannot be separated from the curvature"),
    ],
)
def test_what_shows_no_noise_says_why(points: np.ndarray, dim: int, words: str) -> None:
    found = noise_scale(points, dim)
    assert words in found.reason
    assert not found.seen
    assert found.eps > 0


def test_distances_alone_have_no_noise_across() -> None:
    with pytest.raises(ValueError, match="needs coordinates"):
        noise_scale(wt.Space.from_distances([1.0, 2.0, 1.0]))
