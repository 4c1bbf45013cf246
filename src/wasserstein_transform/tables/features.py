"""The columns of a table or an array as coordinates for clustering: which ones, in which scale, and what of gaps."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._archive import archived, check_array, check_range, check_type
from .._display import ShortRepr, counted
from .._types import Bools, Floats, Ints
from .arrays import floats_of, read_array
from .cells import Column, list_names
from .earth import LocalMeters
from .filling import NEAREST_ROWS, blocks, fill_by_columns, gaps_in_words, say_gaps, typical
from .scaling import Scaling, absurd

if TYPE_CHECKING:
    from pandas import DataFrame

SCALED, AS_THEY_ARE, UNIT_LENGTH = "scaled", "as they are", "unit length"
SCALES = ("auto", "standard", "robust", "range", "unit", None)
AUTO = "auto"
"""How scale="auto" scales: by standard deviations, without a few absurd values."""

MAX_RATIO_ONE_UNIT = 10.0  # ratio of spreads up to which columns with names, or many, can have one unit
MAX_RATIO_WITHOUT_NAMES = 4.0  # the same of two or three columns without names; beyond, both readings are as likely
MAX_RATIO_UNSCALED = 1.2  # ratio of spreads up to which scaling changes hardly anything
MAX_AXES = 3  # columns without names that are taken for coordinates
# more columns than this are often of one kind, such as pixels or embeddings, though some hardly spread
MIN_COLUMNS_OF_ONE_KIND = 50
_MIN_COLUMNS_OF_DIRECTIONS = 24  # rows of so many columns, all of length 1, are embeddings
_MAX_ERROR_OF_LENGTH = 1e-3  # of float16, say
SCALING_WORDS = {
    "auto": "standard deviation 1", "standard": "standard deviation 1", "robust": "interquartile range 1",
    "range": "the range 0 to 1",
}  # fmt: skip
_AXIS_NAME = re.compile(
    r"(?:.*[\W_])?(x|y|z|lon|lat|lng|longitude|latitude|ele|elevation|altitude|easting|northing)(?:\d|[\W_].*)?",
    re.IGNORECASE,
)


@archived
@dataclass(frozen=True, eq=False, repr=False)
class Features(ShortRepr):
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
        if self.reading not in self.readings or sum(len(column.names) for column in self.used) != len(self.names):
            raise ValueError(f"the reading {self.reading!r:.40} does not fit {len(self.names)} columns")

    @property
    def n(self) -> int:
        """Number of rows of the table."""
        return len(self.values)

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns that are used."""
        return tuple(column for column in self.columns if not column.why_not)

    @property
    def there(self) -> Bools:
        """Whether each row is used."""
        return np.isin(np.arange(self.n), self.rows)

    def matrix(self, reading: str | None = None) -> Floats:
        """Return all rows in a reading, by default the one that is used; gaps are filled, also in rows left out."""
        return self._read_as(self._filled(self.values), reading or self.reading)

    def transform(self, X: Any) -> Floats:
        """Return new rows in the reading that is used, for `predict`: NaN in rows with gaps that are not filled."""
        values = self._values_of(X)
        if self.missing == "error" and np.isnan(values).any():
            raise ValueError(gaps_in_words(values, self.names))
        return self._read_as(self._filled(values) if self.missing == "fill" else values, self.reading)

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

    @property
    def on_map(self) -> list[int]:
        """Where longitude and latitude are among the coordinates."""
        from .columns import longitude_and_latitude

        return [self.names.index(name) for name in longitude_and_latitude(self.names) or ()]

    def _values_of(self, X: Any) -> Floats:
        check.known_table(X)
        if is_frame(X) and not self.is_array:
            return self._values_in(X)
        values, used = floats_of(X.to_numpy() if is_frame(X) else X, "X"), self.used
        if values.shape[1] == len(self.columns) > len(used) and self.is_array:
            values = values[:, [k for k, column in enumerate(self.columns) if not column.why_not]]
        if values.shape[1] != len(self.names):
            raise ValueError(f"X must have {len(self.names)} columns, as the fitted points, got {values.shape[1]}")
        return values

    def _values_in(self, frame: DataFrame) -> Floats:
        from .columns import with_text_names
        from .roles import misread, read

        frame = with_text_names(frame)
        blocks = [read(frame, column) for column in self.used]
        bad = [(column.name, *misread(frame, column, block)) for column, block in zip(self.used, blocks, strict=True)]
        if said := [f"{first!r:.40} in column {name}" for name, count, first in bad if count]:
            cells = counted(sum(count for _, count, _ in bad), "cell")
            check.warn(
                f"{cells} of X cannot be read as those that were fitted, and count as missing: {list_names(said)}"
            )
        return np.column_stack(blocks)

    def _filled(self, values: Floats) -> Floats:
        """Fill gaps with the median of the nearest complete rows that were fitted, by the columns that are there.

        Categories get the most frequent one of these rows.
        """
        gaps = np.isnan(values)
        if not gaps.any():
            return values
        masses = np.ones(self.n) if self.weights is None else self.weights
        is_complete = ~np.isnan(self.values).any(axis=1) & (masses > 0)
        complete, inverse = np.unique(self.values[is_complete], axis=0, return_inverse=True)
        if self.missing != "fill" or len(complete) < NEAREST_ROWS:
            n = len(values)
            both = np.concatenate([values, self.values])  # new rows have no mass
            return fill_by_columns(both, np.append(np.zeros(n), masses), self.used)[:n]
        from scipy.spatial import cKDTree

        masses = np.bincount(inverse.ravel(), masses[is_complete]).astype(float)
        scaling = self.scaling if self.earth is None else Scaling.of(AUTO, complete, masses)
        out, scaled, nodes = values.copy(), scaling.scaled(values), scaling.scaled(complete)
        for pattern in np.unique(gaps[gaps.any(axis=1)], axis=0):
            rows, neighbors = np.flatnonzero((gaps == pattern).all(axis=1)), np.arange(len(complete))[None]
            if not pattern.all():
                neighbors = cKDTree(nodes[:, ~pattern]).query(scaled[rows][:, ~pattern], NEAREST_ROWS)[1]
            out[np.ix_(rows, pattern)] = typical(complete[neighbors], masses[neighbors], self.used)[:, pattern]
        return out

    @property
    def is_array(self) -> bool:
        """Whether the columns had no names."""
        return all(column.kind == "coordinate" for column in self.columns)

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
    if is_frame(X):
        from .frames import map_among, read_frame

        frame: Any = X
        masses = check.weights(sample_weight, len(frame))
        table = read_frame(frame, columns, errors, masses)
    else:
        table = read_array(X, columns)
        masses = check.weights(sample_weight, len(table.values))
    names, values, notes, used = table.names, table.values, list(table.notes), table.used
    gaps = np.isnan(values)
    if missing == "error" and gaps.any():
        raise ValueError(gaps_in_words(values, names))
    rows = np.arange(len(values)) if missing == "fill" else np.flatnonzero(~gaps.any(axis=1))
    heavy = rows[masses[rows] > 0]
    if not len(heavy) or gaps[heavy].all(axis=0).any():
        raise ValueError(f"every row has a gap, {gaps_in_words(values, names)}")
    notes += say_gaps(gaps, missing)
    basis = fill_by_columns(values, masses, used) if missing == "fill" else values
    basis = basis if len(heavy) == len(basis) else basis[heavy]  # a copy takes long if there are many columns
    earth, on_map, said = map_among(X, names, basis) if table.has_names else (None, [], [])
    notes += said
    basis = basis if earth is None else _in_meters(basis, earth, on_map)
    weights = None if (masses[heavy] == masses[heavy[0]]).all() else masses[heavy]
    if scale == "auto" and missing != "fill" and are_directions(basis):
        scale = None
    how = AUTO if scale == "auto" or missing == "fill" else "none" if scale in ("unit", None) else scale
    scaling = _scaling_of(how, basis, used, weights, on_map)
    spreads = scaling.length[np.ptp(basis, axis=0) > 0]
    readings, why = _readings(scale, used, spreads, not table.has_names, bool(on_map))
    if SCALED in readings:
        notes += _say_absurd(basis, names, scaling.how, weights)
    notes += [why.format(n=len(used), way=SCALING_WORDS.get(scaling.how, ""))] if why else []
    return Features(
        names, values, rows, tuple(table.columns), scaling, readings, missing, tuple(notes), readings[0], table.errors,
        table.error_names, None if sample_weight is None else masses, earth,
    )  # fmt: skip


