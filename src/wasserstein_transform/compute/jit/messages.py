"""Say that kernels are being compiled: in the progress bar, else in one line of the log."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from ...engine.progress import is_told, set_compiling
from .decorators import PRIVATE, on_compile

__all__ = ["compiled_code", "listen", "may_compile_more", "on_compile"]

PATIENCE = 3.0  # seconds of compiling without a word; a progress bar appears earlier
_LINE = (
    "wasserstein_transform: compiling what this needs, once (5 to 20 seconds); later runs load it, and `wt warmup` "
    "compiles all of it ahead"
)
_log = logging.getLogger("wasserstein_transform")


class _Announcement:
    """Logs a line, once in a process, when compiling takes long and no progress bar shows it."""

    def __init__(self) -> None:
        self.seconds, self._said = 0.0, False
        self._timer: threading.Timer | None = None

    def __call__(self, name: str, seconds: float | None) -> None:
        """Note that a kernel is being compiled (seconds is None), or that it is done."""
        set_compiling(seconds is None)
        if seconds is not None:
            self.seconds += seconds
            if self._timer is not None:
                self._timer.cancel()
        elif not self._said:
            self._timer = threading.Timer(max(PATIENCE - self.seconds, 0.0), self._say)
            self._timer.daemon = True
            self._timer.start()

    def _say(self) -> None:
        if not (self._said or is_told()):
            self._said = True
            _log.warning(_LINE)


_ANNOUNCEMENT = _Announcement()


def listen() -> None:
    """Announce compilation from now on."""
    on_compile(_ANNOUNCEMENT)


def may_compile_more() -> bool:
    """Whether this process had to compile kernels, and can keep others."""
    return _ANNOUNCEMENT.seconds > 0 and PRIVATE is not None and PRIVATE.STORE.home is not None


def compiled_code() -> tuple[Path | None, int]:
    """The folder of the cache of compiled kernels, and their number; None if Numba's own cache is used."""
    if PRIVATE is None:
        return None, 0
    folders = [folder for folder in PRIVATE.STORE.folders if folder.is_dir()]
    counts = [sum(1 for _ in folder.iterdir()) for folder in folders]
    return (folders[0], sum(counts)) if folders else (PRIVATE.STORE.folders[0], 0)
