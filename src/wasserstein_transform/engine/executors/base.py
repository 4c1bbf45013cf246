"""Protocols of executors and of the engine as they see it."""

from __future__ import annotations

from typing import Protocol

from ..places import Record
from ..task import Task


class Overseer(Protocol):
    """Protocol: the part of an engine that executors use; `Engine` implements it.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> class Silent:
    ...     n_threads = 1
    ...     def check(self): ...
    ...     def report(self, stage, done, total): ...
    ...     def keeps(self, key): ...
    >>> def square(inputs, tile, stop, record):
    ...     record[0][:] = inputs[tile.start : tile.stop] ** 2
    >>> out, tiles = (np.empty(3),), wt.engine.of_size(3, 2)
    >>> task = wt.engine.Task("squares", square, np.arange(3.0), tiles, wt.engine.Rows())
    >>> wt.engine.Threads().run(task, out, Silent())
    >>> out[0]
    array([0., 1., 4.])
    """

    @property
    def n_threads(self) -> int:
        """Number of threads that may be used."""

    def check(self) -> None:
        """Raise `Cancelled` if the work was cancelled."""

    def report(self, stage: str, done: int, total: int) -> None:
        """Report that `done` of `total` tiles of a stage are done."""

    def keeps(self, key: str) -> None:
        """Record that the store has an entry with this key for the current iteration."""


class Executor(Protocol):
    """Protocol: runs the tiles of a task and writes their records to the result.

    An executor calls `engine.report(name, done, total)` as tiles end, to show progress, and `engine.check()` several
    times a second while it waits, which raises if the work was cancelled. The first error stops the remaining tiles.
    Tiles may be computed twice and in any order: their records depend on the task alone.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> class OneByOne:
    ...     def run(self, task, out, engine):
    ...         for tile in task.tiles:
    ...             engine.check()
    ...             task.into(out, tile, np.zeros(1, np.uint8))
    >>> with wt.using(executor=OneByOne()):
    ...     wt.Space.from_points([[0.0], [3.0]]).metric.dense()
    array([[0., 3.],
           [3., 0.]])
    """

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        """Compute all tiles of the task and write their records to `out`."""
