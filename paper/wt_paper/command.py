"""Run the paper's experiments, draw its figures, check its claims: `python -m wt_paper`."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from wasserstein_transform.cli.errors import reporting_errors
from wasserstein_transform.cli.options import JOBS, command
from wasserstein_transform.cli.printing import say
from wasserstein_transform.cli.summary import as_json

from .experiments import EXPERIMENTS, Verdict

if TYPE_CHECKING:
    from wasserstein_transform.engine import Engine
    from wasserstein_transform.engine.progress import Bar

    from .reporting import Report

_STYLES: dict[str, str] = {Verdict.REPRODUCED: "green", Verdict.PARTLY: "yellow", Verdict.NOT: "red"}
_NAMES = ", ".join(EXPERIMENTS)
_PATH = click.Path(path_type=Path)


@command
@click.argument("names", nargs=-1)
@click.option("--quick", is_flag=True, help="Smaller data, fewer cases: under a minute, once compiled.")
@click.option("-o", "--output", type=_PATH, default=Path("reproduction"), help="Folder for report and figures.")
@click.option("--fresh", is_flag=True, help="Run finished experiments again.")
@click.option("--json", is_flag=True, help="Print only JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print no text, notes or progress.")
@JOBS
@click.option("--record", type=_PATH, hidden=True, help="Write the verdicts into this record.")
def reproduce(
    names: tuple[str, ...], quick: bool, output: Path, fresh: bool, json: bool, quiet: bool, jobs: int | None,
    record: Path | None,
) -> None:  # fmt: skip
    """Run the paper's experiments, draw its figures, check its claims.

    NAMES are experiments, all if none is given; an unknown name lists them. Writes report.md, report.html and figures
    into the folder. Results of finished experiments are kept there and reused. The exit status is 1 if a case that used
    to hold fails. The first run after installation compiles for a minute or two.
    """
    with reporting_errors():  # only for wrong arguments; later errors show their traceback
        chosen = _choose(names)
        engine = _prepare(output, jobs, record)
    from wasserstein_transform.engine import current
    from wasserstein_transform.engine.progress import Bar

    from .reporting import reproduce as run, write_record

    try:
        with Bar(quiet=quiet or json) as bar:
            report = run(
                chosen, output, quick=quick, fresh=fresh, engine=current(engine, progress=bar), tell=Teller(bar),
                experiments=EXPERIMENTS,
            )  # fmt: skip
    except KeyboardInterrupt:
        say(f"stopped; experiments that were finished are kept in {output}", err=True)
        raise click.exceptions.Exit(130) from None
    if json:
        say(as_json(_summarize(report)))
    elif not quiet:
        _print(report)
    if record is not None:
        write_record(record, [part for part in report.parts if part.name in chosen], quick)
        say(f"record: {record}", err=json or quiet)
    elif report.failed:
        raise click.exceptions.Exit(1)


def _choose(names: tuple[str, ...]) -> list[str]:
    """The experiments to run: those named, or all whose requirements are met.

    Raises if a name is unknown or an experiment given by name lacks something.
    """
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown:
        raise ValueError(f"no experiment is called {', '.join(unknown)}; there are {_NAMES}")
    chosen = list(dict.fromkeys(names or EXPERIMENTS))
    lacking = {name: EXPERIMENTS[name].lacks for name in chosen if EXPERIMENTS[name].lacks}
    for words in lacking.values():
        if names:
            raise ValueError(words)
        say(f"left out: {words}", err=True)
    return [name for name in chosen if name not in lacking]


def _prepare(output: Path, jobs: int | None, record: Path | None) -> Engine:
    """The engine for the run; raises if files cannot be written, before anything runs."""
    from wasserstein_transform.engine import current
    from wasserstein_transform.plotting.style import need_matplotlib

    from .reporting import make_folders, open_record

    if output.exists() and not output.is_dir():
        raise ValueError(f"{output} is a file; give a folder, or a name that is free")
    need_matplotlib()
    engine = current(n_jobs=jobs)
    if record is not None:
        open_record(record)
    try:
        make_folders(output)
    except OSError as error:
        raise ValueError(f"{output} cannot be written: {error}; give another folder") from None
    return engine


def _summarize(report: Report) -> dict[str, object]:
    claims = [claim for part in report.parts for claim in part.claims]
    return {
        "claims": [{"claim": claim.name, "verdict": str(claim.verdict), "cases": claim.share} for claim in claims],
        "changes": [str(change) for change in report.changes if not change.is_new],
        "failed": bool(report.failed),
        "report": [str(report.page), str(report.text)],
    }


def _print(report: Report) -> None:
    claims = [claim for part in report.parts for claim in part.claims]
    table = Table("claim", "verdict", "cases", box=None)
    for claim in claims:
        table.add_row(claim.name, claim.verdict, claim.share, style=_STYLES[claim.verdict])
    Console(soft_wrap=True).print(table)
    counts = Counter(claim.verdict for claim in claims)
    say(", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict))
    for change in report.changes:
        if not change.is_new:
            say(f"{'lost' if change.is_failure else 'differs from the record:'} {change}")
    n_new = sum(change.is_new for change in report.changes)
    if n_new:
        say(f"not on record: {n_new} claims")
    say(f"report: {report.page}, {report.text}")


class Teller:
    """Prints a line for each finished experiment, and names the running one in the progress bar."""

    def __init__(self, bar: Bar) -> None:
        self._bar, self._started = bar, time.perf_counter()

    def __call__(self, name: str, what: str) -> None:
        """Tell that an experiment runs, is drawn, is done, or was done before."""
        if what == "runs":
            self._started = time.perf_counter()
        if what.endswith("done"):
            what = f"{what}, {time.perf_counter() - self._started:.1f} s"
        if "done" not in what:
            self._bar.stage(f"{name} {what}" if what != "runs" else name)
        elif not self._bar.quiet:
            say(f"{name} {what}")
