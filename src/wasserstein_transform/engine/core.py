"""The engine: one thread pool for all compiled work."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import memory as mem
from .progress import Progress
from .tiles import Tile

_log = logging.getLogger("wasserstein_transform")

Work = Callable[[Tile, NDArray[np.uint8]], None]
"""Does one tile. The array holds one byte: not 0 once somebody pressed Ctrl-C; long kernels look at it."""


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

    @property
    def n_threads(self) -> int:
        """The number of threads `n_jobs` stands for."""
        if self.n_jobs > 0:
            return int(self.n_jobs)
        return max(1, _n_cores() + 1 + int(self.n_jobs))

    def run(self, work: Work, tiles: Sequence[Tile], label: str) -> None:
        """Do all tiles; the first error, or Ctrl-C, stops the rest and is raised here."""
        stop = np.zeros(1, np.uint8)
        with ThreadPoolExecutor(self.n_threads) as pool:
            waiting = {pool.submit(work, tile, stop) for tile in tiles}
            try:
                self._follow(waiting, len(tiles), label)
            except BaseException:
                stop[0] = 1
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _follow(self, waiting: set[Future[None]], total: int, label: str) -> None:
        while waiting:
            done, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
            if self.progress is not None:
                self.progress(label, total - len(waiting), total)

    def reserve(self, n_bytes: float, what: str, instead: str) -> None:
        """Announce memory before it is taken, and refuse what does not fit."""
        _log.info("%s: %s", what, mem.in_words(n_bytes))
        limit = self.memory if self.memory is not None else mem.available()
        if n_bytes > limit:
            raise MemoryError(
                f"{what} needs {mem.in_words(n_bytes)}, and {mem.in_words(limit)} are available; {instead}"
            )


def _n_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
