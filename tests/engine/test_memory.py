"""What a run takes is planned, refused before work starts, and kept to."""

from __future__ import annotations

import logging
import re
import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy.spatial.distance import cdist, squareform

import wasserstein_transform as wt
from wasserstein_transform.clustering.ground import Places
from wasserstein_transform.estimators.converged import nearest_center

_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def cloud(n: int, m: int) -> wt.Space:
    return wt.Space.from_points(np.random.default_rng(0).random((n, m)))


RUNS: dict[str, tuple[Callable[[], wt.Space], wt.transforms.Process]] = {
    "mean shift on a line": (lambda: cloud(100_000, 1), wt.transforms.mean_shift(1e-4)),
    "mean shift": (lambda: cloud(100_000, 2), wt.transforms.mean_shift(0.008)),
    "mean shift, hardly any neighbors": (lambda: cloud(100_000, 3), wt.transforms.mean_shift(0.002)),
    "GT on a line": (lambda: cloud(100_000, 1), wt.transforms.gaussian_transform(1e-4)),
    "GT": (lambda: cloud(100_000, 2), wt.transforms.gaussian_transform(0.008)),
    "GT in space": (lambda: cloud(30_000, 3), wt.transforms.gaussian_transform(0.05)),
    "GT in 5 dimensions": (lambda: cloud(10_000, 5), wt.transforms.gaussian_transform(0.15)),
    "LT-WT": (lambda: cloud(600, 2), wt.transforms.local_truncation(0.06)),
    "LT-WT, large neighborhoods": (lambda: cloud(90, 2), wt.transforms.local_truncation(0.25)),
    "an uncut kernel": (lambda: cloud(50, 2), wt.transforms.kernel_transform(0.1)),
}


def _taken(
    caplog: pytest.LogCaptureFixture, work: Callable[[], object], about: str = "iterations on"
) -> tuple[float, float]:
    """What was planned first, and the peak of what was taken."""
    work()  # compiled code and caches are not of the run
    caplog.clear()
    tracemalloc.start()
    try:
        with caplog.at_level(logging.INFO, "wasserstein_transform"):
            result = work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result is not None
    said = next(line for line in caplog.messages if about in line)
    number, unit = re.search(r": ([\d.]+) (\w+)$", said).groups()  # type: ignore[union-attr]
    return float(number) * _UNITS[unit], peak


@pytest.mark.slow
@pytest.mark.parametrize("keep", ["all", "last"])
@pytest.mark.parametrize("name", RUNS)
def test_a_run_stays_within_its_plan(name: str, keep: str, caplog: pytest.LogCaptureFixture) -> None:
    make, process = RUNS[name]
    space = make()
    engine = wt.Engine(2)  # every thread adds to the plan, and not all of them are busy at the peak
    planned, peak = _taken(caplog, lambda: wt.iterate(process, space, n_iter=4, keep=keep, engine=engine))
    assert peak <= 1.1 * planned
    assert planned <= 2.5 * peak  # a plan that is always kept says nothing


def test_a_run_that_merges_points_stays_within_its_plan(caplog: pytest.LogCaptureFixture) -> None:
    space = cloud(40_000, 2)
    planned, peak = _taken(
        caplog,
        lambda: wt.iterate(wt.transforms.mean_shift(0.02), space, n_iter=2, merge=0.1, keep="all", engine=wt.Engine(2)),
    )
    assert peak <= 1.1 * planned
    assert planned <= 2.5 * peak


def test_a_run_that_does_not_fit_is_refused_before_it_starts() -> None:
    started: list[wt.transforms.Trajectory] = []
    for process in (wt.transforms.gaussian_transform(0.1), wt.transforms.local_truncation(0.1)):
        with pytest.raises(MemoryError, match=r"5 iterations on 2000 points, . states at a time needs .* keep fewer"):
            wt.iterate(process, cloud(2000, 2), n_iter=5, keep="all", hook=started.append, engine=wt.Engine(memory=1e6))
    assert not started


def test_keep_governs_the_trajectory_and_what_is_held() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    walks = {keep: wt.GaussianTransform(0.9, n_iter=3, keep=keep).fit(X) for keep in ("last", "all")}
    assert [len(fitted.trajectory_.quotients) for fitted in walks.values()] == [1, 4]
    for fitted in walks.values():
        np.testing.assert_array_equal(fitted.points_, walks["all"].points_)
    assert walks["all"].transform(X[:9]).shape == (9, 2)
    with pytest.raises(ValueError, match="keep='last'"):
        walks["last"].transform(X)
    with pytest.raises(ValueError, match="'some'"):
        wt.MeanShift(0.9, keep="some").fit(X)


@pytest.mark.slow
def test_dropping_states_needs_less() -> None:
    X = np.random.default_rng(0).random((600, 2))
    with wt.using(memory=8 * 600**2 * 6), pytest.raises(MemoryError, match="keep fewer states"):
        wt.LocalTruncation(0.05, n_iter=6).fit(X)
    with wt.using(memory=8 * 600**2 * 6):
        assert wt.LocalTruncation(0.05, n_iter=6, keep="last").fit(X).n_iter_ == 6


def test_states_of_a_flow_hold_no_more_than_points_and_covariances() -> None:
    walk = wt.iterate(wt.transforms.gaussian_transform(0.05), cloud(5000, 2), n_iter=3, keep="all")
    assert all("derived" not in vars(state.space.metric) for state in walk.quotients[:-1])


def _picture(side: int, channels: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 3, (side, side, channels)).astype(np.uint8).squeeze() * 80


def _distances(n: int) -> np.ndarray:
    return cloud(n, 2).metric.dense()


