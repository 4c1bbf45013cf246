"""Progress of long work, shown only when asked: one line, however many stages there are."""

from __future__ import annotations

import builtins
import os
import shutil
import sys
import time
from collections.abc import Callable
from typing import NamedTuple, TextIO, TypeAlias

_PATIENCE = 5  # delays that work has to take before a notebook shows it
_NOTEBOOK = 100  # letters of a line in a notebook


class Update(NamedTuple):
    """Where the work is.

    Attributes
    ----------
    stage : str
        What is being done; empty once all is done.
    done, total : int
        Tiles of the stage.
    iteration, n_iter : int
        Which iteration of how many; 0 of 0 outside of loops.
    remaining : float
        Seconds until the end of the loop, or of the stage outside of loops, about; NaN while that is unknown.
    """

    stage: str
    done: int
    total: int
    iteration: int = 0
    n_iter: int = 0
    remaining: float = float("nan")

    @property
    def finished(self) -> bool:
        """Whether the whole work has ended."""
        return not self.stage


Progress: TypeAlias = Callable[[Update], None]
"""Called with an `Update` whenever a tile ends, and once more, with an empty stage, when all is done."""


class Bar:
    """Draws updates as one line that is written over; see `bar`."""

    def __init__(self, stream: TextIO | None, width: int, delay: float) -> None:
        self._stream, self._width, self._delay = stream, width, delay
        self._began: float | None = None
        self._last, self._shown = 0.0, ""

    def __call__(self, update: Update) -> None:
        out = self._stream if self._stream is not None else sys.stderr
        columns = _columns(out)
        if columns is None:
            return
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        patience = _PATIENCE * self._delay if in_notebook() else 0.0
        if update.finished:
            self._end(out, now - self._began)
        elif now - self._last >= self._delay and now - self._began >= patience:
            self._write(out, line(update, self._width, now - self._began, columns))
            self._last = now

    def _write(self, out: TextIO, text: str) -> None:
        out.write(f"\r{text:<{len(self._shown)}}")
        out.flush()
        self._shown = text

    def _end(self, out: TextIO, seconds: float) -> None:
        """Leave a terminal as it was; a notebook keeps a line that is over."""
        if self._shown and in_notebook():
            self._write(out, f"[{'#' * self._width}] done in {_in_words(seconds)}")
            out.write("\n")
        elif self._shown:
            self._write(out, "")
            out.write("\r")
        out.flush()
        self._began, self._shown, self._last = None, "", 0.0


def bar(stream: TextIO | None = None, width: int = 20, delay: float = 0.1) -> Progress:
    """One line on `stream` (standard error): iteration, stage, share, tiles, and the time that passed and is left.

    Redrawn at most every `delay` seconds, cut to the width of the terminal, and gone when all is done. In a notebook it
    appears once work has taken five times as long, and ends with the time it took. Any other stream that is no terminal
    gets nothing.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> engine = wt.Engine(progress=wt.bar())
    """
    return Bar(stream, width, delay)


def in_notebook() -> bool:
    """Whether the shell that runs this has a kernel: Jupyter, and what speaks its language."""
    shell = getattr(builtins, "get_ipython", None)
    return callable(shell) and hasattr(shell(), "kernel")


def _columns(out: TextIO | None) -> int | None:
    """How long a line may be; None where nobody looks."""
    if out is None:
        return None
    if not out.isatty():
        return _NOTEBOOK if in_notebook() else None
    try:
        return os.get_terminal_size(out.fileno()).columns - 1
    except (AttributeError, OSError, ValueError):
        return shutil.get_terminal_size().columns - 1


def line(update: Update, width: int, passed: float, columns: int) -> str:
    """As much as there is room for; the bar goes last, but for the stage."""
    share = update.done / max(update.total, 1)
    filled = int(width * share)
    loop = f"iteration {update.iteration} of {update.n_iter}, " if update.n_iter else ""
    what = f"{loop}{update.stage}"
    strip = f" [{'#' * filled}{'.' * (width - filled)}]"
    percent = f" {100 * share:3.0f} %"
    left = f", {_in_words(update.remaining)} left" if update.remaining == update.remaining else ""
    tiles, so_far = f", {update.done}/{update.total}", f", {_in_words(passed)} passed"
    texts = (
        f"{what}{strip}{percent}{tiles}{so_far}{left}",
        f"{what}{strip}{percent}{so_far}{left}",
        f"{what}{strip}{percent}{left}",
        f"{what}{percent}{left}",
        f"{update.stage}{percent}",
    )
    return next((text for text in texts if len(text) <= columns), texts[-1][: max(columns, 0)])


def _in_words(seconds: float) -> str:
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d}"
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
