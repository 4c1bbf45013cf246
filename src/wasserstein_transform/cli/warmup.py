"""`wt warmup`: compile the common kernels in advance."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from typing import Annotated

import typer

from .errors import reporting_errors
from .options import AsJson, Quiet
from .printing import say
from .summary import encoded
from .warming import GROUPS, Warmed, warm

Processes = Annotated[
    int | None, typer.Option("-j", "--jobs", help="Number of processes; -1: all cores.", show_default="all cores")
]


def warmup(jobs: Processes = None, json: AsJson = False, quiet: Quiet = False) -> None:
    """Compile the common kernels in advance.

    Runs tiny computations of every kind. The compiled kernels are cached; other processes load them quickly.
    """
    with reporting_errors("wt warmup", left="the compiled kernels are kept"):
        start, parts = time.perf_counter(), dict[str, Warmed]()
        from ..engine.progress import Bar

        with Bar(quiet=json or quiet) as bar, closing(_warmed(jobs)) as warmed:
            bar.stage("compiling")
            for part in warmed:
                parts[part.name] = part
                if not (json or quiet):
                    say(f"{part.name}: {_told(part.compiled)}, {part.seconds:.1f} s")
        n_compiled, seconds = sum(part.compiled for part in parts.values()), time.perf_counter() - start
        if json:
            facts = {name: {"compiled": part.compiled, "seconds": part.seconds} for name, part in parts.items()}
            say(encoded({"compiled": n_compiled, "seconds": seconds, "parts": facts}).decode().rstrip("\n"))
        elif not quiet:
            say(f"all: {n_compiled} kernels compiled, {seconds:.1f} s")


def _warmed(jobs: int | None) -> Generator[Warmed]:
    """Run all parts, in this process or in several."""
    from ..engine import current
    from .children import dealt

    n_processes = current(n_jobs=jobs).n_threads
    if n_processes == 1:
        yield from (warm(name) for names in GROUPS for name in names)
    else:
        yield from dealt(warm, GROUPS, n_processes)


def _told(n_compiled: int) -> str:
    return f"{n_compiled} kernel{'s' * (n_compiled > 1)} compiled" if n_compiled else "ready"
