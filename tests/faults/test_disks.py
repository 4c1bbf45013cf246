"""Disks that are full or may not be written, clocks that jump: results stay right, and what is lost is said."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from engine.test_seams import cloud

import wasserstein_transform as wt
from wasserstein_transform.engine import tasks as tiles

pytestmark = pytest.mark.slow


def mounted(folder: Path, options: str) -> Path:
    """A file system of its own in memory."""
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("file systems cannot be mounted here")
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of 200 KiB."""
    yield mounted(tmp_path, "size=200k")
    subprocess.run(["umount", "-l", tmp_path], check=True)


@pytest.fixture(autouse=True)
def fine(monkeypatch: pytest.MonkeyPatch) -> None:
    for function in (tiles.cut_evenly, tiles.cut_by_cost):
        monkeypatch.setattr(function, "__defaults__", (5e4,))


needs_mounts = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root mounts disks")


@needs_mounts
def test_a_full_disk_ends_keeping_and_not_the_work(small: Path) -> None:
    metric = wt.Euclidean(cloud(600, 2))
    expected = metric.condensed()
    with wt.using(store=small / "s"), pytest.warns(wt.engine.StoreWarning, match="No space left on device"):
        np.testing.assert_array_equal(metric.condensed(), expected)
    with wt.using(store=small / "s"), pytest.warns(wt.engine.StoreWarning, match="No space left on device"):
        np.testing.assert_array_equal(metric.condensed(), expected)


@needs_mounts
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of ZipFile, by older NumPy
def test_states_that_do_not_fit_the_disk_are_done_without(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wt.transforms.trajectory, "_MAX_WRITING_SHARE", np.inf)
    space = wt.Space.from_points(cloud(4000, 2))
    expected = wt.iterate(wt.gaussian_transform(0.3, 1.0), space, n_iter=2)
    with pytest.warns(wt.engine.StoreWarning, match="no longer kept"):
        found = wt.iterate(wt.gaussian_transform(0.3, 1.0), space, n_iter=2, engine=wt.Engine(store=small / "s"))
    np.testing.assert_array_equal(found.points, expected.points)


@needs_mounts
def test_a_full_disk_holds_no_half_result(small: Path) -> None:
    with pytest.raises(OSError, match="on disk"):
        wt.Euclidean(cloud(600, 2)).condensed(out=small / "d.npy")
    assert not any(small.iterdir())


@needs_mounts
def test_a_disk_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    mounted(tmp_path, "size=1m,ro")
    try:
        with pytest.raises(OSError, match=r"cannot be written to .*; give another folder"):
            wt.Engine(store=tmp_path / "s")
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)


def test_clocks_that_jump_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = wt.Space.from_points(cloud(80, 2))
    expected = wt.iterate(wt.local_truncation(0.6), space, n_iter=3)
    now = iter(np.random.default_rng(0).uniform(-1e9, 1e10, 100_000).tolist())
    monkeypatch.setattr(time, "time", lambda: next(now))
    updates: list[wt.engine.Update] = []
    for n_iter in (1, 3):
        engine = wt.Engine(store=tmp_path / "s", progress=updates.append)
        found = wt.iterate(wt.local_truncation(0.6), space, n_iter=n_iter, engine=engine)
        for path in (tmp_path / "s").rglob("*"):
            os.utime(path, (next(now) % 1e9, next(now) % 1e9))
    np.testing.assert_array_equal(found.last.metric.dense(), expected.last.metric.dense())
    assert all(not update.remaining < 0 for update in updates)
