"""Progress of long work: one line for all stages, drawn by rich in terminals, an output of the cell in notebooks."""

from __future__ import annotations

import builtins
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from math import isnan, nan
from types import TracebackType
from typing import NamedTuple, Self, TextIO, TypeAlias

from .. import _check as check

AFTER = 2.0  # seconds before a bar appears that nobody asked for
EVERY = 0.2  # seconds between two drawings
_FREE_COLUMNS = 3  # at the end of a line in a terminal, which writes ^C there
_BAR_COLUMNS = 20
_MIN_SHARE_TO_ESTIMATE = 0.02  # of a stage that is done; the remaining time is unknown before


class Update(NamedTuple):
    """The state of running work; `progress` callbacks get it.

    Attributes
    ----------
    stage : str
        Name of the current stage; empty when all work has ended.
    done, total : int
        Number of finished tiles of the stage, and of all its tiles. When all work has ended: 1 of 1 if it is complete,
        0 of 1 if it was interrupted or failed.
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
    remaining: float = nan

    @property
    def finished(self) -> bool:
        """Whether all work has ended."""
        return not self.stage


Progress: TypeAlias = Callable[[Update], None]
"""Called with an `Update` whenever a tile ends, and with an empty stage when all work has ended."""


class Clock:
    """Times of one piece of work; estimates what remains of it."""

    def __init__(self) -> None:
        self._stage, self._iteration = "", 0
        self._loop_began = self._iteration_began = self._stage_began = time.monotonic()

    def estimate_remaining(self, stage: str, done: int, total: int, iteration: int, n_iter: int) -> float:
        """Estimate the seconds to the end: of the loop, from its iterations so far, or of the only stage."""
        now = time.monotonic()
        if iteration != self._iteration:
            self._iteration, self._iteration_began = iteration, now
            self._loop_began = now if iteration == 1 else self._loop_began
        if stage != self._stage or not done:
            self._stage, self._stage_began = stage, now
        can_estimate = done and done >= _MIN_SHARE_TO_ESTIMATE * total
        of_stage = (now - self._stage_began) * (total - done) / done if can_estimate else nan
        if n_iter <= 1:
            return of_stage
        if iteration == 1:
            return nan
        each = (self._iteration_began - self._loop_began) / (iteration - 1)
        of_iteration = max(self._iteration_began + each - now, 0.0 if isnan(of_stage) else of_stage)
        return of_iteration + (n_iter - iteration) * each


class Bar:
    """Shows updates in one line while work runs; see `bar`. In a `with` block, the line stays until its end.

    Updates are only noted: a thread draws them, several times a second. Of work within work, the outermost is shown.

    Parameters
    ----------
    stream : text stream, optional
        The terminal; None means standard error, or the output of the cell in a notebook.
    after : float, optional
        Seconds of work before the line appears; None means two.
    quiet : bool, default False
        Whether to show nothing, also of the work inside.
    """

    def __init__(self, stream: TextIO | None = None, after: float | None = None, quiet: bool = False) -> None:
        self._stream, self._after, self.quiet = stream, after, quiet
        self._is_block, self._name, self._stage_began = False, "", 0.0
        self._updated: tuple[Update, float] | None = None
        self._display: _Terminal | _Notebook | None = None

    def __call__(self, update: Update) -> None:
        """Note an update of the engine; the last one removes the line."""
        if not update.finished:
            self._updated = update, time.monotonic()
            if _outermost is None:
                self.start()
            return
        self._updated = None
        if not self._is_block:
            self.stop(update.done == update.total)

    def stage(self, name: str) -> None:
        """Note that other work begins, of which the engine gives no updates."""
        self._name, self._stage_began, self._updated = name, time.monotonic(), None

    def __enter__(self) -> Self:
        self._is_block = True
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop(kind is None)

    def start(self) -> None:
        """Begin to count the time; the line appears later."""
        global _outermost
        with _lock:
            if _outermost is not None or not (self.quiet or is_shown(self._stream)):
                return
            _outermost, self._ended = self, threading.Event()
            self._began = self._stage_began = time.monotonic()
        if not self.quiet:
            run = copy_context().run  # a notebook finds the cell in the context
            threading.Thread(target=run, args=(self._draw, self._ended), name="progress", daemon=True).start()

    def stop(self, complete: bool = True) -> None:
        """Remove the line; a notebook keeps a last one, which says how the work ended."""
        global _outermost  # noqa: PLW0603
        with _lock:
            self._is_block = False
            if _outermost is not self:
                return
            _outermost = None
            self._ended.set()
            display, self._display = self._display, None
            if display is not None:
                passed = describe_seconds(time.monotonic() - self._began)
                with suppress(OSError, ValueError):  # the terminal may be gone
                    display.close(f"done in {passed}" if complete else f"stopped after {passed}")

    def clear(self) -> None:
        """Erase the line until it is drawn again, so that others can print."""
        with _lock, suppress(OSError, ValueError):
            if self._display is not None:
                self._display.show("")

    def _draw(self, ended: threading.Event) -> None:
        """Draw the line several times a second, once the work takes long enough."""
        delay = AFTER if self._after is None else self._after
        while not ended.wait(delay):
            delay = EVERY
            with _lock:
                if ended.is_set():
                    return
                try:
                    if self._display is None:
                        is_cell = self._stream is None and in_notebook()
                        self._display = _Notebook() if is_cell else _Terminal(self._stream)
                    self._display.show(self.line())
                except (OSError, ValueError):  # the terminal is gone
                    self.stop()

    def line(self) -> str:
        """The time, the share of the stage that is done, and the names of the work and of the stage."""
        now = time.monotonic()
        if _compiling_since is not None:
            name = self._name if self._name.startswith("compiling") else "compiling what this needs, once"
            return f"{describe_seconds(now - _compiling_since)} so far  {name}"
        so_far = f"{describe_seconds(now - self._stage_began)} so far"
        if self._updated is None:
            return f"{so_far}  {self._name or 'working'}"
        update, noted = self._updated
        share, left = update.done / max(update.total, 1), update.remaining - (now - noted)
        when = f"{describe_seconds(left)} left" if left >= 0.5 else so_far
        loop = f"iteration {update.iteration} of {update.n_iter}, " if update.n_iter > 1 else ""
        work = f"{self._name}: " if self._name not in ("", update.stage) else ""
        drawn = ("━" * int(_BAR_COLUMNS * share)).ljust(_BAR_COLUMNS)
        return f"{int(100 * share):3d} %  {when}  {drawn}  {work}{loop}{update.stage}"


class _Terminal:
    """One line of a terminal. Streams of the process are not redirected, and the cursor stays visible."""

    def __init__(self, stream: TextIO | None) -> None:
        from rich.console import Console  # noqa: PLC0415  # only long work needs it
        from rich.live import Live  # noqa: PLC0415

        self._console = Console(file=sys.stderr if stream is None else stream, force_jupyter=False)
        self._live = Live(
            console=self._console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._live.start()
        self._console.show_cursor()  # a process that is killed could not show it again

    def show(self, line: str) -> None:
        """Replace the line, cut to the width of the terminal."""
        from rich.text import Text  # noqa: PLC0415

        text = Text(line)
        text.truncate(max(self._console.width - _FREE_COLUMNS, 1), overflow="ellipsis")
        self._live.update(text, refresh=True)

    def close(self, last: str) -> None:
        """Remove the line."""
        self._live.stop()


class _Notebook:
    """An output of a cell that is replaced. Live displays of rich and tqdm need ipywidgets; this needs none."""

    def __init__(self) -> None:
        from IPython.display import display  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, line: str) -> None:
        """Replace the output."""
        self._handle.update({"text/plain": line}, raw=True)

    def close(self, last: str) -> None:
        """Leave a last line."""
        self.show(last)


def bar(stream: TextIO | None = None, after: float = 0.0) -> Bar:
    """Make a progress bar: one line with iteration, stage, percentage and remaining time.

    Work of more than two seconds has one without being asked, in terminals and notebooks; `progress=False` of an Engine
    switches it off. The line is cut to the width of the terminal and removed when the work ends; a notebook keeps how
    long it took. Streams that are no terminals get nothing.

    Parameters
    ----------
    stream : text stream, optional
        Where to draw; None means standard error, or the output of the cell in a notebook.
    after : float, default 0
        Seconds of work before the bar appears.

    Returns
    -------
    callable
        For `progress=` of an Engine and of `wt.using`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> engine = wt.Engine(progress=wt.engine.bar())
    >>> callable(engine.progress)
    True
    """
    return Bar(stream, after)


_lock = threading.RLock()  # of what follows, and of all drawing
_outermost: Bar | None = None  # of the work that runs; it may be quiet
_compiling_since: float | None = None


def set_compiling(active: bool) -> None:
    """Show in the line that a kernel is being compiled, or that it is done."""
    global _compiling_since  # noqa: PLW0603  # all threads wait for the compiler
    _compiling_since = time.monotonic() if active else None


def is_told() -> bool:
    """Tell whether a bar says what goes on, or will within two seconds, or nobody wants to know."""
    return _outermost is not None


def clear_line() -> None:
    """Erase the line of a visible bar; it is drawn again soon."""
    if shown := _outermost:
        shown.clear()


check.before_warnings.append(clear_line)


def is_shown(stream: TextIO | None = None) -> bool:
    """Tell whether somebody sees a bar: a terminal or a notebook, and not of a process that a program started."""
    if stream is None and in_notebook():
        return True
    out = sys.stderr if stream is None else stream
    process = sys.modules.get("multiprocessing.process")
    if out is None or (process is not None and process.parent_process() is not None):
        return False
    with suppress(ValueError, AttributeError):  # closed, or no real stream
        return out.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")
    return False


def in_notebook() -> bool:
    """Tell whether the code runs in a Jupyter kernel."""
    shell = getattr(builtins, "get_ipython", None)
    return callable(shell) and hasattr(shell(), "kernel")


def describe_seconds(seconds: float) -> str:
    """Seconds as minutes and seconds: 61 → '1:01'."""
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"
