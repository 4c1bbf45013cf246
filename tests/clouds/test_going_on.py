"""A run that was ended, in whatever way, goes on where it was, to the same bits."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clouds.making import N_ITER, PARTS, PROCESS, Ended, N, assert_same, cloud, ends_after, go, save, weights_of

import wasserstein_transform as wt
from wasserstein_transform.clouds import loop as advancing
from wasserstein_transform.clouds.blocks import BlockWriter, CloudPoints
from wasserstein_transform.engine import InUseError


@pytest.fixture(scope="module")
def whole() -> wt.transforms.Trajectory:
    return wt.iterate(PROCESS, wt.Space.from_points(cloud(N, 2), 1 + weights_of(N)), n_iter=N_ITER)


def test_finished_blocks_are_not_computed_again(
    whole: wt.transforms.Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended at every tenth update."""
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
                found = go(tmp_path, engine=wt.Engine(n_jobs=1, progress=ends_after(10)))
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
from clouds.making import go

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


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize(
    "n_updates", [12, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 5, 9, 15, 17, 20, 23, 26))]
)
def test_a_killed_run_goes_on_to_the_same_bits(whole: wt.transforms.Trajectory, n_updates: int, tmp_path: Path) -> None:
    save(tmp_path)
    assert killed_after(tmp_path, n_updates) == -signal.SIGKILL
    assert_same(go(tmp_path), whole)


_CHANCE = """
import sys
from pathlib import Path
import wasserstein_transform as wt

folder = Path(sys.argv[1])
print("go", flush=True)
wt.clouds.iterate(wt.gaussian_transform(0.03), folder / "points.npy", folder=folder / "run", n_iter=3, n_parts=20)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_run_that_is_killed_at_random_ends_with_the_same_bits(tmp_path: Path) -> None:
    rng = np.random.default_rng()
    X, kills = np.random.default_rng(0).random((60_000, 2)), 0
    np.save(tmp_path / "points.npy", X)
    while True:
        child = subprocess.Popen([sys.executable, "-c", _CHANCE, str(tmp_path)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        with child.stdout:
            child.stdout.readline()
            try:
                assert child.wait(rng.uniform(0, 1.5) if kills < 40 else 600) == 0
                break
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                kills += 1
    assert kills > 2
    process = wt.gaussian_transform(0.03)
    found = wt.clouds.iterate(process, tmp_path / "points.npy", folder=tmp_path / "run", n_iter=3)
    assert_same(found, wt.iterate(process, wt.Space.from_points(X), n_iter=3))
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["lock", "run.json", "tau-0003"]


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


def test_a_cancelled_run_keeps_what_is_done(whole: wt.transforms.Trajectory, tmp_path: Path) -> None:
    save(tmp_path)
    engine = wt.Engine(progress=lambda update: engine.cancel() if update.done == 2 else None)
    with pytest.raises(wt.Cancelled):
        go(tmp_path, engine=engine)
    assert list((tmp_path / "run").rglob("tau-0000/*.block"))
    assert_same(go(tmp_path), whole)


@pytest.mark.slow
def test_a_second_run_in_one_folder_is_refused(whole: wt.transforms.Trajectory, tmp_path: Path) -> None:
    """In another process, or another thread; a run that has ended, however it did, is in nobody's way."""
    save(tmp_path)
    said = list[str]()

    def also(update: object) -> None:
        if not said:
            said.append("")
            with pytest.raises(InUseError, match=r"the run in .*run is in use by this process; wait until it ends"):
                go(tmp_path)
            program = "import sys; from pathlib import Path; from clouds.making import go; go(Path(sys.argv[1]))"
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

        def full(writer: BlockWriter, chunk: CloudPoints) -> None:
            written[0] += 1
            if written[0] > 3:
                raise OSError(errno.ENOSPC, "No space left on device")
            write(writer, chunk)

        write = BlockWriter._write
        patch.setattr(BlockWriter, "_write", full)
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
