"""The library inside other programs: threads, processes of every kind, event loops, impatient people."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from engine.test_seams import cloud
from joblib import Parallel, delayed

import wasserstein_transform as wt

pytestmark = pytest.mark.slow


def work(seed: int, folder: Path | None = None) -> list[np.ndarray]:
    """Some of everything."""
    X, out = cloud(150, 2, seed), None if folder is None else folder / f"{seed}"
    engine = wt.Engine(n_jobs=2)
    walk = wt.iterate(wt.transforms.local_truncation(0.5), wt.Space.from_points(X), n_iter=2, out=out, engine=engine)
    moved = wt.iterate(wt.transforms.gaussian_transform(0.5, 1.0), wt.Space.from_points(X), n_iter=2, engine=engine)
    return [walk.last.metric.dense(), np.asarray(moved.points), wt.spaces.Euclidean(X).condensed(engine)]


def equal(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_threads_that_call_at_once_get_what_one_alone_gets(tmp_path: Path) -> None:
    """In one folder, too, with the same work at the same time."""
    expected = [work(seed % 2) for seed in range(2)]
    for folder in (None, tmp_path):
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(work, [0, 1] * 4, [folder] * 8))
        assert all(equal(one, expected[k % 2]) for k, one in enumerate(found))


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_under_joblib(backend: str) -> None:
    found = Parallel(n_jobs=2, backend=backend)(delayed(work)(seed) for seed in range(2))
    assert all(equal(one, work(seed)) for seed, one in enumerate(found))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_in_processes_that_are_forked_after_work_was_done() -> None:
    expected = work(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert all(equal(one, expected) for one in pool.map(work, [0, 0]))


@pytest.mark.slow
def test_in_processes_that_are_spawned() -> None:
    expected = work(1)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert equal(pool.apply(work, (1,)), expected)


def test_within_an_event_loop() -> None:
    """In the loop itself, and beside it, where it goes on turning."""
    expected = work(0)

    async def main() -> tuple[list[np.ndarray], list[np.ndarray], int]:
        turns = 0

        async def turning() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        here = work(0)
        loop = asyncio.create_task(turning())
        beside = await asyncio.to_thread(work, 0)
        loop.cancel()
        return here, beside, turns

    with ThreadPoolExecutor(1) as pool:  # this thread may have a loop of others: a browser's
        here, beside, turns = pool.submit(asyncio.run, main()).result()
    assert equal(here, expected)
    assert equal(beside, expected)
    assert turns > 10


LONG = """
import sys, numpy as np, wasserstein_transform as wt
X = np.random.default_rng(0).normal(size=(500, 2))
engine = wt.Engine(n_jobs=2, progress=lambda update: print(flush=True))
try:
    n_iter, space = int(sys.argv[2]), wt.Space.from_points(X)
    wt.iterate(wt.transforms.local_truncation(0.4), space, n_iter=n_iter, out=sys.argv[1], engine=engine)
except KeyboardInterrupt:
    print("stopped", flush=True)
    raise SystemExit(7)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.filterwarnings("ignore::wasserstein_transform.transforms.CostWarning")
def test_ctrl_c_twice_ends_soon_and_leaves_a_folder_that_can_be_used(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", LONG, tmp_path / "f"]
    with subprocess.Popen([*command, "99"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(30):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        process.communicate(timeout=20)
        assert process.returncode in (7, 1, -signal.SIGINT)
        assert time.monotonic() - began < 15
    assert subprocess.run([*command, "1"], capture_output=True, check=False).returncode == 0