def is_frame(X: Any) -> bool:
    """Whether X is a DataFrame; does not import pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def _in_meters(values: Floats, earth: LocalMeters, on_map: list[int]) -> Floats:
    out = values.copy()
    out[:, on_map] = earth.to_meters(values[:, on_map])
    return out


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
    center, length = scaling.center.copy(), scaling.length.copy()
    for column, block in blocks(used):
        if column.kind in ("category", "boolean"):
            center[block] = middle = np.average(values[:, block], 0, weights)
            length[block] = np.sqrt(np.average((values[:, block] - middle) ** 2, 0, weights).sum()) or 1.0
    if on_map:
        length[on_map] = np.sqrt((length[on_map] ** 2).mean())
    return replace(scaling, center=center, length=length)


def _readings(
    scale: str | None, used: list[Column], spreads: Floats, nameless: bool, on_map: bool
) -> tuple[tuple[str, ...], str]:
    """Return the plausible readings, the likelier one first, and what is said of the only one."""
    keep = check.option_text("scale=None")
    said = f"{{n}} columns of different units were scaled to {{way}} ({keep} keeps their units)"
    if scale == "unit":
        return (UNIT_LENGTH,), ""
    if scale != "auto":
        return (SCALED if scale else AS_THEY_ARE,), ""
    if any(column.kind in ("category", "boolean") for column in used):
        return (SCALED,), "{n} columns were scaled to {way}, a category like a number"
    if len(used) == 1 or (len(spreads) and spreads.max() <= MAX_RATIO_UNSCALED * spreads.min()):
        return (AS_THEY_ARE,), ""
    units, ratio = {column.unit for column in used}, spreads.max() / spreads.min() if len(spreads) else 1.0
    like = ratio <= MAX_RATIO_ONE_UNIT
    if not nameless and len(used) <= MAX_AXES and all(_AXIS_NAME.fullmatch(column.name) for column in used):
        return (AS_THEY_ARE,), ""
    wide = len(used) > MIN_COLUMNS_OF_ONE_KIND and not any(units)
    if nameless and len(used) <= MAX_AXES:
        return ((AS_THEY_ARE,) if ratio <= MAX_RATIO_WITHOUT_NAMES else (AS_THEY_ARE, SCALED)), ""
    if on_map or len(units) > 1 or (not like and not any(units) and not wide):
        return (SCALED,), said
    if any(units):
        one_unit = f'all columns are in {next(iter(units))} and are used as they are (scale="standard" scales them)'
        return ((AS_THEY_ARE,), one_unit) if like else ((SCALED, AS_THEY_ARE), "")
    if like and wide:
        return (AS_THEY_ARE,), ""
    return ((AS_THEY_ARE, SCALED) if wide else (SCALED, AS_THEY_ARE)), ""


def are_directions(points: Floats) -> bool:
    """Whether these are the rows of embeddings: many columns, and all have length 1."""
    squares = np.einsum("ij,ij->i", points, points)
    return points.shape[1] >= _MIN_COLUMNS_OF_DIRECTIONS and bool(
        (np.abs(np.sqrt(squares) - 1) < _MAX_ERROR_OF_LENGTH).all()
    )


def _unit_rows(values: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("ij,ij->i", values, values))
    if (lengths == 0).any():
        row = int(np.argmin(lengths))
        raise ValueError(f"row {row} has only zeros, and so no direction; drop it, or use metric='euclidean'")
    return np.asarray(values / lengths[:, None])
