"""A word when compiled code is made for the first time: nothing else would tell why it takes so long."""

from __future__ import annotations

import sys
from pathlib import Path

from ..kernels.compile import PRIVATE, on_compile

_LINE = "wasserstein_transform: compiling, once, which takes some seconds; `wt warmup` does it ahead\n"

_said = False


def say(name: str, seconds: float | None) -> None:
    """One line in a process, on standard error if that is a terminal; the log has it anyway."""
    global _said  # noqa: PLW0603  # once for the whole process
    if not _said and sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(_LINE)
        sys.stderr.flush()
    _said = True


def say_nothing() -> None:
    """Not in this process: somebody else says what is compiled."""
    global _said  # noqa: PLW0603  # once for the whole process
    _said = True


def listen() -> None:
    """Say it when something is compiled."""
    on_compile(say)


def compiled_code() -> tuple[Path | None, int]:
    """The folder that compiled code is kept in, and how many kernels are there; None where numba keeps it by itself."""
    if PRIVATE is None:
        return None, 0
    folders = [folder for folder in PRIVATE.STORE.folders if folder.is_dir()]
    counts = [sum(1 for _ in folder.iterdir()) for folder in folders]
    return (folders[0], sum(counts)) if folders else (PRIVATE.STORE.folders[0], 0)
