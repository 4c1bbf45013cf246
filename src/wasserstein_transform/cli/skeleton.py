"""`wt skeleton`: find the lines that points in a file lie along."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from .denoise import EPS, LAM, N_ITER, TIME, TRIP, lines, read_fixes, result, smooth
from .options import JOBS, command, points_input, table_output
from .reading import PointsInput
from .running import running

if TYPE_CHECKING:
    from ..curves import Skeleton

LINE_KINDS = ("csv", "geojson", "gpkg", "fgb", "gpx")
MAX_MAP_AXES = 3  # of a map


@command
@points_input
@EPS
@click.option(
    "--detail", type=float, metavar="LENGTH", show_default="half the noise",
    help="Vertices this close to the simplified line are dropped; larger gives fewer vertices.",
)  # fmt: skip
@click.option(
    "--spur", type=float, metavar="LENGTH", show_default="2 eps",
    help="Dead ends up to this length are removed; raise it if noise leaves short side branches.",
)  # fmt: skip
@click.option("--outliers", is_flag=True, help="Also draw lines through outliers.")
@N_ITER
@LAM
@TRIP
@TIME
@table_output
@JOBS
def skeleton(**options: Any) -> None:
    """Find the lines that points lie along.

    They are a street map from tracks, or a curve from a point cloud. FILE is a table or a map, as for wt cluster; -:
    standard input. With -o FOLDER the command writes lines.csv (a row for each vertex), lines.geojson, points.csv (the
    table with new columns x_moved, y_moved, ... and outlier), lines.png and summary.json. With -o FILE, .geojson,
    .gpkg, .fgb, .gpx or .csv, it writes only the lines. Each line on a map has its length, the number of fixes and
    trips along it, and their mean distance from it, in meters.
    """
    with running(options) as run:
        from ..curves import skeleton as find
        from .results import encode_moved

        given = run.given
        plan = run.plan("lines", LINE_KINDS, ("points.csv", "lines.geojson"))
        points = read_fixes(run)
        m = len(points.names)
        if plan.kind != "csv" and m > MAX_MAP_AXES:
            raise ValueError(f"a map has at most {MAX_MAP_AXES} coordinates, these lines have {m}; write .csv")
        if m < 2:
            raise ValueError(f"lines need at least two coordinates, got only column {points.names[0]}; see --columns")
        fixes = smooth(points, 1, run)
        run.bar.stage("joining")
        net = find(fixes, detail=given.detail, spur=given.spur, outliers=given.outliers)
        new = {"outlier": fixes.outliers.astype("int64")}
        more = {"points.csv": lambda: encode_moved(points, fixes.points, new, run, "csv")}
        if m <= MAX_MAP_AXES:
            more["lines.geojson"] = lambda: _encode(net, "geojson")
        facts = {
            "lines": len(net.lines), "length": net.length, "junctions": len(net.junctions),
            "ends": len(net.ends), "vertices": sum(map(len, net.lines)), "detail": net.detail,
        }  # fmt: skip
        run.finish(
            plan, points.input, [*lines(points, fixes), net.in_words], result(fixes) | facts,
            table=lambda: _encode(net, plan.kind), draw=lambda: _draw(net, points), more=more,
        )  # fmt: skip


def _encode(net: Skeleton, kind: str) -> bytes:
    if kind == "csv":
        return net.to_csv().encode()
    if kind == "geojson":
        return (json.dumps(net.to_geojson(), allow_nan=False) + "\n").encode()
    from ..io import encode

    return encode(net.to_geopandas(), kind)


def _draw(net: Skeleton, points: PointsInput) -> Any:
    from .results import label_axes, project, title_of

    cloud, nodes, *lines = project(net.source.points, net.nodes, *net.lines)
    flat = replace(net, nodes=nodes, lines=tuple(lines), source=replace(net.source, points=cloud))
    return label_axes(flat.plot(title=title_of(points)).axes[0], points)
