"""Curves of unequal use: streets driven often, rarely and once, and points that belong to none."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.curves.looks import _are_lined_up, _turns

NOISE = 4.0


def _street(start: tuple[float, float], stop: tuple[float, float], n: int, rng: np.random.Generator) -> np.ndarray:
    at = rng.random((n, 1))
    return np.array(start) * (1 - at) + np.array(stop) * at + rng.normal(scale=NOISE, size=(n, 2))


def _town(seed: int) -> np.ndarray:
    """Three busy streets, and three that are driven once, with a fix every 25 m."""
    rng = np.random.default_rng(seed)
    busy = [_street((0, y), (1200, y), 1500, rng) for y in (0, 400, 800)]
    once = [np.column_stack([np.full(32, x), np.arange(10.0, 800, 25)]) for x in (200.0, 600.0, 1000.0)]
    return np.concatenate([*busy, *(street + rng.normal(scale=NOISE, size=street.shape) for street in once)])


def _covered(lines: wt.curves.Skeleton, start: tuple[float, float], stop: tuple[float, float]) -> float:
    """The share of a street within 12 m of a line."""
    street = np.linspace(start, stop, 200)
    vertices = np.concatenate([_dense(line) for line in lines.lines])
    return float((np.linalg.norm(street[:, None] - vertices, axis=2).min(axis=1) < 12).mean())


def _dense(line: np.ndarray) -> np.ndarray:
    at = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1)))
    return np.column_stack([np.interp(np.linspace(0, at[-1], 2 + int(at[-1] / 4)), at, column) for column in line.T])


@pytest.mark.parametrize("seed", range(3))
def test_streets_driven_once_stay(seed: int) -> None:
    found = wt.denoise(_town(seed))
    assert found.dim == 1
    assert found.sigma == pytest.approx(NOISE, rel=0.25)
    assert 2.5 * NOISE < found.eps < 8 * NOISE
    lines = wt.skeleton(found)
    for x in (200, 600, 1000):
        assert _covered(lines, (x, 0), (x, 800)) > 0.8
    assert lines.length < 1.1 * (3 * 1200 + 3 * 800)


@pytest.mark.parametrize("seed", range(3))
def test_strays_of_a_busy_street_are_outliers_and_make_no_lines(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.concatenate([_street((0, 0), (1500, 0), 6000, rng), _street((0, 0), (1500, 0), 200, rng)])
    X[6000:, 1] += rng.choice([-1, 1], 200) * rng.uniform(20, 50, 200)
    found = wt.denoise(X)
    assert found.outliers[6000:].mean() > 0.9
    assert found.outliers[:6000].mean() < 0.02
    assert wt.skeleton(found).length < 1.1 * 1500 < wt.skeleton(found, outliers=True).length


@pytest.mark.parametrize("m", [2, 3])
def test_points_are_lined_up_or_scattered(m: int) -> None:
    rng = np.random.default_rng(m)
    streets = 500.0 * rng.integers(0, 4, (300, m))
    streets[np.arange(300), rng.integers(0, m, 300)] = 1500 * rng.random(300)
    streets += rng.normal(scale=3, size=streets.shape)
    assert _are_lined_up(_turns(streets, 15.0), m)
    clouds = (1500 * np.random.default_rng(seed).random((300, m)) for seed in range(20))
    assert not any(_are_lined_up(_turns(cloud, 15.0), m) for cloud in clouds)
    assert not _are_lined_up(_turns(np.zeros((5, m)), 1.0), m)


def test_a_leg_that_goes_straight_on_joins_a_gap_and_one_that_turns_does_not() -> None:
    rng = np.random.default_rng(0)
    busy = _street((0, 0), (600, 0), 2000, rng)
    eps = wt.denoise(busy, 1).eps
    step = 4 * eps
    straight = np.column_stack([np.full(8, 300.0), 60 + step * np.arange(8)])
    turning = np.column_stack([100 - (np.arange(8) % 2) * 3 * eps, -60 - 3 * eps * np.arange(8)])
    X = np.concatenate([busy, straight, turning])
    trips = np.concatenate([np.arange(2000) // 50, np.full(8, 1000), np.full(8, 1001)])
    lines = wt.skeleton(wt.denoise(X, 1, eps=eps, order=trips))
    assert _covered(lines, (300, 60 + step), (300, 60 + 6 * step)) > 0.9
    assert _covered(lines, (100, -60), (100, -60 - 21 * eps)) < 0.5


def test_a_dimension_that_is_asked_for_is_used_where_no_shape_is_seen() -> None:
    X = np.random.default_rng(0).normal(size=(600, 2)) * [3, 1]
    assert wt.denoise(X).n_iter == 0
    found = wt.denoise(X, 1)
    assert "thinnest" in found.reason
    assert np.abs(found.points[:, 1]).mean() < 0.85 * np.abs(X[:, 1]).mean()


@pytest.mark.parametrize("noise", [0.05, 0.12])
@pytest.mark.parametrize("seed", range(3))
def test_a_noisy_ring_is_one_loop(noise: float, seed: int) -> None:
    X = wt.datasets.circles(seed, n=800, noise=noise, radii=(1.0,)).points
    found = wt.skeleton(wt.denoise(X))
    assert len(found.lines) == 1
    assert len(found.ends) == len(found.junctions) == 0


def test_a_loop_at_a_junction_keeps_its_node() -> None:
    rng = np.random.default_rng(0)
    turn = 2 * np.pi * rng.random(800)
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    tail = np.column_stack([1 + 2 * rng.random(300), np.zeros(300)])
    found = wt.skeleton(wt.denoise(np.concatenate([ring, tail]) + rng.normal(scale=0.03, size=(1100, 2)), 1))
    assert len(found.lines) == 2
    assert len(found.junctions) == len(found.ends) == 1
