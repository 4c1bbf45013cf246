"""The command line, `wt`.

A command imports the modules it needs when it runs, so that `wt --help` loads no array library.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

_MISTAKE = 70  # exit status of an internal error


def main() -> None:
    """The entry point of `wt`."""
    try:
        from .app import app
        from .printing import spell_out

        spell_out(sys.stdout, sys.stderr)
        signal.signal(signal.SIGTERM, _end)
        _flushed(app)
    except KeyboardInterrupt:  # while modules are still being imported
        sys.exit(130)
    except Exception:
        traceback.print_exc()
        print("wt: this is a bug in the program; please report it with the lines above", file=sys.stderr)
        sys.exit(_MISTAKE)


def _flushed(app: Callable[[], Any]) -> None:
    """Run the app and flush its output; exit silently with status 141 if the reader of the pipe has gone."""
    try:
        try:
            app(prog_name="wt")  # type: ignore[call-arg]  # passed on to click
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        from .errors import PIPE, hush

        hush()
        sys.exit(PIPE)


def _end(*_: Any) -> NoReturn:
    """Exit by an exception, so that partly written files are removed."""
    sys.exit(128 + signal.SIGTERM)
