"""Points and lines of maps with their coordinate system: geopandas reads and writes every format by GDAL.

GDAL opens what the content says, so only content that was recognized as one of our formats is handed to it, as bytes:
no addresses, no folders of GDAL's own (/vsi…), no files that list other files.
"""

from __future__ import annotations

import io
import os
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..tables.columns import axes, coordinates, listed, longitude_and_latitude, source_of
from ..tables.trips import as_points
from .formats import called, first_line, need

GDAL_DRIVERS = {"geojson": "GeoJSON", "gpx": "GPX", "gpkg": "GPKG", "fgb": "FlatGeobuf"}
WRITE_OPTIONS: dict[str, dict[str, str]] = {
    "geojson": {"WRITE_NAME": "NO"},
    "gpx": {"GPX_USE_EXTENSIONS": "YES"},
    "fgb": {"SPATIAL_INDEX": "NO"},  # an index would change the order of the rows
    "gpkg": {},
}
GPX_LAYERS = ("track_points", "route_points", "waypoints")
MAX_DEGREES = 360.0


def read_map(content: bytes, given: Any, source: str, kind: str, layer: str | None) -> pd.DataFrame:
    """Read a GeoDataFrame with a point for each row: points, and the vertices of lines."""
    geopandas, pyogrio = need("geopandas", kind), need("pyogrio", kind)
    path = _shapefile(given, source) if kind == "shp" else None  # it lies in several files
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of file names in memory, and of geometry that is not understood
            names = [str(name) for name, _ in pyogrio.list_layers(path or io.BytesIO(content))]
            frame = geopandas.GeoDataFrame()
            for chosen in _wanted(names, layer, kind, source):
                frame = geopandas.read_file(path or io.BytesIO(content), layer=names.index(chosen), engine="pyogrio")
                if len(frame):
                    break
    except Exception as error:  # GDAL's errors, and those of shapely
        if str(error).startswith(source):
            raise
        why = re.sub(r"'/vsi[^']*'", "it is", first_line(error)).partition(";")[0]
        raise ValueError(f"{source} is cut off or damaged: {why}; download it again") from None
    if not len(frame):
        raise ValueError(f"{source} holds no points; a table needs at least one")
    if kind == "gpx":
        frame = frame.dropna(axis=1, how="all")  # GPX has columns for everything
        frame = frame.rename(columns=lambda name: name.removeprefix("ogr_"))  # of GDAL for those that GPX does not know
    frame = as_points(frame.reset_index(drop=True), source)
    if frame.crs is not None and frame.crs.is_geographic and np.abs(frame.total_bounds).max() > MAX_DEGREES:
        frame = frame.set_crs(None, allow_override=True)
        frame.attrs["notes"] = [f"{source} names no coordinate system, and its coordinates are no degrees"]
    frame.attrs["layer"] = chosen if kind in ("gpx", "gpkg") else ""
    return frame


def _wanted(names: list[str], layer: str | None, kind: str, source: str) -> list[str]:
    """The layers to try: the one that was asked for, the only one, or those of a GPX file that hold points."""
    layers = [layer] if layer else [name for name in GPX_LAYERS if name in names] if kind == "gpx" else names
    if (layer and layer not in names) or (len(layers) > 1 and kind != "gpx"):
        raise ValueError(f"{source} has layers {listed(names)}; name one of them, with layer=")
    return layers


def _shapefile(given: Any, source: str) -> str:
    if not isinstance(given, str | os.PathLike) or not Path(given).is_file():
        raise ValueError(f"{source} is one file of a Shapefile; give its path, or save it as GeoPackage")
    return str(Path(given).resolve())


def encode_map(frame: pd.DataFrame, kind: str) -> bytes:
    """Encode a point for each row; the other columns become properties."""
    geopandas = need("geopandas", kind)
    if not isinstance(frame, geopandas.GeoDataFrame):
        frame = _located(frame, kind, geopandas)
    properties = pd.DataFrame(frame.drop(columns=frame.geometry.name)).reset_index(drop=True)
    out = geopandas.GeoDataFrame(properties, geometry=frame.geometry.to_numpy(), crs=frame.crs)
    options = dict(WRITE_OPTIONS[kind])
    lines = bool(len(out)) and out.geom_type.isin(("LineString", "MultiLineString")).all()
    if kind == "gpx":
        if out.crs is not None and not out.crs.is_geographic:
            out = out.to_crs(4326)
        trips = [name for name in frame.attrs.get("trips", ()) if name in frame]
        layer = "track_points" if trips else frame.attrs.get("layer")
        options["layer"] = "tracks" if lines else layer if layer in GPX_LAYERS else "waypoints"
        if lines:
            import shapely

            out = out.set_geometry([shapely.MultiLineString(list(shapely.get_parts(line))) for line in out.geometry])
        elif layer == "track_points" and "track_fid" not in out:
            numbers = frame.groupby(trips, sort=False).ngroup().to_numpy() if trips else 0
            out = out.assign(track_fid=numbers, track_seg_id=0).sort_values("track_fid", kind="stable")
    elif kind == "gpkg":
        options["layer"] = frame.attrs.get("layer") or ("lines" if lines else "points")
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # GPX without the time zone of a time
        try:
            out.to_file(stream, driver=GDAL_DRIVERS[kind], engine="pyogrio", **options)
        except Exception as error:  # GDAL's errors
            raise ValueError(
                f"{source_of(frame)} cannot be written as {called(kind)}: {first_line(error)}; write CSV"
            ) from None
    return stream.getvalue()


def _located(frame: pd.DataFrame, kind: str, geopandas: Any) -> Any:
    """A GeoDataFrame from columns: longitude and latitude in degrees, or x and y of an unknown system."""
    names = axes(frame)
    lowered = tuple(str(name).lower() for name in names)
    degrees = longitude_and_latitude(names) == names
    if not degrees and lowered[:2] not in (("x", "y"), ("easting", "northing")):
        raise ValueError(
            f"{source_of(frame)}: {called(kind)} needs columns longitude and latitude, or x and y; there are "
            f"{listed(list(frame.columns))}"
        )
    points = coordinates(frame, names)
    out = geopandas.GeoDataFrame(
        frame.drop(columns=list(names)), geometry=geopandas.points_from_xy(*points.T), crs=4326 if degrees else None
    )
    out.attrs = frame.attrs
    return out
