"""`wt suggest`: suggest parameters for the points of a file."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from .options import Computation, Output, Source, command, option, points_or_distances_input, table_output, threads
from .output import Offer
from .printing import table_lines
from .reading import read_points
from .running import Result, running

if TYPE_CHECKING:
    from ..auto import Suggestion
    from .reading import Points

PURPOSES = ("clusters", "modes", "curve", "surface")
_OFFER = Offer("suggestion", {kind: f".{kind}" for kind in ("csv", "tsv", "txt", "parquet", "npz")}, "csv", "csv")
_RIDGE = {"curve": 1, "surface": 2}
_MAX_POINTS = 20_000  # for more points the advice is not to write all distances: 3 GB


@command
@option(
    "-p", "--purpose", type=click.Choice(PURPOSES), default="clusters", metavar="NAME",
    help=f"One of {', '.join(PURPOSES)}.",
)  # fmt: skip
@points_or_distances_input
@table_output
@threads
def suggest(purpose: Any, source: Source, output: Output, computation: Computation) -> None:
    """Suggest parameters of a transform for these points, with the reason.

    Prints the radii that were examined, and a command that uses the chosen one. With -o FOLDER the command writes
    suggestion.csv (the radii), suggestion.png and summary.json.
    """
    with running(output, computation) as run:
        from pandas import DataFrame

        from ..auto import suggest as find
        from .results import table_encoder

        needs = "" if purpose == "clusters" else f"--purpose {purpose}"
        points, plan = read_points(source, run, lambda _: _OFFER, needs_points=needs)
        with run.stage("examining"):
            suggestion = find(points.space, purpose)
        use = _use(source, suggestion)
        lines = [
            str(points),
            f"for {purpose}: eps {suggestion.eps:.4g}, lam {suggestion.lam:g}, n_iter {suggestion.n_iter}",
            suggestion.reason,
        ]
        facts = {
            "eps": suggestion.eps,
            "lam": suggestion.lam,
            "n_iter": suggestion.n_iter,
            "reason": suggestion.reason,
            "use": use,
        }
        result = Result(
            [*lines, *_rows(suggestion), _advice(use, suggestion, points)], facts, {"purpose": purpose},
            table_encoder(DataFrame(_columns(suggestion))),
            (lambda: _draw(suggestion, points)) if suggestion.table else None,
        )  # fmt: skip
        run.finish(plan, result, points.input)


def _columns(suggestion: Suggestion) -> dict[str, Any]:
    columns = dict(suggestion.table) or {"eps": [suggestion.eps]}
    n = len(columns["eps"])
    return columns | {"chosen": [k == (suggestion.chosen if suggestion.table else 0) for k in range(n)]}


def _rows(suggestion: Suggestion) -> list[str]:
    """The radii that were examined, with a mark at the chosen one."""
    if not suggestion.table:
        return []
    cells = list(zip(*suggestion._cells(), strict=True))
    marked = [[*row, "<" if k == suggestion.chosen else ""] for k, row in enumerate(cells)]
    return table_lines([[*suggestion.table, ""], *marked])


def _advice(use: str, suggestion: Suggestion, points: Points) -> str:
    if suggestion.purpose == "clusters" and points.n > _MAX_POINTS:
        name = shlex.quote(points.input.name)
        return (
            f"{points.n:,} points have too many distances for a file; {_program()} cluster {name} finds their clusters"
        )
    return f"to use it: {use}"


def _program() -> str:
    return click.get_current_context().find_root().info_name or "wt"


def _use(source: Source, suggestion: Suggestion) -> str:
    """The command that uses these parameters."""
    words = [_program(), "distances" if suggestion.purpose == "clusters" else "transform", source.file]
    words += [
        word for name in ("columns", "weight") if (value := getattr(source, name)) for word in (f"--{name}", value)
    ]
    words += ["--scale", source.scale] * (source.scale != "none") + ["--distances"] * source.distances
    method = "ms" if suggestion.purpose == "modes" else "lt" if source.distances else "gt"
    words += ["--method", method, "--eps", f"{suggestion.eps:.6g}"]
    if method == "gt":
        words += ["--lam", f"{suggestion.lam:g}", "--n-iter", str(suggestion.n_iter)]
    words += ["--ridge", str(_RIDGE[suggestion.purpose])] if suggestion.purpose in _RIDGE else []
    return shlex.join(words)


def _draw(suggestion: Suggestion, points: Points) -> Any:
    from ..plotting import panels
    from ..plotting.results import suggestion as draw
    from .results import title_of

    figure, ax = panels(width=5.2, height=3.2)
    draw(suggestion, ax, title=title_of(points))
    return figure
