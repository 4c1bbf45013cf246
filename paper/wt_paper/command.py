"""`wt reproduce`: run the paper's experiments, draw its figures, check its claims."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wasserstein_transform.cli.errors import reporting_errors
from wasserstein_transform.cli.options import AsJson, Jobs, Quiet
from wasserstein_transform.cli.printing import say, wants_color
from wasserstein_transform.cli.summary import encoded
from wasserstein_transform.cli.tables import show

from .experiments import EXPERIMENTS, Verdict

if TYPE_CHECKING:
    from wasserstein_transform.engine import Engine
    from wasserstein_transform.engine.progress import Bar

    from .reporting import Report

_STYLES: dict[str, str] = {Verdict.REPRODUCED: "green", Verdict.PARTLY: "yellow", Verdict.NOT: "red"}
_NAMES = ", ".join(EXPERIMENTS)


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
        say(f"wt reproduce: stopped; experiments that were finished are kept in {output}", err=True)
        raise typer.Exit(130) from None
    if json:
        say(encoded(_summarize(report)).decode().rstrip("\n"))
    elif not quiet:
        _print(report)
    if record is not None:
        write_record(record, [part for part in report.parts if part.name in chosen], quick)
        say(f"record: {record}", err=json or quiet)
    elif report.failed:
        raise typer.Exit(1)


def _choose(names: list[str] | None) -> list[str]:
    """The experiments to run: those named, or all whose requirements are met.

    Raises if a name is unknown or an experiment given by name lacks something.
    """
    unknown = [name for name in names or () if name not in EXPERIMENTS]
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
    show([["claim", "verdict", "cases"], *([claim.name, claim.verdict, claim.share] for claim in claims)], _color)
    counts = Counter(claim.verdict for claim in claims)
    say(", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict))
    for change in report.changes:
        if not change.is_new:
            say(f"{'lost' if change.is_failure else 'differs from the record:'} {change}")
    n_new = sum(change.is_new for change in report.changes)
    if n_new:
        say(f"not on record: {n_new} claims")
    say(f"report: {report.page}, {report.text}")


def _color(cell: str) -> str:
    return typer.style(cell, fg=_STYLES[cell]) if wants_color(sys.stdout) and cell in _STYLES else cell


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
