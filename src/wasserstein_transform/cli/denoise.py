"""`wt denoise`: move noisy points in a file onto the curve or surface they come from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answering import Answer
from .columns import column_named
from .expanding import Call, expanded
from .keeping import Keeping
from .options import Jobs
from .reading import Source, read_points
from .running import Run, opened

if TYPE_CHECKING:
    from ..curves import Denoised
    from .reading import Points

_SHAPES = {0: "modes", 1: "curves", 2: "surfaces"}


@dataclass(frozen=True)
class Denoising:
    """Options of denoising."""

    eps: Annotated[str, typer.Option(help="Radius of neighborhoods: a number, or auto.")] = "auto"
    lam: Annotated[float, typer.Option(help="Weight of covariances; larger keeps crossing curves apart.")] = 0.0
    n_iter: Annotated[
        int | None, typer.Option("--n-iter", help="Iterations.", show_default="until a stopping rule, at most 5")
    ] = None
    trust: Annotated[
        float,
        typer.Option(help="A point with this many neighbors moves half way, with more farther; 0: all move fully."),
    ] = 6.5
    trip: Annotated[str | None, typer.Option(help="Column of trip ids, for tracks: rows of a trip are in order.")] = (
        None
    )
    time: Annotated[str | None, typer.Option(help="Column of times, which give the order within a trip.")] = None


@expanded
def denoise(
    *,
    dim: Annotated[
        int | None,
        typer.Option("-d", "--dim", help="1: curves, 2: surfaces, 0: modes.", show_default="chosen from the data"),
    ] = None,
    how: Denoising,
    source: Source,
    keeping: Keeping,
    jobs: Jobs = None,
    call: Call,
) -> None:
    """Move noisy points onto the curve or surface they come from.

    New columns: x_moved, y_moved, ... for the coordinates, and outlier. With -o FOLDER the command writes denoised.csv
    (or the format of FILE), denoised.png, and summary.json, from which `wt again` repeats the run.
    """
    with opened(call, keeping, jobs) as run:
        from .tabling import beside, check_kind, encoder, moved, offered

        aside = (how.trip, how.time)
        points, plan = read_points(source, run, offered("denoised"), leave_out=aside, needs_points="denoising")
        check_kind(points, plan.kind, ("outlier",))
        found = run_denoise(points, dim, how, run)
        table = beside(points, moved(points, found.points) | {"outlier": found.outliers.astype("int64")}, run)
        answer = Answer(
            words(points, found), result(found), parameters(found, dim, how), encoder(table),
            lambda: _draw(found, points),
        )  # fmt: skip
        run.finish(plan, answer, points.input)


def run_denoise(points: Points, dim: int | None, how: Denoising, run: Run) -> Denoised:
    """Denoise the points, in the units of the scaling."""
    from ..curves import denoise as find

    if how.time is not None and how.trip is None:
        raise ValueError("--time gives the order of rows within a trip and needs --trip; add --trip NAME")
    assert points.given is not None  # needs_points was set
    order = _order(points, how)
    scale = points.scaling.length if points.scaling is not None and points.scaling.changes else None
    with run.stage("denoising"):
        return find(
            points.given, dim, eps=number_or_auto(how.eps, "eps"), lam=how.lam, n_iter=how.n_iter,
            sample_weight=points.weights, scale=scale, order=order, trust=how.trust,
        )  # fmt: skip


def number_or_auto(word: str, name: str) -> float | None:
    """A number, or None for auto."""
    if word == "auto":
        return None
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"--{name.replace('_', '-')} must be a number or auto, got {word!r}") from None


def _order(points: Points, how: Denoising) -> Any:
    if how.trip is None:
        return None
    from ..tables.columns import labels, times

    trips = labels(points.table, str(column_named(points.table, how.trip)))[0]
    if how.time is None:
        return trips
    return trips, times(points.table, str(column_named(points.table, how.time)))


def words(points: Points, found: Denoised) -> list[str]:
    """The result as lines of text."""
    import numpy as np

    shape = "no shape" if found.dim >= len(points.names) > 0 else _SHAPES.get(found.dim, f"dimension {found.dim}")
    count = int(found.outliers.sum())
    far = f"moved by {np.median(found.moved):.4g} in the middle, {found.moved.max():.4g} at most"
    return [
        str(points),
        f"{shape}, eps {found.eps:.4g}, noise {found.sigma:.4g}; {far}; {count} outlier{'s' * (count != 1)}",
        found.outcome if found.reason in found.outcome else f"{found.outcome}; {found.reason}",
    ]


def result(found: Denoised) -> dict[str, Any]:
    """The result for the summary."""
    import numpy as np

    return {
        "dim": found.dim, "noise": found.sigma, "outliers": int(found.outliers.sum()), "steps": found.n_iter,
        "moved_median": float(np.median(found.moved)), "moved_most": float(found.moved.max()),
        "outcome": found.outcome, "reason": found.reason,
    }  # fmt: skip


def parameters(found: Denoised, dim: int | None, how: Denoising) -> dict[str, Any]:
    """The parameters for the summary: values that were used, and under `asked` those that were given."""
    return {
        "dim": found.dim, "eps": found.eps, "lam": how.lam, "n_iter": found.n_iter, "trust": how.trust,
        "trip": how.trip, "time": how.time,
        "asked": {
            "dim": "auto" if dim is None else dim, "eps": how.eps,
            "n_iter": "auto" if how.n_iter is None else how.n_iter,
        },
    }  # fmt: skip


def _draw(found: Denoised, points: Points) -> Any:
    from ..plotting import denoised
    from .figures import axes_for, named_axes, seen, title_of

    before, after = seen(found.before, found.points)
    return named_axes(
        denoised(replace(found, before=before, points=after), axes_for(before), title=title_of(points)), points
    )
