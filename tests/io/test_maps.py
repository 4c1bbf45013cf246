"""Points and lines of maps: GeoJSON, GPX, GeoPackage, FlatGeobuf and Shapefile, with their coordinate systems."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from encoding import encode
from pandas import DataFrame

import wasserstein_transform as wt
from wasserstein_transform.io import read
from wasserstein_transform.tables import coordinates
from wasserstein_transform.tables.columns import chosen, times, with_columns

geopandas = pytest.importorskip("geopandas")

GPX = b"""<?xml version="1.0"?>
<!-- two trips -->
<gpx version="1.1" creator="hand" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="1" lon="2"/>
<trk><name>a</name><trkseg>
<trkpt lat="50.1" lon="11.9"><ele>500</ele><time>2020-01-01T10:00:00Z</time></trkpt>
<trkpt lat="50.2" lon="11.8"><time>2020-01-01T10:00:05Z</time></trkpt></trkseg></trk>
<trk><trkseg><trkpt lat="50.3" lon="11.7"/></trkseg></trk></gpx>"""


def feature(kind: str, coordinates: object, **properties: object) -> dict:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties}


def geojson(*features: object, **more: object) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features, **more}).encode()


def test_points_of_geojson_have_properties() -> None:
    content = geojson(
        feature("Point", [9.2, 45.5], name="Milan", n=1, latitude="north"),
        feature("MultiPoint", [[4.3, 52.0, 1.5], [4.4, 52.1]], name="Delft", n=None),
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": None},
    )
    table = read(content, name="points.geojson")
    assert tuple(table) == ("name", "n", "latitude", "geometry")
    assert chosen(table) == ("longitude", "latitude_2")
    assert coordinates(table).tolist() == [[9.2, 45.5], [4.3, 52.0], [4.4, 52.1], [1, 2]]
    assert table["name"].tolist()[:3] == ["Milan", "Delft", "Delft"]
    again = json.loads(encode(with_columns(table, {"label": [0, 1, 1, 0]}), "geojson"))["features"]
    assert [f["geometry"]["coordinates"] for f in again] == [[9.2, 45.5], [4.3, 52.0], [4.4, 52.1], [1, 2]]
    first = again[0]["properties"]
    assert (first["n"], first["label"]) == (1, 0)
    assert again[2]["properties"]["n"] is None


def test_vertices_of_lines_are_points() -> None:
    table = read(geojson(
        feature("LineString", [[1, 2], [3, 4]], name="a"),
        feature("MultiLineString", [[[5, 6], [7, 8]], [[9, 10], [11, 12]]], name="b"),
    ))  # fmt: skip
    assert coordinates(table).tolist() == np.arange(1.0, 13).reshape(6, 2).tolist()
    assert (table["line"].tolist(), table["part"].tolist()) == ([0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1])
    assert table["name"].tolist() == ["a", "a", "b", "b", "b", "b"]


def test_coordinates_that_are_no_degrees_are_not_called_degrees() -> None:
    table = read(geojson(feature("Point", [482785.9, 4216659.1, 3.0])), name="a.geojson")
    assert (chosen(table), table.crs) == (("x", "y", "z"), None)
    assert table.attrs["notes"] == ["a.geojson names no coordinate system, and its coordinates are no degrees"]


def test_tracks_come_back_as_tracks() -> None:
    table = read(GPX, name="trips.gpx")
    assert coordinates(table).tolist() == [[11.9, 50.1], [11.8, 50.2], [11.7, 50.3]]
    assert table["track_fid"].tolist() == [0, 0, 1]
    assert np.diff(times(table.iloc[:2], "time")).tolist() == [5]
    assert table["ele"].tolist()[0] == 500
    assert "hdop" not in table
    again = read(encode(with_columns(table, {"label": [3, 4, 5]}), "gpx"), name="out.gpx")
    assert again["label"].tolist() == [3, 4, 5]
    assert coordinates(again).tolist() == coordinates(table).tolist()
    assert (again["track_fid"].tolist(), again.crs) == ([0, 0, 1], table.crs)
    assert read(GPX, name="trips.gpx", layer="waypoints").geometry.x.tolist() == [2]
    with pytest.raises(ValueError, match=r"trips\.gpx has layers waypoints, .*; name one of them, with layer="):
        read(GPX, name="trips.gpx", layer="roads")


@pytest.mark.parametrize("kind", ["geojson", "gpkg", "fgb"])
def test_maps_keep_their_coordinate_system_and_the_order_of_rows(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    places = np.array([500000.0, 5e6]) + rng.normal(size=(20, 2)) * 100
    frame = geopandas.GeoDataFrame({"n": np.arange(20), "w": rng.normal(size=20)},
                                   geometry=geopandas.points_from_xy(*places.T), crs=32633)  # fmt: skip
    wt.write(frame, tmp_path / f"a.{kind}")
    table = wt.read(tmp_path / f"a.{kind}")
    assert (table.crs.to_epsg(), chosen(table)) == (32633, ("x", "y"))
    assert table["n"].tolist() == list(range(20))
    np.testing.assert_allclose(coordinates(table), places, rtol=0, atol=1e-9)
    wt.write(with_columns(table, {"label": np.arange(20) % 3}), tmp_path / f"b.{kind}")
    again = geopandas.read_file(tmp_path / f"b.{kind}")
    assert (again.crs.to_epsg(), again["label"].tolist()) == (32633, [k % 3 for k in range(20)])
    assert again["w"].tolist() == frame["w"].tolist()


def test_a_shapefile_is_read_by_its_path(tmp_path: Path) -> None:
    frame = geopandas.GeoDataFrame({"n": [1, 2]}, geometry=geopandas.points_from_xy([1, 2], [3, 4]), crs=3857)
    frame.to_file(tmp_path / "a.shp")
    table = read(tmp_path / "a.shp")
    assert (table.crs.to_epsg(), coordinates(table).tolist()) == (3857, [[1, 3], [2, 4]])
    with pytest.raises(ValueError, match=r"is one file of a Shapefile; give its path, or save it as GeoPackage"):
        read((tmp_path / "a.shp").read_bytes(), name="a.shp")


def test_layers_are_named(tmp_path: Path) -> None:
    frame = geopandas.GeoDataFrame({"n": [1]}, geometry=geopandas.points_from_xy([1], [2]), crs=4326)
    for layer in ("one", "two"):
        frame.to_file(tmp_path / "a.gpkg", layer=layer)
    with pytest.raises(ValueError, match=r"a\.gpkg has layers one, two; name one of them, with layer="):
        read(tmp_path / "a.gpkg")
    assert read(tmp_path / "a.gpkg", layer="two").attrs["layer"] == "two"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (geojson(feature("Polygon", [[[0, 0], [1, 0], [1, 1], [0, 0]]])), r"feature 1 is a Polygon; points and lines"),
        (geojson(feature("Point", [1, 2]), {"type": "Feature", "geometry": None}), r"feature 2 is a feature without"),
        (geojson(feature("Point", [1])), r"feature 1 is a feature without geometry"),
        (geojson(), r"points\.geojson holds no points"),
        (b'{"type": "FeatureCollection", "features": 7}', r"points\.geojson is cut off or damaged: "),
        (b'{"type": "Feature', r"points\.geojson is cut off or damaged: it is not recognized"),
        (b'{"a":' * 100_000, r"points\.geojson is cut off or damaged: "),
    ],
)
def test_maps_without_points_are_refused(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(content, name="points.geojson")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.gpx", b"<gpx><OGRVRTDataSource><SrcDataSource>/a</SrcDataSource></OGRVRTDataSource></gpx>", "<OGR"),
        ("a.gpx", b"<OGRVRTDataSource></OGRVRTDataSource>", "holds XML"),
        ("a.gpx", b'<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "b">]><gpx></gpx>', "holds XML"),
        ("a.gpx", b'<gpx><!DOCTYPE gpx [<!ENTITY a "b">]></gpx>', "<!DOCTYPE, which may name other files"),
        ("a.geojson", b'{"type": "gdal_streamed_alg", "command_line": "x"}', "gdal_streamed_alg, which may name other"),
    ],
)  # fmt: skip
def test_files_that_name_other_files_are_refused(name: str, content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(content, name=name)


@pytest.mark.parametrize(
    "path", ["/vsicurl/http://localhost/a.geojson", "http://localhost/a.gpx", "/vsizip/a.zip/b.gpx"]
)
def test_addresses_are_not_opened(path: str) -> None:
    with pytest.raises(FileNotFoundError):
        read(path)


def test_columns_become_points() -> None:
    with pytest.raises(ValueError, match="column y"):
        encode(DataFrame({"x": [1.0, 2.0], "y": [1.0, np.nan]}), "geojson")
    frame = DataFrame({"lon": [1.0], "lat": [2.0], "w": [np.nan], "d": np.array(["2020-01-01"], "M8[ms]")})
    written = json.loads(encode(frame, "geojson"))
    assert written["features"][0]["properties"]["w"] is None
    assert written["features"][0]["properties"]["d"].startswith("2020-01-01")
    with pytest.raises(ValueError, match="GeoJSON needs columns longitude and latitude, or x and y; there are a, b"):
        encode(DataFrame({"a": [1], "b": [2]}), "geojson")


def test_maps_in_other_formats_have_columns_of_all_digits() -> None:
    place = [7.000005130521338, 45.000012969154]
    table = read(encode(read(geojson(feature("Point", place, n=1))), "csv"))
    assert table.to_dict("list") == {"longitude": place[:1], "latitude": place[1:], "n": [1]}
