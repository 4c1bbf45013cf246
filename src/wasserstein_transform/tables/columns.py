"""The columns of a table as coordinates, labels, weights and times; errors name file, row and column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .. import _check as check
from .._types import Floats, Ints
from .cells import MISSING, number_of

EXACT = 2**53
"""Integers up to this one are represented exactly as floats."""

MAX_LISTED = 12  # the most names that an error message lists
_LONGITUDES, _LATITUDES = ("longitude", "lon", "lng", "long"), ("latitude", "lat")
NAMES_OF_AXES = (("x", "y", "z"), ("x", "y"), *product(_LONGITUDES, _LATITUDES), ("easting", "northing"))
AXIS_WORDS = {name for names in NAMES_OF_AXES for name in names}
# columns that number the rows
COUNTER_NAMES = ("id", "fid", "index", "row", "no", "nr", "number", "unnamed: 0", "column_1")
ROW_WORDS = {"las": "point", "laz": "point", "ply": "vertex", "geojson": "feature", "gpx": "point", "gpkg": "feature"}


def coordinates(frame: pd.DataFrame, names: Sequence[str] | None = None, leave_out: Sequence[str] = ()) -> Floats:
    r"""Return columns of a table as points, one row per point.

    Parameters
    ----------
    frame : DataFrame
        A table, such as `read` returns; the points of a GeoDataFrame are its geometry.
    names : sequence of str, optional
        Columns to use. Default None: those that say where points are, such as x and y or lon and lat, else all numeric
        columns.
    leave_out : sequence of str, default ()
        Columns not to use if `names` is None.

    Returns
    -------
    array of shape (n, m)
        Finite numbers. Text, a missing or an infinite value raises a ValueError that gives file, row and column.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.tables.coordinates(wt.read(b"name,lat,lon\nTurin,45.1,7.7\nDelft,52.0,4.4\n"))
    array([[ 7.7, 45.1],
           [ 4.4, 52. ]])
    """
    names = chosen(frame, names, leave_out)
    out = np.empty((len(frame), len(names)))
    for k, name in enumerate(names):
        out[:, k] = _finite(frame, name)
    return out


def chosen(frame: pd.DataFrame, names: Sequence[str] | None = None, leave_out: Sequence[str] = ()) -> tuple[str, ...]:
    """Names of the columns that `coordinates` uses; the geometry of a map has names of its own, such as longitude."""
    if names is not None:
        names = tuple(names) if isinstance(names, Iterable) and not isinstance(names, str) else (names,)
        for name, count in Counter(names).items():
            column(frame, name)
            if count > 1:
                raise ValueError(f"{source_of(frame)}: column {name!s:.60} is given twice; name it once")
        if not names:
            raise ValueError(f"{source_of(frame)}: at least one column is needed, got none")
        return names
    without = {leave_out} if isinstance(leave_out, str) else set(leave_out)
    for name in without:
        column(frame, name)
    names_left = axes(frame, without)
    if not names_left:
        beside = f" beside {listed(sorted(without))}" if without else ""
        raise ValueError(
            f"{source_of(frame)} has no column of numbers{beside}; its columns are {listed(list(frame.columns))}"
        )
    return names_left


def axes(frame: pd.DataFrame, leave_out: Container[str] = ()) -> tuple[str, ...]:
    """The columns to use if none are named: those that say where points are, else all numbers but those of rows."""
    where = coordinate_names(frame)
    if where and not any(name in leave_out for name in where):
        return where
    numbers, counts = [name for name in numeric(frame) if name not in leave_out], counters(frame)
    return tuple(name for name in numbers if name not in counts) or tuple(numbers)


def coordinate_names(frame: pd.DataFrame) -> tuple[str, ...]:
    """The columns that say where points are: geometry, axes of the format, columns such as x and y; or none."""
    if has_geometry(frame):
        return geometry_names(frame)
    if given := tuple(name for name in frame.attrs.get("axes", ()) if name in frame):
        return given
    by_word = {str(name).lower(): name for name in frame.columns.tolist()[::-1] if str(name).lower() in AXIS_WORDS}
    numbers = {key: name for key, name in by_word.items() if _is_numeric(frame[name], _decimal(frame))}
    return next((tuple(numbers[name] for name in names) for names in NAMES_OF_AXES if numbers.keys() >= set(names)), ())


def longitude_and_latitude(names: Sequence[Any]) -> tuple[Any, Any] | None:
    """The names of longitude and latitude among names of columns, or None."""
    by_word = {str(name).lower(): name for name in reversed(names)}
    pairs = ((by_word[a], by_word[b]) for a in _LONGITUDES for b in _LATITUDES if a in by_word and b in by_word)
    return next(pairs, None)


def has_geometry(frame: pd.DataFrame) -> bool:
    """Whether a table has points of its own, as those of geopandas."""
    return getattr(frame, "_geometry_column_name", None) in frame.columns  # what geopandas keeps of its active geometry


def geometry_names(frame: Any) -> tuple[str, ...]:
    """The coordinates of the geometry of a map: longitude and latitude, or x, y and, if all points have one, z."""
    degrees = frame.crs is not None and frame.crs.is_geographic
    names = ("longitude", "latitude") if degrees else ("x", "y", "z") if frame.geometry.has_z.all() else ("x", "y")
    return tuple(free_name(name, frame.columns) for name in names)


def column(frame: pd.DataFrame, name: str) -> pd.Series:
    """The column with this name; a ValueError suggests a similar name if there is none."""
    if name in frame.columns:
        if not frame.columns.is_unique and list(frame.columns).count(name) > 1:
            raise ValueError(f"{source_of(frame)} has several columns {name!s:.60}; rename them")
        return frame[name]
    if has_geometry(frame) and name in geometry_names(frame):
        points = frame.geometry
        return (points.x, points.y, points.z)[geometry_names(frame).index(name)]
    source = source_of(frame)
    names = list(map(str, frame.columns))
    similar = get_close_matches(str(name), names, 1, 0.5)
    guess = f"did you mean {similar[0]}? " if similar else ""
    raise ValueError(f"{source} has no column {name!s:.60}; {guess}its columns are {listed(names)}")


def without_geometry(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with coordinates as columns in place of the geometry of a map, for formats that have none."""
    if not has_geometry(frame):
        return frame
    geometry = {name: column(frame, name) for name in geometry_names(frame)}
    out = pd.DataFrame(geometry).join(pd.DataFrame(frame.drop(columns=frame.geometry.name)))
    out.attrs = frame.attrs
    return out


