"""Tasks on a cluster of Dask: the bits of threads, whatever happens to workers."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from reference.records import InRows
from test_seams import TASKS, WORK

import wasserstein_transform as wt
from wasserstein_transform.engine import Task, Tile, cluster, code, cut_by_size

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")


@contextmanager
def local(**settings: Any) -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL, **settings
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with local(n_workers=2) as client:
        yield client


class Numbers(NamedTuple):
    values: np.ndarray
    seconds: float = 0.0
    wrong: int = -1


def square(numbers: Numbers, tile: Tile, stop: np.ndarray, record: tuple[np.ndarray]) -> None:
    if tile.start <= numbers.wrong < tile.stop:
        raise ValueError(f"number {numbers.wrong} is wrong")
    time.sleep(numbers.seconds)
    record[0][:] = numbers.values[tile.start : tile.stop] ** 2


def squares(n: int, *numbers: Any) -> Task:
    return Task("squares", square, Numbers(np.arange(float(n)), *numbers), cut_by_size(n, 1), InRows())


def computed(task: Task, engine: wt.Engine) -> np.ndarray:
    out = np.full(len(task.tiles), np.nan)
    engine.run(task, (out,))
    return out


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", TASKS)
def test_a_cluster_gives_the_bits_of_threads(name: str, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here, sent = WORK[name](), list[str]()
    monkeypatch.setattr(cluster, "is_worth_sending", lambda task, engine: sent.append(task.name) or True)
    with wt.using(client=client):
        there = WORK[name]()
    assert sent
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)


def test_tiles_go_to_the_workers_in_groups_and_progress_counts_them(client: Any) -> None:
    seen: list[wt.engine.Update] = []
    found = computed(squares(500), wt.Engine(client=client, progress=seen.append))
    np.testing.assert_array_equal(found, np.arange(500.0) ** 2)
    assert seen[-2][:3] == ("squares on 2 workers", 500, 500)
    assert seen[-1].finished
    assert len(seen) < 300


def test_inputs_and_records_are_freed(client: Any) -> None:
    computed(squares(100), wt.Engine(client=client))
    end = time.monotonic() + 60
    while any(client.has_what().values()):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_small_tasks_are_not_sent(client: Any) -> None:
    seen: list[wt.engine.Update] = []
    found = computed(squares(4), wt.Engine(1, client=client, progress=seen.append))
    np.testing.assert_array_equal(found, np.arange(4.0) ** 2)
    assert {update.stage for update in seen} == {"squares", ""}


def test_an_error_in_a_tile_is_raised_as_it_is_and_the_client_goes_on(client: Any) -> None:
    with pytest.raises(ValueError, match="number 70 is wrong"):
        computed(squares(100, 0.0, 70), wt.Engine(client=client))
    np.testing.assert_array_equal(computed(squares(100), wt.Engine(client=client)), np.arange(100.0) ** 2)


@pytest.mark.parametrize("how", ["cancel", "Ctrl-C"])
def test_work_on_workers_ends_when_it_is_stopped(how: str, client: Any) -> None:
    stopped: list[float] = []

    def stop(update: wt.engine.Update) -> None:
        if update.done and not stopped:
            stopped.append(time.monotonic())
            threading.Thread(target=end).start()

    def end() -> None:
        if how == "cancel":
            engine.cancel()
        else:
            os.kill(os.getpid(), signal.SIGINT)

    engine = wt.Engine(client=client, progress=stop)
    with pytest.raises(wt.engine.Cancelled if how == "cancel" else KeyboardInterrupt):
        computed(squares(4000, 0.05), engine)
    np.testing.assert_array_equal(computed(squares(50), wt.Engine(client=client)), np.arange(50.0) ** 2)
    assert time.monotonic() - stopped[0] < 20  # of 100


def test_threads_share_a_client(client: Any) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda n: computed(squares(n), wt.Engine(client=client)), (50, 60, 70)))
    for n, one in zip((50, 60, 70), found, strict=True):
        np.testing.assert_array_equal(one, np.arange(float(n)) ** 2)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signals")
def test_random_kills_of_workers_change_no_bit() -> None:
    rng, kills = np.random.default_rng(1), list[float]()

    def kill(update: wt.engine.Update) -> None:
        if update.done and len(kills) < 4 and time.monotonic() - (kills or [0.0])[-1] > 2.0:
            nannies = [nanny for nanny in client.cluster.workers.values() if nanny.process and nanny.process.pid]
            with suppress(ProcessLookupError):
                os.kill(nannies[rng.integers(len(nannies))].process.pid, signal.SIGKILL)
                kills.append(time.monotonic())

    with local(n_workers=2) as client:
        found = computed(squares(1000, 0.02), wt.Engine(client=client, progress=kill))
    assert len(kills) == 4
    np.testing.assert_array_equal(found, np.arange(1000.0) ** 2)


@pytest.mark.slow
def test_without_workers_it_waits_until_there_are_some() -> None:
    seen: list[str] = []

    def start(update: wt.engine.Update) -> None:
        if not seen:
            client.cluster.scale(1)
        seen.append(update.stage)

    with local(n_workers=0) as client:
        found = computed(squares(20), wt.Engine(client=client, progress=start))
        np.testing.assert_array_equal(found, np.arange(20.0) ** 2)
    assert seen[0] == "squares, waiting for workers"
    with pytest.raises(ConnectionError, match="the client is closed: nothing can be sent with it"):
        computed(squares(20), wt.Engine(client=client))


@pytest.mark.slow
def test_a_lost_scheduler_is_an_error_that_says_how_much_is_done(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    programs = [
        ("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)),
        ("dask_worker", "--scheduler-file", str(file), "--no-nanny", "--nthreads", "1", "--no-dashboard"),
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    processes = [
        subprocess.Popen([sys.executable, "-m", f"distributed.cli.{program}", *options],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        for program, *options in programs
    ]  # fmt: skip
    try:
        while not file.exists() or not file.read_text():
            time.sleep(0.05)
        with distributed.Client(scheduler_file=str(file), timeout=60) as client:
            client.wait_for_workers(1)
            engine = wt.Engine(client=client, progress=lambda update: update.done > 30 and processes[0].kill())
            with pytest.raises((ConnectionError, OSError), match=r"scheduler was lost; \d+ of 400 tiles of squares"):
                computed(squares(400, 0.02), engine)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_worker_with_other_versions_refuses_what_it_gets(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = code() | {"source": "0"}
    monkeypatch.setattr(cluster, "code", lambda: versions)
    with pytest.raises(RuntimeError, match=r"the worker tcp://\S+ has source \w+, and the client source 0: .* install"):
        computed(squares(100), wt.Engine(client=client))


def test_what_is_no_client_is_refused(client: Any) -> None:
    for wrong in ("tcp://a", client.cluster):
        with pytest.raises(TypeError, match=r"client must be a synchronous dask\.distributed\.Client, got .*ADDRESS"):
            wt.Engine(client=wrong)

    async def inside() -> None:
        async with distributed.Client(client.scheduler.address, asynchronous=True) as one:
            with pytest.raises(TypeError, match="must be a synchronous"):
                wt.Engine(client=one)

    asyncio.run(inside())


@pytest.mark.slow
def test_dask_is_not_imported_unasked() -> None:
    script = "import sys, wasserstein_transform as wt; wt.Engine(); print({'distributed', 'dask'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"
