"""Local meters beside pyproj."""

from __future__ import annotations

import numpy as np
import pytest
from pandas import DataFrame

from wasserstein_transform.tables import tracks
from wasserstein_transform.tables.earth import LocalMeters

MIDDLES = [(11.9, 50.3), (179.95, -17.0), (-70.0, 0.0), (25.0, 70.5)]


@pytest.mark.parametrize(("longitude", "latitude"), MIDDLES)
def test_meters_are_those_of_pyproj_and_degrees_come_back(longitude: float, latitude: float) -> None:
    pyproj = pytest.importorskip("pyproj")
    plane = pyproj.CRS.from_proj4(f"+proj=tmerc +lat_0={latitude} +lon_0={longitude} +ellps=WGS84")
    project = pyproj.Transformer.from_crs(plane.geodetic_crs, plane, always_xy=True).transform
    meters = np.random.default_rng(0).uniform(-2e5, 2e5, (500, 2))
    degrees = np.column_stack(project(*meters.T, direction="INVERSE"))
    earth = LocalMeters(longitude, latitude)
    np.testing.assert_allclose(earth.to_meters(degrees), meters, rtol=0, atol=1e-3)
    np.testing.assert_allclose(earth.to_degrees(meters), degrees, rtol=0, atol=1e-11)
    np.testing.assert_allclose(earth.to_degrees(earth.to_meters(degrees)), degrees, rtol=0, atol=1e-11)


def test_distances_are_those_on_the_ellipsoid() -> None:
    pyproj = pytest.importorskip("pyproj")
    rng = np.random.default_rng(1)
    degrees = np.array([-58.4, -34.6]) + rng.uniform(-0.1, 0.1, (100, 2))
    _, _, lengths = pyproj.Geod(ellps="WGS84").inv(*degrees[:50].T, *degrees[50:].T)
    meters = LocalMeters.about(degrees).to_meters(degrees)
    np.testing.assert_allclose(np.linalg.norm(meters[:50] - meters[50:], axis=1), lengths, rtol=1e-5)


def test_the_antimeridian_is_no_border() -> None:
    degrees = np.array([[179.99, -17.0], [-179.99, -17.0], [179.999, -17.01]])
    earth = LocalMeters.about(degrees)
    meters = earth.to_meters(degrees)
    assert np.ptp(meters[:, 0]) == pytest.approx(0.02 * 111_320 * np.cos(np.deg2rad(17)), rel=0.01)
    np.testing.assert_allclose(earth.to_degrees(meters), degrees, rtol=0, atol=1e-11)


def test_heights_pass_and_a_wrong_place_does_not_shift_the_map() -> None:
    degrees = np.array([[11.9, 50.3, 500.0], [11.91, 50.31, 510.0], [11.92, 50.32, 520.0], [0.0, 0.0, 0.0]])
    earth = LocalMeters.about(degrees)
    assert abs(earth.latitude - 50.3) < 0.02
    assert earth.to_meters(degrees)[:, 2].tolist() == degrees[:, 2].tolist()
    with pytest.raises(ValueError, match=r"row 4, column lon: 0\.00° E, 0\.00° N lies more than 1,000 km from the mid"):
        tracks(DataFrame(degrees[:, :2], columns=["lon", "lat"]))
