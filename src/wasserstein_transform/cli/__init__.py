"""The command line, `wt`. Needs typer, the extra `cli`.

What a command needs is imported when it runs: `wt --help` loads no array library.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

_MISTAKE = 70  # status of what is nobody's input


def main() -> None:
    """What `wt` runs."""
    try:
        import typer  # noqa: F401
    except ImportError:
        sys.exit(
            'the command line needs typer, which is not installed; pip install "wasserstein-transform[cli]" brings it'
        )
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
        print(
            "wt: this is a mistake of the program, not of yours; please report it with the lines above", file=sys.stderr
        )
        sys.exit(_MISTAKE)


def _flushed(app: Callable[[], Any]) -> None:
    """Run it, and write out what was printed: a reader who went away is status 141 and no word."""
    try:
        try:
            app(prog_name="wt")  # type: ignore[call-arg]  # it hands on what it gets
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        from .door import PIPE, hush

        hush()
        sys.exit(PIPE)


def _end(*_: Any) -> NoReturn:
    """As an exception, so that what is half written goes."""
    sys.exit(128 + signal.SIGTERM)
