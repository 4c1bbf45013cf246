"""What is damaged, or another's, or needs all points at once is computed again or refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clouds.making import (
    EPS,
    N_ITER,
    PROCESS,
    Ended,
    N,
    assert_same,
    cloud,
    ends_after,
    flip,
    go,
    save,
    stored,
    weights_of,
)

import wasserstein_transform as wt
from wasserstein_transform._arrays import DamagedError
from wasserstein_transform.clouds import ingest as entering
from wasserstein_transform.clouds.blocks import CloudPoints, is_undamaged, open_block, writing_block


@pytest.fixture(scope="module")
def whole() -> wt.transforms.Trajectory:
    return wt.iterate(PROCESS, wt.Space.from_points(cloud(N, 2), 1 + weights_of(N)), n_iter=N_ITER)


def test_leftovers_are_swept_and_files_of_others_are_not(whole: wt.transforms.Trajectory, tmp_path: Path) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=1)
    run = tmp_path / "run"
    (run / "tau-0000").mkdir()
    (run / "tau-0000" / "000000.block").write_bytes(b"old")
    (run / "tau-0002").mkdir()
    (run / "tau-0002" / "000077.block").write_bytes(b"of a plan that is gone")
    (run / f".{16 * 'a'}.part").write_bytes(b"draft")
    (run / "tau-0001" / f".{16 * 'b'}.part").write_bytes(b"draft")
    (run / "notes.txt").write_text("mine")
    assert_same(go(tmp_path), whole)
    assert sorted(path.name for path in run.iterdir()) == ["lock", "notes.txt", "run.json", "tau-0003"]


def test_a_damaged_block_of_an_unfinished_state_is_computed_again(
    whole: wt.transforms.Trajectory, tmp_path: Path
) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=1)
    with pytest.raises(Ended):
        go(tmp_path, engine=wt.Engine(progress=ends_after(4)))
    blocks = sorted((tmp_path / "run" / "tau-0002").glob("*.block"))
    assert len(blocks) >= 2
    flip(blocks[0], 300)  # in a column
    flip(blocks[1], -100)  # in the footer
    assert_same(go(tmp_path), whole)


def test_links_in_the_folder_of_a_run_are_refused_and_their_targets_left_alone(tmp_path: Path) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=1)
    (mine := tmp_path / "mine").write_text("years of work")
    with pytest.raises(Ended):
        go(tmp_path, engine=wt.Engine(progress=ends_after(4)))
    block = next((tmp_path / "run" / "tau-0002").glob("*.block"))
    block.unlink()
    block.symlink_to(mine)
    with pytest.raises(OSError, match="is a link"):
        go(tmp_path)
    lock = tmp_path / "run" / "lock"
    lock.unlink()
    lock.symlink_to(mine)
    with pytest.raises(OSError, match="is a link"):
        go(tmp_path)
    assert mine.read_text() == "years of work"


def test_a_damaged_block_of_the_first_state_is_read_again(whole: wt.transforms.Trajectory, tmp_path: Path) -> None:
    save(tmp_path)
    with pytest.raises(Ended):
        go(tmp_path, engine=wt.Engine(progress=ends_after(6)))  # all points are in blocks, and a part or two is done
    (block,) = (tmp_path / "run" / "ingest").glob("*.block")
    flip(block, 4000)
    assert_same(go(tmp_path), whole)


def test_a_damaged_block_of_a_later_state_is_an_error(tmp_path: Path) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=1)
    (block, *_) = sorted((tmp_path / "run" / "tau-0001").glob("*.block"))
    flip(block, 300)
    with pytest.raises(
        DamagedError, match=r"block is damaged: the checksum of its column 'rows' is wrong; the state before"
    ):
        go(tmp_path)
    block.unlink()
    with pytest.raises(DamagedError, match=r"blocks are missing in .*tau-0001; the state before it is gone"):
        go(tmp_path)


def test_a_foreign_folder_is_refused(tmp_path: Path) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=0)
    with pytest.raises(ValueError, match=r"run holds a run of another process, of other columns"):
        go(tmp_path, process=wt.gaussian_transform(EPS[2], 2.5))
    (tmp_path / "run" / "run.json").write_text("{")
    with pytest.raises(ValueError, match=r"run.json is damaged, or not the manifest of a run .* remove its folder"):
        go(tmp_path)
    (tmp_path / "run" / "run.json").unlink()
    with pytest.raises(ValueError, match=r"run holds other files, but no run of a cloud; give a new or empty folder"):
        go(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "run").write_text("")
    with pytest.raises(NotADirectoryError, match=r"a folder is needed for the blocks of a run, got the file"):
        stored(tmp_path / "other", PROCESS, cloud(9, 2), n_iter=0)


def test_a_manifest_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=0)
    path = tmp_path / "run" / "run.json"
    said = json.loads(path.read_text())
    for change in ({"state": "../x"}, {"state": 3}, {"n": -1}, {"n": "many"}, {"scale": [1]}, {"more": 1}):
        path.write_text(json.dumps({**said, **change}))
        with pytest.raises(ValueError, match=r"run.json is damaged, or not the manifest"):
            go(tmp_path)


def test_the_same_points_under_another_date_are_the_same(
    whole: wt.transforms.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=1)
    os.utime(tmp_path / "points.npy", ns=(1, 1))
    assert_same(go(tmp_path, n_iter=N_ITER), whole)
    monkeypatch.setattr(entering, "_check_digest", None)  # the new date is known now: points are not compared again
    go(tmp_path)


def test_other_points_are_refused(tmp_path: Path) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=1)
    X = cloud(N, 2)
    X[17, 1] = np.nextafter(X[17, 1], np.inf)
    np.save(tmp_path / "points.npy", X)
    with pytest.raises(ValueError, match=r"points.npy does not hold the points that the run in .*run began with"):
        go(tmp_path)


def test_points_that_change_while_few_are_read_are_read_again(tmp_path: Path) -> None:
    save(tmp_path)
    with pytest.raises(Ended):
        go(tmp_path, engine=wt.Engine(progress=ends_after(2)))
    X = cloud(N, 2, seed=5)
    np.save(tmp_path / "points.npy", X)
    found = go(tmp_path)
    truth = wt.iterate(PROCESS, wt.Space.from_points(X, 1 + weights_of(N)), n_iter=N_ITER)
    np.testing.assert_array_equal(found.points(), truth.points)


@pytest.mark.slow
def test_any_flipped_byte_of_a_block_is_noticed(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(0), tmp_path / "a.block"
    points = CloudPoints(
        np.arange(50), rng.random((50, 2)), rng.random((50, 3)), rng.random(50), np.zeros(50, np.uint8)
    )
    with writing_block(path, tuple(points.columns), 2) as writer:
        writer.add(points)
        writer.finish({"stamp": "x"})
    assert is_undamaged(path)
    good = path.read_bytes()
    for at in range(0, len(good), 7):
        flip(path, at)
        assert not is_undamaged(path)
        path.write_bytes(good)
    for size in (0, 5, 20, len(good) // 2, len(good) - 1):
        path.write_bytes(good[:size])
        with pytest.raises(DamagedError):
            open_block(path)


@pytest.mark.parametrize(
    ("process", "message"),
    [
        (wt.local_truncation(1.0), r"Exact\(p=1.0\) makes a metric without points, of n × n distances; use wt.mean_sh"),
        (
            wt.mean_shift(1.0, "gaussian"),
            r"finite reach, and Kernel\(.*\) reaches everywhere; give it a cut, as in Ker",
        ),
        (
            wt.mean_shift(1.0, lambda t: np.exp(-t)),
            r"a kernel with a named profile, such as Truncation\(eps\), got",
        ),
        (wt.Transform(wt.Mean(wt.Nearest(3)), wt.DiracDistance()), r"such as Truncation\(eps\), got Nearest\(k=3"),
    ],
)
def test_processes_that_need_all_points_are_refused(process: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        stored(tmp_path, process, cloud(9, 2), n_iter=1)
    assert not (tmp_path / "run").exists()


def test_arguments_are_checked(tmp_path: Path) -> None:
    process, X = wt.mean_shift(1.0), cloud(9, 2)
    for asked, message in (
        ({"n_iter": -1}, "n_iter must be an integer ≥ 0"),
        ({"n_iter": 1, "tol": -1.0}, "tol must be a finite number ≥ 0"),
        ({"n_iter": 1, "n_parts": 0}, "n_parts must be an integer ≥ 1"),
        ({"n_iter": 1, "merge": 0.1}, r"merge=0.1 is decided for all points together.*leave merge out"),
    ):
        with pytest.raises(ValueError, match=message):
            stored(tmp_path, process, X, **asked)
    with pytest.raises(ValueError, match="iteration 3"):
        stored(tmp_path, wt.mean_shift([1.0, 2.0]), X, n_iter=3)