def numeric(frame: pd.DataFrame) -> tuple[str, ...]:
    """Names of the numeric columns: at least half of the cells that are not missing are numbers."""
    return tuple(name for name, values in frame.items() if _is_numeric(values, _decimal(frame)))


def counters(frame: pd.DataFrame) -> tuple[str, ...]:
    """Columns that number the rows: different integers with a name such as `id`."""
    whole = [name for name in frame if str(name).lower() in COUNTER_NAMES and frame[name].dtype.kind in "iu"]
    return tuple(name for name in whole if len(frame) > 1 and frame[name].is_unique)


def labels(frame: pd.DataFrame, name: str) -> tuple[Ints, tuple[str, ...]]:
    """A column as labels: an integer code for each row (−1 if missing), and the names of the codes."""
    values = column(frame, name)
    known_values = values.where(~missing_cells(values))
    codes, names = pd.factorize(known_values, sort=len({type(value) for value in known_values.dropna()}) <= 1)
    if values.dtype.kind == "f" and (pd.Series(names) % 1 == 0).all():
        names = [int(value) for value in names]  # integers beside a missing cell
    return np.asarray(codes, np.intp), tuple(map(str, names))


def weights(frame: pd.DataFrame, name: str) -> Floats:
    """A column as weights of shape (n,): finite and ≥ 0."""
    values = coordinates(frame, (name,))[:, 0]
    if (values < 0).any():
        row = int(np.argmax(values < 0))
        raise ValueError(f"{where(frame, row, name)}: a weight must not be negative, got {values[row]:g}")
    return values


