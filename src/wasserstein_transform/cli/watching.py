"""One line that says how far long work is: on a terminal, after two seconds, gone when the work is done."""

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

AFTER = 2.0  # seconds of work before anything is shown
EVERY = 0.2  # seconds between two drawings
_KNOWN = 0.02  # share of a stage from which on its rest can be told
_BAR = 20  # signs of the bar, where there is room


class Watch:
    """Says where a command is; `advance` is for the engine, `stage` for what has no progress of its own."""

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
        """No more progress: the answer comes."""
        self._over.set()
        if self._shows and self.clear in printing.before_lines:
            self._thread.join()
            printing.before_lines.remove(self.clear)
            self.clear()

    def stage(self, name: str) -> None:
        """From now on this is done."""
        with self._lock:
            self._stage, self._stage_began, self._update = name, time.monotonic(), None

    def advance(self, update: Update) -> None:
        """The engine's progress."""
        with self._lock:
            if self._update is None or update.stage != self._update.stage:
                self._update_began = time.monotonic()
            self._update = None if update.finished else update

    def compiles(self, name: str, seconds: float | None) -> None:
        """A kernel is compiled, or was."""
        with self._lock:
            self._compiling = "compiling, once" if seconds is None else ""

    def clear(self) -> None:
        """Take the line away."""
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
            line = line[: max(_columns() - 1, 1)]
            sys.stderr.write("\r" + line + " " * (len(self._shown) - len(line)))
            sys.stderr.flush()
            self._shown = line


def line_of(stage: str, update: Update | None, seconds: float, width: int) -> str:
    """What is done, how far it is and how long it will take, as much of it as fits; `seconds` it took so far."""
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
    """How long it will take; as long as nobody knows, how long it took."""
    remaining = update.remaining
    if isnan(remaining) and update.n_iter <= 1 and share >= _KNOWN:  # NaN of a loop of one turn
        remaining = seconds * (1 - share) / share
    return f"{in_words(remaining)} left" if not isnan(remaining) else f"{in_words(seconds)} so far"


def in_words(seconds: float) -> str:
    """61 → '1:01'."""
    whole = round(seconds)
    minutes = f"{whole // 60 % 60:02d}" if whole >= 3600 else f"{whole // 60}"
    return f"{whole // 3600}:{minutes}:{whole % 60:02d}" if whole >= 3600 else f"{minutes}:{whole % 60:02d}"


def _joined(parts: list[str], width: int | None) -> str:
    """With blanks between; of what is too long the first part is cut."""
    first, *others = [part for part in parts if part]
    rest = "".join(f"  {part}" for part in others)
    if width is not None and len(first) + len(rest) >= width:
        first = first[: max(width - 1 - len(rest), 0)]
    return first + rest


def _columns() -> int:
    """The width of the terminal that errors go to."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns if "COLUMNS" not in os.environ else _by_environment()
    except (OSError, ValueError, AttributeError):
        return _by_environment()


def _by_environment() -> int:
    return shutil.get_terminal_size().columns


def listening(watch: Watch) -> Any:
    """Have the watch told of compiling; returns what ends it."""
    from ..backends.host import on_compile

    return on_compile(watch.compiles)
