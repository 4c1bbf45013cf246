"""The columns of a table or an array as coordinates for clustering: which ones, in which scale, and what of gaps."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from .. import _check as check
from .._archive import archived, check_array, check_range, check_type
from .._display import HasPlot, ShortRepr, counted
from .._types import Bools, Floats, Ints
from .cells import Column
from .earth import FARTHEST, LocalMeters
from .scaling import Scaling, absurd, quantile

if TYPE_CHECKING:
    from pandas import DataFrame

SCALED, AS_THEY_ARE, UNIT_LENGTH = "scaled", "as they are", "unit length"
SCALES = ("auto", "standard", "robust", "range", "unit", None)
AUTO = "auto"
"""How scale="auto" scales: by standard deviations, without a few absurd values."""

_LIKE = 10.0  # ratio of spreads up to which columns with names, or many, can have one unit
_CLEARLY_LIKE = 4.0  # the same of two or three columns without names; beyond, both readings are as likely
_EQUAL = 1.2  # ratio of spreads up to which scaling changes hardly anything
_PLANE = 3  # columns without names that are taken for coordinates
_NUMBERS = 2  # columns of numbers beside which those of 0 and 1 are left out, as categories are
_WIDE = 50  # more columns than this are often of one kind, such as pixels or embeddings, though some hardly spread
_DENSE = 10_000_000  # cells of a sparse matrix that are stored
_NEAREST = 5  # complete rows whose median fills a gap
_LISTED = 8
_WAYS = {
    "auto": "standard deviation 1", "standard": "standard deviation 1", "robust": "interquartile range 1",
    "range": "the range 0 to 1",
}  # fmt: skip
_NO_ERRORS: tuple[None, tuple[str, ...], list[str]] = (None, (), [])
_AXIS = re.compile(
    r"(?:.*[\W_])?(x|y|z|lon|lat|lng|longitude|latitude|ele|elevation|altitude|easting|northing)(?:\d|[\W_].*)?",
    re.IGNORECASE,
)


@archived
@dataclass(frozen=True, eq=False, repr=False)
class Features(ShortRepr, HasPlot):
    r"""A table as coordinates; `features` returns it.

    Attributes
    ----------
    names : tuple of str
        Names of the coordinates: a column, or a value of a category such as island=Dream.
    values : array of shape (n, m)
        Coordinates in the units of the table; NaN in gaps.
    rows : array of int
        Rows that are used: those without gaps, or all if gaps are filled.
    columns : tuple of Column
        How each column was read, and why some were left out.
    scaling : Scaling
        Center and length of each coordinate.
    readings : tuple of str
        The plausible readings: "scaled", "as they are", or both; "unit length" for cosine distances.
    missing : str
        "drop", "fill" or "error".
    notes : tuple of str
        What was done, in sentences.
    reading : str
        The one of the readings that is used.
    errors : array of shape (n, m) or (n, m, m), or None
        Standard errors or covariances of the coordinates, in the units of the table; None if there are none.
    error_names : tuple of str
        Names of the columns that hold the standard errors, empty for coordinates without.
    weights : array of shape (n,), or None
        Masses of the rows; None if they are equal.
    earth : LocalMeters or None
        The map that turns longitude and latitude into meters; None if there are none.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> table = wt.read(b"id,height_cm,weight_kg\n1,170,65\n2,181,80\n3,165,58\n")
    >>> wt.tables.features(table).names
    ('height_cm', 'weight_kg')
    """

    names: tuple[str, ...]
    values: Floats
    rows: Ints
    columns: tuple[Column, ...]
    scaling: Scaling
    readings: tuple[str, ...]
    missing: str
    notes: tuple[str, ...]
    reading: str
    errors: Floats | None = None
    error_names: tuple[str, ...] = ()
    weights: Floats | None = None
    earth: LocalMeters | None = None

    def _check_archived(self) -> None:
        for name in ("names", "columns", "readings", "notes"):
            check_type(getattr(self, name), name, tuple)
        check_type(self.scaling, "scaling", Scaling)
        check_array(np.nan_to_num(self.values), "values", "f", None, len(self.names))
        check_array(self.scaling.center, "center", "f", len(self.names))
        if self.errors is not None:
            check_array(self.errors, "errors", "f", *self.values.shape, *self.values.shape[1:] * (self.errors.ndim - 2))
        if self.weights is not None:
            check_array(self.weights, "weights", "f", self.n)
        check_type(self.earth, "earth", LocalMeters, type(None))
        check_array(self.rows, "rows", "i", None)
        check_range(self.rows, "rows", 0, len(self.values) - 1)
        if self.reading not in self.readings or len(self._used_names) != len(self.names):
            raise ValueError(f"the reading {self.reading!r:.40} does not fit {len(self.names)} columns")

    @property
    def n(self) -> int:
        """Number of rows of the table."""
        return len(self.values)

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns that are used."""
        return tuple(one for one in self.columns if not one.why_not)

    @property
    def _used_names(self) -> tuple[str, ...]:
        return tuple(name for one in self.used for name in one.names)

    @property
    def there(self) -> Bools:
        """Whether each row is used."""
        return np.isin(np.arange(self.n), self.rows)

    def matrix(self, reading: str | None = None) -> Floats:
        """Return all rows in a reading, by default the one that is used; gaps are filled, also in rows left out."""
        return self._read_as(_fill(self.values, self), reading or self.reading)

    def transform(self, X: Any) -> Floats:
        """Return new rows in the reading that is used, for `predict`: NaN in rows with gaps that are not filled."""
        values = self._values_of(X)
        if self.missing == "error" and np.isnan(values).any():
            raise ValueError(_gaps(values, self.names))
        return self._read_as(_fill(values, self) if self.missing == "fill" else values, self.reading)

    def scale_errors(self, errors: Floats, reading: str | None = None) -> Floats:
        """Return standard errors or covariances of the coordinates in a reading, by default the one that is used."""
        if self.earth is not None:
            meters = np.ones(len(self.names))
            meters[self.on_map] = self.earth.meters_per_degree
            errors = errors * (meters if errors.ndim == 2 else np.outer(meters, meters))
        if (reading or self.reading) != SCALED:
            return errors
        length = self.scaling.length
        return np.asarray(errors / (length if errors.ndim == 2 else np.outer(length, length)))

    def read_errors(self, X: Any) -> Floats:
        """Return the standard errors of new rows of a table, by the names of their columns; NaN in gaps."""
        from .errors import read_errors

        return read_errors(X, self.error_names)

    @property
    def on_map(self) -> list[int]:
        """Where longitude and latitude are among the coordinates."""
        from .columns import longitude_and_latitude

        return [self.names.index(name) for name in longitude_and_latitude(self.names) or ()]

    def _values_of(self, X: Any) -> Floats:
        check.known_table(X)
        if is_frame(X) and not self.is_array:
            return self._values_in(X)
        values, used = _floats(X.to_numpy() if is_frame(X) else X, "X"), self.used
        if values.shape[1] == len(self.columns) > len(used) and self.is_array:
            values = values[:, [k for k, one in enumerate(self.columns) if not one.why_not]]
        if values.shape[1] != len(self.names):
            raise ValueError(f"X must have {len(self.names)} columns, as the fitted points, got {values.shape[1]}")
        return values

    def _values_in(self, frame: DataFrame) -> Floats:
        from .roles import misread, read

        blocks = [read(frame, one) for one in self.used]
        bad = [(one.name, *misread(frame, one, block)) for one, block in zip(self.used, blocks, strict=True)]
        if said := [f"{first!r:.40} in column {name}" for name, count, first in bad if count]:
            cells = counted(sum(count for _, count, _ in bad), "cell")
            check.warn(f"{cells} of X cannot be read as those that were fitted, and count as missing: {_list(said)}")
        return np.column_stack(blocks)

    @property
    def is_array(self) -> bool:
        """Whether the columns had no names."""
        return all(one.kind == "coordinate" for one in self.columns)

    def _read_as(self, values: Floats, reading: str) -> Floats:
        if self.earth is not None:
            values = _in_meters(values, self.earth, self.on_map)
        if reading == UNIT_LENGTH:
            return _unit_rows(values)
        return self.scaling.scaled(values) if reading == SCALED else values


