"""The guard by itself: states that should not be left, and steps that should be taken back."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.curves import moving
from wasserstein_transform.curves.moving import Step
from wasserstein_transform.engine import current

START = Step(0, 0.0, 0.10, 0.2, 0.4, 2.0)


def test_a_good_step_meets_no_objection():
    after = START._replace(step=1, moved=0.05, across=0.05)
    assert moving.reason_to_stop(START, None) is None
    assert moving.reason_to_stop(after, START) is None
    assert moving.reason_to_undo(after, START, START, 1, 2, 0.1) is None
    assert not moving.is_at_rest(after, 0.1)
    assert moving.is_at_rest(after._replace(moved=0.005), 0.1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"across": 0.11}, "would widen the spread across the shape from 0.1 to 0.11"),
        ({"across": 0.05, "extent": 1.8}, "would shrink the shape: from an extent of 2 to 1.8"),
        ({"across": 0.05, "spacing": 0.01}, "would make points clump"),
    ],
)
def test_a_bad_step_is_taken_back(changes, message):
    assert message in moving.reason_to_undo(START._replace(step=1, **changes), START, START, 1, 2, 0.1)


def test_states_that_should_not_be_left():
    assert "no longer falls" in moving.reason_to_stop(START._replace(across=0.099), START)
    assert "neighbors would move together" in moving.reason_to_stop(START._replace(shared=0.9), None)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_evenness_at_random_is_that_of_random_places(dim):
    points = np.random.default_rng(0).random((20_000, dim))
    assert moving.spacing(points, current()) == pytest.approx(moving.evenness_at_random(dim), rel=0.05)


def test_clumping_is_noticed():
    rng = np.random.default_rng(0)
    clumped = np.repeat(rng.random((400, 1)), 3, axis=0) + rng.normal(scale=1e-7, size=(1200, 1))
    clumped = np.concatenate([clumped, rng.random((1600, 1))])
    assert moving.spacing(clumped, current()) < 0.5 * moving.evenness_at_random(1)


def test_extent_of_a_segment():
    points = np.column_stack([np.linspace(-1, 1, 2001), np.zeros(2001)])
    assert moving.extent(points, np.full(2001, 1 / 2001)) == pytest.approx(1 / np.sqrt(3), rel=1e-3)


@pytest.mark.slow
def test_dimension_is_that_of_the_shape_or_of_the_space():
    flat = np.random.default_rng(0).random((1500, 2))
    sheet = np.column_stack([flat, np.random.default_rng(1).normal(scale=0.01, size=1500)])
    assert wt.denoise(sheet).dim == 2
    assert wt.denoise(flat).dim == 2
