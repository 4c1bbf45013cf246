"""`wt denoise`: move noisy points in a file onto the curve or surface they come from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answering import Answer
from .expanding import Call, expanded
from .keeping import Keeping, Offer
from .options import Jobs
from .reading import PointSource, read_tracks
from .running import Run, opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..curves import Denoised
    from .keeping import Plan
    from .reading import Points


_SIDE, _WIDE = 30, 3  # times eps: side of a part of a picture; times this side: width of a picture with such a part


@dataclass(frozen=True)
class Denoising:
    """Options of denoising."""

    eps: Annotated[str, typer.Option(help="Radius of neighborhoods: a number, in meters on Earth, or auto.")] = "auto"
    lam: Annotated[float, typer.Option(help="Weight of covariances; larger keeps crossing curves apart.")] = 0.0
    n_iter: Annotated[
        int | None, typer.Option("--n-iter", help="Iterations.", show_default="until a stopping rule, at most 5")
    ] = None
    trust: Annotated[
        float,
        typer.Option(help="A point with this many neighbors moves half way, with more farther; 0: all move fully."),
    ] = 3.5
    trip: Annotated[
        str | None,
        typer.Option(help="Column of trip ids, for tracks; none: points without order.", show_default="found by name"),
    ] = None
    time: Annotated[
        str | None, typer.Option(help="Column of times, which sort the trips.", show_default="found by name")
    ] = None

    def read(self, source: PointSource, run: Run, offer: Callable[[str], Offer]) -> tuple[Points, Plan]:
        """Read the points; trips are not looked for with --lam, which replaces them."""
        trip = "none" if self.trip is None and self.time is None and self.lam > 0 else self.trip
        return read_tracks(source, trip, self.time, run, offer)

    def run(self, points: Points, dim: int | None, run: Run) -> Denoised:
        """Denoise the points, in the units of the scaling."""
        from ..curves import denoise as find

        assert points.tracks is not None
        scale = points.scaling.length if points.scaling is not None and points.scaling.changes else None
        with run.stage("denoising"):
            return find(
                points.tracks, dim, eps=number_or_auto(self.eps, "eps"), lam=self.lam, n_iter=self.n_iter,
                sample_weight=points.weights, scale=scale, trust=self.trust,
            )  # fmt: skip


@expanded
def denoise(
    *,
    dim: Annotated[
        int | None,
        typer.Option("-d", "--dim", help="1: curves, 2: surfaces, 0: modes.", show_default="chosen from the data"),
    ] = None,
    how: Denoising,
    source: PointSource,
    keeping: Keeping,
    jobs: Jobs = None,
    call: Call,
) -> None:
    """Move noisy points onto the curve or surface they come from.

    Maps and scans get the moved points, and columns x_before, y_before, ...; other tables get columns x_moved, y_moved,
    ...; all get a column outlier. With -o FOLDER the command writes denoised.csv (or the format of FILE), denoised.png,
    and summary.json, from which `wt again` repeats the run.
    """
    with opened(call, keeping, jobs) as run:
        from .tabling import check_kind, moved_encoder, offered

        points, plan = how.read(source, run, offered("denoised"))
        check_kind(points, plan.kind, ("outlier",))
        found = how.run(points, dim, run)
        new = {"outlier": found.outliers.astype("int64")}
        answer = Answer(
            words(points, found), result(found), parameters(points, found, dim, how),
            moved_encoder(points, found.points, new, run), lambda: _draw(found, points),
        )  # fmt: skip
        run.finish(plan, answer, points.input)


def number_or_auto(word: str, name: str) -> float | None:
    """A number, or None for auto."""
    if word == "auto":
        return None
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"--{name.replace('_', '-')} must be a number or auto, got {word!r}") from None


def words(points: Points, found: Denoised) -> list[str]:
    """The result as lines of text."""
    if found.n_iter == 0:
        return [str(points), found.outcome]
    return [
        str(points),
        f"{found.shape}, eps {found.length(found.eps)}, noise {found.length(found.sigma)}; {found.moved_in_words}",
        found.outliers_in_words,
        found.outcome if found.reason in found.outcome else f"{found.outcome}; {found.reason}",
    ]


def result(found: Denoised) -> dict[str, Any]:
    """The result for the summary."""
    import numpy as np

    return {
        "dim": found.dim, "noise": found.sigma, "outliers": int(found.outliers.sum()), "steps": found.n_iter,
        "moved_median": float(np.median(found.moved)), "moved_most": float(found.moved.max()), "unit": found.unit,
        "outcome": found.outcome, "reason": found.reason,
    }  # fmt: skip


def parameters(points: Points, found: Denoised, dim: int | None, how: Denoising) -> dict[str, Any]:
    """The parameters for the summary: values that were used, and under `asked` those that were given."""
    assert points.tracks is not None
    return {
        "dim": found.dim, "eps": found.eps, "lam": how.lam, "n_iter": found.n_iter, "trust": how.trust,
        "order": list(points.tracks.columns),
        "asked": {
            "dim": "auto" if dim is None else dim, "eps": how.eps, "trip": how.trip, "time": how.time,
            "n_iter": "auto" if how.n_iter is None else how.n_iter,
        },
    }  # fmt: skip


def _draw(found: Denoised, points: Points) -> Any:
    """The points before and after; of a large map also a part of it."""
    from ..plotting import denoised, panels
    from .figures import axes_for, named_axes, seen, title_of

    before, after = seen(found.before, found.points)
    shown = replace(found, before=before, points=after)
    inside = _part(found) if found.before.shape[1] == 2 else None
    if inside is None:
        return named_axes(
            denoised(
                shown, axes_for(found.in_meters().before if before.shape[1] == 2 else before), title=title_of(points)
            ),
            points,
        )
    figure, (left, right) = panels(1, 2, width=10.0, height=5.0)
    part = replace(found, before=before[inside], points=after[inside], outliers=found.outliers[inside])
    named_axes(denoised(shown, left, title=title_of(points)), points)
    named_axes(denoised(part, right, title="a part of it: gray before, blue after"), points)
    (low, high) = part.before.min(axis=0), part.before.max(axis=0)
    left.plot(
        [low[0], high[0], high[0], low[0], low[0]], [low[1], low[1], high[1], high[1], low[1]], color="black", lw=1
    )
    return figure


def _part(found: Denoised) -> Any:
    """The rows in the fullest square of a wide cloud; None if the whole shows enough."""
    import numpy as np

    flat = found.in_meters()
    places, side = flat.before / flat.scale, _SIDE * found.eps
    if np.ptp(places, axis=0).max() < _WIDE * side:
        return None
    cells = np.floor((places - places.min(axis=0)) / side)
    numbers, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)[1:]
    return numbers.ravel() == counts.argmax()
