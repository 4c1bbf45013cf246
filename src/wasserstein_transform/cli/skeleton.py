"""`wt skeleton`: find the lines that points in a file lie along."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answering import Answer
from .denoise import Denoising, parameters, result, words
from .expanding import Call, expanded
from .keeping import Keeping, Offer
from .options import Jobs
from .reading import PointSource
from .running import opened

if TYPE_CHECKING:
    from ..curves import Skeleton
    from .keeping import Plan
    from .reading import Points

_KINDS = ("csv", "geojson", "gpkg", "fgb", "gpx")
_OFFER = Offer("lines", {kind: f".{kind}" for kind in _KINDS}, "csv", "csv", ("points.csv", "lines.geojson"))
_MOST = 3  # the most coordinates on a map


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
    outliers: Annotated[bool, typer.Option("--outliers", help="Also draw lines through outliers.")] = False,
    how: Denoising,
    source: PointSource,
    keeping: Keeping,
    jobs: Jobs = None,
    call: Call,
) -> None:
    """Find the lines that noisy points lie along: a street map from tracks, a curve from a point cloud.

    With -o FOLDER the command writes lines.csv (a row for each vertex), lines.geojson, points.csv (the table with new
    columns x_moved, y_moved, ... and outlier), lines.png, and summary.json, from which `wt again` repeats the run. With
    -o FILE, .geojson, .gpkg, .fgb, .gpx or .csv, it writes only the lines. Each line on a map has its length, the
    number of fixes and trips along it, and their mean distance from it, in meters.
    """
    with opened(call, keeping, jobs) as run:
        from ..curves import skeleton as find
        from .tabling import moved_encoder

        points, plan = how.read(source, run, lambda _: _OFFER)
        _check_columns(points, plan)
        smooth = how.run(points, 1, run)
        with run.stage("joining"):
            found = find(smooth, detail=detail, spur=spur, outliers=outliers)
        encode = moved_encoder(points, smooth.points, {"outlier": smooth.outliers.astype("int64")}, run)
        on_map = {"lines.geojson": lambda: _encoded(found, "geojson")} if len(points.names) <= _MOST else {}
        answer = Answer(
            [*words(points, smooth), found.in_words],
            result(smooth) | _result(found),
            parameters(points, smooth, 1, how) | {"detail": found.detail, "spur": spur, "outliers": outliers},
            lambda kind: _encoded(found, kind),
            lambda: _draw(found, points),
            {"points.csv": lambda: encode("csv")} | on_map,
        )
        run.finish(plan, answer, points.input)


def _check_columns(points: Points, plan: Plan) -> None:
    if plan.kind != "csv" and len(points.names) > _MOST:
        raise ValueError(
            f"a map has at most {_MOST} coordinates, these lines have {len(points.names)}; use --format csv"
        )
    if len(points.names) < 2:
        raise ValueError(f"lines need at least two coordinates, got only column {points.names[0]}; see --columns")


def _result(found: Skeleton) -> dict[str, Any]:
    return {
        "lines": len(found.lines), "length": found.length, "junctions": len(found.junctions), "ends": len(found.ends),
        "vertices": sum(map(len, found.lines)),
    }  # fmt: skip


def _encoded(found: Skeleton, kind: str) -> bytes:
    if kind == "csv":
        return found.to_csv().encode()
    if kind == "geojson":
        return (json.dumps(found.to_geojson(), allow_nan=False) + "\n").encode()
    from ..tables.files import encode

    return encode(found.to_geopandas(), kind)


def _draw(found: Skeleton, points: Points) -> Any:
    from dataclasses import replace

    from ..plotting import skeleton as picture
    from .figures import axes_for, named_axes, seen, title_of

    cloud, nodes, *lines = seen(found.source.points, found.nodes, *found.lines)
    flat = replace(found, nodes=nodes, lines=tuple(lines), source=replace(found.source, points=cloud))
    return named_axes(
        picture(
            flat, axes_for(found.source.in_meters().points if cloud.shape[1] == 2 else cloud), title=title_of(points)
        ),
        points,
    )
