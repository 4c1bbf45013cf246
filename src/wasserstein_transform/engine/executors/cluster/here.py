"""Compute tiles in this process: the first ones, whose time shows whether sending pays off."""

from __future__ import annotations

import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self

import numpy as np

from ...tasks import Overseer, Record, Task, Tile

_NAP = 0.05


class Here:
    """Threads that compute tiles for a limited time; tiles started by then finish while others run on the cluster."""

    def __init__(self, task: Task, out: Record, todo: deque[Tile], engine: Overseer) -> None:
        self._task, self._out, self._todo, self._engine = task, out, todo, engine
        self._stop, self._ended = np.zeros(1, np.uint8), SimpleQueue[BaseException | float]()
        self.n_threads = max(1, min(engine.n_threads, len(todo)))
        self._pool = ThreadPoolExecutor(self.n_threads)
        self._threads, self._seconds = list[Future[None]](), list[float]()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if kind is not None:
            self._stop[0] = 1
        self._pool.shutdown()

    @property
    def n_done(self) -> int:
        """Number of tiles computed here."""
        return len(self._seconds)

    @property
    def pace(self) -> float:
        """Median seconds per tile, so that compilation does not count; NaN while unknown."""
        return float(np.median(self._seconds)) if self._seconds else float("nan")

    def work(self, seconds: float) -> None:
        """Compute tiles for a number of seconds, with progress; tiles started by then continue."""
        until = time.monotonic() + seconds
        total = len(self._task.tiles)
        self._engine.report(self._task.name, self.n_done, total)
        self._threads += [self._pool.submit(self._take, until) for _ in range(self.n_threads)]
        while self.n_done < total and time.monotonic() < until:
            self.hear(min(_NAP, max(0.0, until - time.monotonic())))
            self._engine.check()
            self._engine.report(self._task.name, self.n_done, total)

    def finish(self) -> None:
        """Wait for the tiles that were started."""
        while not all(thread.done() for thread in self._threads):
            self.hear(_NAP)
            self._engine.check()
        self.hear()

    def hear(self, seconds: float = 0.0) -> None:
        """Count finished tiles, waiting for the first for up to `seconds`; errors are raised here."""
        try:
            found = self._ended.get(timeout=seconds) if seconds > 0 else self._ended.get_nowait()
            while True:
                if isinstance(found, BaseException):
                    raise found
                self._seconds.append(found)
                found = self._ended.get_nowait()
        except Empty:
            return

    def _take(self, until: float) -> None:
        while not self._stop[0] and time.monotonic() < until:
            try:
                tile = self._todo.popleft()
            except IndexError:
                return
            begun = time.perf_counter()
            try:
                self._task.into(self._out, tile, self._stop)
            except BaseException as error:
                self._ended.put(error)
                return
            self._ended.put(time.perf_counter() - begun)
