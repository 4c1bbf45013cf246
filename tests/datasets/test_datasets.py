"""Data sets are as the paper describes them, and know their truth."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.datasets import LAYOUTS, Curve


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_dumbbell_has_two_equal_centred_discs_of_radius_1_and_a_chain_between_them(layout: str) -> None:
    X, labels = wt.datasets.dumbbell(layout=layout)
    left, right, chain = (X[labels == k] for k in range(3))
    assert [len(left), len(right), len(chain)] == [300, 300, 200]
    np.testing.assert_allclose(left, right - (4, 0), atol=1e-12)
    radii = np.hypot(*(left - (-2, 0)).T)
    assert radii.max() == pytest.approx(1.0)
    np.testing.assert_allclose(left.mean(axis=0), [-2, 0], atol=0.01)
    assert np.unique(left.round(9), axis=0).shape == left.shape
    np.testing.assert_allclose([chain[0], chain[-1]], [[-1, 0], [1, 0]])
    quarter = np.mean(radii <= 0.5)
    assert quarter == pytest.approx(0.25, abs=0.03)  # uniform


@pytest.mark.parametrize("e", [5.0, 1.25, 1.0, 0.2])
def test_eccentricity_is_the_ratio_of_the_stretches(e: float) -> None:
    stretch = np.ptp(wt.datasets.dumbbell(e).points, axis=0) / np.ptp(wt.datasets.dumbbell().points, axis=0)
    assert stretch[1] / stretch[0] == pytest.approx(e)
    assert stretch.max() == pytest.approx(1.0)


def test_a_spiral_lies_on_its_curve_in_its_square() -> None:
    X, labels, curve = wt.datasets.spiral(3)
    assert np.abs(X).max() <= 30
    assert curve.distance(X[labels == 0]).max() < 1e-3
    assert curve.distance(X[labels == -1]).mean() > 1.0
    radii = np.hypot(*X[labels == 0].T)
    assert np.median(radii) == pytest.approx(30 * 0.5**0.5, abs=2.0)


@pytest.mark.parametrize(
    "curve", [wt.datasets.spiral(0).curve, wt.datasets.circles(0).curve], ids=["spiral", "circles"]
)
def test_the_vertices_of_a_curve_are_evenly_spread(curve: Curve) -> None:
    for piece in curve.pieces:
        steps = np.linalg.norm(np.diff(piece, axis=0), axis=1)
        assert steps.max() / steps.min() < 1.01


def test_noise_has_the_deviation_asked_for() -> None:
    X, labels, curve = wt.datasets.circles(1, n=20_000, noise=0.05)
    np.testing.assert_array_equal(np.bincount(labels), [10_000, 10_000])
    off = np.hypot(*X.T) - np.array([1.0, 1.8])[labels]
    assert off.std() == pytest.approx(0.05, rel=0.03)
    np.testing.assert_allclose(curve.distance(X), np.abs(off), atol=1e-5)
    spiral, on, arm = wt.datasets.spiral(1, noise=0.3)
    assert arm.distance(spiral[on == 0]).mean() == pytest.approx(0.3 * np.sqrt(2 / np.pi), rel=0.15)


def test_the_same_seed_draws_the_same_points_and_others_do_not() -> None:
    for draw in (wt.datasets.spiral, wt.datasets.circles):
        np.testing.assert_array_equal(draw(5).points, draw(np.random.default_rng(5)).points)
        assert (draw(5).points != draw(6).points).any()


def test_grids_are_the_papers() -> None:
    X, _ = wt.datasets.grid(200)
    np.testing.assert_allclose(np.unique(X), np.arange(200) / 199)
    X, labels = wt.datasets.grid_with_line()
    assert len(np.unique(X, axis=0)) == len(X) == 11_001
    assert (X[labels == 1, 0] == 0.5).all()


def test_the_distance_to_a_curve_is_that_to_its_edges() -> None:
    square = Curve((np.array([[0.0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]),))
    np.testing.assert_allclose(square.distance([[0.5, -2], [0.5, 0.4], [2, 2], [1, 0.2]]), [2, 0.4, 2**0.5, 0])
    hook = Curve((np.array([[0.0, 0], [10, 0], [10, 1], [5, 1]]),))
    np.testing.assert_allclose(hook.distance([[5, 0.4]]), [0.4])  # its nearest vertex is on the other edge


def test_coverage_is_a_share_of_the_length() -> None:
    fine = np.linspace(0, 1, 101)[:, None]
    curve = Curve((fine * [3.0, 0.0], 5.0 + fine * [1.0, 0.0]))
    assert curve.coverage(curve.pieces[0], 0.01) == pytest.approx(3 / 4)
    assert curve.coverage([[0.0, 0.0]], 1.5) == pytest.approx(1.5 / 4)


@pytest.mark.parametrize("turns", [0.5, 20, 200])
def test_points_of_a_spiral_lie_on_it_however_often_it_turns(turns: float) -> None:
    data = wt.datasets.spiral(0, turns=turns, n_outliers=0)
    assert data.curve.distance(data.points).max() < 1e-2


def test_curves_refuse_what_is_none() -> None:
    with pytest.raises(ValueError, match="polygon"):
        Curve(())
    with pytest.raises(ValueError, match="piece"):
        Curve((np.zeros(3),))
