"""Matrices that memory does not hold go to the folder of the store, if there is one, and give the same bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute import problems
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
        wt.Mean(wt.Truncation(0.1)), wt.transport.Stored(wt.DiracDistance()), SPACE, engine
    ),
}


def _step(
    localize: wt.localize.Localization, transport: wt.transport.Transport, space: wt.Space, engine: wt.Engine
) -> np.ndarray:
    metric = wt.Transform(localize, transport)(space, engine).metric
    assert isinstance(metric, wt.Dense)
    return metric.matrix


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "_MIRRORED_SIDE", 37)
    monkeypatch.setattr(dense, "_BLOCK_DISTANCES", 1000)


@pytest.fixture
def engine(tmp_path: Path) -> wt.Engine:
    return wt.Engine(n_jobs=2, memory=LESS, store=tmp_path / "store")


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


@pytest.mark.parametrize("name", WORK)
def test_without_a_store_it_is_refused_and_told_of_one(name: str) -> None:
    with pytest.raises(MemoryError, match=r"needs .* KiB, and 97.7 KiB are available; .*Engine\(store=folder\)"):
        WORK[name](wt.Engine(memory=LESS))


def test_what_fits_stays_in_memory(tmp_path: Path) -> None:
    engine = wt.Engine(memory=1e7, store=tmp_path / "store")
    assert not any(is_mapped(work(engine)) for work in WORK.values())


def test_a_flow_of_matrices_on_disk_is_that_in_memory(engine: wt.Engine) -> None:
    process = wt.local_truncation(0.08)
    mine, true = (wt.iterate(process, SPACE, n_iter=3, keep="all", engine=one) for one in (engine, wt.Engine()))
    assert mine.movements == true.movements
    for state, other in zip(mine.quotients, true.quotients, strict=True):
        np.testing.assert_array_equal(state.space.metric.dense(), other.space.metric.dense())
    assert all(state.space.metric.is_on_disk for state in mine.quotients[1:])
    trees = [wt.hierarchy.spanning_tree(walk.last) for walk in (mine, true)]
    np.testing.assert_array_equal(trees[0].edges, trees[1].edges)


@pytest.mark.parametrize("method", ["average", "complete"])
def test_linkage_of_distances_on_disk_is_that_in_memory(method: str, tmp_path: Path) -> None:
    engine = wt.Engine(memory=5e4, store=tmp_path / "store")
    np.testing.assert_array_equal(wt.linkage(SPACE, method, engine), wt.linkage(SPACE, method))
    with pytest.raises(MemoryError, match=r"11175 condensed distances needs .*Engine\(store=folder\)"):
        wt.linkage(SPACE, method, wt.Engine(memory=5e4))


def test_distances_in_a_file_are_a_table_on_disk_where_transport_needs_one(tmp_path: Path, engine: wt.Engine) -> None:
    SPACE.metric.condensed(out=tmp_path / "c.npy")
    space = wt.Space.from_distances(tmp_path / "c.npy", engine=engine)
    known = wt.Space.from_distances(SPACE.metric.dense())
    assert space.metric.is_on_disk
    step = wt.Transform(wt.Truncation(0.1), wt.Exact())
    np.testing.assert_array_equal(step(space, engine).metric.dense(), step(known).metric.dense())
    with pytest.raises(MemoryError, match=r"write them as a square float64 .npy file, .*Engine\(store=folder\)"):
        wt.Space.from_distances(tmp_path / "c.npy", engine=wt.Engine(memory=LESS))


def test_nothing_is_left_in_the_folder(engine: wt.Engine) -> None:
    assert isinstance(engine.store, wt.Store)
    before = set(engine.store.folder.iterdir())
    matrix = SPACE.metric.dense(engine)
    assert is_mapped(matrix)
    assert set(engine.store.folder.iterdir()) == before
