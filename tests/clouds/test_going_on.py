"""A run that was ended goes on where it was, to the same bits; what is not its own, or damaged, is refused."""

from __future__ import annotations

import errno
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clouds.making import EPS, cloud, stored, weights_of

import wasserstein_transform as wt
from wasserstein_transform.clouds import advancing, entering
from wasserstein_transform.clouds.blocks import Damaged, Writer, open_block, writing_block
from wasserstein_transform.clouds.points import Points
from wasserstein_transform.engine.store import InUseError

N, N_ITER, PARTS = 900, 3, 5
PROCESS = wt.gaussian_transform(EPS[2], 2.0)


@pytest.fixture(scope="module")
def whole() -> wt.transforms.Trajectory:
    return wt.iterate(PROCESS, wt.Space.from_points(cloud(N, 2), 1 + weights_of(N)), n_iter=N_ITER)


def go(folder: Path, n_iter: int = N_ITER, process: Any = PROCESS, **asked: Any) -> wt.clouds.StoredTrajectory:
    source = wt.clouds.open_source(folder / "points.npy", weights=str(folder / "weights.npy"))
    return wt.clouds.iterate(process, source, folder=folder / "run", n_iter=n_iter, n_parts=PARTS, **asked)


def save(folder: Path) -> None:
    np.save(folder / "points.npy", cloud(N, 2))
    np.save(folder / "weights.npy", 1 + weights_of(N))


def assert_same(found: wt.clouds.StoredTrajectory, whole: wt.transforms.Trajectory) -> None:
    assert (found.movements, found.outcome) == (whole.movements, whole.outcome)
    np.testing.assert_array_equal(found.points(), whole.points)
    np.testing.assert_array_equal(found.covariances(), whole.last.metric.covs)  # type: ignore[attr-defined]


class Ended(Exception):  # noqa: N818
    """Somebody ended the run."""


def ends_after(n_updates: int) -> Callable[[object], None]:
    left = [n_updates]

    def progress(update: object) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Ended

    return progress


def test_finished_blocks_are_not_computed_again(
    whole: wt.transforms.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended at every twentieth update."""
    steps = list[Path]()

    def counting(job: Any, engine: Any) -> None:
        advancing_step(job, engine)
        steps.append(job.target)

    advancing_step = advancing.take_step
    monkeypatch.setattr(advancing, "take_step", counting)
    save(tmp_path)
    n_ended = 0
    with suppress(StopIteration):
        while n_ended < 50:
            with suppress(Ended):
                found = go(tmp_path, engine=wt.Engine(progress=ends_after(20)))
                raise StopIteration
            n_ended += 1
    assert n_ended > 1
    assert_same(found, whole)
    assert len(steps) == len(set(steps))
    assert len(steps) >= PARTS * (1 + N_ITER)


_KILLED = """
import os, signal, sys
from pathlib import Path
import wasserstein_transform as wt
from clouds.test_going_on import go

left = [int(sys.argv[2])]


def progress(update):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)


