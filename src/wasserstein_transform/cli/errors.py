"""Report errors and warnings of a command: one line each, and an exit status."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import click

from .printing import say

OPTION_OF_ARGUMENT = {
    "n_clusters": "clusters", "n_jobs": "jobs", "covariances": "errors", "order": "trip",
    "n_communities": "n", "spatial_radius": "spatial", "range_radius": "range",
}  # fmt: skip
VALUE_WORDS = {"None": "none", "False": "none", "True": "", "[...]": ""}
BAD_INPUT_STATUS, MEMORY_STATUS, STOPPED_STATUS, PIPE_STATUS = 2, 3, 130, 128 + getattr(signal, "SIGPIPE", 13)


@contextmanager
def reporting_errors(note: Callable[[str], None] | None = None, left: str = "nothing was written") -> Iterator[None]:
    """Print expected errors in one line and exit with a status; warnings become notes; Ctrl-C exits with 130."""
    from .._check import use_option_texts

    context = click.get_current_context()
    command = context.command_path
    note = note or (lambda words: say(f"note: {words}", err=True))
    try:
        with warnings.catch_warnings(action="always"):
            warnings.simplefilter("ignore", DeprecationWarning)  # for developers, not for users of the command line
            warnings.showwarning = lambda message, *_, **__: note(str(message))
            with use_option_texts(partial(_spell, context)):
                yield
    except BrokenPipeError:  # click ends
        raise
    except (ImportError, ValueError, TypeError, ArithmeticError, OSError, MemoryError) as error:
        say(f"{command}: {in_a_line(error)}", err=True)
        raise click.exceptions.Exit(MEMORY_STATUS if isinstance(error, MemoryError) else BAD_INPUT_STATUS) from None
    except KeyboardInterrupt:
        say(f"{command}: stopped; {left}", err=True)
        raise click.exceptions.Exit(STOPPED_STATUS) from None


def in_a_line(error: BaseException) -> str:
    """The message of an error in one line, without system error numbers."""
    words = str(error)
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        file = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes | os.PathLike) else ""
        words = f"{file}{error.strerror[:1].lower()}{error.strerror[1:]}" if file else error.strerror
    if isinstance(error, MemoryError) and not words:
        words = "there is not enough memory; take fewer points"
    return " ".join(words.split()) or type(error).__name__


def _spell(context: click.Context, python: str, argument: str) -> str:
    """Spell what the library advises: an argument as an option of the command."""
    if not argument:
        return ""
    name, _, value = argument.partition("=")
    option = OPTION_OF_ARGUMENT.get(name, name)
    if any(option == parameter.name for parameter in context.command.params):
        value = VALUE_WORDS.get(value, value.strip("'"))
        return f"--{option.replace('_', '-')} {value}".rstrip()
    return python
