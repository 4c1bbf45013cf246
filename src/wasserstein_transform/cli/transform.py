"""`wt transform`: move the points of a file by a transform."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._shown import counted
from .methods import Method, describe, fit, method_options, parameters
from .options import Computation, Output, Source, command, computation, points_input, table_output
from .reading import read_points
from .running import running

if TYPE_CHECKING:
    from .._types import Floats
    from .reading import Points

_MAX_LETTERS = 24  # the most bytes of a number as text


@command
@method_options
@points_input
@table_output
@computation
def transform(how: Method, source: Source, output: Output, computation: Computation) -> None:
    """Move points by the Gaussian Transform (gt) or by mean shift (ms).

    New columns: x_moved, y_moved, ...; ms also adds label, the same for points that end in one place. With -o FOLDER
    the command writes transformed.csv (or the format of FILE), transformed.png and summary.json.
    """
    with running(output, computation) as run:
        import numpy as np

        from ..tables.files import encode
        from .results import add_columns, check_kind, moved_columns

        how.check()
        plan = run.plan("transformed", source, elsewhere=[] if how.distances is None else [how.distances])
        points = read_points(source, run)
        check_kind(points, plan.kind, ("moved",))
        if how.distances is not None and how.distances.suffix.lower() == ".csv":
            what = "the text of the distances"
            run.engine.reserve(_MAX_LETTERS * points.n**2, what, "take fewer points, or write .npy")
        with run.stage("transforming"):
            fitted = fit(how, points)
            elsewhere = (
                {} if how.distances is None else {how.distances: partial(_encode, fitted.distances_, how.distances)}
            )
        assert points.scaling is not None
        places = points.scaling.back(np.asarray(fitted.points_))
        labels = fitted.labels_ if how.method == "ms" else None
        new = moved_columns(points, places) | ({} if labels is None else {"label": labels})
        lines = [str(points), describe(how, fitted)]
        facts: dict[str, Any] = {"outcome": fitted.trajectory_.outcome, "reason": fitted.reason_}
        if labels is not None:
            facts["clusters"] = len(set(labels.tolist()))
            lines.append(f"{counted(facts['clusters'], 'place')} where points came together")
        table = add_columns(points, new, run.note)
        run.finish(
            plan, points.input, lines, facts, parameters(how, fitted), table=lambda: encode(table, plan.kind),
            draw=lambda: _draw(points, places, labels, counted(fitted.n_iter_, "iteration")), elsewhere=elsewhere,
        )  # fmt: skip


def _encode(matrix: Any, path: Path) -> bytes:
    """Distances as an array of NumPy, or as CSV with a line for each point and all digits."""
    import numpy as np

    if path.suffix.lower() == ".csv":
        return "".join(",".join(map(repr, row)) + "\n" for row in matrix.tolist()).encode()
    raw = BytesIO()
    np.save(raw, matrix, allow_pickle=False)
    return raw.getvalue()


def _draw(points: Points, places: Floats, labels: Any, after: str) -> Any:
    """Points before and after, side by side with the same limits."""
    from ..plotting import cloud
    from ..plotting.clouds import drawable
    from ..plotting.style import panels
    from .results import label_axes, project, title_of

    assert points.given is not None
    clouds = project(points.given, places)
    figure, axes = panels(1, 2, width=7.2, height=3.4, dim=drawable(clouds[0]))
    for ax, shown, name in zip(axes, clouds, (title_of(points), f"after {after}"), strict=True):
        label_axes(cloud(shown, labels, ax=ax, title=name), points)
    _set_same_limits(axes, clouds)
    return figure


def _set_same_limits(axes: Any, clouds: tuple[Any, ...]) -> None:
    """Give all Axes the limits of the box around all clouds."""
    from ..plotting.clouds import flat

    low = [min(column) for column in zip(*(flat(points).min(axis=0) for points in clouds), strict=True)]
    high = [max(column) for column in zip(*(flat(points).max(axis=0) for points in clouds), strict=True)]
    margin = 0.05 * max(b - a for a, b in zip(low, high, strict=True)) or 1.0
    for ax in axes:
        ax.set_aspect("equal", adjustable="box")
        for letter, least, most in zip("xyz", low, high, strict=False):
            ax.set(**{f"{letter}lim": (least - margin, most + margin)})
