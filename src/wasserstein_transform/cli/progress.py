"""Progress of `wt reproduce`."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from ..engine import Update


class Watch:
    """Prints a line for each finished experiment and, on a terminal, a bar for the running one."""

    def __init__(self, console: Console) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(24), TimeElapsedColumn(), console=console, transient=True
        )
        self._task = self._bar.add_task("", total=None, visible=False)
        self._started = time.perf_counter()
        self._name = ""

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def tell(self, name: str, what: str) -> None:
        """Show that an experiment runs, is drawn, is done, or was done before."""
        if what == "runs":
            self._started, self._name = time.perf_counter(), name
        if what.endswith("done"):
            what = f"{what}, {time.perf_counter() - self._started:.1f} s"
        if "done" in what:
            self._bar.console.print(f"{name} {what}", highlight=False)
            self._bar.update(self._task, visible=False)
        else:
            self._bar.reset(self._task, description=f"{name} {what}", total=None, visible=True)

    def advance(self, update: Update) -> None:
        """Show iteration and stage of the engine. An experiment goes on after an update that is finished."""
        if update.finished:
            return
        loop = f"iteration {update.iteration} of {update.n_iter}, " if update.n_iter else ""
        description = f"{self._name}: {loop}{update.stage}"
        self._bar.update(self._task, description=description, completed=update.done, total=update.total)