def features(
    X: DataFrame | ArrayLike,
    columns: Sequence[Any] | None = None,
    *,
    scale: str | None = "auto",
    missing: str = "drop",
    errors: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Features:
    r"""Decide which columns of a table are coordinates, bring them to one scale, and find gaps.

    Columns of different units are scaled; coordinates of one unit, such as x and y or columns in mm, are not. Ids, row
    numbers, constants, copies of other columns, dates and free text are left out, and so are categories where there are
    two or more columns of numbers. Numbers are read as people write them: 3,682.50, 1.234,56, 84.7%, € 12, 12 kg. Of an
    array all columns are used.

    Columns such as x_err beside x (also x_error, x_sigma, err_x, error_x, sigma_x) are standard errors, and no
    coordinates.

    Parameters
    ----------
    X : DataFrame, or array of shape (n, m)
        The table.
    columns : sequence, optional
        The columns to use, whatever they hold; of an array, their numbers from 0. None (default) chooses them.
    scale : {"auto", "standard", "robust", "range", "unit", None}, default "auto"
        "standard" is to standard deviation 1, "robust" to interquartile range 1, "range" to the range 0 to 1, "unit"
        divides every row by its length, None keeps the units. "auto" is "standard" or None; where both are
        plausible, the result has two readings.
    missing : {"drop", "fill", "error"}, default "drop"
        Rows with gaps are left out, or gaps are filled with the median of the five nearest complete rows, or they are
        an error. Columns that are mostly empty are left out first. Gaps of standard errors are filled with the median
        of their column.
    errors : sequence, optional
        The columns of a table that hold standard errors, one for each column that is used, in the same order. None
        (default) finds them by name.
    sample_weight : array of shape (n,), optional
        Masses of the rows; weight k is the same as k copies, and rows of weight 0 decide nothing. None means equal
        masses.

    Returns
    -------
    Features

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> table = wt.read(b"id,price,share\n1,$12,4.5%\n2,$15,9.5%\n3,$99,1.5%\n")
    >>> found = wt.tables.features(table)
    >>> found.values[0]
    array([12. ,  4.5])
    >>> print(found.notes[-1])
    2 columns of different units were scaled to standard deviation 1 (scale=None keeps their units)
    """
    check.choice(scale, "scale", SCALES)
    check.choice(missing, "missing", ("drop", "fill", "error"))
    if errors is not None and not is_frame(X):
        raise ValueError(f"columns of errors need a DataFrame, got {type(X).__name__}; give the errors as an array")
    check.known_table(X)
    table: Any
    table, beside = _set_errors_aside(X, columns, errors) if is_frame(X) else (X, {})
    if is_frame(table):
        masses = check.weights(sample_weight, len(table))
        found, values, notes, nameless = _of_frame(table, columns, masses)
    else:
        found, values, notes = _of_array(X, columns)
        masses, nameless = check.weights(sample_weight, len(values)), True
    used = [one for one in found if not one.why_not]
    names = tuple(name for one in used for name in one.names)
    own_errors, error_names, said = _errors_of(X, used, beside, errors, masses) if beside or errors else _NO_ERRORS
    notes += said
    gaps = np.isnan(values)
    if missing == "error" and gaps.any():
        raise ValueError(_gaps(values, names))
    rows = np.arange(len(values)) if missing == "fill" else np.flatnonzero(~gaps.any(axis=1))
    heavy = rows[masses[rows] > 0]
    if not len(heavy) or gaps[heavy].all(axis=0).any():
        raise ValueError(f"every row has a gap, {_gaps(values, names)}")
    notes += _say_gaps(gaps, missing)
    basis = (_by_columns(values, masses, used) if missing == "fill" else values)[heavy]
    earth, on_map, said = _map_of(X, names, basis) if is_frame(X) and not nameless else (None, [], [])
    notes += said
    basis = basis if earth is None else _in_meters(basis, earth, on_map)
    weights = None if (masses[heavy] == masses[heavy[0]]).all() else masses[heavy]
    how = AUTO if scale == "auto" or missing == "fill" else "none" if scale in ("unit", None) else scale
    scaling = _scaling_of(how, basis, used, weights, on_map)
    spreads = scaling.length[np.ptp(basis, axis=0) > 0]
    readings, why = _readings(scale, used, spreads, nameless, bool(on_map))
    if SCALED in readings:
        notes += _say_absurd(basis, names, scaling.how, weights)
    notes += [why.format(n=len(used), way=_WAYS.get(scaling.how, ""))] if why else []
    return Features(
        names, values, rows, tuple(found), scaling, readings, missing, tuple(notes), readings[0], own_errors,
        error_names, None if sample_weight is None else masses, earth,
    )  # fmt: skip


def is_frame(X: Any) -> bool:
    """Whether X is a DataFrame; does not import pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def _map_of(frame: Any, names: tuple[str, ...], values: Floats) -> tuple[LocalMeters | None, list[int], list[str]]:
    """The local map if longitude and latitude are among the coordinates, where they are, and what is said."""
    from .columns import longitude_and_latitude
    from .earth import map_of

    pair = longitude_and_latitude(names)
    if pair is None:
        return None, [], []
    at = [names.index(name) for name in pair]
    earth, _, _, said = map_of(frame, pair, values[:, at])
    if earth is None or (far := earth.farthest(values[:, at])) <= FARTHEST:
        return earth, at if earth is not None else [], said
    why = (
        f"{pair[0]} and {pair[1]} are used in degrees, since points lie {far / 1e3:,.0f} km from their middle, too far "
        "for one map in meters; take one region at a time"
    )
    return None, [], [why]


def _in_meters(values: Floats, earth: LocalMeters, at: list[int]) -> Floats:
    out = values.copy()
    out[:, at] = earth.to_meters(values[:, at])
    return out


def _set_errors_aside(
    frame: DataFrame, columns: Sequence[Any] | None, errors: Sequence[Any] | None
) -> tuple[DataFrame, dict[Any, Any]]:
    """Return a table without columns of standard errors, and the column of errors of each column that has one."""
    from .columns import chosen
    from .errors import find_errors

    beside = find_errors(frame) if errors is None else {}
    if columns is not None:
        asked = chosen(frame, columns)
        return frame, {of: name for of, name in beside.items() if of in asked and name not in asked}
    aside = list(beside.values()) if errors is None else list(chosen(frame, errors))
    if not aside:
        return frame, beside
    rest = frame.drop(columns=aside)
    rest.attrs = frame.attrs
    return rest, beside


def _errors_of(
    frame: DataFrame, used: list[Column], beside: dict[Any, Any], errors: Sequence[Any] | None, weights: Floats
) -> tuple[Floats | None, tuple[str, ...], list[str]]:
    """Return the standard errors of the coordinates that are used, the names of their columns, and what is said."""
    from .errors import name_errors, names_of_errors, read_errors

    names = names_of_errors(used, beside if errors is None else name_errors(frame, errors, used))
    if not any(names):
        return None, (), []
    said = _list([name for name in names if name])
    of = _list([one for one, name in zip((one for each in used for one in each.names), names, strict=True) if name])
    use = check.spell("covariances=True")
    note = f"read as standard errors of {of}, not as coordinates: {said}; {use} takes them into account"
    return _by_columns(read_errors(frame, names), weights, [Column(name, "number") for name in names]), names, [note]


def _of_frame(
    frame: DataFrame, columns: Sequence[Any] | None, weights: Floats | None
) -> tuple[list[Column], Floats, list[str], bool]:
    from .columns import chosen, source_of
    from .roles import column_roles, is_day_first_guessed, is_nameless, misread, read

    if not len(frame):
        raise ValueError(f"{source_of(frame)} has no rows; a table needs at least one")
    asked = None if columns is None else chosen(frame, columns)
    heavy = frame if weights is None or weights.all() else frame[weights > 0]
    found, floats = column_roles(heavy, asked)
    used = [one for one in found if not one.why_not]
    if not used:
        said = "; ".join(f"{one.name} {one.why_not}" for one in found[:_LISTED])
        more = f"; and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        use = check.spell("columns=[...]")
        raise ValueError(f"{source_of(frame)} has no column to cluster: {said}{more}; {use} uses them anyway")
    notes, blocks = _say_left_out(found), []
    for one in used:
        blocks.append(read(frame, one, floats if heavy is frame else None))
        count, first = misread(frame, one, blocks[-1])
        if count:
            cells = "cell is" if count == 1 else "cells are"
            what = "date" if one.kind == "date" else "number"
            notes.append(f"column {one.name}: {count} {cells} no {what}, such as {first!r:.40}, and missing")
        if is_day_first_guessed(frame, one):
            notes.append(f"column {one.name}: 03/04/2020 is read as 4 March; write 2020-04-03 if it is 3 April")
    return found, np.column_stack(blocks), notes, is_nameless(frame)


def _of_array(X: Any, columns: Sequence[Any] | None) -> tuple[list[Column], Floats, list[str]]:
    values, notes = _floats(X), []
    if issparse(X):
        notes.append(f"the sparse matrix was stored as {values.shape[0]} × {values.shape[1]} numbers")
    m = values.shape[1]
    chosen = list(range(m)) if columns is None else list(np.atleast_1d(np.asarray(columns, object)))
    if not chosen or not all(type(k) is not bool and isinstance(k, int | np.integer) and 0 <= k < m for k in chosen):
        raise ValueError(
            f"columns of an array must be numbers from 0 to {m - 1}, got {check.shown(columns)}; a DataFrame has names"
        )
    empty = 2 * np.isnan(values).sum(axis=0) > len(values) if columns is None else np.zeros(m, bool)
    asked, flags = set(map(int, chosen)), np.zeros(m, bool)
    if columns is None and m <= _WIDE and not issparse(X):
        flags = ((values == 0) | (values == 1) | np.isnan(values)).all(axis=0)
        flags &= np.count_nonzero(~flags & ~empty) >= _NUMBERS
    why = [
        "is mostly empty" if empty[k] else "holds 0 and 1" if flags[k] else "" if k in asked else "was not asked for"
        for k in range(m)
    ]
    found = [Column(str(k), "coordinate", why[k]) for k in range(m)]
    if empty.all():
        raise ValueError(f"every column is mostly empty, {_gaps(values, tuple(map(str, range(m))))}")
    notes += _say_left_out([one for k, one in enumerate(found) if empty[k] or flags[k]])
    kept = [k for k in range(m) if not why[k]]
    return found, values if len(kept) == m else np.ascontiguousarray(values[:, kept]), notes


def _floats(X: Any, name: str = "points") -> Floats:
    """Return a checked copy of an array, shape (n, m), with NaN where values are missing."""
    if issparse(X):
        n, m = X.shape
        if n * m > _DENSE:
            raise ValueError(
                f"{name} must be a dense array, got a sparse matrix of {n} × {m}; reduce it first: "
                f"sklearn.decomposition.TruncatedSVD(50).fit_transform(X)"
            )
        X = X.toarray()
    array = X if isinstance(X, np.ndarray) or np.ma.isMaskedArray(X) else None
    if array is None and isinstance(X, list | tuple):
        try:
            array = np.asarray(X)
        except ValueError:  # rows of different lengths: `check.points` raises the error
            array = None
    if array is None or array.dtype.kind != "f" or np.ma.is_masked(array) or not np.isnan(array).any():
        values = check.points(X, name)
    else:
        gaps = np.isnan(array)
        values = check.points(np.where(gaps, 0.0, array), name)
        values[gaps] = np.nan
    check.not_distances(values, name)
    return values


def _say_left_out(found: list[Column]) -> list[str]:
    left = [one for one in found if one.why_not]
    if not left:
        return []
    if left[0].why_not == "is beside the coordinates":
        used = " and ".join(one.name for one in found if not one.why_not)
        others = [one.name for one in left if one.kind == "number"]
        include = check.spell("columns=[...]")
        return [f"{used} are used as coordinates; {include} includes {_list(others)}"] if others else []
    names = _list([f"{one.name} ({one.why_not})" for one in left])
    return [f"left out: {names}; {check.spell('columns=[...]')} names those to use"]


def _list(words: list[str]) -> str:
    more = f" and {len(words) - _LISTED} more" if len(words) > _LISTED else ""
    return ", ".join(words[:_LISTED]) + more


def _gaps(values: Floats, names: tuple[str, ...]) -> str:
    """The error for cells without values."""
    counts = np.isnan(values).sum(axis=0)
    where = _list([f"{count} in column {name}" for name, count in zip(names, counts, strict=True) if count])
    said = f"{counted(int(counts.sum()), 'cell')} {'has' if counts.sum() == 1 else 'have'} no value: {where}"
    drop, fill = check.spell("missing='drop'"), check.spell("missing='fill'")
    return f"{said}; {drop} leaves their rows out, {fill} fills them"


def _say_gaps(gaps: Bools, missing: str) -> list[str]:
    n, cells = int(gaps.any(axis=1).sum()), int(gaps.sum())
    if not n:
        return []
    if missing == "fill":
        return [
            f"{cells} missing cells in {n} rows were filled with the median of the {_NEAREST} nearest complete rows"
        ]
    verbs = ("has", "gets") if n == 1 else ("have", "get")
    said = f"{n} of {len(gaps)} rows {verbs[0]} missing cells and {verbs[1]} no cluster (label -1)"
    said += "; " + check.spell("missing='fill'") + " fills the cells"
    if 2 * n > len(gaps):
        check.warn(said)
    return [said]


def _say_absurd(values: Floats, names: tuple[str, ...], how: str, weights: Floats | None) -> list[str]:
    far = absurd(values, weights) if how == AUTO else np.zeros(values.shape, bool)
    return [
        f"column {names[k]}: {values[far[:, k], k][0]:g} is far beyond the other values, whose scale was taken"
        for k in np.flatnonzero(far.any(axis=0))
    ]  # fmt: skip


def _scaling_of(how: str, values: Floats, used: list[Column], weights: Floats | None, on_map: list[int]) -> Scaling:
    """Scale columns; a category as a whole has standard deviation 1, so that it weighs as much as a number.

    Both coordinates on a map are in meters, and keep one scale.
    """
    scaling = Scaling.of(how, values, weights)
    center, length, at = scaling.center.copy(), scaling.length.copy(), 0
    for one in used:
        width = len(one.names)
        if one.kind in ("category", "boolean"):
            block = values[:, at : at + width]
            center[at : at + width] = middle = np.average(block, 0, weights)
            length[at : at + width] = np.sqrt(np.average((block - middle) ** 2, 0, weights).sum()) or 1.0
        at += width
    if on_map:
        length[on_map] = np.sqrt((length[on_map] ** 2).mean())
    return replace(scaling, center=center, length=length)


def _readings(
    scale: str | None, used: list[Column], spreads: Floats, nameless: bool, on_map: bool
) -> tuple[tuple[str, ...], str]:
    """Return the plausible readings, the likelier one first, and what is said of the only one."""
    keep = check.spell("scale=None")
    said = f"{{n}} columns of different units were scaled to {{way}} ({keep} keeps their units)"
    if scale == "unit":
        return (UNIT_LENGTH,), ""
    if scale != "auto":
        return (SCALED if scale else AS_THEY_ARE,), ""
    if any(one.kind in ("category", "boolean") for one in used):
        return (SCALED,), "{n} columns were scaled to {way}, a category like a number"
    if len(used) == 1 or (len(spreads) and spreads.max() <= _EQUAL * spreads.min()):
        return (AS_THEY_ARE,), ""
    units, ratio = {one.unit for one in used}, spreads.max() / spreads.min() if len(spreads) else 1.0
    like = ratio <= _LIKE
    if not nameless and len(used) <= _PLANE and all(_AXIS.fullmatch(one.name) for one in used):
        return (AS_THEY_ARE,), ""
    wide = len(used) > _WIDE and not any(units)
    if nameless and len(used) <= _PLANE:
        return ((AS_THEY_ARE,) if ratio <= _CLEARLY_LIKE else (AS_THEY_ARE, SCALED)), ""
    if on_map or len(units) > 1 or (not like and not any(units) and not wide):
        return (SCALED,), said
    if any(units):
        one_unit = f'all columns are in {next(iter(units))} and are used as they are (scale="standard" scales them)'
        return ((AS_THEY_ARE,), one_unit) if like else ((SCALED, AS_THEY_ARE), "")
    if like and wide:
        return (AS_THEY_ARE,), ""
    return (SCALED, AS_THEY_ARE), ""


def _unit_rows(values: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("ij,ij->i", values, values))
    if (lengths == 0).any():
        row = int(np.argmin(lengths))
        raise ValueError(f"row {row} has only zeros, and so no direction; drop it, or use metric='euclidean'")
    return np.asarray(values / lengths[:, None])


def _fill(values: Floats, fitted: Features) -> Floats:
    """Fill gaps with the median of the nearest complete rows that were fitted, by the columns that are there.

    Categories get the most frequent one of these rows.
    """
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    masses = np.ones(fitted.n) if fitted.weights is None else fitted.weights
    whole = ~np.isnan(fitted.values).any(axis=1) & (masses > 0)
    complete, where = np.unique(fitted.values[whole], axis=0, return_inverse=True)
    if fitted.missing != "fill" or len(complete) < _NEAREST:
        n = len(values)
        both = np.concatenate([values, fitted.values])  # new rows have no mass
        return _by_columns(both, np.append(np.zeros(n), masses), fitted.used)[:n]
    from scipy.spatial import cKDTree

    held = np.bincount(where.ravel(), masses[whole]).astype(float)
    scaling = fitted.scaling if fitted.earth is None else Scaling.of(AUTO, complete, held)
    out, scaled, nodes = values.copy(), scaling.scaled(values), scaling.scaled(complete)
    for pattern in np.unique(gaps[gaps.any(axis=1)], axis=0):
        rows, near = np.flatnonzero((gaps == pattern).all(axis=1)), np.arange(len(complete))[None]
        if not pattern.all():
            near = cKDTree(nodes[:, ~pattern]).query(scaled[rows][:, ~pattern], _NEAREST)[1]
        out[np.ix_(rows, pattern)] = _typical(complete[near], held[near], fitted.used)[:, pattern]
    return out


def _typical(values: Floats, masses: Floats, used: tuple[Column, ...]) -> Floats:
    """The median of values, shape (..., n, m), with masses of shape (..., n); of categories, the most frequent one."""
    out, at = quantile(values, masses, 0.5), 0
    for one in used:
        block = slice(at, at := at + len(one.names))
        if one.kind in ("category", "boolean"):
            share = (values[..., block] * masses[..., None]).sum(axis=-2)
            least = share.max(axis=-1) if one.kind == "category" else masses.sum(axis=-1) / 2
            best = share >= least[..., None]
            out[..., block] = best & (np.cumsum(best, axis=-1) == 1)
    return out


def _by_columns(values: Floats, masses: Floats, used: Sequence[Column]) -> Floats:
    """Fill gaps with the typical value of the column."""
    out, at = values.copy(), 0
    for one in used:
        block = slice(at, at := at + len(one.names))
        gaps = np.isnan(values[:, block]).any(axis=1)
        if gaps.any():
            there = ~gaps & (masses > 0)
            out[gaps, block] = _typical(values[there, block], masses[there], (one,))
    return out
