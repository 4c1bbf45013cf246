"""Exact transport on a cluster of this machine: one and two worker processes, and threads."""

from __future__ import annotations

import logging
import time
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

import wasserstein_transform as wt
from wasserstein_transform.engine import Cluster
from wasserstein_transform.engine.executors.cluster.session import Traffic, session_of

from .timing import Row, median_seconds

_N = 1500
_EPS = 0.3
_EMPTY = 200  # messages without work


def run(repeat: str = "3") -> list[Row]:
    space = wt.Space.from_points(np.random.default_rng(0).normal(size=(_N, 2)))
    step = wt.Transform(wt.Truncation(_EPS), wt.Exact(1))
    truth = step(space).metric.dense()
    threads = [median_seconds(lambda k=k: step(space, wt.Engine(k)), int(repeat)) for k in (1, 2)]  # type: ignore[misc]
    one, few, _ = _measured(1, step, space, truth, int(repeat))
    two, moved, each = _measured(2, step, space, truth, int(repeat))
    work = f"one LT-WT1 iteration of {_N:,} points, {_N * (_N - 1) // 2:,} pairs"
    return [
        Row(f"{work}, two worker processes", f"{two:.2f} s", f"one worker process: {one:.2f} s", f"{one / two:.2f}×"),
        Row(f"{work}, two threads", f"{threads[1]:.2f} s", f"one thread: {threads[0]:.2f} s", _ratio(threads)),
        Row(
            "the same, one worker process against one thread",
            f"{one:.2f} s",
            f"{threads[0]:.2f} s",
            _ratio([threads[0], one]),
        ),
        Row("messages and bytes of that iteration, two workers", _in_words(moved), f"one worker: {_in_words(few)}", ""),
        Row("a message without work, one at a time for each thread", f"{1e3 * each:.1f} ms", "", ""),
    ]


def _ratio(seconds: list[float]) -> str:
    return f"{seconds[0] / seconds[1]:.2f}×"


def _in_words(traffic: Traffic) -> str:
    return f"{traffic.messages} messages, {traffic.sent / 1e6:.1f} MB out, {traffic.received / 1e6:.1f} MB back"


def _measured(n_workers: int, step: Any, space: Any, truth: np.ndarray, repeat: int) -> tuple[float, Traffic, float]:
    """Seconds of the step, what traveled for one, and seconds that a message takes; the result is compared."""
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.ERROR
        ) as cluster,
        Client(cluster) as client,
        wt.using(client=client),
    ):
        np.testing.assert_array_equal(step(space).metric.dense(), truth)
        seconds = median_seconds(lambda: step(space), repeat)
        session_of(client).traffic = Traffic()
        step(space)
        return seconds, session_of(client).traffic, _message(client)


def _message(client: Any) -> float:
    """Seconds for a message that carries nothing, there and back."""
    jobs = Cluster(client)
    for _ in jobs.each(_nothing, range(10), "nothing", wt.Engine()):
        pass
    begun = time.perf_counter()
    for _ in jobs.each(_nothing, range(_EMPTY), "nothing", wt.Engine()):
        pass
    return (time.perf_counter() - begun) / _EMPTY


def _nothing(job: int, engine: wt.Engine) -> None:
    pass
