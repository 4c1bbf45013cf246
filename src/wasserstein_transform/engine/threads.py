"""The threads of this process: work side by side that Ctrl-C, cancellation or an error stops."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from .tiles import Flag

if TYPE_CHECKING:
    from .core import Engine

T = TypeVar("T")

MAX_THREADS = 10_000
"""More is a typing error: systems cannot start so many."""

_CHECK_SECONDS = 0.05  # between two checks for Ctrl-C and cancellation
_PREFIX = "wasserstein_transform"  # of the names of threads


@cache
def threads() -> ThreadPoolExecutor:
    """The threads of this process; they start when needed and wait for more work, because starting takes time."""
    return ThreadPoolExecutor(MAX_THREADS, thread_name_prefix=_PREFIX)


def in_worker() -> bool:
    """Whether this is one of the threads: another one handles Ctrl-C and sets the flag of the engine."""
    return threading.current_thread().name.startswith(_PREFIX)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=threads.cache_clear)  # threads do not survive a fork


def in_threads(
    function: Callable[[Any], T], items: Sequence[Any], n_threads: int, stop: Flag, name: str, engine: Engine
) -> Iterator[tuple[int, T]]:
    """Yield (number, result) as items end; the first error, Ctrl-C or cancellation sets `stop` and drops the rest."""
    todo, ended = deque(enumerate(items)), SimpleQueue[tuple[int, Any, BaseException | None]]()

    def work() -> None:  # one future for each item would cost more than a short tile
        while not stop[0]:
            try:
                k, item = todo.popleft()
            except IndexError:
                return
            try:
                ended.put((k, function(item), None))
            except BaseException as error:
                ended.put((k, None, error))
                return

    engine.report(name, 0, len(items))  # the first one may take long: show at once that the stage began
    workers = [threads().submit(work) for _ in range(n_threads)]
    try:
        for done in range(1, len(items) + 1):
            k, result, error = _wait_for_next(ended, engine)
            if error is not None:
                raise error
            engine.report(name, done, len(items))
            yield k, result
    except BaseException:
        stop[0] = 1
        todo.clear()
        raise
    finally:
        wait(workers)


def as_finished(futures: list[Future[Any]], engine: Engine) -> Iterator[Future[Any]]:
    """Yield futures as they end, while checking for Ctrl-C and cancellation."""
    finished: SimpleQueue[Future[Any]] = SimpleQueue()
    for future in futures:
        future.add_done_callback(finished.put)
    for _ in futures:
        yield _wait_for_next(finished, engine)


def _wait_for_next(queue: SimpleQueue[T], engine: Engine) -> T:
    """Return the next item; wait in short intervals, to handle Ctrl-C on every system and cancellation."""
    while True:
        try:
            item = queue.get(timeout=_CHECK_SECONDS)
            break
        except Empty:
            engine.check()
    engine.check()
    return item
