"""Progress of long work, shown only on request: one line for all stages."""

from __future__ import annotations

import builtins
import os
import shutil
import sys
import time
from collections.abc import Callable
from typing import NamedTuple, TextIO, TypeAlias

_NOTEBOOK_DELAYS = 5  # times `delay`: how long work must take before a notebook shows it
_NOTEBOOK_COLUMNS = 100  # characters of a line in a notebook


class Update(NamedTuple):
    """The state of running work; `progress` callbacks get it.

    Attributes
    ----------
    stage : str
        Name of the current stage; empty when all work is done.
    done, total : int
        Number of finished tiles of the stage, and of all its tiles.
    iteration, n_iter : int
        Number of the iteration, from 1, and of all iterations; 0 of 0 outside loops.
    remaining : float
        Estimated seconds until the end of the loop, or of the stage outside loops; NaN while unknown.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> seen = []
    >>> with wt.using(progress=seen.append):
    ...     _ = wt.MeanShift(eps=1.0).fit([[0.0], [0.5], [9.0]])
    >>> bool(seen[0].stage), seen[-1].finished
    (True, True)
    """

    stage: str
    done: int
    total: int
    iteration: int = 0
    n_iter: int = 0
    remaining: float = float("nan")

    @property
    def finished(self) -> bool:
        """Whether all work has ended."""
        return not self.stage


Progress: TypeAlias = Callable[[Update], None]
"""Called with an `Update` whenever a tile ends, and with an empty stage when all work is done."""


class Bar:
    """Draws updates as one line that is overwritten; see `bar`."""

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
        patience = _NOTEBOOK_DELAYS * self._delay if in_notebook() else 0.0
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
        """Clear the line in a terminal; keep a final line in a notebook."""
        if self._shown and in_notebook():
            self._write(out, f"[{'#' * self._width}] done in {_in_words(seconds)}")
            out.write("\n")
        elif self._shown:
            self._write(out, "")
            out.write("\r")
        out.flush()
        self._began, self._shown, self._last = None, "", 0.0


def bar(stream: TextIO | None = None, width: int = 20, delay: float = 0.1) -> Progress:
    """Make a progress bar: one line with iteration, stage, percentage, tiles, elapsed and remaining time.

    It is redrawn at most every `delay` seconds, cut to the width of the terminal, and removed when all work is done. In
    a notebook it appears after five times `delay`, and ends with the elapsed time. Streams that are no terminals get
    nothing.

    Parameters
    ----------
    stream : text stream, optional
        Where to draw; None means standard error.
    width : int, default 20
        Characters of the bar.
    delay : float, default 0.1
        Seconds between two drawings.

    Returns
    -------
    callable
        For `progress=` of an Engine and of functions.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> engine = wt.Engine(progress=wt.bar())
    >>> callable(engine.progress)
    True
    """
    return Bar(stream, width, delay)


def in_notebook() -> bool:
    """Tell whether the code runs in a Jupyter kernel."""
    shell = getattr(builtins, "get_ipython", None)
    return callable(shell) and hasattr(shell(), "kernel")


def _columns(out: TextIO | None) -> int | None:
    """Return how long a line may be; None if the stream is not shown to anybody."""
    if out is None:
        return None
    if not out.isatty():
        return _NOTEBOOK_COLUMNS if in_notebook() else None
    try:
        return os.get_terminal_size(out.fileno()).columns - 1
    except (AttributeError, OSError, ValueError):
        return shutil.get_terminal_size().columns - 1


def line(update: Update, width: int, passed: float, columns: int) -> str:
    """Format an update in as much detail as fits; the bar is left out last, before the loop."""
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
