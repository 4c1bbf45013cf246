"""Heavy tasks and jobs on a cluster of Dask: the bits of threads, whatever happens to workers."""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from reference.executor import InRows
from test_seams import TASKS, WORK

import wasserstein_transform as wt
from wasserstein_transform.engine import Cluster, Task, Tile, cluster as cluster_module, cut_by_size

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


class Numbers(NamedTuple):
    values: np.ndarray
    seconds: float = 0.0
    wrong: int = -1
    begun: str = ""


def square(numbers: Numbers, tile: Tile, stop: np.ndarray, record: tuple[np.ndarray]) -> None:
    if tile.start <= numbers.wrong < tile.stop:
        raise ValueError(f"number {numbers.wrong} is wrong")
    if numbers.begun:
        Path(numbers.begun).touch()
    end = time.monotonic() + numbers.seconds
    while time.monotonic() < end and not stop[0]:
        time.sleep(0.005)
    record[0][:] = numbers.values[tile.start : tile.stop] ** 2


def squares(n: int, *numbers: Any) -> Task:
    return Task("squares", square, Numbers(np.arange(float(n)), *numbers), cut_by_size(n, 1), InRows())


def sent(task: Task, engine: wt.Engine) -> np.ndarray:
    out = np.full(len(task.tiles), np.nan)
    engine.run(task, (out,))
    return out


def all_to(client: Any, **changes: Any) -> wt.Engine:
    """An engine that sends everything, small or not."""
    return wt.Engine(executor=Cluster(client, small=0.0), **changes)


def was_sent(stages: Iterable[str]) -> bool:
    return any("worker" in stage for stage in stages)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
def test_a_cluster_gives_the_bits_of_threads(name: str, client: Any) -> None:
    here, stages = WORK[name](), set[str]()
    with wt.using(all_to(client, progress=lambda update: stages.add(update.stage))):
        there = WORK[name]()
    assert was_sent(stages) or name not in TASKS
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)


def test_two_iterations_of_ltwt_on_a_client_have_the_bits_of_threads(client: Any) -> None:
    space = wt.Space.from_points(np.random.default_rng(3).normal(size=(150, 2)))
    here = wt.iterate(wt.transforms.local_truncation(0.5), space, n_iter=2)
    with wt.using(client=Cluster(client, small=0.0)):
        there = wt.iterate(wt.transforms.local_truncation(0.5), space, n_iter=2)
    np.testing.assert_array_equal(here.last.metric.dense(), there.last.metric.dense())
    assert here.movements == there.movements


@pytest.mark.slow
def test_few_messages_are_under_way_and_each_carries_many_tiles(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, sizes, send = list[int](), list[int](), client.map

    def count(function: Any, messages: list[bytes], *arguments: Any, **options: Any) -> Any:
        sizes.extend(len(pickle.loads(message)[-1]) for message in messages)
        return send(function, messages, *arguments, **options)

    monkeypatch.setattr(client, "map", count)
    progress = lambda update: seen.append(len(client.futures))  # noqa: E731
    found = sent(squares(3000), all_to(client, progress=progress))
    np.testing.assert_array_equal(found, np.arange(3000.0) ** 2)
    assert sum(sizes) == 3000
    assert len(sizes) < 500
    assert max(seen) < 30


def test_inputs_are_sent_once_and_freed(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    keys, send = list[str](), client.scatter

    def scatter(inputs: dict[str, Any], **options: Any) -> Any:
        keys.extend(inputs)
        return send(inputs, **options)

    monkeypatch.setattr(client, "scatter", scatter)
    sent(squares(100), all_to(client))
    assert len(keys) == 1
    end = time.monotonic() + 60
    while keys[0] in {key for held in client.has_what().values() for key in held}:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_progress_names_the_workers_and_counts_tiles(client: Any) -> None:
    seen: list[wt.engine.Update] = []
    sent(squares(100), all_to(client, progress=seen.append))
    assert seen[-2][:3] == ("squares on 2 workers", 100, 100)
    assert seen[-1].finished


def stages_of(task: Task, out: np.ndarray, engine: wt.Engine) -> set[str]:
    stages = set[str]()
    replace(engine, progress=lambda update: stages.add(update.stage)).run(task, (out,))
    return stages


def test_small_tasks_are_not_sent(client: Any) -> None:
    out = np.zeros(8)
    assert not was_sent(stages_of(squares(8), out, wt.Engine(2, client=client)))
    np.testing.assert_array_equal(out, np.arange(8.0) ** 2)


def test_tasks_that_take_longer_are_sent(client: Any) -> None:
    out = np.zeros(60)
    assert was_sent(stages_of(squares(60, 0.02), out, wt.Engine(1, client=client)))
    np.testing.assert_array_equal(out, np.arange(60.0) ** 2)


def test_records_that_take_longer_to_travel_than_to_compute_stay_here(client: Any) -> None:
    out = np.zeros((40, 8_000_000), np.int8)
    task = Task("marks", mark, None, cut_by_size(40, 1), InRows())
    assert not was_sent(stages_of(task, out, wt.Engine(2, client=client)))
    assert out.all()


def mark(inputs: None, tile: Tile, stop: np.ndarray, record: tuple[np.ndarray]) -> None:
    time.sleep(0.005)
    record[0][:] = 1


def test_an_error_in_a_tile_is_raised_as_it_is_and_the_client_goes_on(client: Any) -> None:
    with pytest.raises(ValueError, match="number 70 is wrong"):
        sent(squares(100, 0.0, 70), all_to(client))
    np.testing.assert_array_equal(sent(squares(100), all_to(client)), np.arange(100.0) ** 2)


@pytest.mark.parametrize("how", ["cancel", "Ctrl-C"])
def test_workers_hear_that_all_is_over_in_the_middle_of_a_tile(how: str, client: Any, tmp_path: Path) -> None:
    engine, begun, ended = all_to(client), tmp_path / "begun", list[float]()

    def end() -> None:
        while not begun.exists():
            time.sleep(0.01)
        ended.append(time.monotonic())
        if how == "cancel":
            engine.cancel()
        else:
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=end).start()
    with pytest.raises(wt.engine.Cancelled if how == "cancel" else KeyboardInterrupt):
        sent(squares(4, 300.0, -1, str(begun)), engine)
    np.testing.assert_array_equal(sent(squares(10), all_to(client)), np.arange(10.0) ** 2)
    assert time.monotonic() - ended[0] < 100  # of 600


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_changes_nothing(client: Any) -> None:
    killed: list[int] = []

    def kill(update: wt.engine.Update) -> None:
        if not killed and update.done > 20:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    found = sent(squares(150, 0.01), all_to(client, progress=kill))
    assert killed
    np.testing.assert_array_equal(found, np.arange(150.0) ** 2)


def test_threads_share_a_client(client: Any) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda n: sent(squares(n), all_to(client)), (50, 60, 70)))
    for n, one in zip((50, 60, 70), found, strict=True):
        np.testing.assert_array_equal(one, np.arange(float(n)) ** 2)


