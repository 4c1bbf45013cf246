"""Matrices that memory does not hold go to the folder of a run, and give the same bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute.exact import problems
from wasserstein_transform.spaces import dense

X = np.random.default_rng(7).random((150, 2))
SPACE = wt.Space.from_points(X)
LINE = wt.Space.from_points(X[:, :1])
TWICE = wt.Space.from_points(np.concatenate([X[:75], X[:75]]))  # equal measures are solved once
LESS = 1e5  # of 180,000 bytes

WORK: dict[str, Callable[[wt.Engine], np.ndarray]] = {
    "a matrix": SPACE.metric.dense,
    "single precision": lambda engine: wt.Space.from_points(np.tile(X, (2, 1))).metric.dense(engine, dtype="f4"),
    "exact transport": lambda engine: _step(wt.Truncation(0.1), wt.Exact(p=2), SPACE, engine),
    "equal measures": lambda engine: _step(wt.Truncation(0.1), wt.Exact(), TWICE, engine),
    "transport on a line": lambda engine: _step(wt.Truncation(0.01), wt.transport.Line(), LINE, engine),
    "a stored transport": lambda engine: _step(
        wt.Mean(wt.Truncation(0.1)), wt.transport.Stored(wt.transport.DiracDistance()), SPACE, engine
    ),
}


def _step(
    localize: wt.localize.Localization, transport: wt.transport.Transport, space: wt.Space, engine: wt.Engine
) -> np.ndarray:
    metric = wt.Transform(localize, transport)(space, engine).metric
    assert isinstance(metric, wt.spaces.Dense)
    return metric.matrix


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "_MIRRORED_BLOCK_SIDE", 37)
    monkeypatch.setattr(dense, "_BLOCK_DISTANCES", 1000)


@pytest.fixture
def engine(tmp_path: Path) -> wt.Engine:
    return wt.Engine(n_jobs=2, memory=LESS, folder=tmp_path)


def is_mapped(array: np.ndarray) -> bool:
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


@pytest.mark.parametrize("name", WORK)
def test_what_does_not_fit_is_on_disk_and_the_same(name: str, engine: wt.Engine) -> None:
    found, truth = WORK[name](engine), WORK[name](wt.Engine())
    assert is_mapped(found)
    assert not is_mapped(truth)
    np.testing.assert_array_equal(found, truth)
    assert found.dtype == truth.dtype


@pytest.mark.parametrize("name", ["exact transport", "equal measures", "transport on a line"])
def test_without_a_folder_it_is_refused_and_told_of_one(name: str) -> None:
    with pytest.raises(MemoryError, match=r"needs .* KiB, and 97.7 KiB are available; .*out=folder\)"):
        WORK[name](wt.Engine(memory=LESS))


def test_what_fits_stays_in_memory(tmp_path: Path) -> None:
    engine = wt.Engine(memory=1e7, folder=tmp_path)
    assert not any(is_mapped(work(engine)) for work in WORK.values())


def test_a_flow_of_matrices_on_disk_is_that_in_memory(tmp_path: Path) -> None:
    process = wt.transforms.local_truncation(0.08)
    mine = wt.iterate(process, SPACE, n_iter=3, keep="all", out=tmp_path / "f", engine=wt.Engine(2, memory=LESS))
    true = wt.iterate(process, SPACE, n_iter=3, keep="all")
    assert mine.movements == true.movements
    for state, other in zip(mine.quotients, true.quotients, strict=True):
        np.testing.assert_array_equal(state.space.metric.dense(), other.space.metric.dense())
    assert all(state.space.metric.is_on_disk for state in mine.quotients[1:])
    trees = [wt.hierarchy.spanning_tree(walk.last) for walk in (mine, true)]
    np.testing.assert_array_equal(trees[0].edges, trees[1].edges)


def test_nothing_is_left_in_the_folder(engine: wt.Engine, tmp_path: Path) -> None:
    assert is_mapped(SPACE.metric.dense(engine))
    assert not list(tmp_path.iterdir())
