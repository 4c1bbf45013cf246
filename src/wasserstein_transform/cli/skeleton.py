"""`wt skeleton`: find the lines that points in a file lie along."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .denoise import Denoising, denoising, facts, lines, parameters
from .options import Computation, Output, Source, command, option, points_input, table_output, threads
from .running import running

if TYPE_CHECKING:
    from ..curves import Skeleton
    from .output import Plan
    from .reading import Points

_KINDS = ("csv", "geojson", "gpkg", "fgb", "gpx")
_MAX_AXES = 3  # of a map


@command
@points_input
@denoising
@option(
    "--detail", type=float, metavar="LENGTH", show_default="half the noise",
    help="Vertices this close to the simplified line are dropped; larger gives fewer vertices.",
)  # fmt: skip
@option(
    "--spur", type=float, metavar="LENGTH", section="Tuning", show_default="2 eps",
    help="Dead ends up to this length are removed; raise it if noise leaves short side branches.",
)  # fmt: skip
@option("--outliers", is_flag=True, section="Tuning", help="Also draw lines through outliers.")
@table_output
@threads
def skeleton(
    source: Source, how: Denoising, detail: float | None, spur: float | None, outliers: bool, output: Output,
    computation: Computation,
) -> None:  # fmt: skip
    """Find the lines that noisy points lie along: a street map from tracks, a curve from a point cloud.

    With -o FOLDER the command writes lines.csv (a row for each vertex), lines.geojson, points.csv (the table with new
    columns x_moved, y_moved, ... and outlier), lines.png and summary.json. With -o FILE, .geojson, .gpkg, .fgb, .gpx or
    .csv, it writes only the lines. Each line on a map has its length, the number of fixes and trips along it, and their
    mean distance from it, in meters.
    """
    with running(output, computation) as run:
        from ..curves import skeleton as find
        from .results import encode_moved

        plan = run.plan("lines", source, _KINDS, more=("points.csv", "lines.geojson"))
        points = how.read(source, run)
        _check_columns(points, plan)
        smooth = how.run(points, 1, run)
        with run.stage("joining"):
            found = find(smooth, detail=detail, spur=spur, outliers=outliers)
        new = {"outlier": smooth.outliers.astype("int64")}
        on_map = {"lines.geojson": lambda: _encode(found, "geojson")} if len(points.names) <= _MAX_AXES else {}
        run.finish(
            plan, points.input, [*lines(points, smooth), found.in_words], facts(smooth) | _facts(found),
            parameters(points, smooth, 1, how) | {"detail": found.detail, "spur": spur, "outliers": outliers},
            table=lambda: _encode(found, plan.kind), draw=lambda: _draw(found, points),
            more={"points.csv": lambda: encode_moved(points, smooth.points, new, run.note, "csv")} | on_map,
        )  # fmt: skip


def _check_columns(points: Points, plan: Plan) -> None:
    if plan.kind != "csv" and len(points.names) > _MAX_AXES:
        raise ValueError(
            f"a map has at most {_MAX_AXES} coordinates, these lines have {len(points.names)}; use --format csv"
        )
    if len(points.names) < 2:
        raise ValueError(f"lines need at least two coordinates, got only column {points.names[0]}; see --columns")


def _facts(found: Skeleton) -> dict[str, Any]:
    return {
        "lines": len(found.lines), "length": found.length, "junctions": len(found.junctions), "ends": len(found.ends),
        "vertices": sum(map(len, found.lines)),
    }  # fmt: skip


def _encode(found: Skeleton, kind: str) -> bytes:
    if kind == "csv":
        return found.to_csv().encode()
    if kind == "geojson":
        return (json.dumps(found.to_geojson(), allow_nan=False) + "\n").encode()
    from ..tables.files import encode

    return encode(found.to_geopandas(), kind)


def _draw(found: Skeleton, points: Points) -> Any:
    from .results import label_axes, project, title_of

    cloud, nodes, *lines = project(found.source.points, found.nodes, *found.lines)
    flat = replace(found, nodes=nodes, lines=tuple(lines), source=replace(found.source, points=cloud))
    return label_axes(flat.plot(title=title_of(points)).axes[0], points)
