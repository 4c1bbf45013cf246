"""`wt reproduce`: run the paper's experiments, draw its figures, check its claims."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..experiments import EXPERIMENTS, Verdict
from .errors import reporting_errors
from .options import AsJson, Jobs, Quiet
from .printing import say, wants_color
from .summary import encoded
from .tables import show

if TYPE_CHECKING:
    from ..engine import Engine
    from ..experiments.reporting import Report

_STYLES: dict[str, str] = {Verdict.REPRODUCED: "green", Verdict.PARTLY: "yellow", Verdict.NOT: "red"}
_NAMES = ", ".join(EXPERIMENTS)
_WIDE = 160  # width of the output in columns if it is not a terminal


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(help=f"Experiments: {_NAMES}. All if none is given.", show_default=False),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Smaller data, fewer cases: under a minute, once compiled.")
    ] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for report and figures.")] = Path(
        "reproduction"
    ),
    fresh: Annotated[bool, typer.Option("--fresh", help="Run finished experiments again.")] = False,
    json: AsJson = False,
    quiet: Quiet = False,
    jobs: Jobs = None,
    record: Annotated[
        Path | None, typer.Option("--record", hidden=True, help="Write the verdicts into this record.")
    ] = None,
) -> None:
    """Run the paper's experiments, draw its figures, check its claims.

    Writes report.md, report.html and figures into the folder. Results of finished experiments are kept there and
    reused. The exit status is 1 if a case that used to hold fails. The first run after installation compiles for a
    minute or two.
    """
    with reporting_errors("wt reproduce"):  # only for wrong arguments; later errors show their traceback
        chosen = _possible(_chosen(names), asked=bool(names))
        engine = _prepared(output, jobs, record)
    from rich.console import Console

    from ..engine import current
    from ..experiments.reporting import reproduce as run, write_record
    from .progress import Watch

    console = Console(quiet=quiet or json) if sys.stdout.isatty() else Console(width=_WIDE, quiet=quiet or json)
    try:
        with Watch(console) as watch:
            report = run(
                chosen, output, quick=quick, fresh=fresh, engine=current(engine, progress=watch.advance),
                tell=watch.tell, experiments=EXPERIMENTS,
            )  # fmt: skip
    except KeyboardInterrupt:
        say(f"wt reproduce: stopped; experiments that were finished are kept in {output}", err=True)
        raise typer.Exit(130) from None
    if json:
        say(encoded(_facts(report)).decode().rstrip("\n"))
    elif not quiet:
        _say(report)
    if record is not None:
        write_record(record, [part for part in report.parts if part.name in chosen], quick)
        say(f"record: {record}", err=json or quiet)
    elif report.failed:
        raise typer.Exit(1)


def _prepared(output: Path, jobs: int | None, record: Path | None) -> Engine:
    """The engine for the run; raises if files cannot be written, before anything runs."""
    from ..engine import current
    from ..experiments.reporting import make_room, open_record
    from ..plotting.canvas import need_matplotlib

    if output.exists() and not output.is_dir():
        raise ValueError(f"{output} is a file; give a folder, or a name that is free")
    need_matplotlib()
    engine = current(n_jobs=jobs)
    if record is not None:
        open_record(record)
    try:
        make_room(output)
    except OSError as error:
        raise ValueError(f"{output} cannot be written: {error}; give another folder") from None
    return engine


def _chosen(names: list[str] | None) -> list[str]:
    unknown = [name for name in names or () if name not in EXPERIMENTS]
    if unknown:
        raise ValueError(f"no experiment is called {', '.join(unknown)}; there are {_NAMES}")
    return list(dict.fromkeys(names or EXPERIMENTS))


def _possible(chosen: list[str], asked: bool) -> list[str]:
    """The experiments whose requirements are met. Raises if an experiment given by name lacks something."""
    lacking = {name: EXPERIMENTS[name].lacks for name in chosen if EXPERIMENTS[name].lacks}
    for words in lacking.values():
        if asked:
            raise ValueError(words)
        say(f"left out: {words}", err=True)
    return [name for name in chosen if name not in lacking]


def _facts(report: Report) -> dict[str, object]:
    claims = [claim for part in report.parts for claim in part.claims]
    return {
        "claims": [{"claim": claim.name, "verdict": str(claim.verdict), "cases": claim.share} for claim in claims],
        "changes": [str(change) for change in report.changes if not change.is_new],
        "failed": bool(report.failed),
        "report": [str(report.page), str(report.text)],
    }


def _say(report: Report) -> None:
    claims = [claim for part in report.parts for claim in part.claims]
    show([["claim", "verdict", "cases"], *([claim.name, claim.verdict, claim.share] for claim in claims)], _colored)
    counts = Counter(claim.verdict for claim in claims)
    say(", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict))
    for change in report.changes:
        if not change.is_new:
            say(f"{'lost' if change.is_failure else 'differs from the record:'} {change}")
    n_new = sum(change.is_new for change in report.changes)
    if n_new:
        say(f"not on record: {n_new} claims")
    say(f"report: {report.page}, {report.text}")


def _colored(cell: str) -> str:
    return typer.style(cell, fg=_STYLES[cell]) if wants_color(sys.stdout) and cell in _STYLES else cell
