"""Run tasks in threads of this process: kernels release the GIL and write directly to the result."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import numpy as np

from ..tasks import Flag, Record, Task, Tile
from .base import Overseer

_NAP = 0.05  # seconds between two checks for Ctrl-C and cancellation

T = TypeVar("T")


class Threads:
    """Executor that runs tiles in a pool of threads, as many as the engine's `n_jobs`; the default."""

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        """Compute all tiles; the first error, Ctrl-C or cancellation stops the rest and is raised here."""
        run_tiles(task.name, task.tiles, lambda tile, stop: task.into(out, tile, stop), engine)

    def __repr__(self) -> str:
        return "Threads()"


def run_tiles(name: str, tiles: Sequence[Tile], function: Callable[[Tile, Flag], None], engine: Overseer) -> None:
    """Call the function for all tiles in threads; the first error, Ctrl-C or cancellation stops the rest."""
    stop, total = np.zeros(1, np.uint8), len(tiles)
    todo, ended = deque(tiles), SimpleQueue[BaseException | None]()
    n_threads = max(1, min(engine.n_threads, total))
    engine.report(name, 0, total)  # the first tile may take long: show at once that the stage began
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            for _ in range(n_threads):
                pool.submit(_work, function, todo, stop, ended)
            for done in range(1, total + 1):
                error = _next(ended, engine)
                if error is not None:
                    raise error
                engine.report(name, done, total)
        except BaseException:
            stop[0] = 1
            todo.clear()
            raise


def _work(
    function: Callable[[Tile, Flag], None], todo: deque[Tile], stop: Flag, ended: SimpleQueue[BaseException | None]
) -> None:
    """Compute tiles while there are any; one future per tile would cost more than a short tile."""
    while not stop[0]:
        try:
            tile = todo.popleft()
        except IndexError:
            return
        try:
            function(tile, stop)
        except BaseException as error:
            ended.put(error)
            return
        ended.put(None)


def each_here(
    function: Callable[[Any, Any], T], jobs: Sequence[Any], name: str, engine: Any
) -> Iterator[tuple[int, T]]:
    """Yield (number, result) of jobs as they end, as many at a time as the engine allows; each has its share."""
    n_jobs = max(1, min(engine.n_at_once, len(jobs)))
    stop = np.zeros(1, np.uint8)
    mine = replace(engine.quiet(), n_jobs=max(1, engine.n_threads // n_jobs), memory=engine.share(), flag=stop)
    engine.report(name, 0, len(jobs))
    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            numbers = {pool.submit(function, job, mine): k for k, job in enumerate(jobs)}
            for done, future in enumerate(as_finished(list(numbers), engine), 1):
                yield numbers[future], future.result()
                engine.report(name, done, len(jobs))
        except BaseException:
            stop[0] = 1
            pool.shutdown(cancel_futures=True)
            raise


def _next(queue: SimpleQueue[T], engine: Overseer) -> T:
    """Return the next item; wait in short intervals, to handle Ctrl-C on every system and cancellation."""
    while True:
        try:
            found = queue.get(timeout=_NAP)
            break
        except Empty:
            engine.check()
    engine.check()
    return found


def as_finished(futures: list[Future[Any]], engine: Overseer) -> Iterator[Future[Any]]:
    """Yield futures as they end, while checking for Ctrl-C and cancellation."""
    finished: SimpleQueue[Future[Any]] = SimpleQueue()
    for future in futures:
        future.add_done_callback(finished.put)
    for _ in futures:
        yield _next(finished, engine)
