"""Work in tiles: loops over tiles in threads, and tasks, which are values that can be sent.

A task has no closure and writes nothing itself, so an executor may run it in threads of this process, send it to
another one, or read its records from a file. That pays where there is much work for few bytes: exact transport. All
other work is a loop over tiles, `run_tiles`.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cache
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._archive import fingerprint
from .._types import Floats, Ints, cached_property
from .memory import available

GRAIN = 2e7
"""Inner-loop steps of a tile: some ten milliseconds, so that Ctrl-C is handled soon and threads finish together."""

Flag: TypeAlias = NDArray[np.uint8]
"""One byte; not 0 when the work should stop: Ctrl-C, cancellation, or an error elsewhere. Long kernels check it."""

Record: TypeAlias = Any
"""A tuple of arrays, named or not; its content is defined by a task and its place."""

Shapes: TypeAlias = tuple[tuple[tuple[int, ...], str], ...]
"""Shape and dtype of each array of a record."""


T = TypeVar("T")

_N_TILES = 64  # enough for many threads to finish together
_MIN_GRAIN = 5e5  # steps, about a millisecond: starting a tile takes a tenth of that
_MIN_JOB_BYTES = 2.0**27  # memory of one of several jobs that run at a time
_CHECK_SECONDS = 0.05  # between two checks for Ctrl-C and cancellation
_PREFIX = "wasserstein_transform"  # of the names of threads
MAX_THREADS = 10_000
"""More is a typing error: systems cannot start so many."""


class Tile(NamedTuple):
    """Rows start…stop of some work. Tiles depend on the problem alone, never on the number of threads."""

    start: int
    stop: int


Compute: TypeAlias = Callable[[Any, Tile, Flag, Record], None]
"""compute(inputs, tile, stop, record) fills the record of a tile: a module's function of its inputs alone."""


def fair_grain(total: float, grain: float = GRAIN) -> float:
    """Steps of a tile: `grain`, or less if that makes few tiles of the `total`, so that many threads share the work."""
    return min(grain, max(total / _N_TILES, _MIN_GRAIN))


def cut_evenly(n: int, steps: float, grain: float = GRAIN) -> list[Tile]:
    """Cut n rows of equal cost, `steps` each, into tiles of about `grain` steps; smaller ones of little work."""
    steps = max(steps, 1.0)
    return cut_by_size(n, max(1, int(fair_grain(n * steps, grain) / steps)))


def cut_by_size(n: int, size: int) -> list[Tile]:
    """Cut n rows into tiles of `size` rows; the last may be smaller."""
    return [Tile(k, min(k + size, n)) for k in range(0, n, size)]


def cut_by_cost(steps: Floats, grain: float = GRAIN) -> list[Tile]:
    """Cut rows of different cost, `steps` each, into tiles of about `grain` steps, as `cut_evenly`; none is empty."""
    if len(steps) == 0:
        return []
    ends = np.cumsum(steps)
    number = np.floor((ends - steps) / fair_grain(float(ends[-1]), grain))
    starts = np.flatnonzero(np.diff(number, prepend=-1.0))
    return [Tile(int(a), int(b)) for a, b in zip(starts, np.append(starts[1:], len(steps)), strict=True)]


class Place(ABC):
    """Where the record of a tile is in the result, both tuples of arrays; a value that can be sent with its task."""

    @abstractmethod
    def blank(self, out: Record, tile: Tile) -> Record:
        """An empty record for a tile."""

    @abstractmethod
    def put(self, out: Record, tile: Tile, record: Record) -> None:
        """Copy the record of a tile to its place in the result."""


def condensed_starts(n: int) -> Ints:
    """Where the rows of the upper triangle of an n × n matrix begin in SciPy's condensed order."""
    rows = np.arange(n + 1)
    return rows * n - rows * (rows + 1) // 2


@dataclass(frozen=True, eq=False)
class Task:
    """Work that is cut into tiles; each tile gives a record of arrays.

    Attributes
    ----------
    name : str
        The stage, as shown by progress.
    compute : callable
        compute(inputs, tile, stop, record) fills the record of a tile.
    inputs : any
        Arrays, numbers and named tuples of them: everything that `compute` needs.
    tiles : sequence of Tile
        They depend on the problem alone.
    place : Place
        Where the record of a tile is in the result.
    """

    name: str
    compute: Compute
    inputs: Any
    tiles: Sequence[Tile]
    place: Place

    def into(self, out: Record, tile: Tile, stop: Flag) -> None:
        """Compute one tile, and put its record into the result."""
        if not stop[0]:
            record = self.place.blank(out, tile)
            self.compute(self.inputs, tile, stop, record)
            if not stop[0]:
                self.place.put(out, tile, record)

    def shapes(self, out: Record, tile: Tile) -> Shapes:
        """Shape and dtype of the arrays of a tile's record: with the inputs, enough to compute it anywhere."""
        return tuple((array.shape, array.dtype.str) for array in self.place.blank(out, tile))

    @cached_property
    def fingerprint(self) -> str:
        """Digest of what the records depend on, 32 hexadecimal digits: the function, the inputs, the tiles."""
        whose = f"{self.compute.__module__}.{self.compute.__qualname__}"
        return fingerprint((whose, self.inputs, tuple(self.tiles)))


