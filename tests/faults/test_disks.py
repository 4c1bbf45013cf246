"""Disks that are full or may not be written, clocks that jump: results stay right, and what is lost is said."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine.test_seams import cloud

import wasserstein_transform as wt
from wasserstein_transform.engine import tiles

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
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of ZipFile, by older NumPy
@pytest.mark.parametrize(
    "process", [wt.transforms.local_truncation(0.6), wt.transforms.gaussian_transform(0.6, 1.0)], ids=repr
)
def test_a_run_stops_at_a_full_disk_and_goes_on_when_there_is_room(process: Any, small: Path) -> None:
    space, ballast = wt.Space.from_points(cloud(140, 2)), small / "ballast"
    expected = wt.iterate(process, space, n_iter=2).last.metric.dense()
    ballast.write_bytes(bytes(190_000))
    with pytest.raises(OSError, match="No space left on device"):
        wt.iterate(process, space, n_iter=2, out=small / "f")
    ballast.unlink()
    tight = mounted(small, "size=2m,remount")
    np.testing.assert_array_equal(wt.iterate(process, space, n_iter=2, out=tight / "f").last.metric.dense(), expected)


@needs_mounts
def test_a_full_disk_holds_no_half_result(small: Path) -> None:
    with pytest.raises(OSError, match="on disk"):
        wt.spaces.Euclidean(cloud(600, 2)).condensed(out=small / "d.npy")
    assert not any(small.iterdir())


@needs_mounts
def test_a_disk_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    mounted(tmp_path, "size=1m,ro")
    try:
        with pytest.raises(OSError, match="Read-only file system"):
            wt.iterate(wt.transforms.mean_shift(1.0), wt.Space.from_points(cloud(8, 2)), n_iter=1, out=tmp_path / "f")
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)


def test_clocks_that_jump_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = wt.Space.from_points(cloud(80, 2))
    expected = wt.iterate(wt.transforms.local_truncation(0.6), space, n_iter=3)
    now = iter(np.random.default_rng(0).uniform(-1e9, 1e10, 100_000).tolist())
    monkeypatch.setattr(time, "time", lambda: next(now))
    updates: list[wt.engine.Update] = []
    for n_iter in (1, 3):
        engine = wt.Engine(progress=updates.append)
        found = wt.iterate(wt.transforms.local_truncation(0.6), space, n_iter=n_iter, out=tmp_path / "f", engine=engine)
        for path in (tmp_path / "f").iterdir():
            os.utime(path, (next(now) % 1e9, next(now) % 1e9))
    np.testing.assert_array_equal(found.last.metric.dense(), expected.last.metric.dense())
    assert all(not update.remaining < 0 for update in updates)
