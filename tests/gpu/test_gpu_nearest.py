"""Nearest neighbors on a device: those of the CPU, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from gpu.calling import CPU, Cuda
from gpu.places import EQUAL_BITS, METRICS, gaussians, grid, random

import wasserstein_transform as wt


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
def test_neighbors_are_those_of_the_cpu(name: str, cuda: Cuda) -> None:
    metric = METRICS[name]()
    found = cuda.nearest(metric, 5, None, wt.Engine(device=cuda))
    expected = CPU.nearest(metric, 5, None, wt.Engine(1))
    assert (found.indices == expected.indices).all()
    tolerance = 0.0 if name in EQUAL_BITS else 1e-12
    np.testing.assert_allclose(found.distances, expected.distances, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("k", [1, 32, 33, 70, 128])
def test_any_number_of_neighbors(k: int, cuda: Cuda) -> None:
    metric = wt.spaces.Euclidean(grid(12))
    found = cuda.nearest(metric, k, None, wt.Engine(device=cuda))
    expected = CPU.nearest(metric, k, None, wt.Engine(1))
    assert (found.indices == expected.indices).all()
    assert (found.distances == expected.distances).all()


def test_more_neighbors_than_fit_are_found_on_the_cpu(cuda: Cuda) -> None:
    metric = wt.spaces.Euclidean(random(140, 2))
    found = cuda.nearest(metric, 129, None, wt.Engine(device=cuda))
    assert (found.indices == CPU.nearest(metric, 129, None, wt.Engine(1)).indices).all()


@pytest.mark.parametrize("m", [2, 4])
def test_other_points_ask(m: int, cuda: Cuda) -> None:
    n = 150 if m == 2 else 8
    for metric, of in (
        (wt.spaces.Euclidean(grid(13)), wt.spaces.Euclidean(np.concatenate([grid(9) + 0.5, 50 + grid(3)]))),
        (gaussians(n, m), gaussians(n // 2, m, seed=1)),
    ):
        found = cuda.nearest(metric, 4, of, wt.Engine(device=cuda))
        expected = CPU.nearest(metric, 4, of, wt.Engine(1))
        assert (found.indices == expected.indices).all()
        np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-12)


def test_points_may_ask_in_pieces(cuda: Cuda, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasserstein_transform.cuda.trees.MIN_LAUNCH_BLOCKS", 1)
    monkeypatch.setattr("wasserstein_transform.cuda.trees.MAX_LAUNCH_DISTANCES", 1.0)
    metric = METRICS["clusters"]()
    found = cuda.nearest(metric, 3, None, wt.Engine(device=cuda))
    assert (found.indices == CPU.nearest(metric, 3, None, wt.Engine(1)).indices).all()


def test_far_tiles_are_passed_over(cuda: Cuda) -> None:
    metric, of = (
        wt.spaces.Euclidean(random(17_000, 2)),
        wt.spaces.Euclidean(random(5, 2, seed=1)),
    )  # more tiles than threads
    found = cuda.nearest(metric, 3, of, wt.Engine(device=cuda))
    expected = CPU.nearest(metric, 3, of, wt.Engine(1))
    assert (found.indices == expected.indices).all()
    assert (found.distances == expected.distances).all()
