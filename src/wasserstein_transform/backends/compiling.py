"""A word when compiled code is made for the first time: nothing else would tell why it takes so long."""

from __future__ import annotations

import sys

from ..kernels.compile import on_compile

_LINE = "wasserstein_transform: compiling, once, which takes some seconds; `wt warmup` does it ahead\n"

_said = False


def say(name: str, seconds: float | None) -> None:
    """One line in a process, on standard error if that is a terminal; the log has it anyway."""
    global _said  # noqa: PLW0603  # once for the whole process
    if not _said and sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(_LINE)
        sys.stderr.flush()
    _said = True


def listen() -> None:
    """Say it when something is compiled."""
    on_compile(say)
