"""Exact transport on a local cluster: one and two worker processes, and threads."""

from __future__ import annotations

import logging
import time
from typing import Any, NamedTuple

import numpy as np
from distributed import Client, LocalCluster, get_task_stream

import wasserstein_transform as wt
from wasserstein_transform.engine import Cluster

from .timing import Row, median_seconds

_N = 1500
_EPS = 0.2
_EMPTY = 200  # messages without work


class Found(NamedTuple):
    """One iteration on a cluster: its seconds, messages, bytes of records, and the share of time that workers computed.

    `message` and `processor` are the seconds that a message takes, and those of client and scheduler in them.
    """

    seconds: float
    n_messages: int
    received: int
    busy: float
    message: float
    processor: float


def run(repeat: str = "3") -> list[Row]:
    space = wt.Space.from_points(np.random.default_rng(0).normal(size=(_N, 2)))
    step = wt.Transform(wt.Truncation(_EPS), wt.Exact(1))
    truth = step(space).metric.dense()
    one, two = (_measured(n_workers, step, space, truth, int(repeat)) for n_workers in (1, 2))
    single, both = (_threads(n_jobs, step, space, int(repeat)) for n_jobs in (1, 2))
    work = f"one LT-WT1 iteration of {_N:,} points, {_N * (_N - 1) // 2:,} pairs"
    empty = f"{1e3 * two.message:.1f} ms, {1e3 * two.processor:.1f} ms of processor here"
    return [
        _row(f"{work}, two worker processes", two.seconds, "one worker process", one.seconds),
        _row(f"{work}, two threads", both, "one thread", single),
        _row(f"{work}, one worker process", one.seconds, "one thread", single),
        Row("what travels for it, two workers", _in_words(two), f"one worker: {_in_words(one)}", ""),
        Row("a message without work, two workers", empty, "", ""),
    ]


def _row(work: str, ours: float, what: str, peer: float) -> Row:
    return Row(work, f"{ours:.2f} s", f"{what}: {peer:.2f} s", f"{peer / ours:.2f}×")


def _in_words(found: Found) -> str:
    moved = f"{found.n_messages} messages, {found.received / 1e6:.1f} MB back"
    return f"{moved}; workers at work {100 * found.busy:.0f} % of the time"


def _threads(n_jobs: int, step: Any, space: Any, repeat: int) -> float:
    with wt.using(n_jobs=n_jobs):
        return median_seconds(lambda: step(space), repeat)


def _measured(n_workers: int, step: Any, space: Any, truth: np.ndarray, repeat: int) -> Found:
    """Also compare the results."""
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.ERROR
        ) as cluster,
        Client(cluster) as client,
        wt.using(client=client),
    ):
        np.testing.assert_array_equal(step(space).metric.dense(), truth)
        seconds = median_seconds(lambda: step(space), repeat)
        with get_task_stream(client) as stream:
            begun = time.perf_counter()
            step(space)
            elapsed = time.perf_counter() - begun
        parts = [part for task in stream.data for part in task["startstops"] if part["action"] == "compute"]
        busy = sum(part["stop"] - part["start"] for part in parts) / elapsed / n_workers
        received = sum(task["nbytes"] for task in stream.data)
        return Found(seconds, len(stream.data), received, busy, *_message(client))


def _message(client: Any) -> tuple[float, float]:
    """Seconds and processor time of the round trip of an empty message."""
    list(Cluster(client).each(_nothing, range(10), "nothing", wt.Engine()))
    begun, processor = time.perf_counter(), time.process_time()
    list(Cluster(client).each(_nothing, range(_EMPTY), "nothing", wt.Engine()))
    return (time.perf_counter() - begun) / _EMPTY, (time.process_time() - processor) / _EMPTY


def _nothing(job: int, engine: wt.Engine) -> None:
    pass
