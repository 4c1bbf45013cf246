"""The engine: tiles, threads, errors, interruption, memory."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from joblib import Parallel, delayed
from reference.records import InRows

import wasserstein_transform as wt
from wasserstein_transform.engine import Task, Tile, current, cut_by_cost, cut_by_size, cut_evenly, fingerprint


def test_tiles_cover_all_rows_once(rng: np.random.Generator) -> None:
    for steps in (np.ones(1), np.full(5, 1e9), rng.uniform(0, 1e7, 1000), np.zeros(4)):
        tiles = cut_by_cost(steps)
        assert [row for tile in tiles for row in range(*tile)] == list(range(len(steps)))
    assert cut_by_cost(np.empty(0)) == []


def test_even_tiles_cover_all_rows_once() -> None:
    for n, steps in [(0, 1.0), (1, 1e9), (10, 1.0), (10, 5e6), (1001, 1e5)]:
        tiles = cut_evenly(n, steps)
        assert [i for tile in tiles for i in range(*tile)] == list(range(n))
    work = (998, 5e6), (64, 1e6), (10, 1e5)
    sizes = [[tile.stop - tile.start for tile in cut_evenly(n, steps)] for n, steps in work]
    assert sizes == [[4] * 249 + [2], [1] * 64, [5, 5]]  # less work has smaller tiles, down to about a millisecond


def _count(inputs: int, tile: Tile, stop: np.ndarray, record: tuple[np.ndarray]) -> None:
    record[0][:] += inputs


def test_every_tile_is_done_once_whatever_the_number_of_threads() -> None:
    for n_jobs in (1, 2, 7, -1):
        done = np.zeros(100, int)
        wt.Engine(n_jobs).run(Task("test", _count, 1, cut_by_size(100, 1), InRows()), (done,))
        assert (done == 1).all()


_started: list[int] = []


def _fail_at_three(inputs: None, tile: Tile, stop: np.ndarray, record: tuple[np.ndarray]) -> None:
    _started.append(tile.start)
    if tile.start == 3:
        raise ValueError("tile 3")
    time.sleep(0.01)


def test_a_job_with_one_thread_computes_joined_tiles_in_one_call() -> None:
    tiles = cut_by_size(10, 3)

    def seen(engine: wt.Engine, joined: bool) -> list[Tile]:
        found: list[Tile] = []
        engine.for_tiles("work", tiles, lambda tile, stop: found.append(tile), joined=joined)
        return sorted(found)

    engine = wt.Engine(n_jobs=2)
    for joined, wanted in ((False, tiles), (True, [Tile(0, 10)])):
        assert engine.map(lambda job, own: seen(own, job), [joined, joined], "jobs") == [wanted, wanted]
        assert seen(engine, joined) == tiles


def test_an_error_in_a_tile_is_raised_and_the_rest_is_dropped() -> None:
    _started.clear()
    with pytest.raises(ValueError, match="tile 3"):
        wt.Engine(2).run(Task("test", _fail_at_three, None, cut_by_size(1000, 1), InRows()), (np.empty(1000),))
    assert len(_started) < 100


def test_progress_counts_to_the_end_and_nothing_is_printed_unasked(capfd: pytest.CaptureFixture[str]) -> None:
    seen: list[wt.engine.Update] = []
    X = np.random.default_rng(0).normal(size=(3000, 2))
    wt.spaces.Euclidean(X).condensed(wt.Engine(progress=seen.append))
    assert seen[-2][:3] == ("distances", seen[-2].total, seen[-2].total)
    assert seen[-1].finished
    wt.GaussianTransform(eps=0.5).fit(X[:200])
    wt.GaussianTransform(eps=0.5, verbose=True).fit(X[:200])  # standard error is no terminal here
    assert capfd.readouterr() == ("", "")


def test_progress_of_a_loop_says_which_iteration_and_what_time_is_left() -> None:
    seen: list[wt.engine.Update] = []
    X = np.random.default_rng(0).normal(size=(300, 2))
    wt.iterate(
        wt.transforms.gaussian_transform(0.5), wt.Space.from_points(X), n_iter=4, engine=wt.Engine(progress=seen.append)
    )
    assert {update.iteration for update in seen if update.n_iter == 4} == {1, 2, 3, 4}
    assert [update.finished for update in seen].count(True) == 1
    assert {update.stage for update in seen} == {"means", "covariances", ""}
    assert all(update.remaining >= 0 for update in seen if update.iteration > 1)


def test_work_is_cancelled_from_another_thread() -> None:
    X = np.random.default_rng(0).normal(size=(1500, 2))
    wt.iterate(wt.transforms.local_truncation(5.0, p=2), wt.Space.from_points(X[:30]), n_iter=1)  # compile first
    with wt.using() as engine:
        threading.Timer(0.5, engine.cancel).start()
        with pytest.warns(wt.transforms.CostWarning, match="days"), pytest.raises(wt.engine.Cancelled):
            wt.iterate(wt.transforms.local_truncation(5.0, p=2), wt.Space.from_points(X), n_iter=1000)
        with pytest.raises(wt.engine.Cancelled):
            wt.spaces.Euclidean(X).dense()
    wt.spaces.Euclidean(X[:100]).dense()  # the engine outside of the block was not cancelled


def test_the_engine_in_use_reaches_estimators_functions_and_metrics() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    for work in (
        lambda: wt.GaussianTransform(eps=0.5).fit(X),
        lambda: wt.wasserstein_pairs(np.eye(3), X[:3]),
        lambda: wt.spaces.Euclidean(X).dense(),
        lambda: wt.hierarchy.spanning_tree(wt.Space.from_points(X)),
        lambda: wt.spaces.Graph.of([(0, 1), (1, 2)]).dense(),
        lambda: wt.bures_pairs(np.stack([np.eye(2)] * 20)),
    ):
        seen: list[wt.engine.Update] = []
        with wt.using(progress=seen.append):
            work()
        assert seen
        silent: list[wt.engine.Update] = []
        with wt.using(progress=silent.append), wt.using(progress=None):
            work()
        assert not silent


def test_an_explicit_engine_and_n_jobs_win() -> None:
    with wt.using(n_jobs=2) as outer:
        assert current().n_threads == 2
        assert current(wt.Engine(1)).n_threads == 1
        assert current(n_jobs=3).n_threads == 3
        assert current(n_jobs=None) is outer
        with wt.using(wt.Engine(4), memory=5.0) as inner:
            assert (inner.n_threads, inner.memory) == (4, 5.0)
        assert current() is outer
    assert current().n_jobs == -1


@pytest.mark.slow
def test_other_threads_and_processes_begin_with_the_default_engine() -> None:
    with wt.using(n_jobs=3):
        found: list[int] = []
        thread = threading.Thread(target=lambda: found.append(current().n_jobs))
        thread.start()
        thread.join()
        assert found == [-1]
        assert Parallel(n_jobs=2)(delayed(_jobs_here)() for _ in range(2)) == [1, 1]


def _jobs_here() -> int:
    return int(current().n_jobs)


def test_lazy_results_run_on_the_engine_that_is_current_when_they_are_read() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    with wt.using(n_jobs=1):
        gt = wt.GaussianTransform(eps=0.5).fit(X)
    seen: list[wt.engine.Update] = []
    with wt.using(progress=seen.append):
        _ = gt.distances_
    assert {update.stage for update in seen} == {"distances", ""}


def test_what_is_no_engine_is_refused() -> None:
    with pytest.raises(TypeError, match="engine"):
        wt.spaces.Euclidean(np.zeros((2, 1))).dense(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="device"), wt.using(device="abacus"):
        wt.spaces.Euclidean(np.zeros((2, 1))).dense()


def test_changes_that_no_engine_knows_are_named() -> None:
    with pytest.raises(TypeError, match="threads"):
        wt.using(threads=2).__enter__()


def test_fingerprints_are_of_values() -> None:
    X = np.arange(6.0).reshape(2, 3)
    assert fingerprint((X, 1, "a")) == fingerprint((X.copy(order="F"), 1, "a"))
    others = [(X.astype(np.float32), 1, "a"), (X.T, 1, "a"), (X, 1.0, "a"), (X, 1, "b"), [X, 1, "a"], (X, (1, "a"))]
    assert len({fingerprint(value) for value in [(X, 1, "a"), *others]}) == 1 + len(others)
    with pytest.raises(TypeError, match="a fingerprint needs arrays"):
        fingerprint(object())


def test_memory_is_refused_before_it_is_taken(caplog: pytest.LogCaptureFixture) -> None:
    space = wt.Space.from_points(np.random.default_rng(0).normal(size=(500, 2)))
    small = wt.Engine(memory=1e6)
    with pytest.raises(MemoryError, match="distance matrix"):
        space.metric.dense(small)
    with pytest.raises(MemoryError, match="neighbors in balls of radius"):
        space.metric.balls(10.0, small)
    with pytest.raises(MemoryError, match="1 iterations on 500 points"):
        wt.iterate(wt.transforms.local_truncation(0.1), space, n_iter=1, engine=small)
    with pytest.raises(MemoryError, match="exact distances of 500 measures"):
        wt.Exact().metric(wt.Truncation(0.1)(space), space.metric, small)
    with caplog.at_level(logging.INFO, "wasserstein_transform"):
        space.metric.dense()
    assert "500 × 500 distance matrix: 1.9 MiB" in caplog.text


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", None, True])
def test_n_jobs_must_be_a_number_of_threads(n_jobs: object) -> None:
    with pytest.raises(ValueError, match="n_jobs"):
        wt.Engine(n_jobs)  # type: ignore[arg-type]


INTERRUPTED = """
import signal
import numpy as np, wasserstein_transform as wt
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background jobs with Ctrl-C ignored
X = np.random.default_rng(0).normal(size={size})
wt.iterate({process}, wt.Space.from_points(X[:30]), n_iter=1)  # compile first
print("ready", flush=True)
wt.iterate({process}, wt.Space.from_points(X), n_iter=1000)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize(
    ("process", "size"),
    [
        ("wt.transforms.local_truncation(5.0, p=2)", (1500, 2)),  # single problems that take a good part of a second
        ("wt.transforms.gaussian_transform(1.0, 1.0)", (30_000, 3)),
    ],
    ids=["exact", "gaussian"],
)
def test_ctrl_c_ends_work_within_a_second(process: str, size: tuple[int, int]) -> None:
    script = INTERRUPTED.format(process=process, size=size)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(1.5)
    watchdog = threading.Timer(60, child.kill)
    watchdog.start()
    child.send_signal(signal.SIGINT)
    pressed = time.monotonic()
    _, err = child.communicate()
    watchdog.cancel()
    assert "KeyboardInterrupt" in err
    assert time.monotonic() - pressed < 5  # a second is the aim; a loaded machine gets some more
