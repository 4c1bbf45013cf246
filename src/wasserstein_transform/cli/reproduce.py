"""`wt reproduce`: the paper's experiments, figures and claims."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ..engine import Engine
from ..experiments import EXPERIMENTS, Experiment, Verdict
from ..experiments.reporting import Report, reproduce as run, write_record
from .progress import Watch

_STYLES = {Verdict.REPRODUCED: "green", Verdict.PARTLY: "yellow", Verdict.NOT: "red"}
_NAMES = ", ".join(EXPERIMENTS)


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(help=f"Experiments: {_NAMES}. All if none is given.", show_default=False),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Smaller data, fewer readings: under a minute.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for report and figures.")] = Path(
        "reproduction"
    ),
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what is finished.")] = False,
    jobs: Annotated[int, typer.Option("-j", "--jobs", help="Threads; -1 means all cores.")] = -1,
    record: Annotated[bool, typer.Option("--record", hidden=True, help="Take the verdicts as the new record.")] = False,
) -> None:
    """Run the paper's experiments, draw its figures, judge its claims.

    Writes report.md, report.html and figures into the folder. Finished experiments are kept there and used again.
    Exit status 1 if a claim that used to hold fails.
    """
    chosen = _chosen(names)
    if output.exists() and not output.is_dir():
        raise typer.BadParameter(f"{output} is a file; give a folder, or a name that is free", param_hint="--output")
    console = Console()
    try:
        with Watch(console) as watch:
            engine = Engine(jobs, progress=watch.advance)
            report = run(chosen, output, quick=quick, fresh=fresh, engine=engine, tell=watch.tell)
    except (ImportError, ValueError, OSError) as error:
        raise typer.BadParameter(str(error)) from None
    except KeyboardInterrupt:
        console.print(f"\nstopped; experiments that were finished are kept in {output}")
        raise typer.Exit(130) from None
    _say(report, output, console)
    if record:
        write_record(report.parts, quick)
    elif report.failed:
        raise typer.Exit(1)


def _chosen(names: list[str] | None) -> list[Experiment]:
    unknown = [name for name in names or () if name not in EXPERIMENTS]
    if unknown:
        raise typer.BadParameter(
            f"no experiment is called {', '.join(unknown)}; there are {_NAMES}", param_hint="NAMES"
        )
    return [EXPERIMENTS[name] for name in dict.fromkeys(names or EXPERIMENTS)]


def _say(report: Report, output: Path, console: Console) -> None:
    table = Table(box=None, pad_edge=False)
    for column in ("claim", "verdict", "readings"):
        table.add_column(column)
    counts: Counter[Verdict] = Counter()
    for claim in (claim for part in report.parts for claim in part.claims):
        counts[claim.verdict] += 1
        held = f"{sum(choice.holds for choice in claim.choices)} of {len(claim.choices)}"
        table.add_row(claim.name, f"[{_STYLES[claim.verdict]}]{claim.verdict}[/]", held)
    console.print(table)
    console.print(", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict))
    for change in report.changes:
        console.print(("[red]lost[/] " if change.is_failure else "differs from the record: ") + str(change))
    console.print(f"report: {output / 'report.html'}, {output / 'report.md'}", soft_wrap=True)
