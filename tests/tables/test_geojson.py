"""Points in GeoJSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
from encoding import encode

from wasserstein_transform.tables import Table, read


def feature(kind: str, coordinates: object, **properties: object) -> dict:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties}


def geojson(*features: object, **more: object) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features, **more}).encode()


def test_points_of_geojson_have_properties() -> None:
    content = geojson(
        feature("Point", [9.2, 45.5], name="Milan", n=1, tags=["a"], latitude="north", ok=True),
        feature("MultiPoint", [[4.3, 52.0, 1.5], [4.4, 52.1]], name="Delft", n=None),
        {"type": "Feature", "id": 7, "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": None},
    )
    table = read(content, name="points.geojson")
    assert table.names == ("longitude", "latitude", "height", "name", "n", "tags", "latitude_2", "ok", "id")
    assert table.axes == ("longitude", "latitude")
    assert table.numbers().tolist() == [[9.2, 45.5], [4.3, 52.0], [4.4, 52.1], [1, 2]]
    assert table.columns["name"].tolist() == ["Milan", "Delft", "Delft", None]
    assert "are degrees, not meters" in table.notes[0]
    with pytest.raises(ValueError, match="feature 1, column height"):
        table.numbers(["height"])
    again = json.loads(encode(table.with_columns({"label": [0, 1, 1, 0]}), "geojson"))
    assert [f["geometry"]["coordinates"] for f in again["features"]] == [
        [9.2, 45.5],
        [4.3, 52.0, 1.5],
        [4.4, 52.1],
        [1, 2],
    ]
    first = again["features"][0]["properties"]
    assert (first["tags"], first["ok"], first["n"], first["label"]) == (["a"], True, 1, 0)
    assert again["features"][2]["properties"]["n"] is None


def test_projected_points_are_not_called_degrees() -> None:
    table = read(geojson(feature("Point", [482785.9, 4216659.1, 3.0])))
    assert (table.axes, table.notes) == (("longitude", "latitude", "height"), ())


def test_bare_geometries_are_points_too() -> None:
    point = {"type": "Point", "coordinates": [1, 2]}
    assert read(json.dumps(point).encode()).numbers().tolist() == [[1, 2]]
    both = {"type": "GeometryCollection", "geometries": [point, {"type": "MultiPoint", "coordinates": [[3, 4]]}]}
    assert read(json.dumps(both).encode(), name="points.json").numbers().tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            geojson(feature("Point", [1, 2]), feature("LineString", [[1, 2], [3, 4]])),
            r"feature 2 is a LineString; only Point",
        ),
        (geojson({"type": "Feature", "geometry": None}), r"feature 1 is no geometry; only Point"),
        (geojson(3), r"feature 1 is 3; a Point is needed"),
        (geojson(feature("Point", [1])), r"feature 1: two or three finite numbers are needed, got \[1\]"),
        (geojson(feature("Point", [1, "2"])), r"feature 1: two or three finite numbers are needed"),
        (geojson(feature("Point", [1, float("nan")])), r"feature 1: two or three finite numbers are needed"),
        (geojson(feature("MultiPoint", 5)), r"feature 1: two or three finite numbers are needed, got 5"),
        (
            geojson({**feature("Point", [1, 2]), "properties": [1]}),
            r"feature 1: properties must be a JSON object, got list",
        ),
        (geojson(), r"points\.geojson holds no points"),
        (b'{"type": "FeatureCollection", "features": 7}', r"a FeatureCollection needs a list, got int"),
        (b'{"type": "Topology"}', r"is JSON but not GeoJSON with points; .* got Topology"),
        (b'{"type": "Feature', r"points\.geojson is not valid JSON: "),
        (b'{"a":' * 100_000, r"points\.geojson is not valid JSON: "),
    ],
)
def test_geojson_without_points_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(content, name="points.geojson")


def test_geojson_needs_coordinates_to_be_written() -> None:
    with pytest.raises(ValueError, match="column y"):
        encode(Table({"x": [1.0], "y": [np.nan]}), "geojson")
    written = json.loads(
        encode(Table({"lon": [1.0], "lat": [2.0], "w": [np.inf], "d": np.array(["2020"], "M8[D]")}), "geojson")
    )
    assert written["features"][0]["properties"] == {"w": None, "d": "2020-01-01"}
