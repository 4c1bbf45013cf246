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
    from ..auto.clustering.profile import Profile
    from .reading import Points

PROFILE = "profile.csv"


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
    noise_share: Annotated[
        float | None, typer.Option(help="Label the sparsest points -1, at most this share: 0.05.", show_default=False)
    ] = None,
    errors: Annotated[
        bool, typer.Option("--errors", help="Use columns such as x_err beside x as standard errors of the points.")
    ] = False,
    source: TableSource,
    keeping: Keeping,
    machine: Machine,
    call: Call,
) -> None:
    """Find clusters of points or distances, with parameters chosen from the data.

    Columns are chosen and scaled as notes say: ids, dates and text are left out. New columns: label (0, 1, ... by
    decreasing size; -1 is noise, or a row with missing cells), probability, outlier. With -o FOLDER the command
    writes clusters.csv (or the format of FILE), profile.csv (what tells the clusters apart), clusters.png, and
    summary.json, from which `wt again` repeats the run.
    """
    with opened(call, keeping, machine) as run:
        from ..auto import cluster as find
        from .tabling import beside, check_kind, encoder, offered

        if clusters is not None and clusters < 1:
            raise ValueError(
                f"--clusters must be 1 or more, got {clusters}; leave it out to have the number chosen from the data"
            )
        level = _level(noise, noise_share)
        points, plan = read_points(source, run, offered("clusters", (PROFILE,)))
        check_kind(points, plan.kind, ("label", "probability", "outlier"))
        with run.stage("clustering"):
            data = points.space if points.features is None else points.features
            weights = None if points.features is None else points.weights
            found = find(data, clusters, noise=level, sample_weight=weights, covariances=errors or None)
        for note in found.notes[len(points.features.notes) if points.features else 0 :]:
            run.note(as_options(note))
        points = replace(points, features=found.features)
        run.about |= points.facts()
        profile = found.profile()
        table = beside(points, _columns(found), run)
        answer = Answer(
            _words(points, found, profile), _result(points, found, profile), _parameters(found, clusters, level),
            encoder(table), lambda: _draw(found, points), {PROFILE: lambda: encoder(profile.to_pandas())("csv")},
        )  # fmt: skip
        run.finish(plan, answer, points.input)


def _level(noise: bool | None, share: float | None) -> bool | float | None:
    if share is None:
        return noise
    if not 0 <= share < 1:
        raise ValueError(f"--noise-share must be from 0 to below 1, got {share}; 0.05 is a twentieth of the points")
    if noise is False:
        raise ValueError("--no-noise and --noise-share contradict each other; leave one of them out")
    return share


def _columns(found: Clustering) -> dict[str, Any]:
    import numpy as np

    used = np.arange(len(found.labels)) if found.features is None else found.features.rows
    outlier = np.zeros(len(found.labels), np.int64)
    outlier[used] = found.labels[used] < 0  # rows with missing cells are none
    return {"label": found.labels, "probability": found.probabilities, "outlier": outlier}


def agreement(points: Points, labels: Any) -> float | None:
    """The adjusted Rand index with the known labels; None if there are none."""
    from ..auto.clustering.criteria import compare_clusterings

    rows = slice(None) if points.features is None else points.features.rows
    return None if points.known is None else compare_clusterings(points.known[rows], labels[rows])


def _words(points: Points, found: Clustering, profile: Profile) -> list[str]:
    answer = (found.verdict, found.sizes_in_words(), found.reason)  # notes were said before
    lines = [f"{points}", *answer, *str(profile).splitlines()]
    if (share := agreement(points, found.labels)) is not None:
        lines.append(f"agreement with the known labels: adjusted Rand index {share:.3f}")
    return lines


def _result(points: Points, found: Clustering, profile: Profile) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "clusters": found.n_clusters,
        "sizes": found.sizes,
        "noise": found.n_noise,
        "expected": found.expected,
        "notes": found.notes,
        "reason": found.reason,
        "alternatives": [
            {"clusters": one.n_clusters, "sizes": one.sizes, "expected": one.expected, "reason": one.reason}
            for one in found.alternatives
        ],
        "profile": profile.clusters,
        "adjusted_rand": agreement(points, found.labels),
    }


def _parameters(found: Clustering, clusters: int | None, noise: bool | float | None) -> dict[str, Any]:
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
    from ..plotting.clusterings import draw
    from .figures import named_axes, title_of

    figure = draw(found, title=title_of(points))
    if found.points is not None and found.points.shape[1] <= 2:  # otherwise the axes are not columns
        named_axes(figure.axes[0], points)
    return figure
