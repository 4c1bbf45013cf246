"""Denoise and skeleton of tables in degrees, beside the same points projected by pyproj."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pandas import DataFrame

import wasserstein_transform as wt
from wasserstein_transform.curves.net import nearest_lines, trips_of
from wasserstein_transform.tables.earth import cut_at_180

geopandas, pyproj = pytest.importorskip("geopandas"), pytest.importorskip("pyproj")
shapely = pytest.importorskip("shapely")
UTM = 32632
CORNER = np.array([707_000.0, 5_576_000.0])  # Hof


@pytest.fixture(scope="module")
def streets() -> tuple[np.ndarray, np.ndarray, DataFrame]:
    X, trips, _ = wt.datasets.streets(0, n_trips=40)
    meters = X + CORNER
    degrees = pyproj.Transformer.from_crs(UTM, 4326, always_xy=True).transform(*meters.T)
    return meters, trips, DataFrame({"trip": trips, "lat": degrees[1], "lon": degrees[0]})


def test_a_table_in_degrees_gives_meters_and_degrees_again(streets) -> None:
    _, trips, table = streets
    found = wt.denoise(table)
    plain = wt.denoise(wt.tables.tracks(table).points, order=trips)
    assert (found.eps, found.sigma, found.unit) == (plain.eps, plain.sigma, "m")
    assert found.before.tolist() == table[["lon", "lat"]].to_numpy().tolist()
    np.testing.assert_allclose(found.moved, plain.moved, rtol=0, atol=1e-5)
    moved = pyproj.Geod(ellps="WGS84").inv(*found.before.T, *found.points.T)[2]
    np.testing.assert_allclose(found.moved, moved, rtol=1e-4, atol=1e-5)
    still = plain.moved == 0
    assert (found.points[still] == found.before[still]).all()
    assert found.moved_in_words.startswith("moved by ")
    assert "m (median), " in found.moved_in_words
    assert f"of {len(table):,} fixes" in found.outliers_in_words
    assert f"eps={found.eps:.3g} m" in repr(found)
    assert "projected to local meters" in found._repr_html_()


def test_lines_are_in_degrees_with_lengths_in_meters(streets) -> None:
    _, trips, table = streets
    found = wt.skeleton(wt.denoise(table, 1))
    plain = wt.skeleton(wt.denoise(wt.tables.tracks(table).points, 1, order=trips))
    np.testing.assert_allclose(found.lengths, plain.lengths)
    assert found.edges.tolist() == plain.edges.tolist()
    geod = pyproj.Geod(ellps="WGS84")
    lengths = [geod.line_length(*line.T) for line in found.lines]
    np.testing.assert_allclose(found.lengths, lengths, rtol=1e-4)
    for (a, b), line in zip(found.edges, found.lines, strict=True):
        assert (found.nodes[a] == line[0]).all()
        assert (found.nodes[b] == line[-1]).all()
    assert f"total length {found.length / 1000:.3g} km" in repr(found)
    assert repr(wt.skeleton(table)) == repr(found)


def test_lines_know_their_fixes_trips_and_deviation(streets) -> None:
    meters, trips, table = streets
    found = wt.skeleton(wt.denoise(table, 1))
    rows, lines = found.to_pandas(), found.to_geopandas().to_crs(UTM).geometry
    points = shapely.points(meters)
    apart = np.column_stack([shapely.distance(points, line) for line in lines])
    near, distances = apart.argmin(axis=1), apart.min(axis=1)
    near[distances > found.source.eps] = -1
    for k in range(len(lines)):
        mine = near == k
        assert abs(rows["fixes"][k] - mine.sum()) <= 0.05 * mine.sum() + 2
        assert abs(rows["trips"][k] - len(np.unique(trips[mine]))) <= 2
    assert rows["fixes"].sum() == pytest.approx(np.count_nonzero(near >= 0), abs=5)
    mean = np.average(rows["deviation"].fillna(0), weights=rows["fixes"])
    assert mean == pytest.approx(distances[near >= 0].mean(), rel=0.02)
    assert "trips" not in wt.skeleton(wt.denoise(table, 1, order=False)).to_pandas()


def test_the_nearest_line_is_the_nearest() -> None:
    lines = (np.array([[0.0, 0], [10, 0]]), np.array([[0.0, 5], [10, 5], [10, 9]]))
    points = np.array([[3.0, 1], [-3, 4], [12, 8], [5, 2.4], [50, 50]])
    line, distances = nearest_lines(lines, points, 4.0)
    assert line.tolist() == [0, 1, 1, 0, -1]
    np.testing.assert_allclose(distances[:4], [1, np.hypot(3, 1), 2, 2.4])
    numbers = trips_of(np.array([[0, 1], [3, 2]]), 5)
    assert numbers[0] == numbers[1] != numbers[2] == numbers[3] != numbers[4]


@pytest.mark.parametrize("projected", [False, True])
def test_files_of_lines_lie_at_the_right_place(streets, projected: bool, tmp_path: Path) -> None:
    meters, trips, table = streets
    if projected:
        table = geopandas.GeoDataFrame({"trip": trips}, geometry=geopandas.points_from_xy(*meters.T), crs=UTM)
    found = wt.skeleton(table)
    lines = found.to_geopandas()
    assert lines.crs.to_epsg() == (UTM if projected else 4326)
    there = geopandas.GeoSeries(geopandas.points_from_xy(*meters.T), crs=UTM)
    found.to_geojson(tmp_path / "lines.geojson")
    lines.to_file(tmp_path / "lines.shp")
    for kind in ("gpkg", "fgb", "gpx"):
        wt.write(lines, tmp_path / f"lines.{kind}")
    for kind in ("geojson", "gpkg", "fgb", "gpx", "shp"):
        read = geopandas.read_file(tmp_path / f"lines.{kind}", **({"layer": "tracks"} if kind == "gpx" else {}))
        in_degrees = kind in ("geojson", "gpx") or not projected
        assert read.crs.to_epsg() == (4326 if in_degrees else UTM)
        read = read[read.geom_type != "Point"].to_crs(UTM)
        assert len(read) == len(found.lines)
        assert there.distance(read.union_all()).median() < 10
        assert read.length.sum() == pytest.approx(found.length, rel=1e-3)
    for feature in json.loads((tmp_path / "lines.geojson").read_text())["features"][: len(lines)]:
        assert list(feature["properties"]) == ["from", "to", "length", "vertices", "fixes", "trips", "deviation"]
    again = wt.read(tmp_path / "lines.gpkg")
    assert again["length"].unique().sum() == pytest.approx(np.unique(found.lengths).sum())


@pytest.mark.parametrize("whole", [False, True], ids=["from -180", "from 0"])
def test_lines_across_180_degrees_are_cut_there(whole: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    east = np.linspace(-0.02, 0.02, 400)
    lon = (180 + east) if whole else (180 + east + 180) % 360 - 180
    table = DataFrame({"lon": lon, "lat": -17 + 0.3 * east + rng.normal(0, 1e-5, 400)})
    found = wt.skeleton(wt.denoise(table, 1))
    features = [one for one in found.to_geojson()["features"] if one["geometry"]["type"] != "Point"]
    assert [one["geometry"]["type"] for one in features] == ["MultiLineString"] * len(found.lines)
    parts = [np.array(part) for one in features for part in one["geometry"]["coordinates"]]
    assert max(np.ptp(part[:, 0]) for part in parts) < 0.03
    assert sorted(abs(part[[0, -1], 0]).max() for part in parts) == [180.0, 180.0]
    assert parts[0][-1, 1] == parts[1][0, 1]
    geod = pyproj.Geod(ellps="WGS84")
    assert sum(geod.line_length(*part.T) for part in parts) == pytest.approx(found.length, rel=1e-4)
    for drawn in (found.plot(), found.source.plot()):
        assert np.ptp(drawn.axes[0].get_xlim()) < 1
    for name in ("a.gpkg", "a.fgb", "a.gpx", "a.geojson"):
        wt.write(found.to_geopandas(), tmp_path / name)
        layer = {"layer": "tracks"} if name == "a.gpx" else {}
        (line,) = geopandas.read_file(tmp_path / name, **layer).geometry
        assert [part.bounds[2] - part.bounds[0] < 0.03 for part in line.geoms] == [True, True]


def test_cut_lines_have_no_empty_parts() -> None:
    line = np.array([[179.0, 0.0], [-180.0, 1.0], [-179.0, 2.0], [180.0, 3.0], [179.0, 4.0], [-179.0, 6.0]])
    parts = [part.tolist() for part in cut_at_180(line)]
    assert parts == [
        [[179, 0], [180, 1]], [[-180, 1], [-179, 2], [-180, 3]], [[180, 3], [179, 4], [180, 5]], [[-180, 5], [-179, 6]]
    ]  # fmt: skip
    assert [part.tolist() for part in cut_at_180(line[1:3])] == [[[-180, 1], [-179, 2]]]
