"""`wt cluster`: find clusters of points or distances in a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answering import Answer
from .expanding import Call, expanded
from .keeping import Keeping
from .machine import Machine
from .reading import TableSource, as_options, read_points
from .running import opened

if TYPE_CHECKING:
    from ..auto import Clustering
    from .reading import Points

_LISTED = 10  # the most cluster sizes that are printed


@expanded
def cluster(
    *,
    clusters: Annotated[
        int | None, typer.Option("-k", "--clusters", help="Number of clusters.", show_default="chosen from the data")
    ] = None,
    noise: Annotated[
        bool | None,
        typer.Option("--noise/--no-noise", help="Label points in sparse regions -1.", show_default="on without -k"),
    ] = None,
    source: TableSource,
    keeping: Keeping,
    machine: Machine,
    call: Call,
) -> None:
    """Find clusters of points or distances, with parameters chosen from the data.

    Columns are chosen and scaled as notes say: ids, dates and text are left out. New columns: label (0, 1, ... by
    decreasing size; -1 is noise, or a row with missing cells), probability, outlier. With -o FOLDER the command
    writes clusters.csv (or the format of FILE), clusters.png, and summary.json, from which `wt again` repeats the run.
    """
    with opened(call, keeping, machine) as run:
        from ..auto import cluster as find
        from .tabling import beside, check_kind, encoder, offered

        if clusters is not None and clusters < 1:
            raise ValueError(
                f"--clusters must be 1 or more, got {clusters}; leave it out to have the number chosen from the data"
            )
        points, plan = read_points(source, run, offered("clusters"))
        check_kind(points, plan.kind, ("label", "probability", "outlier"))
        with run.stage("clustering"):
            data = points.space if points.features is None else points.features
            weights = None if points.features is None else points.weights
            found = find(data, clusters, noise=noise, sample_weight=weights)
        for note in found.notes[len(points.features.notes) if points.features else 0 :]:
            run.note(as_options(note))
        points = replace(points, features=found.features)
        run.about |= points.facts()
        table = beside(points, _columns(found), run)
        answer = Answer(
            _words(points, found), _result(points, found), _parameters(found, clusters, noise), encoder(table),
            lambda: _draw(found, points),
        )  # fmt: skip
        run.finish(plan, answer, points.input)


def _columns(found: Clustering) -> dict[str, Any]:
    import numpy as np

    used = np.arange(len(found.labels)) if found.features is None else found.features.rows
    outlier = np.zeros(len(found.labels), np.int64)
    outlier[used] = found.labels[used] < 0  # rows with missing cells are none
    return {"label": found.labels, "probability": found.probabilities, "outlier": outlier}


def _sizes(found: Clustering) -> list[int]:
    import numpy as np

    return [int(size) for size in np.bincount(found.labels[found.labels >= 0], minlength=found.n_clusters)]


def agreement(points: Points, labels: Any) -> float | None:
    """The adjusted Rand index with the known labels; None if there are none."""
    from ..auto.clustering.criteria import compare_clusterings

    rows = slice(None) if points.features is None else points.features.rows
    return None if points.known is None else compare_clusterings(points.known[rows], labels[rows])


def _words(points: Points, found: Clustering) -> list[str]:
    sizes, noise = _sizes(found), int((found.labels < 0).sum())
    listed = ", ".join(map(str, sizes[:_LISTED])) + (", ..." if len(sizes) > _LISTED else "")
    beside = f", {noise} noise" if noise else ""
    lines = [
        f"{points}",
        f"{len(sizes)} cluster{'s' * (len(sizes) != 1)} of {listed}{beside}",
        found.reason,
    ]
    if (share := agreement(points, found.labels)) is not None:
        lines.append(f"agreement with the known labels: adjusted Rand index {share:.3f}")
    return lines


def _result(points: Points, found: Clustering) -> dict[str, Any]:
    return {
        "clusters": found.n_clusters,
        "sizes": _sizes(found),
        "noise": int((found.labels < 0).sum()),
        "reason": found.reason,
        "adjusted_rand": agreement(points, found.labels),
    }


def _parameters(found: Clustering, clusters: int | None, noise: bool | None) -> dict[str, Any]:
    recipe = None
    if found.recipe is not None:
        recipe = {"name": str(found.recipe), **found.recipe._asdict()}
        if found.recipe.kind == "gaussian" and found.ground is not None:
            recipe["eps"] = found.recipe.factor * found.ground.unit
    return {
        "clusters": "auto" if clusters is None else clusters,
        "noise": clusters is None if noise is None else noise,
        "recipe": recipe,
    }


def _draw(found: Clustering, points: Points) -> Any:
    from ..plotting import clustering
    from .figures import named_axes, title_of

    figure = clustering(found, title=title_of(points))
    if found.space.points is not None and found.space.points.shape[1] <= 2:  # otherwise the axes are not columns
        named_axes(figure.axes[0], points)
    return figure
