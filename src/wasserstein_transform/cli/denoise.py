"""`wt denoise`: move noisy points in a file onto the curve or surface they come from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from .options import JOBS, command, points_input, table_output
from .reading import Points, read_points
from .running import Run, running

if TYPE_CHECKING:
    from ..curves import Denoised

EPS = click.option(
    "--eps", default="auto", metavar="RADIUS", help="Radius of neighborhoods: a number, in meters on Earth, or auto."
)
N_ITER = click.option(
    "--n-iter", type=int, metavar="N", help="Number of iterations.", show_default="until a stopping rule, at most 5"
)
LAM = click.option(
    "--lam", type=float, default=0.0, metavar="WEIGHT",
    help="Weight of directions: 1 or more keeps crossing curves apart if the points have no trips.",
)  # fmt: skip
TRIP = click.option(
    "--trip", metavar="NAMES", help="Column of trip ids, for tracks; none: points without order.",
    show_default="found by name",
)  # fmt: skip
TIME = click.option(
    "--time", metavar="NAME", help="Column of times, which sort the trips.", show_default="found by name"
)


@command
@points_input
@click.option(
    "-d", "--dim", type=int, metavar="N", help="1: curves, 2: surfaces, 0: modes.", show_default="chosen from the data"
)
@EPS
@N_ITER
@LAM
@TRIP
@TIME
@table_output
@JOBS
def denoise(**options: Any) -> None:
    """Move noisy points onto curves or surfaces.

    FILE is a table, a map or a scan, as for wt cluster; -: standard input. Maps and scans get the moved points, and
    columns x_before, y_before, ...; other tables get columns x_moved, y_moved, ...; all get a column outlier. With -o
    FOLDER the command writes denoised.csv (or the format of FILE), denoised.png and summary.json.
    """
    with running(options) as run:
        from .results import check_kind, encode_moved

        plan = run.plan("denoised")
        points = read_fixes(run)
        check_kind(points, plan.kind, ("outlier",))
        found = smooth(points, run.given.dim, run)
        new = {"outlier": found.outliers.astype("int64")}
        run.finish(
            plan, points.input, lines(points, found), result(found), draw=lambda: _draw(found, points),
            table=lambda: encode_moved(points, found.points, new, run, plan.kind),
        )  # fmt: skip


def read_fixes(run: Run) -> Points:
    """Read the points; trips are not looked for with --lam, which replaces them."""
    given = run.given
    return read_points(run, "none" if given.trip is given.time is None and given.lam > 0 else given.trip, given.time)


def smooth(points: Points, dim: int | None, run: Run) -> Denoised:
    """Denoise the points, in the units of the scaling."""
    from ..curves import denoise as find

    assert points.scaling is not None
    given, scale = run.given, points.scaling.length if points.scaling.changes else None
    run.bar.stage("denoising")
    return find(
        points.data, dim, eps=number_or_auto(given.eps, "eps"), lam=given.lam, n_iter=given.n_iter,
        sample_weight=points.weights, scale=scale,
    )  # fmt: skip


def number_or_auto(word: str, name: str) -> float | None:
    """A number, or None for auto."""
    if word == "auto":
        return None
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"--{name} must be a number or auto, got {word!r}") from None


def lines(points: Points, found: Denoised) -> list[str]:
    """The result as lines of text."""
    if found.n_iter == 0:
        return [str(points), found.outcome]
    eps, noise = found.length(found.eps), found.length(found.sigma)
    return [
        str(points),
        f"{found.shape}, eps {eps}, noise {noise}; {found.moved_in_words}",
        found.outliers_in_words,
        found.outcome if found.reason in found.outcome else f"{found.outcome}; {found.reason}",
    ]


def result(found: Denoised) -> dict[str, Any]:
    """The result for the summary."""
    import numpy as np

    return {
        "dim": found.dim, "eps": found.eps, "noise": found.sigma, "n_iter": found.n_iter, "unit": found.unit,
        "order": () if found.tracks is None else found.tracks.columns, "outliers": int(found.outliers.sum()),
        "moved_median": float(np.median(found.moved)), "moved_most": float(found.moved.max()),
        "outcome": found.outcome, "reason": found.reason,
    }  # fmt: skip


def _draw(found: Denoised, points: Points) -> Any:
    from .results import label_axes, project, title_of

    before, after = project(found.before, found.points)
    return label_axes(replace(found, before=before, points=after).plot(title=title_of(points)).axes[0], points)
