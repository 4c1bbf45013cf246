"""Distances in bulk on a device: those of the CPU, to the last digits, wherever they are stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gpu.calling import Cuda

import wasserstein_transform as wt
from wasserstein_transform.cuda.device import Device

N = 70  # a tile and a bit


def points(n: int, m: int) -> wt.spaces.Metric:
    return wt.spaces.Euclidean(np.random.default_rng(m).normal(size=(n, m)))


def gaussians(n: int, m: int) -> wt.spaces.Metric:
    """Some alike, some near each other, some flat, one zero, one tiny."""
    rng = np.random.default_rng(m)
    factors = rng.normal(size=(n, m, m + 1))
    factors[n // 2, :, 1:] = 0.0
    covs = factors @ factors.transpose(0, 2, 1)
    covs[1], covs[3], covs[4], covs[5] = covs[0], covs[2] * (1 + 1e-9), 0.0, 1e-20 * covs[5]
    return wt.spaces.GaussianMetric(np.round(rng.normal(size=(n, m))), covs, 0.7)


METRICS: dict[str, Callable[[], wt.spaces.Metric]] = {
    "Gaussians in the plane": lambda: gaussians(N, 2),
    "points on a line": lambda: points(N, 1),
    "points in the plane": lambda: points(N, 2),
    "points in R^20": lambda: points(N, 20),
    "Gaussians on a line": lambda: gaussians(N, 1),
    "Gaussians in space": lambda: gaussians(N, 3),
    "Gaussians in R^5": lambda: gaussians(10, 5),
}


@pytest.mark.parametrize("name", METRICS)
def test_all_pairs_agree_with_the_cpu(name: str, cuda: Cuda) -> None:
    metric = METRICS[name]()
    n, engine = metric.n, wt.Engine(device=cuda)
    expected, found, vector = metric.dense(), np.empty((n, n)), np.empty(n * (n - 1) // 2)
    cuda.dense(metric, found, engine)
    cuda.condensed(metric, vector, engine)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * expected.max())
    assert (found == found.T).all()
    assert (np.diagonal(found) == 0.0).all()
    i, j = np.triu_indices(n, 1)
    assert (vector == found[i, j]).all()
    assert (cuda.pairs(metric, j, i, engine) == vector).all()
    rows, cols = np.arange(n)[::-1], np.array([0, 5, 5, n - 1])
    assert (cuda.block(metric, rows, cols, engine) == found[np.ix_(rows, cols)]).all()


@pytest.mark.parametrize("name", METRICS)
def test_single_precision_is_stored_rounded(name: str, cuda: Cuda) -> None:
    metric = METRICS[name]()
    engine, found, n = wt.Engine(device=cuda), np.empty((metric.n, metric.n), np.float32), metric.n
    cuda.dense(metric, found, engine)
    i, j = np.triu_indices(n, 1)
    assert (found[i, j] == cuda.pairs(metric, i, j, engine).astype(np.float32)).all()


@pytest.mark.parametrize("name", METRICS)
def test_single_precision_errs_by_a_millionth_of_the_largest(name: str, cuda: Cuda) -> None:
    metric = METRICS[name]()
    found, expected = np.empty((metric.n, metric.n), np.float32), metric.dense()
    cuda.dense(metric, found, wt.Engine(device=cuda, precision="float32"))
    assert np.abs(found - expected).max() <= 1e-6 * expected.max()
    assert (found == found.T).all()
    assert (np.diagonal(found) == 0.0).all()


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", METRICS)
def test_arrays_of_the_device_are_filled_where_they_lie(name: str, cuda: Cuda, device: Device) -> None:
    metric = METRICS[name]()
    n, engine = metric.n, wt.Engine(device=cuda)
    host = np.empty((n, n)), np.empty(n * (n - 1) // 2)
    there = [device.wrap(device.put(np.full_like(array, -1.0))) for array in host]
    assert there[0].host[0, 0] == -1.0  # what was read before does not stay
    for fill, on_host, on_device in zip((cuda.dense, cuda.condensed), host, there, strict=True):
        fill(metric, on_host, engine)
        fill(metric, on_device, engine)
        assert (on_device.host == on_host).all()


def test_files_are_filled(cuda: Cuda, tmp_path: Path) -> None:
    metric = gaussians(N, 2)
    out = np.lib.format.open_memmap(tmp_path / "all.npy", "w+", np.float64, (N, N))
    cuda.dense(metric, out, wt.Engine(device=cuda))
    out.flush()
    np.testing.assert_allclose(np.load(tmp_path / "all.npy"), metric.dense(), rtol=0, atol=1e-12)


def test_other_metrics_reach_an_array_of_the_device(cuda: Cuda, device: Device) -> None:
    matrix = points(5, 2).dense()
    there = device.wrap(device.put(np.zeros((5, 5))))
    cuda.dense(wt.spaces.Dense(matrix), there, wt.Engine(device=cuda))
    assert (there.host == matrix).all()


def test_long_work_can_be_cancelled_between_pieces(cuda: Cuda, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasserstein_transform.cuda.distances.MAX_LAUNCH_STEPS", 1.0)
    seen = []

    def cancel_early(update: wt.engine.Update) -> None:
        seen.append(update.done)
        engine.cancel()

    engine = wt.Engine(device=cuda, progress=cancel_early)
    there = cuda.device.wrap(cuda.device.put(np.zeros((N, N))))
    with pytest.raises(wt.engine.Cancelled):
        cuda.dense(gaussians(N, 2), there, engine)
    assert seen[0] == 1


def test_empty_questions_have_empty_answers(cuda: Cuda) -> None:
    metric, engine, nobody = gaussians(6, 2), wt.Engine(device=cuda), np.array([], np.intp)
    assert cuda.pairs(metric, nobody, nobody, engine).shape == (0,)
    assert cuda.block(metric, nobody, np.arange(6), engine).shape == (0, 6)
    assert cuda.block(metric, np.arange(6), nobody, engine).shape == (6, 0)


def test_a_lam_beyond_all_floats_is_refused(cuda: Cuda) -> None:
    metric = wt.spaces.GaussianMetric(np.zeros((2, 2)), 1e200 * np.array([np.eye(2)] * 2), 1e200)
    with pytest.raises(ValueError, match="leaves the range of floats"):
        cuda.pairs(metric, np.array([0]), np.array([1]), wt.Engine(device=cuda))


def test_few_distances_are_left_to_the_cpu(cuda: Cuda, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("geometry.MIN_DISTANCES", "trees.MIN_TREE_DISTANCES"):
        monkeypatch.setattr(f"wasserstein_transform.cuda.{limit}", 101.0)
    metric, engine, found = points(10, 2), wt.Engine(device=cuda), np.empty((10, 10))
    with monkeypatch.context() as patch:
        patch.setattr(type(device), "launch", None)
        cuda.dense(metric, found, engine)
        cuda.pairs(metric, np.array([0]), np.array([1]), engine)
        cuda.nearest(metric, 3, None, engine)
        cuda.spanning_tree(metric, engine)
    there = device.wrap(device.put(np.zeros((10, 10))))
    cuda.dense(metric, there, engine)
    assert (there.host == found).all()
