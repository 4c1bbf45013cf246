"""Protocols of executors and of the engine as they see it."""

from __future__ import annotations

from typing import Protocol

from ..tasks import Record, Task


class Overseer(Protocol):
    """Protocol: the part of an engine that executors use; `Engine` implements it."""

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
    """

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        """Compute all tiles of the task and write their records to `out`."""
