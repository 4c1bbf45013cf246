from __future__ import annotations

import numpy as np
import pytest

from wasserstein_transform.curves.net import length_of, smoothed


def arc(share: float, n: int, noise: float = 0.0) -> np.ndarray:
    turn = 2 * np.pi * share * np.linspace(0, 1, n)
    line = np.column_stack([np.cos(turn), np.sin(turn)])
    return line + np.random.default_rng(0).normal(scale=noise, size=line.shape)


def test_ends_stay_and_straight_lines_stay_straight():
    line = np.array([[0.0, 0.0], [0.3, 0.6], [2.0, 4.0], [5.0, 10.0]])
    found = smoothed(line, np.array([1.0, 2.0, 5.0, 1.0]), 1.0)
    assert np.array_equal(found[[0, -1]], line[[0, -1]])
    assert found[:, 1] == pytest.approx(2 * found[:, 0])
    bent = arc(0.7, 50)
    assert np.array_equal(smoothed(bent, np.ones(50), 0.3)[[0, -1]], bent[[0, -1]])


def test_jitter_goes_and_the_bend_stays():
    line = arc(0.7, 200, 0.02)
    found = smoothed(line, np.ones(200), 0.2)
    off = np.abs(np.hypot(*found.T) - 1)
    assert np.sqrt(np.mean(off**2)) < 0.4 * np.sqrt(np.mean((np.hypot(*line.T) - 1) ** 2))
    assert length_of(found) == pytest.approx(0.7 * 2 * np.pi, rel=0.02)
    assert length_of(line) > 1.2 * length_of(found)


def test_a_closed_line_stays_closed_and_hardly_shrinks():
    line = arc(1.0, 300)
    line[-1] = line[0]
    found = smoothed(line, np.ones(300), 0.3, closed=True)
    assert np.array_equal(found[0], found[-1])
    radii = np.hypot(*found.T)
    assert radii == pytest.approx(np.full(len(radii), radii[0]), rel=1e-3)
    assert radii.min() > 0.995  # plain means of this width leave 0.956


def test_heavy_vertices_count_more():
    line = np.array([[0.0, 0.0], [1.0, 0.2], [2.0, -0.2], [3.0, 0.2], [4.0, 0.0]])
    heavy = smoothed(line, np.array([1.0, 9.0, 1.0, 9.0, 1.0]), 1.0)
    even = smoothed(line, np.ones(5), 1.0)
    assert heavy[:, 1].mean() > even[:, 1].mean()


@pytest.mark.parametrize("width", [0.0, 100.0])
def test_lines_too_short_for_the_width_stay(width):
    line = arc(0.5, 20)
    assert np.array_equal(smoothed(line, np.ones(20), width), line)
