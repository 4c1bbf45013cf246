"""Longitude and latitude as meters on a local map, and back; points of tables in such meters, with their trips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from .._archive import archived, check_range, check_type
from .._display import ShortRepr
from .._types import Floats, Ints

if TYPE_CHECKING:
    from pandas import DataFrame

UNIT_SYMBOLS = {"metre": "m", "meter": "m", "kilometre": "km", "foot": "ft", "US survey foot": "ft"}
_EARTH_RADIUS, _FLATTENING = 6378137.0, 1 / 298.257223563  # of the WGS84 ellipsoid
MAP_RADIUS = 1e6
"""Meters from the middle to which a map is used; lengths are off by 1.2 % there."""

_N = _FLATTENING / (2 - _FLATTENING)
_E = 2 * np.sqrt(_N) / (1 + _N)
_A = _EARTH_RADIUS / (1 + _N) * (1 + _N**2 / 4 + _N**4 / 64)
_POWERS = _N ** np.arange(1, 5)
_ALPHA = np.array([
    [1 / 2, -2 / 3, 5 / 16, 41 / 180], [0, 13 / 48, -3 / 5, 557 / 1440], [0, 0, 61 / 240, -103 / 140],
    [0, 0, 0, 49561 / 161280],
]) @ _POWERS  # fmt: skip
_BETA = np.array([
    [1 / 2, -2 / 3, 37 / 96, -1 / 360], [0, 1 / 48, 1 / 15, -437 / 1440], [0, 0, 17 / 480, -37 / 840],
    [0, 0, 0, 4397 / 161280],
]) @ _POWERS  # fmt: skip
_HARMONICS = 2.0 * np.arange(1, 5)


@archived
@dataclass(frozen=True)
class LocalMeters:
    """A map in meters about a place: the transverse Mercator projection of WGS84 (Krüger's series to the fourth order).

    It is written out here, so that degrees in a CSV file need no further package.

    Attributes
    ----------
    longitude, latitude : float
        The middle of the map in degrees.

    Examples
    --------
    >>> from wasserstein_transform.tables.earth import LocalMeters
    >>> earth = LocalMeters(11.92, 50.31)
    >>> earth.to_meters([[11.93, 50.31, 500.0]]).round(1)  # 0.01° are 712 m here; heights stay as they are
    array([[712.3,   0. , 500. ]])
    >>> earth.to_degrees(earth.to_meters([[11.93, 50.31]])).round(9)
    array([[11.93, 50.31]])
    """

    longitude: float
    latitude: float

    def _check_archived(self) -> None:
        for name, most in (("longitude", 180.0), ("latitude", 90.0)):
            check_type(getattr(self, name), name, float)
            check_range(getattr(self, name), name, -most, most)

    @classmethod
    def about(cls, degrees: Floats) -> Self:
        """Make the map about the middle of points (median, so that a few wrong ones do not shift it)."""
        turns = np.deg2rad(degrees[:, 0])
        mean = np.rad2deg(np.arctan2(np.sin(turns).mean(), np.cos(turns).mean()))
        longitude = mean + np.median(_wrapped(degrees[:, 0] - mean))
        return cls(float(_wrapped(longitude)), float(np.median(degrees[:, 1])))

    def to_meters(self, degrees: Floats) -> Floats:
        """Turn longitude and latitude into meters east and north of the middle; further coordinates stay."""
        out = np.array(degrees, np.float64)
        plane, middle = self._plane(out), self._plane(np.array([[self.longitude, self.latitude]]))
        out[:, 0], out[:, 1] = plane.imag, plane.real - middle.real
        return out

    def to_degrees(self, meters: Floats) -> Floats:
        """Turn meters east and north of the middle into longitude and latitude; further coordinates stay."""
        out = np.array(meters, np.float64)
        middle = self._plane(np.array([[self.longitude, self.latitude]]))
        plane = (out[:, 1] + middle.real + 1j * out[:, 0]) / _A
        plane = plane - np.sin(plane[:, None] * _HARMONICS) @ _BETA
        turns = np.arctan2(np.sinh(plane.imag), np.cos(plane.real))
        sine = conformal = np.sin(plane.real) / np.cosh(plane.imag)
        for _ in range(5):  # each step gains more than two digits
            sine = np.tanh(np.arctanh(conformal) + _E * np.arctanh(_E * sine))
        out[:, 0], out[:, 1] = _wrapped(self.longitude + np.rad2deg(turns)), np.rad2deg(np.arcsin(sine))
        return out

    def around(self, degrees: Floats) -> Floats:
        """Return longitude and latitude with longitudes within 180° of the middle: places across ±180° lie together."""
        out = np.array(degrees, np.float64)
        out[:, 0] = self.longitude + _wrapped(out[:, 0] - self.longitude)
        return out

    @property
    def meters_per_degree(self) -> Floats:
        """The lengths of a degree of longitude and of latitude in the middle."""
        steps = self.to_meters(np.array([self.longitude, self.latitude]) + np.array([[1e-3, 0.0], [0.0, 1e-3]]))
        return np.asarray(np.diag(steps) * 1e3)

    def _plane(self, degrees: Floats) -> NDArray[np.complex128]:
        """Meters north of the equator, and east of the middle as the imaginary part."""
        turns, tangent = np.deg2rad(_wrapped(degrees[:, 0] - self.longitude)), np.tan(np.deg2rad(degrees[:, 1]))
        bent = np.sinh(_E * np.arctanh(_E * tangent / np.hypot(1, tangent)))
        conformal = tangent * np.hypot(1, bent) - bent * np.hypot(1, tangent)  # tangent of the conformal latitude
        plane = np.arctan2(conformal, np.cos(turns)) + 1j * np.arcsinh(
            np.sin(turns) / np.hypot(conformal, np.cos(turns))
        )
        return np.asarray(_A * (plane + np.sin(plane[:, None] * _HARMONICS) @ _ALPHA))

    def __str__(self) -> str:
        east, north = "E" if self.longitude >= 0 else "W", "N" if self.latitude >= 0 else "S"
        return f"{abs(self.longitude):.2f}° {east}, {abs(self.latitude):.2f}° {north}"


def map_of(frame: DataFrame, names: Sequence[str], given: Floats) -> tuple[LocalMeters | None, str, str, list[str]]:
    """The local map if coordinates of a table are degrees, the unit, the coordinate system, and notes.

    The first two of the names are longitude and latitude, if there are any.
    """
    from . import columns as of_table

    crs = getattr(frame, "crs", None) if of_table.has_geometry(frame) else None
    if crs is not None and tuple(names) == of_table.geometry_names(frame)[: len(names)]:
        unit = crs.axis_info[0].unit_name
        if not crs.is_geographic or unit != "degree":
            return None, UNIT_SYMBOLS.get(unit, unit), crs.to_string(), []
        code = crs.to_string()
    elif of_table.longitude_and_latitude(names) is None:
        return None, "", "", []
    elif (np.abs(given[:, :2]) > (360, 90)).any() or np.ptp(given[:, 0]) > 360:
        said = f"{names[0]} and {names[1]} reach beyond 360 and ±90, so they are not degrees; they are used as they are"
        return None, "", "", [said]
    else:
        code = "EPSG:4326"
    earth = LocalMeters.about(np.unique(given[:, :2], axis=0))  # not where most copies are
    said = f"{names[0]} and {names[1]} were projected to local meters about {earth}; results are in degrees again"
    return earth, "m", code, [said]


def _wrapped(degrees: Floats) -> Floats:
    """Return longitudes from −180 to below 180."""
    return (degrees + 180.0) % 360.0 - 180.0


def cut_at_180(line: Floats) -> list[Floats]:
    """Cut a line in degrees where it crosses ±180° of longitude, as GeoJSON wants it (RFC 7946, 3.1.9).

    Examples
    --------
    >>> cut_at_180(np.array([[179.0, 50.0], [-179.0, 52.0]]))
    [array([[179.,  50.],
           [180.,  51.]]), array([[-180.,   51.],
           [-179.,   52.]])]
    """
    before = np.flatnonzero(np.abs(np.diff(line[:, 0])) > 180.0)
    sides = np.copysign(180.0, line[before, 0])
    ahead = line[before + 1] - line[before]
    ahead[:, 0] += 2 * sides
    share = (sides - line[before, 0]) / np.where(ahead[:, 0] == 0, 1.0, ahead[:, 0])
    cuts = line[before] + share[:, None] * ahead
    both = np.repeat(cuts, 2, axis=0)
    both[:, 0] = np.column_stack([sides, -sides]).ravel()
    pieces = np.split(
        np.insert(line, np.repeat(before + 1, 2), both, axis=0), before + 1 + 2 * np.arange(len(before)) + 1
    )
    pieces = [piece[np.append(True, (np.diff(piece, axis=0) != 0).any(axis=1))] for piece in pieces]
    return [piece for piece in pieces if len(piece) > 1]


@dataclass(frozen=True, eq=False, repr=False)
class Tracks(ShortRepr):
    r"""Points of a table with their trips; `tracks` returns it, and `wt.denoise` takes it.

    Attributes
    ----------
    points : array of shape (n, m)
        The points: in meters if the table has longitude and latitude, else in its coordinates.
    given : array of shape (n, m)
        The coordinates of the table; longitude comes before latitude.
    names : tuple of str
        Names of the coordinates.
    trips : array of int, shape (n,), or None
        The trip of each point.
    times : array of shape (n,), or None
        Times in seconds.
    columns : tuple of str
        Names of the columns of trips and times that are used.
    earth : LocalMeters or None
        The map that turned degrees into meters.
    unit : str
        Unit of the points: "m" on a local map, else that of the coordinate system; "" if it is unknown.
    crs : str
        The coordinate system of the table; "" if it is unknown.
    notes : tuple of str
        What was found, in words.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.tables.tracks(wt.read(b"lon,lat,trip\n11.92,50.31,a\n11.93,50.31,a"))
    >>> found.notes[1]
    'column trip gives 1 trip (order=False leaves it out)'
    """

    points: Floats
    given: Floats
    names: tuple[str, ...]
    trips: Ints | None = None
    times: Floats | None = None
    columns: tuple[str, ...] = ()
    earth: LocalMeters | None = None
    unit: str = ""
    crs: str = ""
    notes: tuple[str, ...] = ()

    @property
    def order(self) -> Any:
        """The trips, or (trips, times), as `wt.denoise` takes them; None if there are none."""
        return self.trips if self.trips is None or self.times is None else (self.trips, self.times)
