"""`wt suggest`: suggest parameters for the points of a file."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answering import Answer
from .expanding import Call, expanded
from .keeping import Keeping, Offer
from .options import Jobs
from .reading import Source, read_points
from .running import opened
from .tables import aligned

if TYPE_CHECKING:
    from ..auto import Suggestion
    from .reading import Points

PURPOSES = ("clusters", "modes", "curve", "surface")
_OFFER = Offer("suggestion", {kind: f".{kind}" for kind in ("csv", "tsv", "txt", "parquet", "npz")}, "csv", "csv")
_RIDGE = {"curve": 1, "surface": 2}
_ALL = 20_000  # for more points the advice is not to write all distances: 3 GB


@expanded
def suggest(
    *,
    purpose: Annotated[str, typer.Option("-p", "--purpose", help=f"One of {', '.join(PURPOSES)}.")] = "clusters",
    source: Source,
    keeping: Keeping,
    jobs: Jobs = None,
    call: Call,
) -> None:
    """Suggest parameters of a transform for these points, with the reason.

    Prints the radii that were examined, and a command that uses the chosen one. With -o FOLDER the command writes
    suggestion.csv (the radii), suggestion.png and summary.json.
    """
    with opened(call, keeping, jobs) as run:
        from pandas import DataFrame

        from ..auto import suggest as find
        from .tabling import encoder

        if purpose not in PURPOSES:
            raise ValueError(f"--purpose must be one of {', '.join(PURPOSES)}, got {purpose!r}")
        needs = "" if purpose == "clusters" else f"--purpose {purpose}"
        points, plan = read_points(source, run, lambda _: _OFFER, needs_points=needs)
        with run.stage("looking"):
            found = find(points.space, purpose)  # type: ignore[arg-type]  # checked above
        use = _use(source, found)
        words = [
            str(points),
            f"for {purpose}: eps {found.eps:.4g}, lam {found.lam:g}, n_iter {found.n_iter}",
            found.reason,
        ]
        result = {"eps": found.eps, "lam": found.lam, "n_iter": found.n_iter, "reason": found.reason, "use": use}
        answer = Answer(
            [*words, *_rows(found), _advice(use, found, points)], result, {"purpose": purpose},
            encoder(DataFrame(_columns(found))), (lambda: _draw(found, points)) if found.table else None,
        )  # fmt: skip
        run.finish(plan, answer, points.input)


def _columns(found: Suggestion) -> dict[str, Any]:
    columns = dict(found.table) or {"eps": [found.eps]}
    n = len(columns["eps"])
    return columns | {"chosen": [k == (found.chosen if found.table else 0) for k in range(n)]}


def _rows(found: Suggestion) -> list[str]:
    """The radii that were examined, with a mark at the chosen one."""
    if not found.table:
        return []
    cells = list(zip(*found._cells(), strict=True))
    marked = [[*row, "<" if k == found.chosen else ""] for k, row in enumerate(cells)]
    return list(aligned([[*found.table, ""], *marked]))


def _advice(use: str, found: Suggestion, points: Points) -> str:
    if found.purpose == "clusters" and points.n > _ALL:
        name = shlex.quote(points.input.name)
        return f"{points.n:,} points have too many distances for a file; wt cluster {name} finds their clusters"
    return f"to use it: {use}"


def _use(source: Source, found: Suggestion) -> str:
    """The command that uses these parameters."""
    words = ["wt", "distances" if found.purpose == "clusters" else "transform", source.file]
    words += [
        word for name in ("columns", "weight") if (value := getattr(source, name)) for word in (f"--{name}", value)
    ]
    words += ["--scale", source.scale] * (source.scale != "none") + ["--distances"] * source.distances
    method = "ms" if found.purpose == "modes" else "lt" if source.distances else "gt"
    words += ["--method", method, "--eps", f"{found.eps:.6g}"]
    if method == "gt":
        words += ["--lam", f"{found.lam:g}", "--n-iter", str(found.n_iter)]
    words += ["--ridge", str(_RIDGE[found.purpose])] if found.purpose in _RIDGE else []
    return shlex.join(words)


def _draw(found: Suggestion, points: Points) -> Any:
    from ..plotting import panels
    from ..plotting.results import suggestion as draw
    from .figures import title_of

    figure, ax = panels(width=5.2, height=3.2)
    draw(found, ax, title=title_of(points))
    return figure
