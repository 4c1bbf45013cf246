"""A progress line on the terminal: it appears after two seconds and is removed when the work is done."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from math import isnan
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from . import printing

if TYPE_CHECKING:
    from ..engine import Update

AFTER = 2.0  # seconds before the line appears
EVERY = 0.2  # seconds between updates
_KNOWN = 0.02  # share of a stage that must be done before its remaining time is estimated
_BAR = 20  # characters of the bar, if there is space


class Watch:
    """The progress line: the engine calls `advance`; `stage` is for work without progress updates."""

    def __init__(self, quiet: bool = False) -> None:
        self._shows = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._began = self._stage_began = self._update_began = time.monotonic()
        self._stage, self._compiling = "", ""
        self._update: Update | None = None
        self._lock, self._over, self._shown = threading.RLock(), threading.Event(), ""

    def __enter__(self) -> Self:
        if self._shows:
            printing.before_lines.append(self.clear)
            self._thread = threading.Thread(target=self._draw_now_and_then, name="progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Remove the line; the output follows."""
        self._over.set()
        if self._shows and self.clear in printing.before_lines:
            self._thread.join()
            printing.before_lines.remove(self.clear)
            self.clear()

    def stage(self, name: str) -> None:
        """Show that a new stage has begun."""
        with self._lock:
            self._stage, self._stage_began, self._update = name, time.monotonic(), None

    def advance(self, update: Update) -> None:
        """Show the progress of the engine."""
        with self._lock:
            if self._update is None or update.stage != self._update.stage:
                self._update_began = time.monotonic()
            self._update = None if update.finished else update

    def compiles(self, name: str, seconds: float | None) -> None:
        """Show that a kernel is being compiled (seconds is None), or that it is done."""
        with self._lock:
            self._compiling = "compiling, once" if seconds is None else ""

    def clear(self) -> None:
        """Erase the line."""
        with self._lock:
            if self._shown:
                sys.stderr.write("\r" + " " * len(self._shown) + "\r")
                sys.stderr.flush()
                self._shown = ""

    def _draw_now_and_then(self) -> None:
        while not self._over.wait(EVERY):
            if time.monotonic() - self._began >= AFTER:
                self._draw()

    def _draw(self) -> None:
        with self._lock:
            if self._over.is_set():
                return
            now = time.monotonic()
            began = self._stage_began if self._update is None else self._update_began
            line = self._compiling or line_of(self._stage, self._update, now - began, _columns())
            line = printing.escaped(line)[: max(_columns() - 1, 1)]
            sys.stderr.write("\r" + line + " " * (len(self._shown) - len(line)))
            sys.stderr.flush()
            self._shown = line


def line_of(stage: str, update: Update | None, seconds: float, width: int) -> str:
    """Stage, progress and remaining time, as much as fits into the width; `seconds` is the time so far."""
    if update is None:
        return _joined([stage, in_words(seconds)], width)
    share = update.done / max(update.total, 1)
    loop = f"{update.iteration} of {update.n_iter}" if update.n_iter > 1 else ""
    percent, left, filled = f"{100 * share:.0f} %", _left(update, share, seconds), int(_BAR * share)
    bar = f"[{'#' * filled}{'.' * (_BAR - filled)}]"
    name = update.stage if not stage or stage == update.stage else f"{stage}: {update.stage}"
    shorter = ([name, loop, bar, percent, left], [name, loop, percent, left], [update.stage, loop, percent, left])
    for parts in (*shorter, [update.stage, percent, left]):
        line = _joined(parts, None)
        if len(line) < width:
            return line
    return _joined([update.stage, percent, left] if len(percent) + len(left) + 8 < width else [percent], width)


def _left(update: Update, share: float, seconds: float) -> str:
    """The remaining time; the elapsed time while it is unknown."""
    remaining = update.remaining
    if isnan(remaining) and update.n_iter <= 1 and share >= _KNOWN:  # unknown for a loop with one iteration
        remaining = seconds * (1 - share) / share
    return f"{in_words(remaining)} left" if not isnan(remaining) else f"{in_words(seconds)} so far"


def in_words(seconds: float) -> str:
    """Seconds as minutes and seconds: 61 → '1:01'."""
    whole = round(seconds)
    minutes = f"{whole // 60 % 60:02d}" if whole >= 3600 else f"{whole // 60}"
    return f"{whole // 3600}:{minutes}:{whole % 60:02d}" if whole >= 3600 else f"{minutes}:{whole % 60:02d}"


def _joined(parts: list[str], width: int | None) -> str:
    """Join parts with blanks; if the line is too long, the first part is shortened."""
    first, *others = [part for part in parts if part]
    rest = "".join(f"  {part}" for part in others)
    if width is not None and len(first) + len(rest) >= width:
        first = first[: max(width - 1 - len(rest), 0)]
    return first + rest


def _columns() -> int:
    """Width of the terminal of standard error."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns if "COLUMNS" not in os.environ else _by_environment()
    except (OSError, ValueError, AttributeError):
        return _by_environment()


def _by_environment() -> int:
    return shutil.get_terminal_size().columns


def listening(watch: Watch) -> Any:
    """Tell the watch about compilation; returns a function that ends this."""
    from ..compute.compiling import on_compile

    return on_compile(watch.compiles)
