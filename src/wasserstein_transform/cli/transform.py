"""`wt transform`: move the points of a file by a transform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .answering import Answer
from .cluster import agreement
from .expanding import Call, expanded
from .keeping import Keeping
from .large import large_cloud, move_large
from .machine import Machine
from .methods import Method, fitted, moves_points, parameters, words
from .reading import Source, read_points
from .running import opened

if TYPE_CHECKING:
    from .._types import Floats
    from .reading import Points


@expanded
def transform(*, how: Method, source: Source, keeping: Keeping, machine: Machine, call: Call) -> None:
    """Move points by a transform of your choice.

    New columns: x_moved, y_moved, ...; ms (mean shift) also adds label, the same for points that end in one place. lt
    and kernel change only distances: their columns embedded_1, embedded_2, ... are points with approximately the new
    distances. With -o FOLDER the command writes transformed.csv (or the format of FILE), transformed.png and
    summary.json. Parquet, NPY and Zarr files that do not fit into memory are processed in parts; the output file then
    has only the moved columns.
    """
    with opened(call, keeping, machine) as run:
        from .tabling import beside, check_kind, encoder, offered

        how.check()
        if (cloud := large_cloud(how, source, run)) is not None:
            move_large(cloud, how, source, keeping, run)
            return
        points, plan = read_points(source, run, offered("transformed"))
        check_kind(points, plan.kind, ("moved",))
        moves = moves_points(how.name_for(points))
        with run.stage("transforming"):
            found = fitted(how, points, 1, output="points" if moves else "embedding")
            places = _places(points, found, moves)
        off = None if moves else distortion(places, found.distances_)
        labels = getattr(found, "labels_", None) if how.name_for(points) == "ms" else None
        table = beside(points, _columns(points, places, labels, moves), run)
        answer = Answer(
            _words(points, labels, off, words(how, points, found)), _result(points, found, labels, off),
            parameters(how, points, found), encoder(table),
            lambda: _draw(points, places, labels, f"{found.n_iter_} iteration{'s' * (found.n_iter_ != 1)}", moves),
        )  # fmt: skip
        run.finish(plan, answer, points.input)


def _places(points: Points, found: Any, moves: bool) -> Floats:
    """The moved points in the units of the file, or an embedding with as many axes as columns."""
    import numpy as np

    if moves:
        assert points.scaling is not None
        return points.scaling.back(np.asarray(found.points_))
    axes = max(2, len(points.names))
    places = np.asarray(found.embedding_)[:, :axes]
    return np.pad(places, ((0, 0), (0, axes - places.shape[1])))


def _columns(points: Points, places: Floats, labels: Any, moves: bool) -> dict[str, Any]:
    from .tabling import moved

    if moves:
        return moved(points, places) | ({} if labels is None else {"label": labels})
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


def _words(points: Points, labels: Any, off: float | None, method: str) -> list[str]:
    lines = [str(points), method]
    if labels is not None:
        n = len(set(labels.tolist()))
        lines.append(f"{n} place{'s' * (n != 1)} where points came together")
        if (share := agreement(points, labels)) is not None:
            lines.append(f"agreement with the known labels: adjusted Rand index {share:.3f}")
    if off is not None:
        lines.append(f"relative error of the distances of the embedded points: {off:.2%}")
    return lines


def _result(points: Points, found: Any, labels: Any, off: float | None) -> dict[str, Any]:
    facts: dict[str, Any] = {"outcome": found.trajectory_.outcome, "reason": found.reason_}
    if labels is not None:
        facts |= {"clusters": len(set(labels.tolist())), "adjusted_rand": agreement(points, labels)}
    return facts if off is None else facts | {"distortion": off}


def _draw(points: Points, places: Floats, labels: Any, after: str, moves: bool) -> Any:
    """Points before and after, side by side with the same limits; for distances only the embedding."""
    from ..plotting import cloud
    from .figures import in_same_limits, named_axes, seen, side_by_side, title_of

    colors = labels if labels is not None else points.known
    shown = [] if points.given is None else list(seen(points.given, places) if moves else seen(points.given))
    shown += [] if moves else [places[:, :2]]
    names = [title_of(points), f"after {after}" if moves else f"embedded, after {after}"][-len(shown) :]
    figure, axes = side_by_side(shown)
    for ax, cloud_shown, name in zip(axes, shown, names, strict=True):
        cloud(cloud_shown, colors, ax=ax, title=name)
        if moves or cloud_shown is not shown[-1]:
            named_axes(ax, points)
    if moves:
        in_same_limits(axes, shown)
    return figure
