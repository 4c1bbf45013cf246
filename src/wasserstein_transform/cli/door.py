"""How commands end: in a result, or in a line that says what was wrong."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import typer

from .printing import say
from .wording import typed

BAD, MEMORY, STOPPED, PIPE = 2, 3, 130, 128 + getattr(signal, "SIGPIPE", 13)


@contextmanager
def door(command: str, note: Callable[[str], None] | None = None, left: str = "nothing was written") -> Iterator[None]:
    """What cannot be done is one line, and a status of its own; warnings are notes; Ctrl-C is status 130."""
    note = note or (lambda words: say(f"note: {words}", err=True))
    try:
        with warnings.catch_warnings(action="always"):
            warnings.simplefilter("ignore", DeprecationWarning)  # for those who write code, not for those who run it
            warnings.showwarning = lambda message, *_, **__: note(str(message))
            yield
    except BrokenPipeError:
        hush()
        raise typer.Exit(PIPE) from None
    except (ImportError, ValueError, TypeError, ArithmeticError, OSError, MemoryError) as error:
        say(f"{command}: {typed(in_a_line(error))}", err=True)
        raise typer.Exit(MEMORY if isinstance(error, MemoryError) else BAD) from None
    except KeyboardInterrupt:
        say(f"{command}: stopped; {left}", err=True)
        raise typer.Exit(STOPPED) from None


def in_a_line(error: BaseException) -> str:
    """What an error says, without line ends and numbers of the system."""
    words = str(error)
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        at = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes | os.PathLike) else ""
        words = f"{at}{error.strerror[:1].lower()}{error.strerror[1:]}" if at else error.strerror
    if isinstance(error, MemoryError) and not words:
        words = "there is not enough memory; take fewer rows"
    return " ".join(words.split()) or type(error).__name__


def hush() -> None:
    """Whoever read is gone: what is still to be flushed goes nowhere, and nobody complains when Python ends."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def hushed(work: Callable[[], Any]) -> Any:
    """Do what prints at the end of a command; a reader that went away is status 141 and no word."""
    try:
        return work()
    except BrokenPipeError:
        hush()
        raise typer.Exit(PIPE) from None
