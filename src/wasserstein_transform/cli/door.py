"""How commands end: in a result, or in a line that says what was wrong."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from .printing import say


@contextmanager
def door(command: str) -> Iterator[None]:
    """What cannot be done is one line, and status 2; warnings are notes; Ctrl-C is status 130."""
    try:
        with warnings.catch_warnings(action="always"):
            warnings.simplefilter("ignore", DeprecationWarning)  # for those who write code, not for those who run it
            warnings.showwarning = _note
            yield
    except (ImportError, ValueError, TypeError, ArithmeticError, OSError, MemoryError) as error:
        say(f"{command}: {' '.join(str(error).split()) or type(error).__name__}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        say("\nstopped; nothing was written", err=True)
        raise typer.Exit(130) from None


def _note(message: Warning | str, *_: Any, **__: Any) -> None:
    say(f"note: {message}", err=True)
