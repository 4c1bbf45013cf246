"""Stores: what was finished is found again, to the same bits, and nothing else is."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from engine.test_seams import WORK, cloud
from hypothesis import given, settings, strategies as st

import wasserstein_transform as wt
from wasserstein_transform._mapped import write_mapped
from wasserstein_transform.engine import InUseError, Lock, Overseer, Record, Task, Threads, tasks as tiles, tile_files
from wasserstein_transform.engine.tile_files import TileFiles


class Counting(Threads):
    """Threads that count the tiles of tasks."""

    def __init__(self) -> None:
        self.n_tiles = 0

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        self.n_tiles += len(task.tiles) * (len(task.tiles) > 1)
        super().run(task, out, engine)


@pytest.fixture
def fine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small tiles, so that small work has some to keep."""
    for function in (tiles.cut_evenly, tiles.cut_by_cost):
        monkeypatch.setattr(function, "__defaults__", (5e4,))


@pytest.mark.repeated(7)
@pytest.mark.parametrize("name", WORK)
def test_work_with_a_store_gives_the_bits_of_work_without_and_is_not_done_twice(
    name: str, tmp_path: Path, fine: None
) -> None:
    expected = WORK[name]()
    first, second = Counting(), Counting()
    for executor in (first, second):
        with wt.using(executor=executor, store=tmp_path / "store"):
            found = WORK[name]()
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other)
    assert second.n_tiles == 0


@pytest.mark.slow
def test_the_tasks_of_the_table_are_kept(tmp_path: Path, fine: None) -> None:
    """The test above would pass if nothing was a task."""
    kept = []
    for name in WORK:
        executor = Counting()
        with wt.using(executor=executor, store=tmp_path / "store"):
            WORK[name]()
        if executor.n_tiles:
            kept.append(name)
    assert {"matrix", "condensed", "LT-WT", "line", "paths", "transport on a graph"} <= set(kept)


X = cloud(120, 2)
PROCESS = wt.local_truncation(0.5)


def run(
    store: Path | None = None, n_iter: int = 3, executor: Threads | None = None, **options: object
) -> wt.transforms.Trajectory:
    engine = wt.Engine(store=store, executor=executor or Threads())
    return wt.iterate(PROCESS, wt.Space.from_points(X), n_iter=n_iter, engine=engine, **options)  # type: ignore[arg-type]