def test_threads_of_this_process_may_be_workers() -> None:
    here = WORK["LT-WT"]()[0]
    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, threads_per_worker=2, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as client,
        wt.using(all_to(client)),
    ):
        np.testing.assert_array_equal(WORK["LT-WT"]()[0], here)


@pytest.mark.slow
def test_without_workers_it_waits_and_then_says_so() -> None:
    seen: list[str] = []
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        engine = wt.Engine(client=Cluster(client, patience=1.5, small=0.0), progress=lambda at: seen.append(at.stage))
        with pytest.raises(TimeoutError, match=r"no worker .* for 2 seconds; 0 of 9 tiles of squares were done"):
            sent(squares(9), engine)
    assert "squares, waiting for workers" in seen
    with pytest.raises(ConnectionError, match="the client is closed"):
        sent(squares(9), engine)


def test_workers_with_other_code_are_refused_by_name(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    check = cluster_module._check_worker
    monkeypatch.setattr(cluster_module, "_PROCESSORS", WeakKeyDictionary())
    monkeypatch.setattr(
        cluster_module, "_check_worker", lambda at, code, known: check(at, code | {"source": "0"}, known)
    )
    with pytest.raises(
        RuntimeError, match=r"the worker tcp://\S+ has source 0, and this process source \w+: .* install"
    ):
        sent(squares(9), all_to(client))
    monkeypatch.undo()
    sent(squares(9), all_to(client))


def test_a_worker_with_other_code_refuses_what_it_gets() -> None:
    message = pickle.dumps(("run", "0", square, []))
    with pytest.raises(RuntimeError, match=r"a worker has source \w+, and this process source 0: .* install"):
        cluster_module._compute_group(message, None)


def test_another_processor_is_warned_of_once() -> None:
    other = cluster_module.code() | {"processor": "another", "features": "0123456789"}
    with pytest.warns(UserWarning, match=r"the worker tcp://a has another processor \(another 01234567\)"):
        known = cluster_module._check_worker("tcp://a", other, [])
    cluster_module._check_worker("tcp://b", other, [known])


def test_a_worker_without_the_package_is_refused_by_name() -> None:
    with pytest.raises(RuntimeError, match=r"the worker tcp://a cannot import .*; install wasserstein-transform there"):
        cluster_module._check_worker("tcp://a", ModuleNotFoundError("No module named 'wasserstein_transform'"), [])


@pytest.mark.slow
def test_what_is_no_client_is_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        TypeError, match=r"client must be a dask.distributed.Client, got 'tcp://a'; .*Client\(ADDRESS\)"
    ):
        wt.Engine(client="tcp://a")
    with pytest.raises(TypeError, match=r"client must be a dask.distributed.Client, got LocalCluster"):
        wt.Engine(client=client.cluster)
    with pytest.raises(ValueError, match="patience must be a number of seconds, got -1"):
        Cluster(client, patience=-1)

    async def inside() -> None:
        async with distributed.Client(client.scheduler.address, asynchronous=True) as one:
            with pytest.raises(ValueError, match="client is an asynchronous one"):
                wt.Engine(client=one)

    asyncio.run(inside())
    monkeypatch.setattr(cluster_module, "distributed", None)
    with pytest.raises(ImportError, match=r"a client needs Dask; pip install .wasserstein-transform\[scale\]."):
        wt.Engine(client=client)


@pytest.mark.slow
def test_dask_is_not_imported_unasked() -> None:
    code = "import sys, wasserstein_transform as wt; wt.Engine(); print({'distributed', 'dask'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"
