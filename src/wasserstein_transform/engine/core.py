"""Engine: where and how work runs; and the current one, where none is given."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from .. import _check as check
from . import memory as mem
from .keeping import run_keeping
from .mapped import scratch_map
from .progress import Bar, Clock, Progress, Update, bar, is_shown
from .tasks import Record, Task
from .threads import MAX_THREADS, as_finished, in_threads, in_worker, threads
from .tiles import Flag, Tile

_MIN_JOB_BYTES = 2.0**27  # memory of one of several jobs that run at a time

_log = logging.getLogger("wasserstein_transform")

J = TypeVar("J")
R = TypeVar("R")


class Cancelled(Exception):  # noqa: N818  # no error: it was requested
    """Raised by work that was cancelled with `Engine.cancel`, usually from another thread.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> engine = wt.Engine()
    >>> engine.cancel()
    >>> try:
    ...     engine.check()
    ... except wt.engine.Cancelled as error:
    ...     print(error)
    the work was cancelled
    """


class Scope(NamedTuple):
    """Context of work: its times, and the iteration of a loop."""

    clock: Clock
    iteration: int = 0
    n_iter: int = 0


N_MATRICES = 4
"""Number of matrices that a step of a flow holds: before, after, of different measures, and a spare."""


@dataclass(frozen=True)
class Engine:
    """Where and how work runs: threads, memory limit, progress, device, cluster.

    Results do not depend on the number of threads or the cluster.

    Parameters
    ----------
    n_jobs : int, default −1
        Number of threads; −1 means all cores, −2 all but one, as in scikit-learn.
    progress : callable or bool, optional
        Called with an `Update` as tiles end. None draws a progress bar if the work takes more than two seconds, in
        terminals and notebooks; True draws one at once (`bar()`), False none.
    memory : float or str, optional
        Memory limit in bytes, or such as "4GB" and "500MiB"; None means the free memory of the machine.
    device : str, default "cpu"
        What computes: "cpu" or "cuda" (a GPU; "cuda:1" is the second one).
    precision : {"float64", "float32"}, default "float64"
        Precision on a GPU; the CPU always uses float64.
    client : dask.distributed.Client, optional
        A cluster for exact transport; everything else runs in this process. None means no cluster.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.Engine(n_jobs=2).n_threads
    2
    """

    n_jobs: int = -1
    progress: Progress | bool | None = None
    memory: Any = None  # a float, or None, once checked
    device: Any = "cpu"
    precision: str = "float64"
    client: Any = None
    flag: Flag = field(default_factory=lambda: np.zeros(1, np.uint8), repr=False, compare=False)
    scope: Scope | None = field(default=None, repr=False, compare=False)
    folder: Path | None = field(default=None, repr=False, compare=False)  # of `iterate(out=)`: tiles, large matrices

    def __post_init__(self) -> None:
        threads = check.number(self.n_jobs)
        if threads == 0 or threads != np.rint(threads) or abs(threads) > MAX_THREADS:
            raise ValueError(
                f"{check.option_text('n_jobs')} must be a positive number of threads, at most {MAX_THREADS}, "
                f"or -1 for all cores, got {check.shown(self.n_jobs)}"
            )
        object.__setattr__(self, "n_jobs", int(threads))
        if self.memory is not None:
            object.__setattr__(self, "memory", mem.in_bytes(self.memory))
        if self.progress is True:
            object.__setattr__(self, "progress", bar())
        elif not (self.progress is None or self.progress is False or callable(self.progress)):
            raise ValueError(f"progress must be True, False or a function of updates, got {check.shown(self.progress)}")
        check.choice(self.precision, "precision", ("float64", "float32"))
        if self.client is not None:
            from .cluster import check_client  # noqa: PLC0415  # only work on a cluster needs it

            check_client(self.client)

    @property
    def n_threads(self) -> int:
        """The number of threads that `n_jobs` means."""
        if self.n_jobs > 0:
            return self.n_jobs
        return max(1, _n_cores() + 1 + self.n_jobs)

    def run(self, task: Task, out: Record) -> None:
        """Compute a task into the arrays `out`: in threads, or on the cluster; read what a folder has of it."""
        self.check()
        with self.progress_scope() as engine:
            if self.folder is not None and len(task.tiles) > 1:
                run_keeping(self.folder, task, out, engine)
                return
            if self.client is not None:
                from .cluster import is_worth_sending, send  # noqa: PLC0415  # only work on a cluster needs it

                if is_worth_sending(task, engine):
                    send(task, out, engine)
                    return
            engine.for_tiles(task.name, task.tiles, lambda tile, stop: task.into(out, tile, stop))

    def for_tiles(
        self, name: str, tiles: Sequence[Tile], function: Callable[[Tile, Flag], None], *, joined: bool = False
    ) -> None:
        """Call function(tile, stop) for all tiles, in threads; each call writes its own part of a result.

        Tiles depend on the problem alone, so that results do not depend on the number of threads. `joined` says that
        they do not depend on where tiles begin either, and that the function watches `stop`: then one thread of many
        that work side by side computes all tiles in one call.
        """
        self.check()
        stop, n_threads = np.zeros(1, np.uint8), max(1, min(self.n_threads, len(tiles)))
        if not tiles:
            return
        if n_threads == 1 and in_worker():
            for tile in [Tile(tiles[0].start, tiles[-1].stop)] if joined else tiles:
                self.check()
                function(tile, self.flag)
            return
        with self.progress_scope() as engine:
            for _ in in_threads(lambda tile: function(tile, stop), tiles, n_threads, stop, name, engine):
                pass

    def map(self, function: Callable[[J, Engine], R], jobs: Sequence[J], name: str) -> list[R]:
        """Return the results of function(job, engine) in the order of the jobs, which run side by side in threads.

        The engine of a job has its share of the threads and of the memory. `name` is the stage, for progress.
        """
        self.check()
        free = min(mem.available() / 2 if self.memory is None else self.memory, 2.0**60)
        n_at_once = max(1, min(self.n_threads, int(free / _MIN_JOB_BYTES)))
        n_threads, stop = max(1, min(n_at_once, len(jobs))), np.zeros(1, np.uint8)
        with self.progress_scope() as engine:
            share = engine._with(
                progress=None, n_jobs=max(1, self.n_threads // n_threads), memory=free / n_at_once, flag=stop
            )
            results = dict(in_threads(lambda job: function(job, share), jobs, n_threads, stop, name, engine))
        return [results[k] for k in range(len(jobs))]

    def run_single(self, function: Callable[[Flag], R], name: str, *, is_short: bool = False) -> R:
        """Run sequential work, `function(stop)`, in a thread of its own, and return its result.

        Meanwhile this thread checks for Ctrl-C and cancellation, and then sets `stop[0]` to 1. The function may call
        `engine.report`. Short work, of milliseconds, runs in this thread: a handoff takes longer than most of it.
        """
        self.check()
        if is_short or in_worker():
            result = function(self.flag)
            self.check()
            return result
        stop = np.zeros(1, np.uint8)
        future = threads().submit(function, stop)
        try:
            for done in as_finished([future], self):
                done.result()
        except BaseException:
            stop[0] = 1
            raise
        finally:
            wait([future])
        return future.result()

    def cancel(self) -> None:
        """Cancel the work that runs on this engine, from any thread; it and all later work raise `Cancelled`."""
        self.flag[0] = 1

    def check(self) -> None:
        """Raise `Cancelled` if the engine was cancelled."""
        if self.flag[0]:
            raise Cancelled("the work was cancelled")

    @contextmanager
    def progress_scope(self) -> Iterator[Self]:
        """Group stages into one piece of work for progress; nested calls join the outer one."""
        if self.scope is not None:
            yield self
            return
        progress, n_complete = self.progress, 0
        try:
            if progress is None and is_shown():
                progress = Bar()
                progress.start()
            yield self._with(scope=Scope(Clock()), progress=progress)
            n_complete = 1
        finally:
            if callable(progress):
                progress(Update("", n_complete, 1))

    def iteration(self, k: int, n_iter: int) -> Self:
        """Return the engine for iteration k, from 1, of at most `n_iter`; inner loops are not counted."""
        scope = self.scope or Scope(Clock())
        return self if scope.n_iter else self._with(scope=scope._replace(iteration=k, n_iter=n_iter))

    def silent(self) -> Self:
        """Return the engine without progress, for parts of a stage."""
        return self._with(progress=False)

    def _with(self, **changes: Any) -> Self:
        """A copy with other values, which are not checked again."""
        engine = copy(self)
        vars(engine).update(changes)
        return engine

    def report(self, stage: str, done: int, total: int) -> None:
        """Report to progress that `done` of `total` tiles of a stage are done."""
        if callable(self.progress):
            clock, iteration, n_iter = self.scope or Scope(Clock())
            remaining = clock.estimate_remaining(stage, done, total, iteration, n_iter)
            self.progress(Update(stage, done, total, iteration, n_iter, remaining))

    def announce(self, n_bytes: float, what: str) -> None:
        """Log how much memory an object takes."""
        _log.info("%s: %s", what, mem.in_words(n_bytes))

    def fits(self, n_bytes: float) -> bool:
        """Tell whether this much memory is available."""
        return n_bytes <= self._limit()

    def _limit(self) -> float:
        return self.memory if self.memory is not None else mem.available()

    def goes_to_disk(self, n_bytes: float, n_held: int = 1) -> bool:
        """Tell whether `n_held` results of this size go to disk: they do not fit in memory, and there is a folder."""
        return self.folder is not None and not self.fits(n_held * n_bytes)

    def allocate(
        self, shape: tuple[int, ...], what: str, instead: str, dtype: DTypeLike = np.float64, n_held: int = 1
    ) -> np.ndarray:
        """Return zeros for a result: in memory if `n_held` of them fit, else in an unnamed file, if there is a folder.

        `what` and `instead` are as in `reserve`.
        """
        kind = np.dtype(dtype)
        n_bytes = float(kind.itemsize * np.prod(shape, dtype=np.float64))
        if self.folder is None or not self.goes_to_disk(n_bytes, n_held):
            self.reserve(n_bytes, what, instead)
            return np.zeros(shape, kind)
        self.announce(n_bytes, f"{what}, on disk")
        return np.asarray(scratch_map(self.folder, kind, shape, what))

    def reserve(self, n_bytes: float, what: str, instead: str) -> None:
        """Log the memory of an object before it is allocated; raise MemoryError if it exceeds the limit.

        Parameters
        ----------
        n_bytes : float
            Size of the object.
        what : str
            Name of the object.
        instead : str
            What the user can do instead; the end of the message.
        """
        self.announce(n_bytes, what)
        limit = self._limit()
        if n_bytes > limit:
            raise MemoryError(
                f"{what} needs {mem.in_words(n_bytes)}, and {mem.in_words(limit)} are available; {instead}"
            )


def _n_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_CURRENT: ContextVar[Engine | None] = ContextVar("wasserstein_transform_engine", default=None)
_DEFAULT = Engine()
_SERIAL = Engine(n_jobs=1, progress=False)


def current(engine: Engine | None = None, *, verbose: bool = False, **changes: Any) -> Engine:
    """Return the given engine, else that of the innermost `using`, else the default.

    The default has all cores, but only one thread within a worker of joblib, which has its share of the cores already.

    Parameters
    ----------
    engine : Engine, optional
        None means the current engine.
    verbose : bool, default False
        Whether to draw a progress bar at once; False keeps the progress of the engine.
    **changes
        Parameters of `Engine` to change; those that are None are ignored.

    Returns
    -------
    Engine

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> with wt.using(n_jobs=2):
    ...     print(wt.engine.current().n_jobs, wt.engine.current(n_jobs=1, memory=None).n_jobs)
    2 1
    """
    if engine is not None and not isinstance(engine, Engine):
        raise TypeError(f"engine must be an Engine such as wt.Engine(n_jobs=2), got {check.shown(engine)}")
    engine = engine or _CURRENT.get() or (_SERIAL if _within_joblib() else _DEFAULT)
    given = {name: value for name, value in changes.items() if value is not None}
    if verbose:
        given["progress"] = bar()
    return replace(engine, **given) if given else engine


def _within_joblib() -> bool:
    """Whether this is a thread or a process of joblib, such as one of a grid search with n_jobs=2."""
    joblib = sys.modules.get("joblib.parallel")
    return joblib is not None and joblib.get_active_backend()[0].nesting_level > 0


@contextmanager
def using(engine: Engine | None = None, **changes: Any) -> Iterator[Engine]:
    """Set the engine for everything within a `with` block: estimators, functions and metrics.

    Parameters
    ----------
    engine : Engine, optional
        A complete engine; None means the current one.
    **changes
        Parameters of `Engine` to change: n_jobs, progress, memory, …

    Yields
    ------
    Engine
        The engine of the block.

    Notes
    -----
    An explicit `engine=`, and `n_jobs` or `verbose` of an estimator that are not None, take precedence. The block
    applies to the thread (or asynchronous task) that entered it: threads started inside, and joblib's worker processes,
    begin with the default engine, which has one thread in workers of joblib. Attributes that are computed when first
    read, such as `distances_`, use the engine that is current at that time. The engine of the block can be cancelled
    from another thread.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> with wt.using(n_jobs=1) as engine:
    ...     shifted = wt.MeanShift(eps=1.0).fit(np.array([[0.0], [0.5], [9.0]]))
    >>> engine.n_threads
    1
    """
    known = ("n_jobs", "progress", "memory", "device", "precision", "client")
    if unknown := sorted(set(changes) - set(known)):
        raise TypeError(f"using takes an engine or changes of {', '.join(known)}; got {', '.join(unknown)}")
    token = _CURRENT.set(
        replace(current(engine), **({"flag": np.zeros(1, np.uint8)} if engine is None else {}) | changes)
    )
    try:
        yield current()
    finally:
        _CURRENT.reset(token)
