"""Progress of long work, shown only when asked: one line, however many stages there are."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import NamedTuple, TextIO, TypeAlias


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
        self._last, self._shown = 0.0, ""

    def __call__(self, update: Update) -> None:
        out = self._stream if self._stream is not None else sys.stderr
        if not out.isatty():
            return
        now = time.monotonic()
        if not update.finished and now - self._last < self._delay:
            return
        line = "" if update.finished else _line(update, self._width)
        out.write(f"\r{line:<{len(self._shown)}}" + ("\r" if update.finished else ""))
        out.flush()
        self._last, self._shown = now, line


def bar(stream: TextIO | None = None, width: int = 20, delay: float = 0.1) -> Progress:
    """One line on `stream` (standard error) with iteration, stage, share and remaining time; gone when all is done.

    Redrawn at most every `delay` seconds. A stream that is no terminal gets nothing.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> engine = wt.Engine(progress=wt.bar())
    """
    return Bar(stream, width, delay)


def _line(update: Update, width: int) -> str:
    share = update.done / max(update.total, 1)
    filled = int(width * share)
    loop = f"iteration {update.iteration} of {update.n_iter}, " if update.n_iter else ""
    left = f", {_in_words(update.remaining)} left" if update.remaining == update.remaining else ""
    return f"{loop}{update.stage} [{'#' * filled}{'.' * (width - filled)}] {100 * share:3.0f} %{left}"


def _in_words(seconds: float) -> str:
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d}"
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
