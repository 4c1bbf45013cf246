"""Tables of tracks: points in meters, trips and times, found by the names of columns and the coordinate system."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import _check as check
from .._display import counted
from .._types import Floats, Ints
from . import columns as of_table
from .columns import free_name
from .earth import MAP_RADIUS, LocalMeters, Tracks, map_of
from .features import is_frame

TRIP_NAMES = (
    ("trackfid", "tracksegid"), ("routefid",), ("line", "part"), ("trip",), ("tripid",), ("track",), ("trackid",),
    ("trajectory",), ("trajectoryid",), ("journey",), ("journeyid",), ("vehicle",), ("vehicleid",), ("device",),
    ("deviceid",), ("mmsi",),
)  # fmt: skip
TIME_NAMES = ("time", "timestamp", "datetime", "t")
MAX_STEP_RATIO = 0.2  # rows are one trip if they are this much closer to the next one than to one half a table later


def tracks(
    X: ArrayLike | pd.DataFrame,
    columns: Sequence[str] | None = None,
    trip: str | Sequence[str] | bool | None = None,
    time: str | None = None,
) -> Tracks:
    r"""Find points, trips and times in a table.

    Longitude and latitude, known by the coordinate system or by the names of columns, are projected to meters about the
    middle of the points.

    Parameters
    ----------
    X : array of shape (n, m), DataFrame or GeoDataFrame
        The table. Vertices of lines are points, and each line is a trip.
    columns : sequence of str, optional
        Coordinates. None means the geometry, else columns such as lon and lat or x and y, else all numeric ones.
    trip : str, sequence of str or False, optional
        Column of trips, or several that give them together. None means a column with a name such as trip, track_id or
        vehicle; False means no trips.
    time : str, optional
        Column of times, which sort the rows of a trip. None means a column with a name such as time or timestamp.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> table = wt.read(
    ...     b"trip,time,lon,lat\n1,2019-03-11 08:33:24+00:00,11.92,50.31\n1,2019-03-11 08:33:27+00:00,11.93,50.31"
    ... )
    >>> found = wt.tables.tracks(table)
    >>> found.points.round(1).tolist(), found.unit
    ([[-356.2, 0.0], [356.2, 0.0]], 'm')
    >>> found.trips.tolist(), found.times.tolist()
    ([0, 0], [1552293204.0, 1552293207.0])
    """
    check.known_table(X)
    if not is_frame(X):
        points = check.points(X)
        return Tracks(points, points, of_table.default_names(points.shape[1]))
    frame: Any = X if columns is not None or not of_table.has_geometry(X) else as_points(X, of_table.source_of(X))
    if not len(frame):
        raise ValueError(f"{of_table.source_of(frame)} has no rows; at least one point is needed")
    trip_columns, time_column = _order_columns(frame, trip, time)
    aside = (*trip_columns, time_column) if time_column is not None else trip_columns
    names = of_table.chosen(frame, columns, aside)
    first = of_table.longitude_and_latitude(names) or ()
    names = (*first, *(name for name in names if name not in first))
    given = of_table.coordinates(frame, names)
    earth, unit, crs, said = map_of(frame, names, given)
    points = given if earth is None else _project(frame, names, given, earth)
    in_order = Tracks(points, given, names, earth=earth, unit=unit, crs=crs, notes=tuple(said))
    if trip is False:
        return in_order
    times, why = (None, []) if time_column is None else _times(frame, time_column, time is not None)
    trips = _trips(frame, trip_columns) if trip_columns else None
    if trips is None and times is not None and (time is not None or _follow(points, times)):
        trips = np.zeros(len(points), np.intp)
    if trips is None:
        return in_order
    used = trip_columns if times is None else aside
    about_trips = _say_trips(trips, trip_columns, None if times is None else time_column)
    return replace(in_order, trips=trips, times=times, columns=used, notes=(*in_order.notes, *why, about_trips))


def as_points(frame: Any, source: str) -> Any:
    """A row for each vertex of lines, with the number of the line and of its part."""
    kinds = frame.geom_type.fillna("feature without geometry")
    wrong = ~kinds.isin(("Point", "MultiPoint", "LineString", "MultiLineString"))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"{source}, feature {row + 1} is a {kinds.iloc[row]}; points and lines are read; remove the others, or "
            "take their centroids"
        )
    if (kinds == "Point").all():
        return frame
    import shapely

    parts = frame.reset_index(drop=True).explode(index_parts=True)  # its index has the numbers of feature and part
    vertices, part = shapely.get_coordinates(parts.geometry, include_z=bool(frame.has_z.all()), return_index=True)
    out = parts.iloc[part].set_geometry(shapely.points(vertices), crs=frame.crs)
    numbers = [out.index.get_level_values(level) for level in (0, 1)]
    out = out.reset_index(drop=True)
    if kinds.str.contains("Line").any():
        out.attrs["trips"] = [free_name("line", out.columns), free_name("part", out.columns)]
        for k, name in enumerate(out.attrs["trips"]):
            out.insert(k, name, numbers[k])
    return out


def _order_columns(frame: Any, trip: Any, time: str | None) -> tuple[tuple[str, ...], str | None]:
    """Names of the columns of trips and times, as asked for or by their names."""
    by_word = {re.sub(r"[\W_]+", "", str(name)).lower(): name for name in reversed(frame.columns)}
    if time is None:
        time = next((by_word[name] for name in TIME_NAMES if name in by_word), None)
    if trip is not None:
        return () if trip is False else (trip,) if isinstance(trip, str) else tuple(trip), time
    marked = tuple(name for name in frame.attrs.get("trips", ()) if name in frame)
    named = next((names for names in TRIP_NAMES if by_word.keys() >= set(names)), ())
    return marked or tuple(by_word[name] for name in named), time


def _project(frame: Any, names: tuple[str, ...], degrees: Floats, earth: LocalMeters) -> Floats:
    meters = earth.to_meters(degrees)
    far = np.hypot(*meters[:, :2].T)
    row = int(np.argmax(far))
    if far[row] > MAP_RADIUS:
        far_place = LocalMeters(*degrees[row, :2])
        raise ValueError(
            f"{of_table.where(frame, row, names[0])}: {far_place} lies more than {MAP_RADIUS / 1e3:,.0f} km "
            f"from the middle of the points ({earth}), too far for one map in meters; drop such rows, or take one "
            "region at a time"
        )
    return meters


def _times(frame: Any, name: str, is_requested: bool) -> tuple[Floats | None, list[str]]:
    """Times in seconds; a column that only has the name of times, and other cells, is left out with a note."""
    try:
        return of_table.times(frame, name), []
    except ValueError as error:
        if is_requested:
            raise
        return None, [f"column {name} does not sort the trips: {str(error).partition(';')[0]}"]


def _trips(frame: Any, names: tuple[str, ...]) -> Ints:
    for name in names:
        if (gaps := of_table.missing_cells(of_table.column(frame, name))).any():
            row = int(np.argmax(gaps))
            raise ValueError(
                f"{of_table.where(frame, row, name)}: the cell gives no trip; fill it in, drop the row, or use "
                "order=False"
            )
    return np.asarray(frame.groupby(list(names), sort=False).ngroup(), np.intp)


def _follow(points: Floats, times: Floats) -> bool:
    """Whether rows of a table without trips are one trip: in order of time, each near the one before."""
    half = len(points) // 2
    if points.shape[1] != 2 or half < 2 or (np.diff(times) < 0).any() or times[0] == times[-1]:
        return False
    steps, distances = (np.linalg.norm(points[lag:] - points[:-lag], axis=1) for lag in (1, half))
    return bool(np.median(steps) < MAX_STEP_RATIO * np.median(distances))


def _say_trips(trips: Ints, names: tuple[str, ...], time: str | None) -> str:
    leave_out = check.option_text("order=False")
    if not names:
        return f"rows in order of column {time} are one trip ({leave_out} leaves it out)"
    by_time = f", sorted by column {time}" if time is not None else ""
    verb, out = ("gives", "it") if len(names) == 1 else ("give", "them")
    columns = f"column{'s' * (len(names) > 1)} {' and '.join(map(str, names))}"
    return f"{columns} {verb} {counted(int(trips.max()) + 1, 'trip')}{by_time} ({leave_out} leaves {out} out)"
