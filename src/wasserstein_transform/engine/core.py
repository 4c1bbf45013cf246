"""The engine: one thread pool for all compiled work."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import memory as mem
from .progress import Progress
from .tiles import Tile

_log = logging.getLogger("wasserstein_transform")

Flag: TypeAlias = NDArray[np.uint8]
"""One byte, not 0 once somebody pressed Ctrl-C or a tile failed; long kernels look at it."""

Work: TypeAlias = Callable[[Tile, Flag], None]
"""Does one tile."""


@dataclass(frozen=True)
class Engine:
    """Where and how work runs. The result never depends on it.

    Parameters
    ----------
    n_jobs : int
        Threads; −1 means all cores, −2 all but one, as in scikit-learn.
    progress : callable, optional
        Called with a label, the tiles done and the tiles in all; `bar()` draws a bar.
    memory : float, optional
        Bytes that may be taken; by default what the machine has free.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.Engine(n_jobs=2).n_threads
    2
    """

    n_jobs: int = -1
    progress: Progress | None = None
    memory: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.n_jobs, int | np.integer) or isinstance(self.n_jobs, bool) or self.n_jobs == 0:
            raise ValueError(f"n_jobs must be a positive number of threads or -1 for all cores, got {self.n_jobs!r}")
        if self.memory is not None and not isinstance(self.memory, int | float | np.number):
            raise ValueError(f"memory must be a number of bytes, got {self.memory!r}")

    @property
    def n_threads(self) -> int:
        """The number of threads `n_jobs` stands for."""
        if self.n_jobs > 0:
            return int(self.n_jobs)
        return max(1, _n_cores() + 1 + int(self.n_jobs))

    def run(self, work: Work, tiles: Sequence[Tile], label: str) -> None:
        """Do all tiles; the first error, or Ctrl-C, stops the rest and is raised here."""
        stop = np.zeros(1, np.uint8)
        finished: SimpleQueue[Future[None]] = SimpleQueue()
        with ThreadPoolExecutor(self.n_threads) as pool:
            try:
                for tile in tiles:
                    pool.submit(work, tile, stop).add_done_callback(finished.put)
                for done in range(1, len(tiles) + 1):
                    _next(finished).result()
                    if self.progress is not None:
                        self.progress(label, done, len(tiles))
            except BaseException:
                stop[0] = 1
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def announce(self, n_bytes: float, what: str) -> None:
        """Say, in the log, what memory something holds."""
        _log.info("%s: %s", what, mem.in_words(n_bytes))

    def fits(self, n_bytes: float) -> bool:
        """Whether so much memory may be taken."""
        return n_bytes <= self._limit()

    def _limit(self) -> float:
        return self.memory if self.memory is not None else mem.available()

    def reserve(self, n_bytes: float, what: str, instead: str) -> None:
        """Announce memory before it is taken, and refuse what does not fit."""
        self.announce(n_bytes, what)
        limit = self._limit()
        if n_bytes > limit:
            raise MemoryError(
                f"{what} needs {mem.in_words(n_bytes)}, and {mem.in_words(limit)} are available; {instead}"
            )


def _next(finished: SimpleQueue[Future[None]]) -> Future[None]:
    """The next tile that is done; waits in short naps, in which Ctrl-C is heard on every system."""
    while True:
        try:
            return finished.get(timeout=0.2)
        except Empty:
            continue


def _n_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
