"""Whatever runs, a cancel ends it between two tiles: no stage is one long call that does not listen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import wasserstein_transform as wt

RNG = np.random.default_rng(0)
POINTS = RNG.random((1100, 3))
NOISE = RNG.integers(0, 255, (30, 30, 3)).astype(np.uint8)

WORK: dict[str, tuple[str, Callable[[wt.Engine], object]]] = {
    "a metric by name": ("distances", lambda engine: wt.Space.from_points(POINTS, metric="cityblock")),
    "small regions": (
        "merging small regions",
        lambda engine: wt.image.segment_by_radii(NOISE, 2, 5, min_size=9, engine=engine),
    ),
}


@pytest.mark.parametrize("name", WORK)
def test_a_cancel_ends_it_in_the_middle(name: str) -> None:
    stage, work = WORK[name]
    seen: list[wt.engine.Update] = []

    def cancel(update: wt.engine.Update) -> None:
        if update.stage == stage:
            seen.append(update)
            engine.cancel()

    engine = wt.Engine(n_jobs=1, progress=cancel)
    with wt.using(engine), pytest.raises(wt.engine.Cancelled):
        work(engine)
    assert seen
    assert seen[0].done < seen[0].total


def test_new_points_of_a_metric_by_name_have_the_distances_of_the_fitted_ones() -> None:
    known = wt.LocalTruncation(0.3, metric="canberra", n_iter=0).fit(POINTS[:60])
    np.testing.assert_array_equal(known.transform(POINTS[:9]), known.distances_[:9])
