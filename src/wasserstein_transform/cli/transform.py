"""`wt transform`: move the points of a file by a transform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._shown import counted
from .cluster import agreement
from .large import large_cloud, move_large
from .methods import Method, describe, fit, method_options, moves_points, parameters
from .options import Computation, Output, Source, command, computation, points_or_distances_input, table_output
from .reading import read_points
from .running import Result, running

if TYPE_CHECKING:
    from .._types import Floats
    from .reading import Points


@command
@method_options
@points_or_distances_input
@table_output
@computation
def transform(how: Method, source: Source, output: Output, computation: Computation) -> None:
    """Move points by a transform of your choice.

    New columns: x_moved, y_moved, ...; ms (mean shift) also adds label, the same for points that end in one place. lt
    and kernel change only distances: their columns embedded_1, embedded_2, ... are points with approximately the new
    distances. With -o FOLDER the command writes transformed.csv (or the format of FILE), transformed.png and
    summary.json. Parquet, NPY and Zarr files that do not fit into memory are processed in parts; the output file then
    has only the moved columns.
    """
    with running(output, computation) as run:
        from .results import add_columns, check_kind, offer_table, table_encoder

        how.check()
        if (cloud := large_cloud(how, source, run)) is not None:
            move_large(cloud, how, source, output, run)
            return
        points, plan = read_points(source, run, offer_table("transformed"))
        check_kind(points, plan.kind, ("moved",))
        moves = moves_points(how.name_for(points))
        with run.stage("transforming"):
            fitted = fit(how, points, 1, output="points" if moves else "embedding")
            places = _places(points, fitted, moves)
        off = None if moves else distortion(places, fitted.distances_)
        labels = getattr(fitted, "labels_", None) if how.name_for(points) == "ms" else None
        table = add_columns(points, _columns(points, places, labels, moves), run.note)
        result = Result(
            _lines(points, labels, off, describe(how, points, fitted)), _facts(points, fitted, labels, off),
            parameters(how, points, fitted), table_encoder(table),
            lambda: _draw(points, places, labels, counted(fitted.n_iter_, "iteration"), moves),
        )  # fmt: skip
        run.finish(plan, result, points.input)


def _places(points: Points, fitted: Any, moves: bool) -> Floats:
    """The moved points in the units of the file, or an embedding with as many axes as columns."""
    import numpy as np

    if moves:
        assert points.scaling is not None
        return points.scaling.back(np.asarray(fitted.points_))
    axes = max(2, len(points.names))
    places = np.asarray(fitted.embedding_)[:, :axes]
    return np.pad(places, ((0, 0), (0, axes - places.shape[1])))


def _columns(points: Points, places: Floats, labels: Any, moves: bool) -> dict[str, Any]:
    from .results import moved_columns

    if moves:
        return moved_columns(points, places) | ({} if labels is None else {"label": labels})
    return {f"embedded_{k}": column for k, column in enumerate(places.T, 1)}


def distortion(places: Floats, distances: Floats) -> float:
    """Relative error of the distances of an embedding: √(Σ(‖x − y‖ − d)² / Σd²)."""
    import numpy as np
    from scipy.spatial.distance import cdist

    total = float((distances**2).sum())
    rows = (
        float(((cdist(place[None], places)[0] - row) ** 2).sum()) for place, row in zip(places, distances, strict=True)
    )
    return float(np.sqrt(sum(rows) / total)) if total else 0.0


def _lines(points: Points, labels: Any, off: float | None, method: str) -> list[str]:
    lines = [str(points), method]
    if labels is not None:
        lines.append(f"{counted(len(set(labels.tolist())), 'place')} where points came together")
        if (share := agreement(points, labels)) is not None:
            lines.append(f"agreement with the known labels: adjusted Rand index {share:.3f}")
    if off is not None:
        lines.append(f"relative error of the distances of the embedded points: {off:.2%}")
    return lines


def _facts(points: Points, fitted: Any, labels: Any, off: float | None) -> dict[str, Any]:
    facts: dict[str, Any] = {"outcome": fitted.trajectory_.outcome, "reason": fitted.reason_}
    if labels is not None:
        facts |= {"clusters": len(set(labels.tolist())), "adjusted_rand": agreement(points, labels)}
    return facts if off is None else facts | {"distortion": off}


def _draw(points: Points, places: Floats, labels: Any, after: str, moves: bool) -> Any:
    """Points before and after, side by side with the same limits; for distances only the embedding."""
    from ..plotting import cloud
    from .results import label_axes, project, title_of

    colors = labels if labels is not None else points.known
    shown = [] if points.given is None else list(project(points.given, places) if moves else project(points.given))
    shown += [] if moves else [places[:, :2]]
    names = [title_of(points), f"after {after}" if moves else f"embedded, after {after}"][-len(shown) :]
    figure, axes = _side_by_side(shown)
    for ax, cloud_shown, name in zip(axes, shown, names, strict=True):
        cloud(cloud_shown, colors, ax=ax, title=name)
        if moves or cloud_shown is not shown[-1]:
            label_axes(ax, points)
    if moves:
        _set_same_limits(axes, shown)
    return figure


def _side_by_side(clouds: list[Any]) -> tuple[Any, list[Any]]:
    """A figure with Axes for each of some point clouds."""
    from ..plotting.clouds import drawable
    from ..plotting.style import panels

    figure, axes = panels(1, len(clouds), width=3.6 * len(clouds), height=3.4, dim=drawable(clouds[0]))
    return figure, [axes] if len(clouds) == 1 else list(axes)


def _set_same_limits(axes: list[Any], clouds: list[Any]) -> None:
    """Give all Axes the limits of the box around all clouds."""
    from ..plotting.clouds import flat

    low = [min(column) for column in zip(*(flat(points).min(axis=0) for points in clouds), strict=True)]
    high = [max(column) for column in zip(*(flat(points).max(axis=0) for points in clouds), strict=True)]
    margin = 0.05 * max(b - a for a, b in zip(low, high, strict=True)) or 1.0
    for ax in axes:
        ax.set_aspect("equal", adjustable="box")
        for letter, least, most in zip("xyz", low, high, strict=False):
            ax.set(**{f"{letter}lim": (least - margin, most + margin)})
