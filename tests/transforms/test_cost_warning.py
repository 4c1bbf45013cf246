"""What will take long is said before it starts, with what to do; and progress begins at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import wasserstein_transform as wt

POINTS = np.random.default_rng(0).random((500, 2))
SPACE = wt.Space.from_points(POINTS)
DENSE = wt.localize.Given(np.full((500, 500), 1 / 1000) + np.eye(500) / 2)


def cancelled_at_once(work: Callable[[], object]) -> list[wt.engine.Update]:
    """Runs nothing but the first stage; what progress was told."""
    seen: list[wt.engine.Update] = []

    def tell(update: wt.engine.Update) -> None:
        seen.append(update)
        engine.cancel()

    with wt.using(n_jobs=2, progress=tell) as engine, pytest.raises(wt.engine.Cancelled):
        work()
    return seen


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (
            lambda: wt.KernelTransform(0.3).fit(POINTS),
            r".* exact transport \(124,750 transport problems of about 500 × 500 .*8 minutes; .*cut=3",
        ),
        (lambda: wt.Transform(DENSE, wt.Exact(1))(SPACE), "about 500 of the 500 points, .*about 8 minutes; .*Nearest"),
        (lambda: wt.LocalTruncation(9.0, n_iter=2).fit(POINTS), "16 minutes; is eps=9 in the unit of the data"),
        (
            lambda: wt.wasserstein_pairs(np.full((500, 500), 1.0) + np.eye(500), POINTS),
            "124,750 transport problems of about 500 × 500 masses will take about 8 minutes; measures on fewer points",
        ),
        (
            lambda: wt.wasserstein_cross(DENSE.matrix[:20], DENSE.matrix[20:], POINTS),
            "9,600 transport problems of about 500 × 500 masses will take about 36 seconds",
        ),
        (
            lambda: wt.wasserstein_pairs(DENSE.matrix, POINTS, pairs=np.argwhere(~np.eye(500, dtype=bool))),
            "124,750 transport problems",
        ),
        (
            lambda: wt.GaussianTransform(500.0).fit(np.random.default_rng(0).random((100_000, 2))),
            "about 100000 of the 100000 points, so that moving them will take about 3 minutes; is eps=500",
        ),
        (
            lambda: wt.MeanShift(500.0).fit(np.random.default_rng(0).random((200_000, 2))),
            "moving them will take about 3 minutes per iteration; is eps=500",
        ),
    ],
    ids=["uncut", "dense", "all in reach", "pairs", "cross", "listed", "GT", "mean shift"],
)
def test_a_long_run_is_announced(work: Callable[[], object], said: str) -> None:
    with pytest.warns(wt.transforms.CostWarning, match=said) as caught:
        seen = cancelled_at_once(work)
    assert [warning.filename for warning in caught] == [__file__]
    assert seen


def test_a_short_run_is_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wt.LocalTruncation(0.05).fit(POINTS)
        wt.GaussianTransform(0.1).fit(POINTS)


def test_progress_begins_before_the_first_tile_ends() -> None:
    seen: list[wt.engine.Update] = []
    SPACE.metric.dense(wt.Engine(progress=seen.append))
    assert seen[0].done == 0
    assert seen[0].stage == "distances"


def test_how_many_points_are_seen_is_about_right() -> None:
    for localize in (
        wt.Truncation(0.2),
        wt.Kernel(0.1, cut=2.0),
        wt.Nearest(7),
        DENSE,
        wt.localize.Identity(),
        wt.Kernel(0.1),
    ):
        measures = localize(SPACE)
        expected = localize.n_seen(SPACE)
        assert expected is not None
        np.testing.assert_allclose(expected, np.diff(measures.indptr).mean(), rtol=0.15)
    assert wt.localize.Whole().n_seen(SPACE) is None  # one measure for all


def test_how_many_of_very_many_points_are_seen_is_estimated_from_some() -> None:
    space = wt.Space.from_points(np.random.default_rng(0).random((60_000, 2)))
    eps = (2_000 / space.n / np.pi) ** 0.5
    found = wt.Truncation(eps).n_seen(space)
    assert found is not None
    np.testing.assert_allclose(found, 2_000, rtol=0.2)
