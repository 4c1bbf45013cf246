"""Threads of this process: kernels release the GIL and write where the result lies."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import numpy as np

from ..places import Record
from ..task import Flag, Task
from ..tiles import Tile
from .base import Overseer

_NAP = 0.05  # seconds between two looks at Ctrl-C and cancel

T = TypeVar("T")


class Threads:
    """A pool of threads, as many as the engine's `n_jobs` says."""

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        """Do all tiles; the first error, Ctrl-C or a cancel stops the rest and is raised here."""
        stop, total = np.zeros(1, np.uint8), len(task.tiles)
        todo, ended = deque(task.tiles), SimpleQueue[BaseException | None]()
        n_threads = max(1, min(engine.n_threads, total))
        engine.report(task.name, 0, total)  # a first tile may take long: that it began is known at once
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                for _ in range(n_threads):
                    pool.submit(_work, task, out, todo, stop, ended)
                for done in range(1, total + 1):
                    error = _next(ended, engine)
                    if error is not None:
                        raise error
                    engine.report(task.name, done, total)
            except BaseException:
                stop[0] = 1
                todo.clear()
                raise

    def __repr__(self) -> str:
        return "Threads()"


def _work(task: Task, out: Record, todo: deque[Tile], stop: Flag, ended: SimpleQueue[BaseException | None]) -> None:
    """One tile after the other, while there are any: a future for each would cost more than short tiles do."""
    while not stop[0]:
        try:
            tile = todo.popleft()
        except IndexError:
            return
        try:
            task.into(out, tile, stop)
        except BaseException as error:
            ended.put(error)
            return
        ended.put(None)


def _next(queue: SimpleQueue[T], engine: Overseer) -> T:
    """What comes next; waits in short naps, in which Ctrl-C is heard on every system and cancel is looked at."""
    while True:
        try:
            found = queue.get(timeout=_NAP)
            break
        except Empty:
            engine.check()
    engine.check()
    return found


def as_finished(futures: list[Future[Any]], engine: Overseer) -> Iterator[Future[Any]]:
    """Futures as they end, while Ctrl-C and cancel are listened to."""
    finished: SimpleQueue[Future[Any]] = SimpleQueue()
    for future in futures:
        future.add_done_callback(finished.put)
    for _ in futures:
        yield _next(finished, engine)
