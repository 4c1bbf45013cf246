"""Tracks and scans from file to file: moved points at their places, lines on maps."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_files import column, run

import wasserstein_transform as wt

geopandas = pytest.importorskip("geopandas")


def tracks() -> pd.DataFrame:
    X, trips, _ = wt.datasets.streets(0, n_trips=30)
    there = geopandas.GeoSeries(geopandas.points_from_xy(*(X + np.array([707_000, 5_576_000])).T), crs=32632).to_crs(
        4326
    )
    seconds = pd.to_timedelta(10 * np.arange(len(X)), "s")
    times = pd.Series(pd.Timestamp("2019-03-11 08:33:24+00:00") + seconds)
    return pd.DataFrame({"trip": trips, "time": times, "lon": there.x, "lat": there.y})


def as_map(table: pd.DataFrame) -> geopandas.GeoDataFrame:
    places = geopandas.points_from_xy(table["lon"], table["lat"])
    return geopandas.GeoDataFrame(table[["trip", "time"]], geometry=places, crs=4326)


def test_iso_times_and_degrees_in_a_csv(tmp_path: Path) -> None:
    table = tracks()
    table.to_csv(tmp_path / "trips.csv", index=False)
    assert "2019-03-11 08:33:24+00:00" in (tmp_path / "trips.csv").read_text()
    done = run("skeleton", tmp_path / "trips.csv", "--trip", "trip", "--time", "time", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    found = wt.skeleton(table)
    assert found.in_words in done.stdout
    assert " m (median)" in done.stdout or "cm (median)" in done.stdout or "mm (median)" in done.stdout
    assert "results are in degrees again" in done.stderr
    assert column(tmp_path / "out" / "points.csv", "lat_moved") == found.source.points[:, 1].tolist()
    assert column(tmp_path / "out" / "lines.csv", "lon") == np.concatenate(found.lines)[:, 0].tolist()
    lines = json.loads((tmp_path / "out" / "lines.geojson").read_text())
    assert lines == json.loads(json.dumps(found.to_geojson()))
    assert (tmp_path / "out" / "lines.png").exists()
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (summary["result"]["order"], summary["result"]["unit"]) == (["trip", "time"], "m")
    assert summary["result"]["length"] == pytest.approx(found.length)


def test_transform_works_in_meters_and_writes_degrees(tmp_path: Path) -> None:
    table = tracks()
    table.to_csv(tmp_path / "trips.csv", index=False)
    done = run("transform", tmp_path / "trips.csv", "--eps", 30, "--lam", 1)
    assert done.exit_code == 0, done.output
    assert "results are in degrees again" in done.stderr
    found = wt.tables.tracks(wt.read(tmp_path / "trips.csv"), trip=False)
    wanted = wt.GaussianTransform(30.0, 1.0, n_iter=1).fit(found.points).points_
    moved = np.column_stack([column(done.stdout, "lon_moved"), column(done.stdout, "lat_moved")])
    np.testing.assert_allclose(found.earth.to_meters(moved), wanted, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["gpx", "geojson", "gpkg", "fgb", "shp"])
def test_maps_come_back_with_moved_points(kind: str, tmp_path: Path) -> None:
    table = tracks()
    frame, file = as_map(table), tmp_path / f"trips.{kind}"
    if kind == "gpx":
        frame = frame.rename(columns={"trip": "track_fid"}).assign(track_seg_id=0)
        frame.to_file(file, layer="track_points", driver="GPX")
    else:
        frame.assign(time=frame["time"].astype(str)).to_file(file, **({"SPATIAL_INDEX": "NO"} if kind == "fgb" else {}))
    written = "gpkg" if kind == "shp" else kind
    done = run("denoise", file, "-o", tmp_path / f"moved.{written}")
    assert done.exit_code == 0, done.output
    found, again = wt.denoise(wt.read(file)), wt.read(tmp_path / f"moved.{written}")
    assert found.moved.max() > 1
    np.testing.assert_allclose(again.get_coordinates().to_numpy(), found.points, rtol=0, atol=1e-12)
    np.testing.assert_allclose(again["longitude_before"], table["lon"], rtol=0, atol=1e-12)
    assert again["outlier"].tolist() == found.outliers.tolist()
    assert again.crs.to_epsg() == 4326
    np.testing.assert_allclose(found.points, wt.denoise(table).points, rtol=0, atol=1e-9)
    if kind == "gpx":
        assert again["track_fid"].nunique() == table["trip"].nunique()


def test_trips_of_a_csv_become_tracks_of_gpx(tmp_path: Path) -> None:
    table = tracks().sample(frac=1, random_state=0)
    table.to_csv(tmp_path / "a.csv", index=False)
    done = run("denoise", tmp_path / "a.csv", "-o", tmp_path / "b.gpx")
    assert done.exit_code == 0, done.output
    again = geopandas.read_file(tmp_path / "b.gpx", layer="tracks")
    assert len(again) == table["trip"].nunique()
    points = wt.read(tmp_path / "b.gpx")
    assert points.groupby("track_fid")["trip"].nunique().max() == 1
    assert sorted(points["lon_before"]) == pytest.approx(sorted(table["lon"]))


def test_waypoints_are_points_without_trips(tmp_path: Path) -> None:
    as_map(tracks())[["geometry"]].to_file(tmp_path / "a.gpx", layer="waypoints", driver="GPX")
    done = run("denoise", tmp_path / "a.gpx", "-o", tmp_path / "b.gpx")
    assert done.exit_code == 0, done.output
    assert "trip" not in done.stderr
    assert f"of {len(tracks()):,} points" in done.stdout
    np.testing.assert_allclose(
        wt.read(tmp_path / "b.gpx").get_coordinates(), wt.denoise(wt.read(tmp_path / "a.gpx")).points, atol=1e-12
    )


@pytest.mark.parametrize("kind", ["geojson", "gpkg", "fgb", "gpx"])
def test_lines_are_written_as_maps(kind: str, tmp_path: Path) -> None:
    as_map(tracks())[["trip", "geometry"]].to_crs(32632).to_file(tmp_path / "trips.gpkg")
    done = run("skeleton", tmp_path / "trips.gpkg", "-o", tmp_path / f"lines.{kind}")
    assert done.exit_code == 0, done.output
    found = wt.skeleton(wt.read(tmp_path / "trips.gpkg"))
    lines = geopandas.read_file(tmp_path / f"lines.{kind}", **({"layer": "tracks"} if kind == "gpx" else {}))
    assert lines.crs.to_epsg() == (32632 if kind in ("gpkg", "fgb") else 4326)
    lines = lines[lines.geom_type != "Point"]
    assert lines.to_crs(32632).length.sum() == pytest.approx(found.length, rel=1e-4)
    assert "projected to local meters" not in done.stderr  # a projected map keeps its system


@pytest.mark.parametrize("kind", ["las", "laz", "ply"])
def test_scans_come_back_with_moved_points(kind: str, tmp_path: Path) -> None:
    laspy = pytest.importorskip("laspy" if kind != "ply" else "trimesh")
    rng = np.random.default_rng(0)
    X = np.c_[rng.uniform(0, 10, (500, 2)), rng.normal(0, 0.1, 500)] + [400_000, 5_000_000, 300]
    X = X if kind != "ply" else X - [400_000, 5_000_000, 300]
    wt.write(pd.DataFrame(X, columns=["x", "y", "z"]).assign(intensity=np.arange(500, dtype=np.uint16)),
             tmp_path / f"scan.{kind}")  # fmt: skip
    table = wt.read(tmp_path / f"scan.{kind}")
    done = run("denoise", tmp_path / f"scan.{kind}", "-d", 2, "--eps", 2, "-o", tmp_path / f"clean.{kind}")
    assert done.exit_code == 0, done.output
    found, again = wt.denoise(table, 2, eps=2.0), wt.read(tmp_path / f"clean.{kind}")
    assert found.moved.max() > 0.1
    np.testing.assert_allclose(again[["x", "y", "z"]], found.points, rtol=0, atol=1e-7)
    assert (again[["x_before", "y_before", "z_before"]].to_numpy() == table[["x", "y", "z"]].to_numpy()).all()
    assert again["intensity"].tolist() == list(range(500))
    if kind != "ply":
        before, after = (laspy.read(tmp_path / f"{name}.{kind}").header for name in ("scan", "clean"))
        assert before.scales.tolist() == after.scales.tolist()
        assert before.offsets.tolist() == after.offsets.tolist()
