"""`wt skeleton`: find the lines that points in a file lie along."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answering import Answer
from .denoise import Denoising, parameters, result, run_denoise, words
from .expanding import Call, expanded
from .keeping import Keeping, Offer
from .options import Jobs
from .reading import Source, read_points
from .running import opened

if TYPE_CHECKING:
    from ..curves import Skeleton
    from .keeping import Plan
    from .reading import Points

_OFFER = Offer("lines", {"csv": ".csv", "geojson": ".geojson"}, "csv", "csv", ("points.csv", "lines.geojson"))
_MOST = 3  # the most coordinates in GeoJSON


@expanded
def skeleton(
    *,
    detail: Annotated[
        float | None,
        typer.Option(
            help="Tolerance of simplification: vertices this close to the line are dropped.",
            show_default="half the noise",
        ),
    ] = None,
    spur: Annotated[
        float | None, typer.Option(help="Dead ends up to this length are removed.", show_default="2 eps")
    ] = None,
    outliers: Annotated[
        bool | None,
        typer.Option("--outliers/--no-outliers", help="Also draw lines through outliers.", show_default="with --trip"),
    ] = None,
    leg: Annotated[
        float | None, typer.Option(help="With --trip: longest leg that joins points.", show_default="eps")
    ] = None,
    how: Denoising,
    source: Source,
    keeping: Keeping,
    jobs: Jobs = None,
    call: Call,
) -> None:
    """Find the lines that noisy points lie along: a street map from tracks, a curve from a point cloud.

    With -o FOLDER the command writes lines.csv (a row for each vertex), lines.geojson, points.csv (the table with new
    columns x_moved, y_moved, ... and outlier), lines.png, and summary.json, from which `wt again` repeats the run. With
    -o FILE, .geojson or .csv, it writes only the lines.
    """
    with opened(call, keeping, jobs) as run:
        from ..curves import skeleton as find
        from .tabling import beside, encoder, moved

        aside = (how.trip, how.time)
        points, plan = read_points(source, run, lambda _: _OFFER, leave_out=aside, needs_points="a skeleton")
        _check_columns(points, plan)
        smooth = run_denoise(points, 1, how, run)
        with run.stage("joining"):
            found = find(smooth, detail=detail, spur=spur, outliers=outliers, leg=leg)
        table = beside(points, moved(points, smooth.points) | {"outlier": smooth.outliers.astype("int64")}, run)
        answer = Answer(
            [*words(points, smooth), _said(found)],
            result(smooth) | _result(found),
            parameters(smooth, 1, how) | {"detail": found.detail, "spur": spur, "outliers": outliers, "leg": leg},
            lambda kind: as_csv(found, points.names) if kind == "csv" else as_geojson(found),
            lambda: _draw(found, points),
            {"points.csv": lambda: encoder(table)("csv")}
            | ({"lines.geojson": lambda: as_geojson(found)} if len(points.names) <= _MOST else {}),
        )
        run.finish(plan, answer, points.input)


def _check_columns(points: Points, plan: Plan) -> None:
    if plan.kind == "geojson" and len(points.names) > _MOST:
        raise ValueError(
            f"GeoJSON has at most {_MOST} coordinates, these lines have {len(points.names)}; use --format csv"
        )
    if len(points.names) < 2:
        raise ValueError(f"lines need at least two coordinates, got only column {points.names[0]}; see --columns")


def _said(found: Skeleton) -> str:
    n, joints, ends = len(found.lines), len(found.junctions), len(found.ends)
    return (
        f"{n} line{'s' * (n != 1)} of length {found.length:.4g}, {joints} junction{'s' * (joints != 1)}, "
        f"{ends} end{'s' * (ends != 1)}"
    )


def _result(found: Skeleton) -> dict[str, Any]:
    return {
        "lines": len(found.lines), "length": found.length, "junctions": len(found.junctions), "ends": len(found.ends),
        "vertices": sum(map(len, found.lines)),
    }  # fmt: skip


def as_csv(found: Skeleton, names: tuple[str, ...]) -> bytes:
    """CSV with a row for each vertex: number of the line, number of the vertex, coordinates."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["line", "vertex", *names])
    for number, line in enumerate(found.lines):
        table.writerows([number, k, *map(repr, place)] for k, place in enumerate(line.tolist()))
    return text.getvalue().encode()


def as_geojson(found: Skeleton) -> bytes:
    """GeoJSON with lines and junctions."""
    return (json.dumps(found.to_geojson(), allow_nan=False) + "\n").encode()


def _draw(found: Skeleton, points: Points) -> Any:
    from dataclasses import replace

    from ..plotting import skeleton as picture
    from .figures import axes_for, named_axes, seen, title_of

    cloud, nodes, *lines = seen(found.source.points, found.nodes, *found.lines)
    flat = replace(found, nodes=nodes, lines=tuple(lines), source=replace(found.source, points=cloud))
    return named_axes(picture(flat, axes_for(cloud), title=title_of(points)), points)