def _moved(n: int) -> wt.Space:
    return wt.iterate(wt.transforms.gaussian_transform(0.02), cloud(n, 2), n_iter=1).last


def _followed(estimator: wt.GaussianTransform | wt.LocalTruncation, n: int) -> Callable[..., object]:
    return estimator.fit(cloud(n, 2).points).transform


CALLS: dict[str, tuple[str, Callable[[], Callable[[], object]]]] = {
    "a matrix": ("distance matrix", lambda: partial(cloud(1000, 2).metric.dense)),
    "a given matrix": ("distances as a", lambda: partial(wt.Space.from_distances, _distances(1000))),
    "a condensed one": ("distances as a", lambda: partial(wt.Space.from_distances, squareform(_distances(1000)))),
    "a metric by name": ("cityblock", lambda: partial(wt.Space.from_points, cloud(2000, 3).points, metric="cityblock")),
    "an uncut kernel": ("masses of localized", lambda: partial(wt.Kernel(0.1), cloud(1000, 2))),
    "neighborhoods": ("neighbors in balls", lambda: partial(wt.Truncation(0.3), cloud(2000, 2))),
    "colors": ("segmenting", lambda: partial(wt.image.segment_by_radii, _picture(200, 3), 2, 8)),
    "grey values": ("segmenting", lambda: partial(wt.image.segment_by_radii, _picture(200, 1), 2, 8)),
    "shapes": ("segmenting", lambda: partial(wt.image.segment_by_radii, _picture(200, 3), 2, 8, 1.0, tol=0.1)),
    "the paper's linking": (
        "segmenting",
        lambda: partial(wt.image.segment_by_radii, _picture(200, 3), 2, 8, linking="paper"),
    ),
    "new points, their distances": (
        "new points",
        lambda: partial(_followed(wt.GaussianTransform(0.1, output="distances"), 500), cloud(2000, 2).points),
    ),
    "new points of LT-WT": (
        "new points",
        lambda: partial(_followed(wt.LocalTruncation(0.3), 80), cloud(400, 2).points),
    ),
    "nearest neighbors": ("k-d trees", lambda: partial(cloud(40_000, 2).metric.neighbors, 5)),
    "nearest neighbors of Gaussians": ("k-d trees", lambda: partial(_moved(10_000).metric.neighbors, 5)),
    "nearest neighbors of others": (
        "k-d trees",
        lambda: partial(cloud(5000, 3).metric.neighbors, 2, cloud(40_000, 3).metric),
    ),
    "single linkage": ("spanning tree", lambda: partial(wt.hierarchy.linkage, cloud(40_000, 2))),
    "mutual reachability": (
        "spanning tree",
        lambda: partial(wt.hierarchy.spanning_tree, cloud(20_000, 2), reachability=5),
    ),
    "places of clusters": ("different places", lambda: partial(Places.of, cloud(60_000, 2), wt.Engine(2))),
    "places of clusters in 10 dimensions": (
        "different places",
        lambda: partial(Places.of, cloud(30_000, 10), wt.Engine(2)),
    ),
    "a radius": ("k-d trees", lambda: partial(wt.localize.suggest_eps, cloud(40_000, 2).points)),
    "denoising": ("denoising", lambda: partial(wt.denoise, cloud(20_000, 2).points, eps=0.05, dim=1, n_iter=1)),
    "an embedding": (
        "new distances",
        lambda: partial(wt.GaussianTransform(0.1, output="embedding").fit, cloud(300, 2).points),
    ),
}


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", CALLS)
def test_what_grows_faster_than_the_data_is_announced_in_full(name: str, caplog: pytest.LogCaptureFixture) -> None:
    about, make = CALLS[name]
    with wt.using(n_jobs=2):  # every thread adds to the plan, and not all of them are busy at the peak
        planned, peak = _taken(caplog, make(), about)
    assert peak <= 1.1 * planned + 2**21
    assert planned <= 3 * peak


@pytest.mark.slow
def test_where_new_points_end_is_found_without_a_matrix() -> None:
    points, centers = cloud(6000, 2).points, cloud(4000, 2).points
    assert points is not None
    assert centers is not None
    nearest = nearest_center(points, centers)
    tracemalloc.start()
    nearest_center(points, centers)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * len(points) * len(centers) / 4
    np.testing.assert_array_equal(nearest, cdist(points, centers).argmin(axis=1))


def test_a_matrix_of_too_many_points_is_refused_before_anything_is_made() -> None:
    metric = wt.spaces.Euclidean(np.zeros((1_000_000, 1)))
    tracemalloc.start()
    for ask in (metric.dense, metric.condensed):
        with pytest.raises(MemoryError, match=r"needs .* TiB"):
            ask()
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


def test_measures_that_do_not_fit_are_refused_before_the_run_starts() -> None:
    with wt.using(memory=16 * 500**2 * 1.5), pytest.raises(MemoryError, match="1 iterations on 500 points"):
        wt.iterate(wt.transforms.kernel_transform(0.1), cloud(500, 2), n_iter=1)


def test_a_block_that_does_not_fit_is_refused() -> None:
    everybody = np.arange(3000)
    with pytest.raises(MemoryError, match=r"3000 × 3000 distances needs 68.7 MiB, .*fewer rows at a time"):
        cloud(3000, 2).metric.block(everybody, everybody, wt.Engine(memory=1e7))


def test_a_limit_is_a_number_or_a_text() -> None:
    assert wt.Engine(n_jobs=2.0).n_threads == 2
    limits = {"500MB": 5e8, "4 GiB": 4 * 2.0**30, "1.5k": 1500.0, 1000: 1000.0}
    assert {size: wt.Engine(memory=size).memory for size in limits} == limits