go(Path(sys.argv[1]), engine=wt.Engine(progress=progress))
"""


def killed_after(folder: Path, n_updates: int) -> int:
    paths = os.pathsep.join(sys.path)
    arguments = [sys.executable, "-c", _KILLED, str(folder), str(n_updates)]
    return subprocess.run(arguments, check=False, env={**os.environ, "PYTHONPATH": paths}).returncode


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize(
    "n_updates", [12, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 5, 9, 15, 17, 20, 23, 26, 29, 31))]
)
def test_a_killed_run_goes_on_to_the_same_bits(whole: wt.transforms.Trajectory, n_updates: int, tmp_path: Path) -> None:
    save(tmp_path)
    assert killed_after(tmp_path, n_updates) == -signal.SIGKILL
    assert_same(go(tmp_path), whole)


def test_a_finished_run_is_given_back_and_goes_on(whole: wt.transforms.Trajectory, tmp_path: Path) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=0)
    go(tmp_path, n_iter=2)
    assert_same(go(tmp_path), whole)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*.block")}
    assert_same(go(tmp_path), whole)
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*.block")}
    with pytest.raises(ValueError, match=r"has done 3 iterations already, and n_iter=2 are asked for in all"):
        go(tmp_path, n_iter=2)


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


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0x40
    path.write_bytes(bytes(content))


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
        Damaged, match=r"block is damaged: the checksum of its column 'rows' is wrong; the state before"
    ):
        go(tmp_path)
    block.unlink()
    with pytest.raises(Damaged, match=r"blocks are missing in .*tau-0001; the state before it is gone"):
        go(tmp_path)


def test_a_foreign_folder_is_refused(tmp_path: Path) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=0)
    with pytest.raises(ValueError, match=r"run holds a run of another process, of other columns"):
        go(tmp_path, process=wt.gaussian_transform(EPS[2], 2.5))
    (tmp_path / "run" / "run.json").write_text("{")
    with pytest.raises(ValueError, match=r"run.json is damaged, or no manifest of a run .* remove its folder"):
        go(tmp_path)
    (tmp_path / "run" / "run.json").unlink()
    with pytest.raises(ValueError, match=r"run holds other files, and no run of a cloud; give a new or empty folder"):
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
    for change in ({"state": "../x"}, {"hot": ["../../x"]}, {"n": -1}, {"n": "many"}, {"scale": [1]}, {"more": 1}):
        path.write_text(json.dumps({**said, **change}))
        with pytest.raises(ValueError, match=r"run.json is damaged, or no manifest"):
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


def test_any_flipped_byte_of_a_block_is_noticed(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(0), tmp_path / "a.block"
    points = Points(np.arange(50), rng.random((50, 2)), rng.random((50, 3)), rng.random(50), np.zeros(50, np.uint8))
    with writing_block(path, tuple(points.columns), 2) as writer:
        writer.add(points)
        writer.finish({"stamp": "x"})
    open_block(path).verify()
    good = path.read_bytes()
    for at in range(0, len(good), 7):
        flip(path, at)
        with pytest.raises(Damaged, match=r"a.block"):
            open_block(path).verify()
        path.write_bytes(good)
    for size in (0, 5, 20, len(good) // 2, len(good) - 1):
        path.write_bytes(good[:size])
        with pytest.raises(Damaged):
            open_block(path)


def test_a_cancelled_run_keeps_what_is_done(whole: wt.transforms.Trajectory, tmp_path: Path) -> None:
    save(tmp_path)
    engine = wt.Engine(progress=lambda update: engine.cancel() if update.done == 2 else None)
    with pytest.raises(wt.Cancelled):
        go(tmp_path, engine=engine)
    assert list((tmp_path / "run").rglob("tau-0000/*.block"))
    assert_same(go(tmp_path), whole)


def test_a_second_run_in_one_folder_is_refused(whole: wt.transforms.Trajectory, tmp_path: Path) -> None:
    """In another process, or another thread; a run that has ended, however it did, is in nobody's way."""
    save(tmp_path)
    said = list[str]()

    def also(update: object) -> None:
        if not said:
            said.append("")
            with pytest.raises(InUseError, match=r"the run in .*run is in use by this process; wait until it ends"):
                go(tmp_path)
            program = "from clouds.test_going_on import *; go(Path(sys.argv[1]))"
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            other = subprocess.run(
                [sys.executable, "-c", program, str(tmp_path)],
                check=False, env=environment, capture_output=True, text=True,
            )  # fmt: skip
            said.append(other.stderr)

    assert_same(go(tmp_path, engine=wt.Engine(progress=also)), whole)
    assert f"is in use by process {os.getpid()}; wait until it ends, or give another folder" in said[1]
    assert_same(go(tmp_path), whole)


def test_a_disk_that_fills_up_keeps_what_is_done(
    whole: wt.transforms.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path)
    go(tmp_path, n_iter=1)
    with monkeypatch.context() as patch:
        usage = shutil.disk_usage(tmp_path)
        patch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
        with pytest.raises(
            OSError, match=r"the next state needs .* bytes on disk, and 1e\+03 are free in .*run/tau-0002"
        ):
            go(tmp_path)
    with monkeypatch.context() as patch:
        written = [0]

        def full(writer: Writer, chunk: Points) -> None:
            written[0] += 1
            if written[0] > 3:
                raise OSError(errno.ENOSPC, "No space left on device")
            write(writer, chunk)

        write = Writer._write
        patch.setattr(Writer, "_write", full)
        with pytest.raises(OSError, match=r"No space left on device: '.*tau-0002/000003.block'"):
            go(tmp_path, engine=wt.Engine(n_jobs=1))
    assert len(list((tmp_path / "run" / "tau-0002").glob("*.block"))) == 3
    assert_same(go(tmp_path), whole)


def test_jobs_and_what_they_give_travel(
    whole: wt.transforms.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To another process, by pickle; little goes either way."""
    sizes = list[int]()

    def each(engine: wt.Engine, function: Any, jobs: Any, name: str) -> Any:
        for k, job in reversed(list(enumerate(jobs))):
            sent = pickle.dumps((function, job))
            do, what = pickle.loads(sent)
            back = pickle.dumps(do(what, wt.Engine(n_jobs=1)))
            sizes.extend([len(sent), len(back)])
            yield k, pickle.loads(back)

    monkeypatch.setattr(wt.Engine, "each", each)
    save(tmp_path)
    assert_same(go(tmp_path), whole)
    assert max(sizes) < 5000


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
            r"a kernel with a profile of a name, such as Truncation\(eps\), got",
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
        ({"n_iter": -1}, "n_iter must be a whole number ≥ 0"),
        ({"n_iter": 1, "tol": -1.0}, "tol must be a finite number ≥ 0"),
        ({"n_iter": 1, "n_parts": 0}, "n_parts must be a whole number ≥ 1"),
        ({"n_iter": 1, "merge": 0.1}, r"merge=0.1 is decided for all points together.*leave merge out"),
    ):
        with pytest.raises(ValueError, match=message):
            stored(tmp_path, process, X, **asked)
    with pytest.raises(ValueError, match=r"there are steps .* for 2 iterations, and iteration 3 was asked for"):
        stored(tmp_path, wt.mean_shift([1.0, 2.0]), X, n_iter=3)