def compute_record(compute: Compute, inputs: Any, tile: Tile, shapes: Shapes, stop: Flag | None = None) -> Record:
    """Compute the record of one tile in new arrays of these shapes and dtypes, for example in another process."""
    record = tuple(np.zeros(shape, dtype) for shape, dtype in shapes)
    compute(inputs, tile, np.zeros(1, np.uint8) if stop is None else stop, record)
    return record


class Overseer(Protocol):
    """Protocol: the part of an engine that executors use; `Engine` implements it."""

    @property
    def n_threads(self) -> int:
        """Number of threads that may be used."""

    @property
    def flag(self) -> Flag:
        """Not 0 if the work was cancelled; kernels watch it."""

    def check(self) -> None:
        """Raise `Cancelled` if the work was cancelled."""

    def report(self, stage: str, done: int, total: int) -> None:
        """Report that `done` of `total` tiles of a stage are done."""


class Executor(Protocol):
    """Protocol: runs the tiles of a task and writes their records to the result.

    An executor calls `engine.report(name, done, total)` as tiles end, to show progress, and `engine.check()` several
    times a second while it waits, which raises if the work was cancelled. The first error stops the remaining tiles.
    Tiles may be computed twice and in any order: their records depend on the task alone.
    """

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        """Compute all tiles of the task and write their records to `out`."""


class Threads:
    """Executor that runs tiles in a pool of threads, as many as the engine's `n_jobs`; the default."""

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        """Compute all tiles; kernels release the GIL."""
        run_tiles(task.name, task.tiles, lambda tile, stop: task.into(out, tile, stop), engine)

    def __repr__(self) -> str:
        return "Threads()"


def run_tiles(
    name: str, tiles: Sequence[Tile], function: Callable[[Tile, Flag], None], engine: Overseer, *, joined: bool = False
) -> None:
    """Call function(tile, stop) for all tiles in threads; the first error, Ctrl-C or cancellation stops the rest.

    With `joined`, a job with one thread computes all tiles in one call: many short ones would wait for the GIL.
    """
    stop, n_threads = np.zeros(1, np.uint8), max(1, min(engine.n_threads, len(tiles)))
    if n_threads == 1 and in_worker():
        for tile in [Tile(tiles[0].start, tiles[-1].stop)] if joined else tiles:
            engine.check()
            function(tile, engine.flag)
        return
    for _ in _in_threads(lambda tile: function(tile, stop), tiles, n_threads, stop, name, engine):
        pass


@cache
def threads() -> ThreadPoolExecutor:
    """The threads of this process; they start when needed and wait for more work, because starting takes time."""
    return ThreadPoolExecutor(MAX_THREADS, thread_name_prefix=_PREFIX)


def in_worker() -> bool:
    """Whether this is one of the threads: another one handles Ctrl-C and sets the flag of the engine."""
    return threading.current_thread().name.startswith(_PREFIX)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=threads.cache_clear)  # threads do not survive a fork


def run_jobs(function: Callable[[Any, Any], T], jobs: Sequence[Any], name: str, engine: Any) -> list[T]:
    """The results of function(job, engine), of as many jobs at a time as memory allows; each has its share."""
    free = min(available() / 2 if engine.memory is None else engine.memory, 2.0**60)
    n_at_once = max(1, min(engine.n_threads, int(free / _MIN_JOB_BYTES)))
    n_jobs, stop = max(1, min(n_at_once, len(jobs))), np.zeros(1, np.uint8)
    own = replace(engine, progress=None, n_jobs=max(1, engine.n_threads // n_jobs), memory=free / n_at_once, flag=stop)
    results = dict(_in_threads(lambda job: function(job, own), jobs, n_jobs, stop, name, engine))
    return [results[k] for k in range(len(jobs))]


def _in_threads(
    function: Callable[[Any], T], items: Sequence[Any], n_threads: int, stop: Flag, name: str, engine: Overseer
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


def as_finished(futures: list[Future[Any]], engine: Overseer) -> Iterator[Future[Any]]:
    """Yield futures as they end, while checking for Ctrl-C and cancellation."""
    finished: SimpleQueue[Future[Any]] = SimpleQueue()
    for future in futures:
        future.add_done_callback(finished.put)
    for _ in futures:
        yield _wait_for_next(finished, engine)


def _wait_for_next(queue: SimpleQueue[T], engine: Overseer) -> T:
    """Return the next item; wait in short intervals, to handle Ctrl-C on every system and cancellation."""
    while True:
        try:
            item = queue.get(timeout=_CHECK_SECONDS)
            break
        except Empty:
            engine.check()
    engine.check()
    return item
