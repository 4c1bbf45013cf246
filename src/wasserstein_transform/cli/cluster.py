"""`wt cluster`: find clusters of points or distances in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import DISTANCES, FILE, KIND, LAYER, SCALES, WEIGHT, command, computation, table_output
from .reading import PointsInput, read_features
from .running import running

if TYPE_CHECKING:
    from ..clustering import Clustering

PROFILE = "profile.csv"


@command
@FILE
@click.option(
    "-k", "--clusters", type=int, metavar="N", help="Number of clusters.", show_default="chosen from the data"
)
@click.option("--min-cluster-size", type=int, default=1, metavar="N", help="Points that each cluster has at least.")
@click.option(
    "--noise", metavar="HOW", show_default="yes without -k",
    help="Label points in sparse regions -1: yes, no, or at most a share of the points, such as 0.05.",
)  # fmt: skip
@click.option(
    "--columns", metavar="NAMES", help="Columns to use, by name or number: x,y or 1,2.", show_default="chosen"
)
@click.option(
    "--scale", type=click.Choice(("auto", *SCALES)), default="auto", metavar="HOW",
    help=f"Scaling of columns: {', '.join(SCALES)}, or auto: where their units differ.",
)  # fmt: skip
@WEIGHT
@click.option("--label", metavar="NAME", help="Column of known labels, only for scoring the result.")
@click.option(
    "--missing", type=click.Choice(("drop", "fill", "error")), default="drop", metavar="HOW",
    help="Rows with missing cells: drop (label -1), fill or error.",
)  # fmt: skip
@click.option("--errors", is_flag=True, help="Use columns such as x_err beside x as standard errors of the points.")
@DISTANCES
@KIND
@LAYER
@table_output
@computation
def cluster(**options: Any) -> None:
    """Find clusters of points or distances.

    FILE is CSV, Parquet, NPY, GeoJSON, GPX, LAS, PLY and others; -: standard input. Columns are chosen and scaled as
    notes say: ids, dates and text are left out. New columns: label (0, 1, ... by decreasing size; -1 is noise, or a row
    with missing cells), probability, outlier. With -o FOLDER the command writes clusters.csv (or the format of FILE),
    profile.csv (what tells the clusters apart), clusters.png and summary.json.
    """
    with running(options) as run:
        from ..clustering import cluster as find
        from ..hierarchy import adjusted_rand
        from ..io import encode
        from .results import add_columns, check_kind
        from .warmup import compile_for_other_tables

        k, noise = run.given.clusters, _noise_level(run.given.noise)
        if k is not None and k < 1:
            raise ValueError(
                f"--clusters must be 1 or more, got {k}; leave it out to have the number chosen from the data"
            )
        plan = run.plan("clusters", more=(PROFILE,))
        points = read_features(run)
        check_kind(points, plan.kind, ("label", "probability", "outlier"))
        run.bar.stage("clustering")
        how = {"noise": noise, "min_cluster_size": run.given.min_cluster_size, "covariances": run.given.errors or None}
        result = find(points.data, k, sample_weight=points.weights, **how)
        for note in result.notes:
            run.note(note)
        used = slice(None) if result.features is None else result.features.rows  # rows with missing cells are not
        profile = result.profile()
        score = None if points.known is None else adjusted_rand(points.known[used], result.labels[used])
        lines = [str(points), result.verdict, result.sizes_in_words(), result.reason, *str(profile).splitlines()]
        if score is not None:
            lines.append(f"agreement with the known labels: adjusted Rand index {score:.3f}")
        table = add_columns(points, _columns(result, used), run)
        run.finish(
            plan, points.input, lines, _result(result) | {"adjusted_rand": score},
            table=lambda: encode(table, plan.kind), draw=lambda: _draw(result, points),
            more={PROFILE: lambda: encode(profile.to_pandas(), "csv")},
        )  # fmt: skip
        compile_for_other_tables(run.bar)


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


def _columns(result: Clustering, used: Any) -> dict[str, Any]:
    import numpy as np

    outlier = np.zeros(len(result.labels), np.int64)
    outlier[used] = result.labels[used] < 0
    return {"label": result.labels, "probability": result.probabilities, "outlier": outlier}


def _result(result: Clustering) -> dict[str, Any]:
    """The clustering and its best alternatives for the summary."""
    recipe = None if result.recipe is None else {"name": str(result.recipe), **result.recipe._asdict()}
    return {
        "verdict": result.verdict, "clusters": result.n_clusters, "sizes": result.sizes, "noise": result.n_noise,
        "expected": result.expected, "reason": result.reason, "recipe": recipe,
        "alternatives": [
            {"clusters": other.n_clusters, "sizes": other.sizes, "expected": other.expected, "reason": other.reason}
            for other in result.alternatives
        ],
    }  # fmt: skip


def _draw(result: Clustering, points: PointsInput) -> Any:
    from .results import label_axes, title_of

    figure = result.plot(title=title_of(points))
    on_map = result.features is not None and result.features.earth is not None
    if result.points is not None and result.points.shape[1] <= 2 and not on_map:  # otherwise the axes are not columns
        label_axes(figure.axes[0], points)
    return figure
