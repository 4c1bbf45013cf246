"""Coordinates, trips and times, found in tables of every kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame

import wasserstein_transform as wt
from wasserstein_transform.tables import tracks

N = 12
DEGREES = np.column_stack([11.9 + 0.001 * np.arange(N), 50.3 + 0.0005 * np.arange(N)])
TRIPS = np.repeat([7, 3, 5], 4)
SECONDS = np.array([3, 1, 2, 4] * 3)


def table(lon: str = "lon", lat: str = "lat", **more: object) -> DataFrame:
    return DataFrame({lat: DEGREES[:, 1], lon: DEGREES[:, 0], **more})


@pytest.mark.parametrize("names", ["lon lat", "LNG Lat", "Longitude LATITUDE", "long lat"])
def test_degrees_are_known_by_their_names(names: str) -> None:
    found = tracks(table(*names.split()))
    assert (found.names, found.unit, found.crs) == (tuple(names.split()), "m", "EPSG:4326")
    assert found.given.tolist() == DEGREES.tolist()
    assert np.ptp(found.points[:, 0]) == pytest.approx(0.011 * 71_230, rel=1e-3)
    assert "projected to local meters about 11.91° E, 50.30° N; results are in degrees again" in found.notes[0]


def test_other_names_and_other_numbers_are_no_degrees() -> None:
    plain = tracks(table("x", "y"))
    assert (plain.earth, plain.unit, plain.notes) == (None, "", ())
    far = tracks(DataFrame({"lon": [400000.0, 400001.0], "lat": [1.0, 2.0]}))
    assert far.points.tolist() == [[400000, 1], [400001, 2]]
    assert far.notes == ("lon and lat reach beyond 360 and ±90, so they are not degrees; they are used as they are",)
    assert tracks(table(), ["lat", "lon"]).names == ("lon", "lat")
    assert tracks(DataFrame(DEGREES)).points.tolist() == DEGREES.tolist()
    assert tracks(DEGREES).points.tolist() == DEGREES.tolist()


@pytest.mark.parametrize(
    "name", ["trip", "trip_id", "Trip ID", "track", "track_id", "vehicle", "vehicle_id", "mmsi", "TrajectoryID"]
)
def test_trips_are_known_by_their_names(name: str) -> None:
    found = tracks(table(**{name: TRIPS}))
    assert found.trips.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert found.notes[-1] == f"column {name} gives 3 trips (order=False leaves it out)"
    assert tracks(table(**{name: TRIPS}), trip=False).order is None


TIMES = {
    "zones": pd.Series(pd.Timestamp("2019-03-11 08:33:00+00:00") + pd.to_timedelta(SECONDS, "s")).astype(str),
    "dates": pd.Timestamp("2019-03-11") + pd.to_timedelta(SECONDS, "s"),
    "dates with zones": pd.Timestamp("2019-03-11", tz="Europe/Berlin") + pd.to_timedelta(SECONDS, "s"),
    "ISO 8601": [f"2019-03-11T08:33:0{k}Z" for k in SECONDS],
    "Unix": 1.5e9 + SECONDS,
}


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("name", ["time", "Timestamp", "datetime", "t"])
def test_times_sort_the_trips(kind: str, name: str) -> None:
    found = tracks(table(trip=TRIPS, **{name: TIMES[kind]}))
    assert np.diff(found.times[:4]).tolist() == [-2, 1, 2]
    assert f"sorted by column {name}" in found.notes[-1]
    by_name = wt.denoise(table(trip=TRIPS, **{name: TIMES[kind]}), 1, eps=500.0, n_iter=0)
    by_hand = wt.denoise(found.points, 1, eps=500.0, n_iter=0, order=(TRIPS, SECONDS))
    assert sorted(by_name.track.tolist()) == sorted(by_hand.track.tolist())


def test_columns_are_named_by_hand() -> None:
    frame = table(bus=TRIPS, clock=SECONDS, trip=0)
    found = tracks(frame, trip="bus", time="clock")
    assert (found.columns, found.trips.max()) == (("bus", "clock"), 2)
    assert (wt.denoise(frame, 1, eps=500.0, order=("bus", "clock")).tracks.columns) == ("bus", "clock")
    assert wt.denoise(frame, 1, eps=500.0, order=False).track is None
    assert wt.denoise(frame, 1, eps=500.0, lam=1.0).track is None  # covariances replace the order
    assert len(wt.denoise(frame, 1, eps=500.0, order=TRIPS).track) == 9


def test_rows_in_order_of_time_are_one_trip_if_they_follow_each_other() -> None:
    assert tracks(table(time=np.arange(N))).trips.tolist() == [0] * N
    assert tracks(table(time=np.arange(N)[::-1])).trips is None
    mixed = table(time=np.arange(N)).iloc[[0, 9, 1, 11, 4, 8, 2, 10, 5, 7, 3, 6]].reset_index(drop=True)
    mixed["time"] = np.arange(N)  # several vehicles, in order of time
    assert tracks(mixed).trips is None
    assert tracks(mixed, time="time").trips.tolist() == [0] * N


def test_gaps_are_said() -> None:
    with pytest.raises(ValueError, match=r"the table, row 3, column trip: the cell gives no trip; fill it in, drop"):
        tracks(table(trip=[1.0, 1, np.nan, *[2] * 9]))
    with pytest.raises(ValueError, match=r"row 1, column lat"):
        tracks(table().assign(lat=[np.nan, *DEGREES[1:, 1]]))
    with pytest.raises(ValueError, match=r"row 2, column when: 'noon' is not a time"):
        tracks(table(trip=TRIPS, when=["2020-01-01", "noon"] * 6), time="when")
    found = tracks(table(trip=TRIPS, time=["2020-01-01", "noon"] * 6))
    assert (found.times, found.columns) == (None, ("trip",))
    assert "column time does not sort the trips: the table, row 2, column time: 'noon' is not a time" in found.notes


@pytest.mark.parametrize("kind", ["geojson", "gpkg", "fgb", "shp", "gpx"])
@pytest.mark.parametrize("geometry", ["LineString", "MultiLineString"])
def test_lines_are_trips_in_every_format(kind: str, geometry: str, tmp_path: Path) -> None:
    geopandas, shapely = pytest.importorskip("geopandas"), pytest.importorskip("shapely")
    lines = [shapely.LineString(DEGREES[k : k + 4]) for k in (0, 4, 8)]
    if geometry == "MultiLineString":
        lines = [shapely.MultiLineString([lines[0], lines[1]]), shapely.MultiLineString([lines[2]])]
    frame = geopandas.GeoDataFrame({"name": ["a", "b", "c"][: len(lines)]}, geometry=lines, crs=4326)
    layer = "tracks" if geometry == "MultiLineString" else "routes"
    more = {"gpx": {"layer": layer}, "fgb": {"SPATIAL_INDEX": "NO"}}  # an index changes the order of the lines
    frame.to_file(tmp_path / f"a.{kind}", **more.get(kind, {}))
    found = tracks(wt.read(tmp_path / f"a.{kind}"))
    assert found.trips.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    np.testing.assert_allclose(found.given, DEGREES, rtol=0, atol=1e-12)
    assert found.unit == "m"
    assert tracks(frame).trips.tolist() == found.trips.tolist()


def test_a_projected_map_keeps_its_system() -> None:
    geopandas = pytest.importorskip("geopandas")
    frame = geopandas.GeoDataFrame({"trip": TRIPS}, geometry=geopandas.points_from_xy(*DEGREES.T), crs=4326)
    for code, unit in ((32632, "m"), (2227, "ft")):
        there = frame.to_crs(code) if code == 32632 else frame.set_crs(code, allow_override=True)
        found = tracks(there)
        assert (found.earth, found.unit, found.crs) == (None, unit, f"EPSG:{code}")
        assert found.points.tolist() == there.get_coordinates().to_numpy().tolist()
    nowhere = tracks(frame.set_crs(None, allow_override=True))
    assert (nowhere.earth, nowhere.unit, nowhere.names) == (None, "", ("x", "y"))
