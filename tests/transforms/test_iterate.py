"""The loop: stopping, merging, keeping, schedules of eps."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt


@pytest.fixture
def blobs(rng: np.random.Generator) -> wt.Space:
    X = np.concatenate([rng.normal(size=(40, 2)) * 0.2, rng.normal(size=(30, 2)) * 0.2 + 5])
    return wt.Space.from_points(X)


def test_it_stops_when_nothing_moves(blobs: wt.Space) -> None:
    walk = wt.iterate(wt.transforms.mean_shift(1.0), blobs, n_iter=100, tol=1e-9)
    assert walk.converged
    assert walk.n_iter < 20
    assert walk.movements[-1] <= 1e-9 < walk.movements[-2]
    assert walk.outcome.startswith(f"converged after {walk.n_iter} iterations")


def test_without_stop_it_does_all_iterations(blobs: wt.Space) -> None:
    walk = wt.iterate(wt.transforms.mean_shift(1.0), blobs, n_iter=30)
    assert (walk.n_iter, walk.converged) == (30, False)
    assert "ran 30 iterations, as requested" in walk.outcome


def test_it_says_when_the_tolerance_was_not_met(blobs: wt.Space) -> None:
    walk = wt.iterate(wt.transforms.mean_shift(1.0), blobs, n_iter=1, tol=1e-9)
    assert "raise n_iter" in walk.outcome


def test_zero_iterations_give_the_start(blobs: wt.Space) -> None:
    assert wt.iterate(wt.transforms.mean_shift(1.0), blobs, n_iter=0).points is blobs.points
    start = wt.iterate(wt.transforms.gaussian_transform(1.0, 2.0), blobs, n_iter=0)
    assert isinstance(start.last.metric, wt.spaces.GaussianMetric)
    assert "no iterations were requested" in start.outcome


def test_kept_states_are_those_of_shorter_runs(blobs: wt.Space) -> None:
    process = wt.transforms.gaussian_transform(0.5, 1.0)
    walk = wt.iterate(process, blobs, n_iter=3, keep="all")
    assert len(walk.states) == 4
    for k, state in enumerate(walk.states):
        np.testing.assert_array_equal(state.points, wt.iterate(process, blobs, n_iter=k).points)
    last = walk.only_last()
    assert (len(last.states), last.first) == (1, 3)


@pytest.mark.parametrize(
    "process",
    [wt.transforms.mean_shift(0.6), wt.transforms.gaussian_transform(0.6, 1.0), wt.transforms.local_truncation(0.6)],
    ids=["ms", "gt", "lt"],
)
def test_merging_what_coincides_changes_nothing(process: wt.transforms.Process, blobs: wt.Space) -> None:
    plain, merged = (wt.iterate(process, blobs, n_iter=4, merge=merge, keep="all") for merge in (None, 1e-12))
    assert merged.quotients[-1].space.n < blobs.n
    for one, other in zip(plain.states, merged.states, strict=True):
        np.testing.assert_allclose(one.points, other.points, rtol=0, atol=1e-10)
        np.testing.assert_allclose(one.metric.dense(), other.metric.dense(), rtol=0, atol=1e-7)
        np.testing.assert_array_equal(other.weights, blobs.weights)
    np.testing.assert_allclose(plain.movements, merged.movements, atol=1e-7)


def test_a_sequence_of_eps_is_one_step_after_another(blobs: wt.Space) -> None:
    walk = wt.iterate(wt.transforms.mean_shift([0.3, 0.6]), blobs, n_iter=2)
    by_hand = wt.iterate(
        wt.transforms.mean_shift(0.6), wt.iterate(wt.transforms.mean_shift(0.3), blobs, n_iter=1).last, n_iter=1
    )
    np.testing.assert_array_equal(walk.points, by_hand.points)
    with pytest.raises(ValueError, match="iteration 3"):
        wt.iterate(wt.transforms.mean_shift([0.3, 0.6]), blobs, n_iter=3)


def test_truncation_moves_distances_and_leaves_points(blobs: wt.Space) -> None:
    walk = wt.iterate(wt.transforms.local_truncation(0.5), blobs, n_iter=50, tol=1e-9)
    assert walk.converged
    assert walk.points is blobs.points
    assert isinstance(walk.last.metric, wt.spaces.Dense)
    assert walk.last.metric.gap <= 1e-12


def test_named_instances_are_compositions() -> None:
    assert wt.transforms.mean_shift(0.2).step == wt.Transform(wt.Mean(wt.Truncation(0.2)), wt.transport.DiracDistance())
    assert wt.transforms.local_truncation(0.2, 2).step == wt.Transform(wt.Truncation(0.2), wt.Exact(2))
    assert wt.transforms.kernel_transform(0.2, "gaussian", 2, cut=3).step == wt.Transform(
        wt.Kernel(0.2, "gaussian", 3), wt.Exact(2)
    )
    gt = wt.transforms.gaussian_transform(0.2, 5.0, "epanechnikov")
    assert gt.start == wt.Transform(wt.Gaussian(wt.Kernel(0.2, "epanechnikov"), 5.0), wt.Bures())
    assert gt.step == wt.Transform(wt.Gaussian(wt.Kernel(0.2, "epanechnikov"), 5.0, move=True), wt.Bures())


def test_a_small_eps_that_moves_nothing_does_not_end_a_schedule() -> None:
    space = wt.Space.from_points([[0.0], [1.0], [2.0]])
    walk = wt.iterate(wt.transforms.mean_shift([0.1, 2.0, 2.0]), space, n_iter=3, tol=1e-6)
    assert walk.n_iter == 3
    np.testing.assert_allclose(walk.points, 1.0)
