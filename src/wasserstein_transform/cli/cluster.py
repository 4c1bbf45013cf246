"""`wt cluster`: find clusters of points or distances in a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from .options import (
    DISTANCES,
    FILE,
    KIND,
    LABEL,
    LAYER,
    SCALES,
    WEIGHT,
    Computation,
    Output,
    Source,
    command,
    computation,
    option,
    record,
    table_output,
)  # fmt: skip
from .reading import read_features
from .running import running

if TYPE_CHECKING:
    from ..auto import Clustering
    from ..auto.clustering.profile import Profile
    from .reading import Points

PROFILE = "profile.csv"
_MISSING = ("drop", "fill", "error")

table_input = record(
    "source", Source, FILE,
    option("--columns", metavar="NAMES", help="Columns to use, by name or number: x,y or 1,2.", show_default="chosen"),
    option(
        "--scale", type=click.Choice(("auto", *SCALES)), default="auto", metavar="HOW",
        help=f"Scaling of columns: {', '.join(SCALES)}, or auto: where their units differ.",
    ),
    WEIGHT, LABEL,
    option(
        "--missing", section="Input", type=click.Choice(_MISSING), default="drop", metavar="HOW",
        help="Rows with missing cells: drop (label -1), fill or error.",
    ),
    DISTANCES, KIND, LAYER,
)  # fmt: skip


@command
@option("-k", "--clusters", type=int, metavar="N", help="Number of clusters.", show_default="chosen from the data")
@option(
    "--noise", metavar="HOW", show_default="yes without -k",
    help="Label points in sparse regions -1: yes, no, or at most a share of the points, such as 0.05.",
)  # fmt: skip
@option(
    "--errors",
    section="Input",
    is_flag=True,
    help="Use columns such as x_err beside x as standard errors of the points.",
)
@table_input
@table_output
@computation
def cluster(
    clusters: int | None, noise: str | None, errors: bool, source: Source, output: Output, computation: Computation
) -> None:
    """Find clusters of points or distances, with parameters chosen from the data.

    Columns are chosen and scaled as notes say: ids, dates and text are left out. New columns: label (0, 1, ... by
    decreasing size; -1 is noise, or a row with missing cells), probability, outlier. With -o FOLDER the command writes
    clusters.csv (or the format of FILE), profile.csv (what tells the clusters apart), clusters.png and summary.json.
    """
    with running(output, computation) as run:
        from ..auto import cluster as find
        from ..tables.files import encode
        from .results import add_columns, check_kind

        if clusters is not None and clusters < 1:
            raise ValueError(
                f"--clusters must be 1 or more, got {clusters}; leave it out to have the number chosen from the data"
            )
        level = _noise_level(noise)
        plan = run.plan("clusters", source, more=(PROFILE,))
        points = read_features(source, run)
        check_kind(points, plan.kind, ("label", "probability", "outlier"))
        with run.stage("clustering"):
            data = points.space if points.features is None else points.features
            weights = None if points.features is None else points.weights
            clustering = find(data, clusters, noise=level, sample_weight=weights, covariances=errors or None)
        for note in clustering.notes[len(points.features.notes) if points.features else 0 :]:
            run.note(note)
        points = replace(points, features=clustering.features)
        run.about |= points.facts()
        profile = clustering.profile()
        table = add_columns(points, _columns(clustering), run.note)
        run.finish(
            plan, points.input, _lines(points, clustering, profile), _facts(points, clustering, profile),
            _parameters(clustering, clusters, level),
            table=lambda: encode(table, plan.kind), draw=lambda: _draw(clustering, points),
            more={PROFILE: lambda: encode(profile.to_pandas(), "csv")},
        )  # fmt: skip


def _noise_level(text: str | None) -> bool | float | None:
    if text in (None, "yes", "no"):
        return None if text is None else text == "yes"
    try:
        share = float(text or "")
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise ValueError(f"--noise must be yes, no, or a share from 0 to below 1, got {text}; 0.05 is a twentieth")
    return share


def _columns(clustering: Clustering) -> dict[str, Any]:
    import numpy as np

    used = np.arange(len(clustering.labels)) if clustering.features is None else clustering.features.rows
    outlier = np.zeros(len(clustering.labels), np.int64)
    outlier[used] = clustering.labels[used] < 0  # rows with missing cells are none
    return {"label": clustering.labels, "probability": clustering.probabilities, "outlier": outlier}


def _agreement(points: Points, labels: Any) -> float | None:
    """The adjusted Rand index with the known labels; None if there are none."""
    from ..auto.clustering.criteria import compare_clusterings

    rows = slice(None) if points.features is None else points.features.rows
    return None if points.known is None else compare_clusterings(points.known[rows], labels[rows])


def _lines(points: Points, clustering: Clustering, profile: Profile) -> list[str]:
    answer = (clustering.verdict, clustering.sizes_in_words(), clustering.reason)  # notes were said before
    lines = [f"{points}", *answer, *str(profile).splitlines()]
    if (share := _agreement(points, clustering.labels)) is not None:
        lines.append(f"agreement with the known labels: adjusted Rand index {share:.3f}")
    return lines


def _facts(points: Points, clustering: Clustering, profile: Profile) -> dict[str, Any]:
    return {
        "verdict": clustering.verdict,
        "clusters": clustering.n_clusters,
        "sizes": clustering.sizes,
        "noise": clustering.n_noise,
        "expected": clustering.expected,
        "notes": clustering.notes,
        "reason": clustering.reason,
        "alternatives": [
            {"clusters": one.n_clusters, "sizes": one.sizes, "expected": one.expected, "reason": one.reason}
            for one in clustering.alternatives
        ],
        "profile": profile.clusters,
        "adjusted_rand": _agreement(points, clustering.labels),
    }


def _parameters(clustering: Clustering, clusters: int | None, noise: bool | float | None) -> dict[str, Any]:
    recipe = None
    if clustering.recipe is not None:
        recipe = {"name": str(clustering.recipe), **clustering.recipe._asdict()}
        if clustering.recipe.kind == "gaussian" and clustering.ground is not None:
            recipe["eps"] = clustering.recipe.factor * clustering.ground.unit
    return {
        "clusters": "auto" if clusters is None else clusters,
        "noise": clusters is None if noise is None else noise,
        "recipe": recipe,
    }


def _draw(clustering: Clustering, points: Points) -> Any:
    from .results import label_axes, title_of

    figure = clustering.plot(title=title_of(points))
    if clustering.points is not None and clustering.points.shape[1] <= 2:  # otherwise the axes are not columns
        label_axes(figure.axes[0], points)
    return figure
