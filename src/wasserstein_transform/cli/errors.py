"""Report errors and warnings of a command: one line each, and an exit status."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import click

from .printing import say
from .wording import typed

BAD, MEMORY, STOPPED, PIPE = 2, 3, 130, 128 + getattr(signal, "SIGPIPE", 13)


@contextmanager
def reporting_errors(note: Callable[[str], None] | None = None, left: str = "nothing was written") -> Iterator[None]:
    """Print expected errors in one line and exit with a status; warnings become notes; Ctrl-C exits with 130."""
    command = click.get_current_context().command_path
    note = note or (lambda words: say(f"note: {words}", err=True))
    try:
        with warnings.catch_warnings(action="always"):
            warnings.simplefilter("ignore", DeprecationWarning)  # for developers, not for users of the command line
            warnings.showwarning = lambda message, *_, **__: note(str(message))
            yield
    except BrokenPipeError:
        silence_stdout()
        raise click.exceptions.Exit(PIPE) from None
    except (ImportError, ValueError, TypeError, ArithmeticError, OSError, MemoryError) as error:
        say(f"{command}: {typed(in_a_line(error))}", err=True)
        raise click.exceptions.Exit(MEMORY if isinstance(error, MemoryError) else BAD) from None
    except KeyboardInterrupt:
        say(f"{command}: stopped; {left}", err=True)
        raise click.exceptions.Exit(STOPPED) from None


def in_a_line(error: BaseException) -> str:
    """The message of an error in one line, without system error numbers."""
    words = str(error)
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        at = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes | os.PathLike) else ""
        words = f"{at}{error.strerror[:1].lower()}{error.strerror[1:]}" if at else error.strerror
    if isinstance(error, MemoryError) and not words:
        words = "there is not enough memory; take fewer rows"
    return " ".join(words.split()) or type(error).__name__


def silence_stdout() -> None:
    """Send the rest of standard output to /dev/null after a broken pipe, so that Python exits without an error."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