def times(frame: pd.DataFrame, name: str) -> Floats:
    """A column as times in seconds: numbers as they are, dates and ISO 8601 text as seconds since 1970."""
    values = column(frame, name)
    if is_text(values) and not _is_numeric(values, _decimal(frame)):
        values = pd.to_datetime(values, format="ISO8601", utc=True, errors="coerce")
    if values.dtype.kind != "M":
        return coordinates(frame, (name,))[:, 0]
    if values.isna().any():
        row = int(np.argmax(values.isna()))
        raise ValueError(
            f"{where(frame, row, name)}: '{column(frame, name).iloc[row]!s:.40}' is not a time; write numbers, or "
            "2020-12-31T23:59:59"
        )
    return np.asarray(values.dt.tz_localize(None), "datetime64[us]").astype(np.float64) / 1e6


def with_columns(frame: pd.DataFrame, new: Mapping[str, Any]) -> pd.DataFrame:
    """The table with new columns added; if a name is taken, a number is appended to it, with a note in `attrs`."""
    out, notes = frame.copy(), list(frame.attrs.get("notes", ()))
    for name, values in new.items():
        free = free_name(name, out.columns)
        if free != name:
            notes.append(f"{source_of(frame)} has a column {name!s:.60}; the new one is {free}")
        out[free] = np.asarray(values)
    out.attrs["notes"] = notes
    return out


def with_coordinates(frame: Any, names: Sequence[str], points: Floats) -> Any:
    """The table with other coordinates: in its columns, or in the geometry of a map."""
    if not has_geometry(frame):
        new = {name: values.astype(frame[name].dtype) if frame[name].dtype.kind == "f" else values
               for name, values in zip(names, points.T, strict=True)}  # fmt: skip
        out = frame.assign(**new)
    else:
        import shapely

        vertices = shapely.get_coordinates(frame.geometry.to_numpy(), include_z=bool(frame.has_z.all()))
        vertices[:, [geometry_names(frame).index(name) for name in names]] = points
        out = frame.set_geometry(shapely.points(vertices), crs=frame.crs)
    out.attrs = frame.attrs
    return out


def source_of(frame: pd.DataFrame) -> str:
    """Name of a table in messages."""
    return str(frame.attrs.get("source", "the table"))


def where(frame: pd.DataFrame, row: int, name: str) -> str:
    """Position of a cell for messages: points.csv, row 17, column y."""
    label = frame.index[row]
    label = int(label) if isinstance(label, int | np.integer) else row  # the number of the row when the table was read
    return f"{source_of(frame)}, {ROW_WORDS.get(frame.attrs.get('kind', ''), 'row')} {label + 1}, column {name!s:.60}"


def is_text(values: pd.Series) -> bool:
    """Whether a column holds text."""
    return bool(pd.api.types.is_string_dtype(values.dtype) or pd.api.types.is_object_dtype(values.dtype))


def is_missing(cell: object) -> bool:
    """Whether a cell holds no value."""
    return cell.strip().lower() in MISSING if isinstance(cell, str) else bool(pd.isna(cell))


def _decimal(frame: pd.DataFrame) -> str:
    return str(frame.attrs.get("decimal", "."))


def missing_cells(values: pd.Series) -> NDArray[np.bool_]:
    """Whether cells hold no value."""
    gone = values.isna()
    if is_text(values):
        gone |= values.astype(str).str.strip().str.lower().isin(MISSING)
    return np.asarray(gone, np.bool_)


class TextCells(NamedTuple):
    """Different cells of a column of text; the number of each row's, −1 where there is none; how often they occur."""

    codes: Ints
    words: list[str]
    counts: Ints


def text_cells(values: pd.Series) -> TextCells:
    """Return the different cells of a column, stripped and without those that stand for missing values."""
    codes, cells = pd.factorize(values.astype(str).where(values.notna()))
    stripped = [cell.strip() for cell in cells]
    code_of_word = {word: 0 for word in stripped if word.lower() not in MISSING}
    code_of_word.update((word, k) for k, word in enumerate(code_of_word))
    code = np.array([*(code_of_word.get(word, -1) for word in stripped), -1], np.intp)[codes]
    return TextCells(code, list(code_of_word), np.bincount(code[code >= 0], minlength=len(code_of_word)))


