"""What an executor is."""

from __future__ import annotations

from typing import Protocol

from ..places import Record
from ..task import Task


class Overseer(Protocol):
    """What an executor needs to know of the engine it runs for."""

    @property
    def n_threads(self) -> int:
        """Threads that may be used."""

    def check(self) -> None:
        """Raise `Cancelled` if somebody cancelled."""

    def report(self, stage: str, done: int, total: int) -> None:
        """Tell progress that so many tiles of a stage are done."""

    def keeps(self, key: str) -> None:
        """Remember that the store keeps this of the iteration under way."""


class Executor(Protocol):
    """Runs the tiles of a task and puts their records into the result.

    An executor calls `engine.report(name, done, total)` as tiles end and `engine.check()` while it waits, several times
    a second: the one shows progress, the other raises when the work was cancelled. The first error stops the rest.
    Records may be computed twice or in any order: they depend on the task alone.
    """

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        """Fill `out`."""
