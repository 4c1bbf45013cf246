"""`wt denoise`: move noisy points in a file onto the curve or surface they come from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .options import Computation, Output, Source, command, option, points_input, record, table_output, threads
from .reading import read_tracks
from .running import Run, running

if TYPE_CHECKING:
    from ..curves import Denoised
    from .reading import Points


@dataclass(frozen=True)
class Denoising:
    """Options of denoising."""

    eps: str
    lam: float
    n_iter: int | None
    trip: str | None
    time: str | None

    def read(self, source: Source, run: Run) -> Points:
        """Read the points; trips are not looked for with --lam, which replaces them."""
        trip = "none" if self.trip is None and self.time is None and self.lam > 0 else self.trip
        return read_tracks(source, trip, self.time, run)

    def run(self, points: Points, dim: int | None, run: Run) -> Denoised:
        """Denoise the points, in the units of the scaling."""
        from ..curves import denoise as find

        assert points.tracks is not None
        scale = points.scaling.length if points.scaling is not None and points.scaling.changes else None
        with run.stage("denoising"):
            return find(
                points.tracks, dim, eps=number_or_auto(self.eps, "eps"), lam=self.lam, n_iter=self.n_iter,
                sample_weight=points.weights, scale=scale,
            )  # fmt: skip


denoising = record(
    "how", Denoising,
    option(
        "--eps", default="auto", metavar="RADIUS",
        help="Radius of neighborhoods: a number, in meters on Earth, or auto.",
    ),
    option(
        "--n-iter", type=int, metavar="N", section="Tuning", help="Number of iterations.",
        show_default="until a stopping rule, at most 5",
    ),
    option(
        "--lam", type=float, default=0.0, metavar="WEIGHT", section="Tuning",
        help="Weight of directions: 1 or more keeps crossing curves apart if the points have no trips.",
    ),
    option(
        "--trip", section="Input", metavar="NAMES", show_default="found by name",
        help="Column of trip ids, for tracks; none: points without order.",
    ),
    option(
        "--time", section="Input", metavar="NAME", show_default="found by name",
        help="Column of times, which sort the trips.",
    ),
)  # fmt: skip
"""Options of denoising, for `denoise` and `skeleton`."""


@command
@option(
    "-d", "--dim", type=int, metavar="N", help="1: curves, 2: surfaces, 0: modes.", show_default="chosen from the data"
)
@points_input
@denoising
@table_output
@threads
def denoise(dim: int | None, source: Source, how: Denoising, output: Output, computation: Computation) -> None:
    """Move noisy points onto the curve or surface they come from.

    Maps and scans get the moved points, and columns x_before, y_before, ...; other tables get columns x_moved, y_moved,
    ...; all get a column outlier. With -o FOLDER the command writes denoised.csv (or the format of FILE), denoised.png
    and summary.json.
    """
    with running(output, computation) as run:
        from .results import check_kind, encode_moved

        plan = run.plan("denoised", source)
        points = how.read(source, run)
        check_kind(points, plan.kind, ("outlier",))
        denoised = how.run(points, dim, run)
        new = {"outlier": denoised.outliers.astype("int64")}
        run.finish(
            plan, points.input, lines(points, denoised), facts(denoised), parameters(points, denoised, dim, how),
            table=lambda: encode_moved(points, denoised.points, new, run.note, plan.kind),
            draw=lambda: _draw(denoised, points),
        )  # fmt: skip


def number_or_auto(word: str, name: str) -> float | None:
    """A number, or None for auto."""
    if word == "auto":
        return None
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"--{name.replace('_', '-')} must be a number or auto, got {word!r}") from None


def lines(points: Points, denoised: Denoised) -> list[str]:
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


def facts(denoised: Denoised) -> dict[str, Any]:
    """The result for the summary."""
    import numpy as np

    return {
        "dim": denoised.dim, "noise": denoised.sigma, "outliers": int(denoised.outliers.sum()),
        "steps": denoised.n_iter, "moved_median": float(np.median(denoised.moved)),
        "moved_most": float(denoised.moved.max()), "unit": denoised.unit, "outcome": denoised.outcome,
        "reason": denoised.reason,
    }  # fmt: skip


def parameters(points: Points, denoised: Denoised, dim: int | None, how: Denoising) -> dict[str, Any]:
    """The parameters for the summary: values that were used, and under `given` those of the options."""
    assert points.tracks is not None
    return {
        "dim": denoised.dim, "eps": denoised.eps, "lam": how.lam, "n_iter": denoised.n_iter,
        "order": list(points.tracks.columns),
        "given": {
            "dim": "auto" if dim is None else dim, "eps": how.eps, "trip": how.trip, "time": how.time,
            "n_iter": "auto" if how.n_iter is None else how.n_iter,
        },
    }  # fmt: skip


def _draw(denoised: Denoised, points: Points) -> Any:
    from .results import label_axes, project, title_of

    before, after = project(denoised.before, denoised.points)
    figure = replace(denoised, before=before, points=after).plot(title=title_of(points))
    return label_axes(figure.axes[0], points)
