"""`wt reproduce`: the paper's experiments, figures and claims."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..engine import Engine, current
from ..experiments import EXPERIMENTS, Verdict
from ..experiments.reporting import Report, make_room, reproduce as run, write_record
from ..plotting.canvas import need_matplotlib
from .options import Jobs
from .progress import Watch

_STYLES = {Verdict.REPRODUCED: "green", Verdict.PARTLY: "yellow", Verdict.NOT: "red"}
_NAMES = ", ".join(EXPERIMENTS)
_WIDE = 160  # columns of files and pipes, which have no width of their own


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
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what is finished.")] = False,
    jobs: Jobs = None,
    record: Annotated[bool, typer.Option("--record", hidden=True, help="Take the verdicts as the new record.")] = False,
) -> None:
    """Run the paper's experiments, draw its figures, judge its claims.

    Writes report.md, report.html and figures into the folder. Finished experiments are kept there and used again.
    Exit status 1 if a case that used to hold fails. The first run after installing compiles, for a minute or two.
    """
    chosen = _possible(_chosen(names), asked=bool(names))
    engine = _prepared(output, jobs)
    console = Console() if sys.stdout.isatty() else Console(width=_WIDE)
    try:
        with Watch(console) as watch:
            report = run(
                chosen, output, quick=quick, fresh=fresh, engine=current(engine, progress=watch.advance),
                tell=watch.tell, experiments=EXPERIMENTS,
            )  # fmt: skip
    except KeyboardInterrupt:
        console.print(f"\nstopped; experiments that were finished are kept in {escape(str(output))}")
        raise typer.Exit(130) from None
    _say(report, console)
    if record:
        write_record([part for part in report.parts if part.name in chosen], quick)
    elif report.failed:
        raise typer.Exit(1)


def _prepared(output: Path, jobs: int | None) -> Engine:
    """What can be wrong with the arguments is said before anything runs; what goes wrong later has its traceback."""
    if output.exists() and not output.is_dir():
        raise typer.BadParameter(f"{output} is a file; give a folder, or a name that is free", param_hint="--output")
    try:
        need_matplotlib()
        engine = current(n_jobs=jobs)
    except (ImportError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None
    try:
        make_room(output)
    except OSError as error:
        raise typer.BadParameter(
            f"{output} cannot be written: {error}; give another folder", param_hint="--output"
        ) from None
    return engine


def _chosen(names: list[str] | None) -> list[str]:
    unknown = [name for name in names or () if name not in EXPERIMENTS]
    if unknown:
        raise typer.BadParameter(
            f"no experiment is called {', '.join(unknown)}; there are {_NAMES}", param_hint="NAMES"
        )
    return list(dict.fromkeys(names or EXPERIMENTS))


def _possible(chosen: list[str], asked: bool) -> list[str]:
    """Those that have all they need: what was asked for by name must, of all the others are left out."""
    lacking = {name: EXPERIMENTS[name].lacks for name in chosen if EXPERIMENTS[name].lacks}
    for words in lacking.values():
        if asked:
            raise typer.BadParameter(words, param_hint="NAMES")
        typer.echo(f"left out: {words}", err=True)
    return [name for name in chosen if name not in lacking]


def _say(report: Report, console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="")
    for column in ("claim", "verdict", "cases"):
        table.add_column(column)
    claims = [claim for part in report.parts for claim in part.claims]
    for claim in claims:
        table.add_row(escape(claim.name), f"[{_STYLES[claim.verdict]}]{claim.verdict}[/]", claim.share)
    console.print(table)
    counts = Counter(claim.verdict for claim in claims)
    console.print(", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict))
    for change in report.changes:
        if not change.is_new:
            console.print("[red]lost[/]" if change.is_failure else "differs from the record:", escape(str(change)))
    n_new = sum(change.is_new for change in report.changes)
    if n_new:
        console.print(f"not on record: {n_new} claims")
    console.print(f"report: {escape(str(report.page))}, {escape(str(report.text))}", soft_wrap=True)
