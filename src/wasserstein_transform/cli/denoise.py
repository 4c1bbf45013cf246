"""`wt denoise`: move noisy points in a file onto the curve or surface they come from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from .options import JOBS, command, points_input, table_output
from .reading import PointsInput, read_points
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
        denoised = smooth(points, run.given.dim, run)
        new = {"outlier": denoised.outliers.astype("int64")}
        run.finish(
            plan, points.input, lines(points, denoised), result(denoised), draw=lambda: _draw(denoised, points),
            table=lambda: encode_moved(points, denoised.points, new, run, plan.kind),
        )  # fmt: skip


def read_fixes(run: Run) -> PointsInput:
    """Read the points; trips are not looked for with --lam, which replaces them."""
    given = run.given
    return read_points(run, "none" if given.trip is given.time is None and given.lam > 0 else given.trip, given.time)


def smooth(points: PointsInput, dim: int | None, run: Run) -> Denoised:
    """Denoise the points, in the units of the scaling."""
    from ..curves import denoise as find

    assert points.scaling is not None
    given, scale = run.given, points.scaling.length if points.scaling.how != "none" else None
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


def lines(points: PointsInput, denoised: Denoised) -> list[str]:
    """The result as lines of text."""
    if denoised.n_iter == 0:
        return [str(points), denoised.outcome]
    eps, noise = denoised.length(denoised.eps), denoised.length(denoised.sigma)
    return [
        str(points),
        f"{denoised.shape}, eps {eps}, noise {noise}; {denoised.moved_in_words}",
        denoised.outliers_in_words,
        denoised.outcome if denoised.reason in denoised.outcome else f"{denoised.outcome}; {denoised.reason}",
    ]


def result(denoised: Denoised) -> dict[str, Any]:
    """The result for the summary."""
    import numpy as np

    return {
        "dim": denoised.dim, "eps": denoised.eps, "noise": denoised.sigma, "n_iter": denoised.n_iter,
        "unit": denoised.unit,
        "order": () if denoised.tracks is None else denoised.tracks.columns, "outliers": int(denoised.outliers.sum()),
        "moved_median": float(np.median(denoised.moved)), "moved_most": float(denoised.moved.max()),
        "outcome": denoised.outcome, "reason": denoised.reason,
    }  # fmt: skip


def _draw(denoised: Denoised, points: PointsInput) -> Any:
    from .results import label_axes, project, title_of

    before, after = project(denoised.before, denoised.points)
    return label_axes(replace(denoised, before=before, points=after).plot(title=title_of(points)).axes[0], points)
