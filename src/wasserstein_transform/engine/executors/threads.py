"""Threads of this process: kernels release the GIL and write where the result lies."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import numpy as np

from ..places import Record
from ..task import Task

if TYPE_CHECKING:
    from ..core import Engine

_NAP = 0.05  # seconds between two looks at Ctrl-C and cancel


class Threads:
    """A pool of threads, as many as the engine's `n_jobs` says."""

    def run(self, task: Task, out: Record, engine: Engine) -> None:
        """Do all tiles; the first error, Ctrl-C or a cancel stops the rest and is raised here."""
        stop, total = np.zeros(1, np.uint8), len(task.tiles)
        with ThreadPoolExecutor(max(1, min(engine.n_threads, total))) as pool:
            try:
                futures = [pool.submit(task.into, out, tile, stop) for tile in task.tiles]
                for done, future in enumerate(as_finished(futures, engine), 1):
                    future.result()
                    engine.report(task.name, done, total)
            except BaseException:
                stop[0] = 1
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def __repr__(self) -> str:
        return "Threads()"


def as_finished(futures: list[Future[Any]], engine: Engine) -> Iterator[Future[Any]]:
    """Futures as they end; waits in short naps, in which Ctrl-C is heard on every system and cancel is looked at."""
    finished: SimpleQueue[Future[Any]] = SimpleQueue()
    for future in futures:
        future.add_done_callback(finished.put)
    for _ in futures:
        while True:
            try:
                future = finished.get(timeout=_NAP)
                break
            except Empty:
                engine.check()
        engine.check()
        yield future
