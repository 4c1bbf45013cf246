"""A message when kernels are compiled for the first time, which explains the delay."""

from __future__ import annotations

import sys
from pathlib import Path

from ..kernels.compile import PRIVATE, on_compile

__all__ = ["compiled_code", "listen", "on_compile", "say", "say_nothing"]

_LINE = "wasserstein_transform: compiling, once, which takes some seconds; `wt warmup` does it ahead\n"

_said = False


def say(name: str, seconds: float | None) -> None:
    """Write the message once per process, if standard error is a terminal."""
    global _said  # noqa: PLW0603  # once for the whole process
    if not _said and sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(_LINE)
        sys.stderr.flush()
    _said = True


def say_nothing() -> None:
    """Suppress the message in this process: another progress display shows it."""
    global _said  # noqa: PLW0603  # once for the whole process
    _said = True


def listen() -> None:
    """Register the message for compilation events."""
    on_compile(say)


def compiled_code() -> tuple[Path | None, int]:
    """The folder of the cache of compiled kernels, and their number; None if Numba's own cache is used."""
    if PRIVATE is None:
        return None, 0
    folders = [folder for folder in PRIVATE.STORE.folders if folder.is_dir()]
    counts = [sum(1 for _ in folder.iterdir()) for folder in folders]
    return (folders[0], sum(counts)) if folders else (PRIVATE.STORE.folders[0], 0)
