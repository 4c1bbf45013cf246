"""A cluster that fails: workers killed again and again, stopped, out of memory; a scheduler that is lost."""

from __future__ import annotations

import logging
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference.executor import InRows
from test_dask import all_to, distributed, sent, squares

import wasserstein_transform as wt
from wasserstein_transform.engine import Cluster, Task, Tile, cut_by_size

dask = pytest.importorskip("dask")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no such signals")]


@contextmanager
def local(**settings: Any) -> Iterator[Any]:
    with (
        dask.config.set(
            {
                "distributed.deploy.lost-worker-timeout": "1h",  # else nannies are sent away, too
                "distributed.scheduler.worker-ttl": "5s",  # until workers that hang are given up; else five minutes
            }
        ),
        distributed.LocalCluster(
            threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL, **settings
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def pids(client: Any) -> list[int]:
    """Of the workers whose nannies know that they are running: they give up on those that die before."""
    nannies = [nanny for nanny in client.cluster.workers.values() if nanny.process and nanny.process.pid]
    return [nanny.process.pid for nanny in nannies if nanny.process.status.name == "running"]


class Killer(threading.Thread):
    """Kills a worker picked at random, so many times, some moments after the work has gone on: else it never would."""

    def __init__(self, client: Any, n_kills: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.client, self.n_kills, self.kills, self.rng = client, n_kills, 0, random.Random(seed)
        self.progress = threading.Event()

    def run(self) -> None:
        while self.kills < self.n_kills:
            self.progress.wait()
            time.sleep(self.rng.uniform(0.0, 1.0))
            running = pids(self.client)
            with suppress(ProcessLookupError, IndexError):  # none is running, or not any longer
                os.kill(self.rng.choice(running), signal.SIGKILL)
                self.kills += 1
                self.progress.clear()

    def see(self, update: wt.engine.Update) -> None:
        if update.done and not update.finished and "waiting" not in update.stage:
            self.progress.set()


def test_twenty_five_random_kills_during_real_runs_change_no_bit() -> None:
    space = wt.Space.from_points(np.random.default_rng(5).normal(size=(250, 2)))
    truth = wt.iterate(wt.transforms.local_truncation(0.6), space, n_iter=2)
    with local(n_workers=2) as client:
        killer = Killer(client, 25, seed=1)
        killer.start()
        with wt.using(client=Cluster(client, small=0.0), progress=killer.see):
            while killer.is_alive():
                walk = wt.iterate(wt.transforms.local_truncation(0.6), space, n_iter=2)
                np.testing.assert_array_equal(walk.last.metric.dense(), truth.last.metric.dense())
                assert walk.movements == truth.movements
        assert killer.kills == 25


def test_a_worker_that_is_stopped_does_not_stop_the_run() -> None:
    stopped: list[int] = []

    def stop(update: wt.engine.Update) -> None:
        if not stopped and update.done > 30:
            stopped.append(pids(client)[0])
            os.kill(stopped[0], signal.SIGSTOP)

    with local(n_workers=2) as client:
        try:
            found = sent(squares(200, 0.02), all_to(client, progress=stop))
        finally:
            with suppress(ProcessLookupError):  # its nanny has replaced it
                os.kill(stopped[0], signal.SIGCONT)
        np.testing.assert_array_equal(found, np.arange(200.0) ** 2)
        np.testing.assert_array_equal(sent(squares(50), all_to(client)), np.arange(50.0) ** 2)  # both again


def test_a_worker_that_is_stopped_from_the_start_is_left_alone() -> None:
    with local(n_workers=2) as client:
        stopped = pids(client)[0]
        os.kill(stopped, signal.SIGSTOP)
        try:
            np.testing.assert_array_equal(sent(squares(50), all_to(client)), np.arange(50.0) ** 2)
        finally:
            with suppress(ProcessLookupError):
                os.kill(stopped, signal.SIGCONT)


def hungry(inputs: tuple[str, int], tile: Tile, stop: np.ndarray, record: tuple[np.ndarray]) -> None:
    """Takes too much memory at row 7, so many times."""
    folder, times = inputs
    eaten = len(list(Path(folder).iterdir()))
    if tile.start == 7 and eaten < times:
        (Path(folder) / str(eaten)).touch()
        food = [np.ones(20_000_000) for _ in range(20)]
        time.sleep(20)
        del food
    record[0][:] = tile.start


def meals(folder: Path, times: int) -> Task:
    return Task("meals", hungry, (str(folder), times), cut_by_size(20, 1), InRows())


def test_a_worker_out_of_memory_is_replaced(tmp_path: Path) -> None:
    with local(n_workers=2, memory_limit="1GB") as client:
        np.testing.assert_array_equal(sent(meals(tmp_path, 1), all_to(client)), np.arange(20.0))
    assert len(list(tmp_path.iterdir())) == 1


def test_work_that_kills_every_worker_is_named(tmp_path: Path) -> None:
    with (
        local(n_workers=2, memory_limit="1GB") as client,
        pytest.raises(RuntimeError, match=r"rows 7…8 of meals failed \d times, .*have too little memory; \d+ of 20"),
    ):
        sent(meals(tmp_path, 100), all_to(client))


@contextmanager
def started(program: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"distributed.cli.{program}", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # of the tests, too
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    file = tmp_path / "scheduler.json"
    with started("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)) as process:
        while not file.exists() or not file.read_text():
            time.sleep(0.05)
        yield process, str(file)


def worker(file: str) -> Any:
    return started("dask_worker", "--scheduler-file", file, "--no-nanny", "--nthreads", "1", "--no-dashboard")


def test_a_lost_scheduler_is_an_error_that_says_how_much_is_done(
    scheduler: tuple[subprocess.Popen[bytes], str],
) -> None:
    process, file = scheduler

    def kill(update: wt.engine.Update) -> None:
        if update.done > 30:
            process.kill()

    out = np.full(400, np.nan)
    with (
        worker(file),
        distributed.Client(scheduler_file=file, timeout=60) as client,
        pytest.raises(ConnectionError, match=r"scheduler was lost; \d+ of 400 tiles of squares were done") as lost,
    ):
        all_to(client, progress=kill).run(squares(400, 0.02), (out,))
    done = int(re.findall(r"lost; (\d+) of", str(lost.value))[0])
    assert done == np.isfinite(out).sum() > 30
    np.testing.assert_array_equal(out[np.isfinite(out)], np.flatnonzero(np.isfinite(out)) ** 2.0)


def test_workers_without_nannies_may_go_and_come(scheduler: tuple[subprocess.Popen[bytes], str]) -> None:
    file, changed = scheduler[1], list[bool]()
    with worker(file) as first, distributed.Client(scheduler_file=file, timeout=60) as client:
        second = worker(file)

        def change(update: wt.engine.Update) -> None:
            if not changed and update.done > 30:
                changed.append(True)
                first.kill()
                second.__enter__()

        try:
            engine = wt.Engine(executor=Cluster(client, patience=120, small=0.0), progress=change)
            np.testing.assert_array_equal(sent(squares(200, 0.02), engine), np.arange(200.0) ** 2)
        finally:
            second.__exit__(None, None, None)
