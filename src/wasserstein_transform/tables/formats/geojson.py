"""Points in GeoJSON files."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from ..columns import Kept, Rows, as_column, free_name
from ..sources import reserve
from ..table import Table

_HELD = 12.0  # bytes of memory for each byte of the file
_CELL = 16.0  # bytes of memory for each cell, including empty ones
_LARGEST = sys.float_info.max
_AXES = ("longitude", "latitude", "height")
_CALLED = (_AXES, ("lon", "lat", "height"), ("lng", "lat", "height"), ("x", "y", "z"))


class _Point(NamedTuple):
    feature: int  # counted from 1
    place: list[float]
    properties: dict[str, Any]


def read_geojson(content: bytes, source: str) -> Table:
    """Read the coordinates and properties of points. Each point of a MultiPoint becomes a row."""
    reserve(_HELD * len(content), source)
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{source} is not valid JSON: {error!s:.200}; fix it, or fetch it again") from None
    points = list(_points(document, source))
    if not points:
        raise ValueError(f"{source} holds no points; a table needs at least one")
    n_axes = max(len(point.place) for point in points)
    places = np.full((len(points), n_axes), np.nan)
    for row, point in enumerate(points):
        places[row, : len(point.place)] = point.place
    columns: dict[str, Any] = dict(zip(_AXES, places.T, strict=False))
    kept = {}
    names = dict.fromkeys(name for point in points for name in point.properties)
    reserve(_CELL * len(names) * len(points), source)  # also for features without these properties
    for name in names:
        cells = [point.properties.get(name) for point in points]
        free = free_name(name, columns)
        columns[free], as_it_stood = _column(cells, free, source)
        if as_it_stood is not None:
            kept[free] = as_it_stood
    in_degrees = (np.abs(places[:, :2]) <= (180, 90)).all()
    note = f"{source}: longitude and latitude are degrees, not meters; project them where distances matter"
    return Table(
        columns,
        source,
        axes=_AXES[: 2 if in_degrees else n_axes],
        notes=(note,) if in_degrees else (),
        rows=Rows("feature", [point.feature for point in points]),
        kept=kept,
    )


def _points(document: Any, source: str) -> Iterator[_Point]:
    kind = document.get("type") if isinstance(document, dict) else None
    if kind == "FeatureCollection":
        features = document.get("features")
    elif kind == "GeometryCollection":
        features = document.get("geometries")
    elif kind in ("Feature", "Point", "MultiPoint"):
        features = [document]
    else:
        raise ValueError(
            f"{source} is JSON but not GeoJSON with points; a FeatureCollection of Points is needed, got {kind!s:.40}"
        )
    if not isinstance(features, list):
        raise ValueError(f"{source}: a {kind} needs a list, got {type(features).__name__}")
    for number, feature in enumerate(features, 1):
        yield from _of_feature(feature, number, source)


def _of_feature(feature: Any, number: int, source: str) -> Iterator[_Point]:
    if not isinstance(feature, dict):
        raise ValueError(f"{source}, feature {number} is {feature!r:.40}; a Point is needed")
    whole = feature.get("type") == "Feature"
    geometry = feature.get("geometry") if whole else feature
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    places = geometry.get("coordinates") if isinstance(geometry, dict) else None
    if kind not in ("Point", "MultiPoint"):
        what = f"a {kind!s:.40}" if kind else "no geometry"
        raise ValueError(f"{source}, feature {number} is {what}; only Point and MultiPoint are read, remove the others")
    properties = (feature.get("properties") or {}) if whole else {}
    if not isinstance(properties, dict):
        raise ValueError(
            f"{source}, feature {number}: properties must be a JSON object, got {type(properties).__name__}"
        )
    if whole and "id" in feature:
        properties = {"id": feature["id"], **properties}
    for place in [places] if kind == "Point" else places if isinstance(places, list) else [places]:
        if not _is_place(place):
            raise ValueError(f"{source}, feature {number}: two or three finite numbers are needed, got {place!r:.60}")
        yield _Point(number, list(map(float, place[:3])), properties)


def _is_place(place: Any) -> TypeGuard[list[float]]:
    return (
        isinstance(place, list)
        and len(place) >= 2
        and all(isinstance(number, int | float) and not isinstance(number, bool) for number in place)
        and all(abs(number) <= _LARGEST for number in place)  # False for NaN
    )


def _column(cells: list[Any], name: str, source: str) -> tuple[Any, Kept | None]:
    flat = [
        cell if cell is None or isinstance(cell, str | int | float) else _as_text(cell, name, source) for cell in cells
    ]
    held = np.empty(len(cells), object)
    held[:] = flat
    values = as_column(held, name, source)
    if values.tolist() == cells and values.dtype.kind != "O":
        return values, None
    as_it_stood = np.empty(len(cells), object)
    for row, cell in enumerate(cells):
        as_it_stood[row] = cell
    return values, Kept("json", as_it_stood)


def _as_text(cell: Any, name: str, source: str) -> str:
    try:
        return json.dumps(cell)
    except RecursionError:
        raise ValueError(f"{source}, property {name:.60} is nested too deeply; remove it") from None


def encode_geojson(table: Table) -> bytes:
    """Encode a FeatureCollection with a Point for each row; the other columns become properties."""
    axes = _axes(table)
    places = [[number for number in place if number == number] for place in _places(table, axes)]  # noqa: PLR0124  NaN
    others = [name for name in table.names if name not in axes]
    cells = [_json_cells(table, name) for name in others]
    rows = zip(*cells, strict=True) if cells else ((),) * len(table)
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": place},
            "properties": dict(zip(others, row, strict=True)),
        }
        for place, row in zip(places, rows, strict=True)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}, allow_nan=False, ensure_ascii=False).encode()


def _axes(table: Table) -> tuple[str, ...]:
    for called in _CALLED:
        if set(called[:2]) <= set(table.names):
            return called if called[2] in table.numeric else called[:2]
    raise ValueError(
        f"{table.source}: GeoJSON needs columns longitude and latitude, or x and y; there are {', '.join(table.names)}"
    )


def _places(table: Table, axes: tuple[str, ...]) -> list[list[float]]:
    places = table.numbers(axes[:2])
    if len(axes) == 2:
        return list(places.tolist())
    heights = table.columns[axes[2]]
    heights = (
        np.where(np.isfinite(heights), heights, np.nan) if heights.dtype.kind in "iuf" else table.numbers(axes[2:])
    )
    return list(np.column_stack([places, heights]).tolist())


def _json_cells(table: Table, name: str) -> list[Any]:
    kept = table.kept.get(name)
    if kept is not None and kept.family == "json":
        return list(kept.cells.tolist())
    values = table.columns[name]
    if values.dtype.kind == "M":
        return [None if np.isnat(moment) else str(moment) for moment in values]
    if values.dtype.kind == "f":
        return [number if math.isfinite(number) else None for number in values.tolist()]
    return list(values.tolist())