def _numbers_in(values: pd.Series, decimal: str) -> Floats:
    """The numbers in a column of text; NaN where there is none."""
    return np.array([number_of(cell, decimal) for cell in values.astype(str)], np.float64)


def _is_numeric(values: pd.Series, decimal: str) -> bool:
    if values.dtype.kind in "iuf":
        return len(values) == 0 or not bool(np.isnan(values.to_numpy(np.float64, na_value=np.nan)).all())
    if not is_text(values):
        return False
    counts = values[~missing_cells(values)].astype(str).value_counts()
    is_number = ~np.isnan(_numbers_in(counts.index.to_series(), decimal))
    return bool(is_number.any()) and bool(2 * counts[is_number].sum() >= counts.sum())


def _finite(frame: pd.DataFrame, name: str) -> Floats:
    values = column(frame, name)
    if values.dtype.kind in "mM" or isinstance(values.dtype, pd.DatetimeTZDtype):
        leave = f"leave it out ({check.option_text('columns=[...]')})"
        raise ValueError(f"{source_of(frame)}, column {name!s:.60} holds dates, not numbers; {leave}")
    if is_text(values) or isinstance(values.dtype, pd.CategoricalDtype):
        floats = _numbers_in(values, _decimal(frame))
    elif values.dtype.kind in "biuf":
        floats = np.asarray(values.to_numpy(np.float64, na_value=np.nan))
    else:
        raise ValueError(
            f"{source_of(frame)}, column {name!s:.60}: numbers or words are needed, got {values.dtype!s:.40}"
        )
    if not np.isfinite(floats).all():
        raise cell_fault(frame, int(np.argmin(np.isfinite(floats))), name)
    return floats


def cell_fault(frame: pd.DataFrame, row: int, name: str) -> ValueError:
    """The error for a cell that should be a finite number."""
    cell = column(frame, name).iloc[row]
    leave = f"leave the column out ({check.option_text('columns=[...]')})"
    if is_missing(cell):
        said = "the cell holds no value and a number is needed; fill it in, drop the row"
    else:
        number = number_of(str(cell), _decimal(frame))
        is_infinite = number is not None and np.isinf(number)
        said = f"'{cell!s:.40}' is not {'finite' if is_infinite else 'a number'}; correct it"
    return ValueError(f"{where(frame, row, name)}: {said}, or {leave}")


def default_names(n: int) -> tuple[str, ...]:
    """Names for columns without names: x, y, z, or x1, …, xn."""
    return ("x", "y", "z")[:n] if n <= 3 else tuple(f"x{k}" for k in range(1, n + 1))


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Make names unique: a second x becomes x_2, an empty name column_3."""
    listed = [name.strip() or f"column_{k}" for k, name in enumerate(names, 1)]
    taken, numbers, out = set(listed), Counter[str](), dict[str, None]()
    for name in listed:
        free = name
        while free in out or (free != name and free in taken):
            numbers[name] += 1  # continued: a file may repeat a name many times
            free = f"{name}_{numbers[name] + 1}"
        out[free] = None
    return tuple(out)


def with_text_names(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with different texts as names: of 1 and "1" the second is 1_2. Numbers as names mean no names."""
    names = unique_names(map(str, frame.columns))
    if names == tuple(frame.columns):
        return frame
    out = frame.set_axis(names, axis=1)
    out.attrs = frame.attrs | ({"header": False} if frame.columns.dtype.kind in "iu" else {})
    return out


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with the first number appended that makes it unused if it is taken."""
    free, k = name, 2
    while free in taken:
        free, k = f"{name}_{k}", k + 1
    return free


def listed(names: Sequence[Any]) -> str:
    """Names for an error message: the first few, each shortened."""
    more = f", … ({len(names)} in all)" if len(names) > MAX_LISTED else ""
    return ", ".join(str(name)[:60] for name in names[:MAX_LISTED]) + more if len(names) else "none"