def same(one: wt.transforms.Trajectory, other: wt.transforms.Trajectory) -> None:
    assert (one.movements, one.n_iter, one.converged, one.outcome, one.first) == (
        other.movements, other.n_iter, other.converged, other.outcome, other.first
    )  # fmt: skip
    for a, b in zip(one.states, other.states, strict=True):
        np.testing.assert_array_equal(a.metric.dense(), b.metric.dense())


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every state is written, however little it costs."""
    monkeypatch.setattr(wt.transforms.trajectory, "_MAX_WRITING_SHARE", np.inf)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("keep", ["last", "all"])
@pytest.mark.parametrize("tol", [None, 0.05])
def test_iterations_go_on_where_they_were(
    keep: str, tol: float | None, tmp_path: Path, eager: None, fine: None
) -> None:
    expected = run(n_iter=6, keep=keep, tol=tol)
    halfway = run(tmp_path / "s", n_iter=2, keep=keep, tol=tol)
    assert halfway.n_iter == 2
    again = Counting()
    same(run(tmp_path / "s", n_iter=6, keep=keep, tol=tol, executor=again), expected)
    whole = Counting()
    run(n_iter=6, keep=keep, tol=tol, executor=whole)
    assert again.n_tiles < whole.n_tiles
    third = Counting()
    same(run(tmp_path / "s", n_iter=6, keep=keep, tol=tol, executor=third), expected)
    assert third.n_tiles == 0


def test_fewer_iterations_than_are_kept_are_computed_as_ever(tmp_path: Path, eager: None) -> None:
    run(tmp_path / "s", n_iter=5)
    same(run(tmp_path / "s", n_iter=1), run(n_iter=1))


@pytest.mark.slow
def test_other_data_parameters_and_tolerances_have_their_own_states(tmp_path: Path, eager: None) -> None:
    run(tmp_path / "s", n_iter=3)
    for other in ({"tol": 0.1}, {"merge": 0.01}):
        same(run(tmp_path / "s", n_iter=3, **other), run(n_iter=3, **other))
    engine, space = wt.Engine(store=tmp_path / "s"), wt.Space.from_points(X + 1e-9)
    moved = wt.iterate(PROCESS, space, n_iter=3, engine=engine)
    same(moved, wt.iterate(PROCESS, space, n_iter=3))


def test_who_saw_no_mass_is_remembered(tmp_path: Path, eager: None) -> None:
    space = wt.Space.from_points([[0.0], [1.0], [9.0]], weights=[1, 1, 0])
    for n_iter in (1, 2):
        with pytest.warns(wt.transforms.MasslessWarning, match="1 of 3 points"):
            wt.iterate(wt.mean_shift(1.0), space, n_iter=n_iter, engine=wt.Engine(store=tmp_path / "s"))


def test_profiles_without_a_name_are_computed_and_not_kept(tmp_path: Path) -> None:
    process = wt.kernel_transform(0.5, lambda t: np.exp(-t), cut=2.0)
    space = wt.Space.from_points(X)
    with pytest.warns(wt.engine.StoreWarning, match="a function cannot be stored"):
        found = wt.iterate(process, space, n_iter=1, engine=wt.Engine(store=tmp_path / "s"))
    same(found, wt.iterate(process, space, n_iter=1))


def test_damaged_states_are_computed_again_and_that_is_said(tmp_path: Path, eager: None) -> None:
    expected = run(tmp_path / "s", n_iter=3)
    newest = max((tmp_path / "s" / "states").glob("*/*.npz"))
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    with pytest.warns(wt.engine.StoreWarning, match="computed again"):
        same(run(tmp_path / "s", n_iter=3), expected)


def test_flipped_bytes_of_tiles_are_computed_again_and_that_is_said(tmp_path: Path, fine: None) -> None:
    metric, expected = wt.Euclidean(cloud(600, 2)), wt.Euclidean(cloud(600, 2)).condensed()
    with wt.using(store=tmp_path / "s"):
        metric.condensed()
    (file,) = (tmp_path / "s" / "tiles").iterdir()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)
    counting = Counting()
    with wt.using(store=tmp_path / "s", executor=counting), pytest.warns(wt.engine.StoreWarning, match="again"):
        np.testing.assert_array_equal(metric.condensed(), expected)
    with wt.using(store=tmp_path / "s", executor=(third := Counting())):
        np.testing.assert_array_equal(metric.condensed(), expected)
    assert third.n_tiles == 0


def test_a_file_of_tiles_that_was_cut_is_said_to_be_damaged_and_computed_again(tmp_path: Path, fine: None) -> None:
    metric, expected = wt.Euclidean(cloud(600, 2)), wt.Euclidean(cloud(600, 2)).condensed()
    with wt.using(store=tmp_path / "s"):
        metric.condensed()
    (file,) = (tmp_path / "s" / "tiles").iterdir()
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.warns(wt.engine.StoreWarning, match="is damaged: some finished tiles are computed again"):
        store = wt.Store(tmp_path / "s")
    np.testing.assert_array_equal(metric.condensed(wt.Engine(store=store)), expected)


RECORDS = {f"{'ab'[k % 2] * 32}/{k}": np.arange(7.0 * k).tobytes() for k in range(1, 6)}


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_files_of_tiles_give_what_was_put_there_or_nothing(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("tiles")
    files = TileFiles(folder)
    for name, record in RECORDS.items():
        files.add(name, record)
    assert files.flush() is None
    (path,) = folder.iterdir()
    content = bytearray(path.read_bytes())
    change = data.draw(st.sampled_from(["flip", "cut", "insert", "swap"]))
    at = data.draw(st.integers(0, len(content) - 1))
    if change == "flip":
        content[at] ^= data.draw(st.integers(1, 255))
    elif change == "cut":
        del content[at : at + data.draw(st.integers(1, len(content)))]
    elif change == "insert":
        content[at:at] = data.draw(st.binary(min_size=1, max_size=80))
    else:
        other = data.draw(st.integers(0, len(content) - 1))
        content[at], content[other] = content[other], content[at]
    path.write_bytes(content)
    files = TileFiles(folder)
    for name, record in RECORDS.items():
        if files.read(name) is None:
            files.add(name, record)
    assert files.flush() is None
    whole = TileFiles(folder)
    assert {name: whole.read(name) for name in RECORDS} == RECORDS


def test_finished_tiles_are_written_although_the_next_one_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tile_files, "_MAX_SECONDS", 0.05)
    files = TileFiles(tmp_path)
    files.add("a/0", b"finished")
    deadline = time.monotonic() + 10
    while not list(tmp_path.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert TileFiles(tmp_path).read("a/0") == b"finished"


def test_many_small_files_are_merged_and_large_ones_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tile_files, "_MAX_NEW_FILES", 20)
    monkeypatch.setattr(tile_files, "_MAX_BYTES", 4000)
    files, records = TileFiles(tmp_path), {f"a/{k}": bytes([k]) * (5000 if k == 7 else 100) for k in range(100)}
    for name, record in records.items():
        files.add(name, record)
        assert files.flush() is None
        assert len(list(tmp_path.iterdir())) <= 30
    for found in (files, TileFiles(tmp_path)):
        assert {name: found.read(name) for name in records} == records
    files.add("b/0", b"another task")
    files.flush()
    files.forget(["a"])
    assert len(list(tmp_path.iterdir())) == 1
    assert TileFiles(tmp_path).read("b/0") == b"another task"


def test_a_foreign_folder_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match="other files"):
        wt.Engine(store=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(NotADirectoryError):
        wt.Engine(store=tmp_path / "thesis.tex")
    with pytest.raises(FileNotFoundError):
        wt.Engine(store=tmp_path / "no" / "such")
    with pytest.raises(TypeError, match="folder"):
        wt.Engine(store=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"format": "other"}', '{"format": "wasserstein-transform store", "version": "x", "code": {}}'],
)
def test_a_damaged_store_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "store.json").write_text(content)
    with pytest.raises(ValueError, match="damaged or that of another program"):
        wt.Store(tmp_path)


def test_a_store_of_later_versions_is_refused_and_of_other_code_not_used(tmp_path: Path) -> None:
    wt.Store(tmp_path / "s").close()
    about = json.loads((tmp_path / "s" / "store.json").read_text())
    (tmp_path / "s" / "store.json").write_text(json.dumps(about | {"code": about["code"] | {"numba": "0.1"}}))
    with pytest.warns(wt.engine.StoreWarning, match="another version, or for another processor"):
        wt.Store(tmp_path / "s").close()
    (tmp_path / "s" / "store.json").write_text(json.dumps(about | {"version": 2}))
    with pytest.raises(ValueError, match="has version 2"):
        wt.Store(tmp_path / "s")


def test_leftovers_are_swept(tmp_path: Path) -> None:
    wt.Store(tmp_path / "s").states("a" * 32)
    left = [tmp_path / "s" / ".0123.part", tmp_path / "s" / "states" / ("a" * 32) / ".0123.part"]
    for path in left:
        path.write_bytes(b"half")
    wt.Store(tmp_path / "s").close()
    wt.Store(tmp_path / "s").close()
    assert not any(path.exists() for path in left)


HOLD = """
import sys, time, wasserstein_transform as wt
store = wt.Store(sys.argv[1])
print("open", flush=True)
time.sleep(60)
"""


def test_a_second_process_is_refused_until_the_first_one_dies(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path / "s"], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(InUseError, match=f"in use by process {other.pid}"):
            wt.Engine(store=tmp_path / "s")
        other.kill()
    wt.Engine(store=tmp_path / "s")


def _opened(folder: Path) -> str:
    try:
        wt.Store(folder)
    except InUseError as error:
        return str(error)
    return "opened"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_does_not_have_the_store_of_its_parent(tmp_path: Path) -> None:
    store = wt.Store(tmp_path / "s")
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert f"in use by process {os.getpid()}" in pool.apply(_opened, (tmp_path / "s",))
    assert wt.Store(tmp_path / "s") is store


def test_a_copy_of_the_folder_leaves_it_locked(tmp_path: Path) -> None:
    """POSIX locks end when any descriptor of the file is closed."""
    store = wt.Store(tmp_path / "s")
    shutil.copytree(tmp_path / "s", tmp_path / "backup")
    tried = subprocess.run([sys.executable, "-c", HOLD, tmp_path / "s"], capture_output=True, text=True, check=False)
    assert f"in use by process {os.getpid()}" in tried.stderr
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_does_not_keep_the_lock_when_its_parent_closes_the_store(tmp_path: Path) -> None:
    store = wt.Store(tmp_path / "s")
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert "in use" in pool.apply(_opened, (tmp_path / "s",))
        store.close()
        assert pool.apply(_opened, (tmp_path / "s",)) == "opened"


def test_a_second_lock_in_one_process_is_refused(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "lock", "the run")
    with pytest.raises(InUseError, match="the run is in use by this process"):
        Lock(tmp_path / "lock", "the run")
    lock.release()
    Lock(tmp_path / "lock", "the run").release()


@pytest.mark.skipif(os.name == "nt", reason="other locks there")
def test_a_file_system_without_locks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", unsupported)
    with pytest.raises(OSError, match=r"cannot be written to \(files cannot be locked on this file system: No locks"):
        wt.Store(tmp_path / "s")


@pytest.mark.parametrize("name", ["lock", "tiles", "states", "files"])
def test_a_link_in_a_store_is_refused_and_its_target_left_alone(name: str, tmp_path: Path) -> None:
    target = tmp_path / "mine"
    if name == "lock":
        target.write_text("years of work")
    else:
        target.mkdir()
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / name).symlink_to(target)
    with pytest.raises(OSError, match="is a link"):
        wt.Store(tmp_path / "s")
    assert name != "lock" or target.read_text() == "years of work"


def test_links_in_place_of_kept_work_are_refused_and_their_targets_left_alone(tmp_path: Path, fine: None) -> None:
    (mine := tmp_path / "mine").write_text("years of work")
    (tmp_path / "folder").mkdir()
    with wt.using(store=tmp_path / "s"):
        wt.Euclidean(cloud(600, 2)).condensed()
    (file,) = (tmp_path / "s" / "tiles").iterdir()
    file.unlink()
    file.symlink_to(mine)
    with pytest.warns(wt.engine.StoreWarning, match="is damaged"):
        store = wt.Store(tmp_path / "s")
    with store:
        store.states("a").rmdir()
        (tmp_path / "s" / "states" / "a").symlink_to(tmp_path / "folder")
        with pytest.raises(OSError, match="is a link"):
            store.states("a")
        (tmp_path / "unfinished").symlink_to(mine)
        with pytest.raises(OSError, match="is a link"):
            write_mapped(tmp_path / "d.npy", np.dtype(float), (3,), lambda _: None, "d", tmp_path / "unfinished")
    assert mine.read_text() == "years of work"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_among_the_files_of_tiles_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "00000001.zip")
    TileFiles(tmp_path).add("a/0", b"finished")


def test_one_process_has_one_store_for_a_folder_however_it_is_named(tmp_path: Path, fine: None) -> None:
    store = wt.Store(tmp_path / "s")
    (tmp_path / "link").symlink_to(tmp_path / "s")
    assert wt.Store(tmp_path / "link") is store
    assert pickle.loads(pickle.dumps(store)) is store
    store.close()
    with pytest.raises(ValueError, match="was closed"):
        wt.Euclidean(cloud(600, 2)).condensed(wt.Engine(store=store))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind here")
def test_a_folder_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir(mode=0o500)
    with pytest.raises(PermissionError, match=r"cannot be written to \(Permission denied\)"):
        wt.Engine(store=tmp_path / "s")


def test_what_cannot_be_kept_is_computed_all_the_same(
    tmp_path: Path, fine: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = wt.Euclidean(cloud(600, 2)).condensed()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tile_files, "writing", full)
    with wt.using(store=tmp_path / "s"), pytest.warns(wt.engine.StoreWarning, match="No space left"):
        np.testing.assert_array_equal(wt.Euclidean(cloud(600, 2)).condensed(), expected)


WORKER = Path(__file__).with_name("killed.py")


def killed_and_started_again(folder: Path, rng: np.random.Generator, n_kills: int) -> int:
    """Kill a run at random moments, then let it end: how many tiles it still had to compute."""
    command = [sys.executable, WORKER, folder / "store", folder / "result.npz"]
    for k in range(n_kills + 1):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
            assert worker.stdout is not None
            if k == n_kills:
                return int(worker.stdout.read().split()[-1])
            for _ in range(rng.integers(0, 300)):
                worker.stdout.readline()
            time.sleep(float(rng.uniform(0, 0.02)))
            worker.kill()
    raise AssertionError


def as_if_never_killed(folder: Path) -> int:
    command = [sys.executable, WORKER, folder / "store", folder / "result.npz"]
    return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()[-1])


def equal_results(one: Path, other: Path) -> None:
    with np.load(one / "result.npz") as found, np.load(other / "result.npz") as truth:
        assert truth.files
        for name in truth.files:
            np.testing.assert_array_equal(found[name], truth[name])


@pytest.mark.slow
def test_a_killed_run_ends_with_the_bits_of_one_that_was_not(tmp_path: Path) -> None:
    for name in ("killed", "whole"):
        (tmp_path / name).mkdir()
    left = killed_and_started_again(tmp_path / "killed", np.random.default_rng(0), 2)
    assert left < as_if_never_killed(tmp_path / "whole")
    equal_results(tmp_path / "killed", tmp_path / "whole")


@pytest.mark.slow
def test_fifty_random_kills(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    (tmp_path / "whole").mkdir()
    whole = as_if_never_killed(tmp_path / "whole")
    for k in range(10):
        (tmp_path / f"{k}").mkdir()
        assert killed_and_started_again(tmp_path / f"{k}", rng, 5) <= whole
        equal_results(tmp_path / f"{k}", tmp_path / "whole")


@pytest.mark.parametrize("shape", ["dense", "condensed"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_matrices_in_files_are_filled_where_they_are_and_go_on(
    shape: str, dtype: str, tmp_path: Path, fine: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = wt.Euclidean(cloud(1200, 2))
    expected = getattr(metric, shape)(dtype=dtype)
    calls = 0

    def interrupted(update: wt.engine.Update) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt

    target = tmp_path / "d.npy"
    with pytest.raises(KeyboardInterrupt), wt.using(n_jobs=1, store=tmp_path / "s", progress=interrupted):
        getattr(metric, shape)(dtype=dtype, out=target)
    assert not target.exists()
    (unfinished,) = (tmp_path / "s" / "files").iterdir()
    assert sum(path.stat().st_size for path in (tmp_path / "s" / "tiles").iterdir()) < 5000  # sums, not the numbers
    again, whole = Counting(), Counting()
    with wt.using(store=tmp_path / "s", executor=again):
        found = getattr(metric, shape)(dtype=dtype, out=target)
    getattr(metric, shape)(wt.Engine(executor=whole), dtype=dtype)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.load(target), expected)
    assert again.n_tiles < whole.n_tiles
    assert not unfinished.exists()


def test_flipped_bytes_of_a_file_that_was_left_are_computed_again(tmp_path: Path, fine: None) -> None:
    metric = wt.Euclidean(cloud(1200, 2))
    reports: list[wt.engine.Update] = []

    def interrupted(update: wt.engine.Update) -> None:
        reports.append(update)
        if len(reports) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), wt.using(n_jobs=1, store=tmp_path / "s", progress=interrupted):
        metric.condensed(out=tmp_path / "d.npy")
    (unfinished,) = (tmp_path / "s" / "files").iterdir()
    content = bytearray(unfinished.read_bytes())
    content[200] ^= 1  # of the first tile
    unfinished.write_bytes(content)
    with wt.using(store=tmp_path / "s"), pytest.warns(wt.engine.StoreWarning, match="1 damaged tiles"):
        found = metric.condensed(out=tmp_path / "d.npy")
    np.testing.assert_array_equal(found, metric.condensed())
