"""What an executor is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..places import Record
from ..task import Task

if TYPE_CHECKING:  # the engine imports executors
    from ..core import Engine


class Executor(Protocol):
    """Runs the tiles of a task and puts their records into the result.

    An executor calls `engine.report(name, done, total)` as tiles end and `engine.check()` while it waits, several times
    a second: the one shows progress, the other raises when the work was cancelled. The first error stops the rest.
    Records may be computed twice or in any order: they depend on the task alone.
    """

    def run(self, task: Task, out: Record, engine: Engine) -> None:
        """Fill `out`."""
