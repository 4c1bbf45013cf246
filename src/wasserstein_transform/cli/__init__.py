"""The command line, `wt`.

A command imports the modules it needs when it runs, so that `wt --help` loads no array library.
"""

from __future__ import annotations

import io
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

BUG_STATUS = 70  # exit status of an internal error


def main() -> None:
    """The entry point of `wt` and `wasserstein-transform`."""
    name = Path(sys.argv[0]).stem
    name = name if name == "wasserstein-transform" else "wt"
    try:
        from . import app

        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # characters that a terminal cannot show are no error
        signal.signal(signal.SIGTERM, _exit)
        app.app(prog_name=name)
    except KeyboardInterrupt:  # while modules are still being imported
        sys.exit(130)
    except Exception:
        traceback.print_exc()
        print(f"{name}: this is a bug in the program; please report it with the lines above", file=sys.stderr)
        sys.exit(BUG_STATUS)


def _exit(*_: Any) -> NoReturn:
    """Exit by an exception, so that partly written files are removed."""
    sys.exit(128 + signal.SIGTERM)
