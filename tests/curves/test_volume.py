from __future__ import annotations

import numpy as np
import pytest
from curves.shapes import helix, saddle, sphere, swiss_roll, torus
from scipy.spatial import cKDTree

import wasserstein_transform as wt
from benchmarks.scenes import buildings, forest, hills, volumes
from wasserstein_transform.curves.shape import _around_plane

SURFACES = {
    "sphere": lambda seed: sphere(2000, 0.1, seed),
    "torus": lambda seed: torus(3000, 0.06, seed),
    "swiss roll": lambda seed: swiss_roll(3000, 0.05, seed),
    "saddle": lambda seed: saddle(2000, 0.1, seed),
    "helix": lambda seed: helix(1000, 0.1, seed),
}


@pytest.mark.repeated(3)
@pytest.mark.parametrize("name", volumes())
@pytest.mark.parametrize("seed", [31, 32])
def test_nothing_moves_where_points_fill_a_volume(name, seed):
    X = volumes()[name](np.random.default_rng(seed))
    found = wt.denoise(X)
    assert np.array_equal(found.points, X)
    assert found.dim == 3
    assert "fill a volume" in found.outcome or "can be seen: neighborhoods" in found.outcome


@pytest.mark.repeated(2)
@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("seed", [31, 32])
def test_noise_around_a_surface_or_curve_is_no_volume(name, seed):
    shape = SURFACES[name](seed)
    found = wt.denoise(shape.points)
    assert found.dim == shape.dim
    assert shape.error(found.points) < shape.error(shape.points) / 2


@pytest.mark.parametrize("noise", [0.1, 0.3])
@pytest.mark.parametrize("draw", [hills, buildings])
def test_ground_roofs_and_walls_are_surfaces(draw, noise):
    rng = np.random.default_rng(22)
    scene = draw(10_000, rng)
    X = scene.clean + rng.normal(scale=noise, size=scene.clean.shape)
    found, truth = wt.denoise(X), cKDTree(scene.truth)
    before, after = (np.sqrt((truth.query(points)[0] ** 2).mean()) for points in (X, found.points))
    assert found.dim == 2
    assert after < 0.65 * before


def test_a_given_eps_moves_points_of_a_volume():
    X = forest(5000, np.random.default_rng(31))
    stayed = wt.denoise(X, 2)
    assert stayed.n_iter == 0
    assert "; dim=2 with eps=" in stayed.reason
    assert wt.denoise(X, 2, eps=10.0, n_iter=1).moved.max() > 0


def test_crowns_stay_above_ground_that_moves():
    X = forest(40_000, np.random.default_rng(31), share=0.3, side=40.0)
    found, crowns = wt.denoise(X), np.arange(len(X)) < 12_000
    assert found.dim == 2
    assert np.median(found.moved[crowns]) < found.sigma / 2
    assert found.points[~crowns, 2].std() < X[~crowns, 2].std() / 2


def test_heights_of_noise_are_independent_and_most_frequent_in_the_middle():
    rng = np.random.default_rng(0)
    flat = rng.uniform(-1, 1, (4000, 2))
    heights = {"noise": rng.normal(size=4000), "even": rng.uniform(-1, 1, 4000), "waves": np.sin(8 * flat[:, 0])}
    ratio, alone, middle = np.array([_around_plane(np.column_stack([flat, 0.1 * h]), 2) for h in heights.values()]).T
    assert ratio == pytest.approx(0.1 * np.sqrt([3, 1, 1.5]), abs=0.01)
    assert alone == pytest.approx([1, 1, 0], abs=0.07)
    assert middle[:2] == pytest.approx([0.383, 0.289], abs=0.02)
