"""What each column of a table is: a number, a category, a date, an id, …; which ones are clustered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from .._types import Floats, Ints
from ..engine import current
from .cells import (
    Column,
    boolean_codes,
    boolean_levels,
    clock_without_zone,
    day_and_month,
    is_clock,
    is_date,
    is_money,
    month_first,
    read_numbers,
)
from .columns import (
    TextCells,
    cell_fault,
    column,
    coordinate_names,
    is_text,
    missing_cells,
    numeric,
    source_of,
    text_cells,
)
from .scaling import quartiles

MIN_SHARE_OF_NUMBERS = 0.95  # fraction of the cells that must be numbers, or dates
MAX_CATEGORY_LEVELS = 20  # most values of a category
MIN_ROWS_PER_LEVEL = 3  # rows for each value of a category, at least
MIN_ROWS_TO_JUDGE = 10  # rows from which on a column that only counts is no measurement, whatever its name
# so many different integers in a range of twice their number are numbers of rows
MAX_COUNTER_SPAN, MIN_COUNTER_ROWS = 2, 30
MAX_COPY_RESIDUAL = 0.03  # interquartile ranges: the largest rounding between two copies of a column
MIN_COPY_CORRELATION = 0.999

# words that end the name of an id; with the second ones it must also be different in every row
ID_WORDS = {"id", "ids", "fid", "rowid", "uid", "uuid", "guid", "key", "code", "zip", "zipcode", "postcode", "plz",
            "phone", "tel", "telephone", "fax", "isbn", "ean", "sku"}  # fmt: skip
ROW_NAMES = {"no", "nr", "num", "number", "nummer", "index", "row", "rank", "record", "case", "unnamed: 0", "column_1"}
YEAR_WORDS = {"year", "jahr", "yr"}
DAY_WORDS = {"month", "monat", "day", "tag", "weekday", "hour"}
TIME_WORDS = {"time", "timestamp", "ts", "date", "datetime", "epoch", "unix", "zeit", "datum", "at"}
EPOCH_RANGES = tuple((1e8 * unit, 5e9 * unit) for unit in (1.0, 1e3, 1e6, 1e9))  # 1973 to 2128, in s, ms, µs, ns

_UNIT_NAME = re.compile(
    r"[nuµmcdk]?m|in|inch(?:es)?|ft|yd|mi|miles?|[mk]?g|grams?|lbs?|oz|m?s|sec|min|h|hrs?|hours?|days?|years?|yrs?"
    r"|[kmg]?hz|°[cfk]?|[hkm]?pa|m?bar|psi|[mk]?v|ma|kw|k?wh|mwh|kj|kcal|[mcd]?l|gal|eur|usd|gbp|chf|pct|percent|[%‰]"
    r"|deg|degrees?|rad|pp[mb]|m?mol|px|dbm?|km/?h|mph|m/s|l/min|mm/h|mg/d?l|g/l|mmol/l|k?m[2²3³]|ha|[€$£]|knots?|kn"
)
_UNIT_IN_BRACKETS = re.compile(  # also what without brackets may be the end of any word
    rf"(?:{_UNIT_NAME.pattern}|[kanjwtcf]|ω|ohm|rpm|lx|lux|acres?|hectares?|mmhg|kn?m)(?:[²³]|\^?[23])?"
    rf"(?:[/·*]\s?(?:{_UNIT_NAME.pattern}|[kw])(?:[²³]|\^?[23])?)?"
)
_END_OF_NAME = re.compile(r"(?:\[([^\[\]]*)\]|\(([^()]*)\)|[\s_.]([^\s_.()\[\]]+))\s*\Z")
MAX_UNIT_CHARACTERS = 40  # characters at the end of a name that may hold a unit


MIN_NUMBERS_WITHOUT_CATEGORIES = 2
"""Numbers beside which categories are left out."""

WHY_BESIDE = "is beside the coordinates"
"""Why a column is left out if others say where points are."""


def column_roles(
    frame: pd.DataFrame, names: Sequence[str] | None = None, numbers: dict[str, Floats] | None = None
) -> list[Column]:
    """Return how each column is read, and which ones are left out and why; the names of columns are different texts.

    What numbers columns have is added to `numbers`.

    Given names are used, whatever they hold; else columns that say where points are, such as x and y; else what is
    neither id, constant, copy, date nor free text, and categories only where there are fewer than two numbers.
    """
    numbers = {} if numbers is None else numbers
    if names is not None:
        return [_role(frame, name, numbers, is_requested=True) for name in names]
    if where := () if is_nameless(frame) else coordinate_names(frame):
        kinds = dict.fromkeys(numeric(frame), "number")
        others = [Column(name, kinds.get(name, "other"), WHY_BESIDE) for name in frame if name not in where]
        return [_role(frame, name, numbers, is_requested=True) for name in where] + others
    columns = _without_categories(_without_copies([_role(frame, name, numbers) for name in frame], numbers))
    if all(column.kind == "constant" for column in columns):
        columns = [_role(frame, name, numbers, is_requested=True) for name in frame]  # all rows are in one place
    return columns


def read(frame: pd.DataFrame, role: Column, numbers: Mapping[str, Floats] | None = None) -> Floats:
    """Return the values of a column, shape (n, width): NaN where there is none, 0 and 1 for categories.

    `numbers` are those that `column_roles` read already.
    Cells of new rows are read by what they mean: yes, true and 1 are the same, and a number in another unit is missing.
    """
    values = column(frame, role.name)
    if role.kind in ("category", "boolean"):
        codes = _codes(values, role)
        out = (codes[:, None] == np.arange(len(role.levels))).astype(np.float64)
        out = out if role.kind == "category" else out[:, 1:]
        out[codes < 0] = np.nan
        return np.asarray(out)
    if role.kind in ("date", "time"):
        return _times(values, role)[:, None]
    floats = numbers[role.name] if numbers and role.name in numbers else _floats(values, role)
    if np.isinf(floats).any():
        raise cell_fault(frame, int(np.argmax(np.isinf(floats))), role.name)
    return floats[:, None]


def misread(frame: pd.DataFrame, role: Column, floats: Floats) -> tuple[int, str]:
    """Return the number of cells of a column whose value is not known though they hold something, and the first."""
    values = column(frame, role.name)[np.isnan(floats).any(axis=1)]
    bad = values[~missing_cells(values)]
    return len(bad), str(bad.iloc[0]) if len(bad) else ""


def is_day_first_guessed(frame: pd.DataFrame, role: Column) -> bool:
    """Whether dates such as 03/04/2020 were read though no row tells which number is the day."""
    values = column(frame, role.name)
    return role.kind == "date" and is_text(values) and _is_day_first(text_cells(values).words)[1]


def unit_in_name(name: str) -> str:
    """Return the unit at the end of a name, in lower case: length_mm, weight (kg), T [°C]; "" if there is none."""
    match = _END_OF_NAME.search(name[-MAX_UNIT_CHARACTERS:])
    if match is None:
        return ""
    unit, pattern = (match[3], _UNIT_NAME) if match[3] else ((match[1] or match[2] or "").strip(), _UNIT_IN_BRACKETS)
    return unit.lower() if pattern.fullmatch(unit.lower()) else ""


def is_nameless(frame: pd.DataFrame) -> bool:
    """Whether the names of the columns say nothing, since the table came without."""
    return frame.attrs.get("header") is False or frame.attrs.get("kind") == "npy"


def _codes(values: pd.Series, role: Column) -> Ints:
    """The number of the level of each cell, −1 for other words and for missing cells."""
    is_boolean, cells = role.kind == "boolean", text_cells(values)
    codes = boolean_codes(role.levels) if is_boolean else {}
    codes |= {word.removesuffix(".0"): k for k, word in enumerate(role.levels)}  # 1.0 is the level 1
    words = [(word.lower() if is_boolean else word).removesuffix(".0") for word in cells.words]
    return np.array([*(codes.get(word, -1) for word in words), -1], np.intp)[cells.codes]


def _floats(values: pd.Series, role: Column) -> Floats:
    """The numbers in a column; of cells in other units than the column was fitted with, NaN."""
    if is_text(values) or isinstance(values.dtype, pd.CategoricalDtype):
        cells = text_cells(values)
        numbers = read_numbers(cells.words, role.decimal)
        good = [not unit or not role.unit or unit.lower() == role.unit.lower() for unit in numbers.units]
        return np.asarray(np.append(np.where(good, numbers.values, np.nan), np.nan)[cells.codes])
    if values.dtype.kind == "m":
        return np.asarray(values.dt.total_seconds(), np.float64)
    return np.asarray(values.to_numpy(np.float64, na_value=np.nan))


def _times(values: pd.Series, role: Column) -> Floats:
    """Dates as days since 1970, times of the day as hours; NaN for what is neither."""
    if values.dtype.kind in "iuf":
        return np.asarray(values.to_numpy(np.float64, na_value=np.nan))
    if is_text(values):
        cells = text_cells(values)
        read = _hours if role.kind == "time" else _days
        return np.asarray(np.append(read(cells.words, role.day_first), np.nan)[cells.codes])
    if isinstance(values.dtype, pd.PeriodDtype):
        values = values.dt.to_timestamp()
    return _since_1970(values.dt.tz_localize(None)) / 86400


def _days(words: Sequence[str], day_first: bool) -> Floats:
    """Dates as days since 1970; NaN for what is none, and for days that are beyond 12 where months are expected."""
    cells = [month_first(word, day_first) if is_date(word) and not is_clock(word) else None for word in words]
    times = pd.to_datetime(pd.Series(cells, dtype=object), format="mixed", utc=True, errors="coerce")
    return _since_1970(times.dt.tz_localize(None)) / 86400


def _hours(words: Sequence[str], day_first: bool) -> Floats:
    """Times of the day as hours, without their zones; NaN for what is none."""
    clock = [f"1970-01-01 {clock_without_zone(word)}" if is_clock(word) else None for word in words]
    return _since_1970(pd.to_datetime(pd.Series(clock, dtype=object), format="mixed", errors="coerce")) / 3600


def _since_1970(times: pd.Series) -> Floats:
    seconds = np.asarray(times, "datetime64[us]").astype(np.float64) / 1e6
    return np.asarray(np.where(times.isna(), np.nan, seconds))


def _is_day_first(words: Sequence[str]) -> tuple[bool, bool]:
    """Whether dates such as 03/04/2020 begin with the day, decided for the column, and whether that is a guess."""
    pairs = [pair for word in words if (pair := day_and_month(word))]
    firsts, seconds = (sum(pair[k] > 12 for pair in pairs) for k in (0, 1))
    if firsts != seconds:
        return firsts > seconds, False
    dotted = any(day_and_month(word) and "." in word[:3] for word in words)
    return dotted, bool(pairs) and not dotted


def _role(frame: pd.DataFrame, name: str, numbers: dict[str, Floats], is_requested: bool = False) -> Column:
    """How a column is read; a requested one is used whatever it holds. What numbers it has is added to `numbers`."""
    values = column(frame, name)
    n_there = int(np.count_nonzero(~missing_cells(values)))
    if not n_there:
        return Column(name, "empty", "" if is_requested else "has no values")
    role = _role_of_cells(frame, name, values, numbers, is_requested)
    if is_requested or role.why_not or role.kind == "boolean":
        return role
    if 2 * n_there < len(values):
        return replace(role, kind="empty", why_not="is mostly empty")
    return role if role.kind == "category" else _check_numbers(role, numbers[name])


def _role_of_cells(
    frame: pd.DataFrame, name: str, values: pd.Series, numbers: dict[str, Floats], is_requested: bool
) -> Column:
    kind = values.dtype.kind
    if isinstance(values.dtype, pd.DatetimeTZDtype | pd.PeriodDtype) or kind == "M":
        return Column(name, "date", "" if is_requested else "holds dates")
    if kind == "b":
        return Column(name, "boolean", levels=("false", "true"))
    if is_text(values) or isinstance(values.dtype, pd.CategoricalDtype):
        return _role_of_text(frame, name, text_cells(values), numbers, is_requested)
    if kind in "iufm":
        role = Column(name, "number", unit=unit_in_name(name))
        numbers[name] = _floats(values, role)
        return role
    if not is_requested:
        return Column(name, "other", f"holds {values.dtype!s:.40}")
    where = f"{source_of(frame)}, column {name:.60}"
    raise ValueError(f"{where}: numbers or words are needed, got {values.dtype!s:.40}; leave it out")


def _role_of_text(
    frame: pd.DataFrame, name: str, cells: TextCells, numbers: dict[str, Floats], is_requested: bool
) -> Column:
    words, counts = cells.words, cells.counts
    if levels := boolean_levels(words):
        return Column(name, "boolean", levels=tuple(levels))
    read = read_numbers(words, str(frame.attrs.get("decimal", ".")))
    is_number = ~np.isnan(read.values)
    units, share = {read.units[k] for k in np.flatnonzero(is_number)}, counts[is_number].sum() / counts.sum()
    if share >= MIN_SHARE_OF_NUMBERS and len(units) == 1:
        (unit,) = units
        numbers[name] = np.append(read.values, np.nan)[cells.codes]
        kind = "percent" if unit == "%" else "money" if is_money(unit) else "number"
        return Column(name, kind, unit=unit or unit_in_name(name), decimal=read.decimal)
    for kind, test in (("time", is_clock), ("date", is_date)):
        if counts[list(map(test, words))].sum() >= MIN_SHARE_OF_NUMBERS * counts.sum():
            why = "" if is_requested else "holds times of the day" if kind == "time" else "holds dates"
            return Column(name, kind, why, day_first=_is_day_first(words)[0])
    if is_requested and share >= 0.5 and len(units) == 1:
        raise cell_fault(frame, int(np.argmax(cells.codes == int(np.argmin(is_number)))), name)
    if not is_requested and len(words) == 1 < len(cells.codes):
        return Column(name, "constant", "is the same in every row")
    why = "" if is_requested else _why_no_category(name, cells, share, len(units))
    kind = "category" if not why else "id" if "row" in why else "text"
    return Column(name, kind, why, levels=() if why else tuple(sorted(words)))


def _why_no_category(name: str, cells: TextCells, share: float, n_units: int) -> str:
    n, d = int(cells.counts.sum()), len(cells.words)
    if d == n > 1:
        return "is different in every row"
    if _last_word(name) in ID_WORDS:
        return "is an id by its name, not one for each row"
    if share >= 0.5:
        what = "has different units" if n_units > 1 else "mixes numbers and text"
        order = np.argsort(-cells.counts, kind="stable")
        return f"{what}, such as {cells.words[order[0]]:.20} and {cells.words[order[-1]]:.20}"
    return f"holds text, {d} different values" if d > MAX_CATEGORY_LEVELS or n < MIN_ROWS_PER_LEVEL * d else ""


def _check_numbers(role: Column, floats: Floats) -> Column:
    """The role of a column of numbers: left out if it is constant, an id, a counter or a time."""
    finite = floats[np.isfinite(floats)]
    if not np.isnan(floats).any() and (why := _counts(role.name, finite)):
        return replace(role, kind="id", why_not=why)
    whole, last = bool((finite % 1 == 0).all()), _last_word(role.name)
    if len(finite) > 1 and (finite == finite[0]).all():
        return replace(role, kind="constant", why_not="is the same in every row")
    if whole and (last in ID_WORDS or (last in ROW_NAMES and len(np.unique(finite)) == len(finite) > 1)):
        return replace(role, kind="id", why_not="is an id by its name")
    if _is_time(role.name, last, finite, whole):
        return replace(role, kind="date", why_not="holds times")
    if whole and set(np.unique(finite)) == {0.0, 1.0}:
        return replace(role, kind="boolean", levels=("0", "1"), unit="")
    return role


def _counts(name: str, finite: Floats) -> str:
    """Why a complete column numbers the rows; "" if it does not."""
    n, steps = len(finite), np.diff(np.sort(finite))
    even = n > 1 and steps[0] > 0 and bool((np.abs(steps - steps[0]) <= 1e-6 * steps[0]).all())
    if even and (n >= MIN_ROWS_TO_JUDGE or _last_word(name) in ID_WORDS | ROW_NAMES):
        return "numbers the rows"
    if n < MIN_COUNTER_ROWS or (finite % 1 != 0).any():
        return ""
    if (steps > 0).all() and finite.max() - finite.min() < MAX_COUNTER_SPAN * n:
        return "numbers the rows"
    period = int(finite.max() - finite.min()) + 1 if finite.max() - finite.min() < n / 4 else 0
    if period > 2 and ((np.diff(finite) - 1) % period == 0).all():
        return f"counts {finite.min():.0f} to {finite.max():.0f} again and again"
    return ""


def _is_time(name: str, last: str, finite: Floats, whole: bool) -> bool:
    low, high = finite.min(), finite.max()
    if whole and last in YEAR_WORDS and 1000 <= low <= high <= 2500:
        return True
    if whole and name.lower() in DAY_WORDS:
        return True
    return last in TIME_WORDS and any(start <= low <= high <= end for start, end in EPOCH_RANGES)


def _last_word(name: str) -> str:
    """The last word of a name, in lower case: of user_id, userId and "user id" it is id."""
    if name.lower() in ROW_NAMES:
        return name.lower()
    words = re.findall(r"[A-ZÄÖÜ]?[a-zäöüß]+|[A-ZÄÖÜ]+(?![a-zäöü])", name)
    return words[-1].lower() if words else ""


def _without_copies(columns: list[Column], numbers: Mapping[str, Floats]) -> list[Column]:
    """Leave out columns that are another one, rounded or in another unit: Celsius and Fahrenheit."""
    names = [role.name for role in columns if not role.why_not and role.kind in ("number", "percent", "money")]
    if len(names) < 2:
        return columns
    n_bytes = 40.0 * len(names) * len(numbers[names[0]])
    current().reserve(n_bytes, f"comparing {len(names)} columns", "use fewer columns")
    X = np.stack([numbers[name] for name in names])
    X = X[:, np.isfinite(X).all(axis=0)]
    if X.shape[1] < 3:
        return columns
    low, middle, high = quartiles(X.T)[:, :, None]
    X = (X - middle) / np.where(high > low, high - low, np.maximum(np.ptp(X, axis=1, keepdims=True), 1e-300))
    X -= X.mean(axis=1, keepdims=True)
    directions = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)
    residual = MAX_COPY_RESIDUAL if X.shape[1] >= MIN_ROWS_TO_JUDGE else 1e-9
    original = dict[str, str]()
    for j, name in enumerate(names):
        for i in np.flatnonzero(np.abs(directions[:j] @ directions[j]) > MIN_COPY_CORRELATION).tolist():
            slope = (X[i] @ X[j]) / (X[i] @ X[i])
            if names[i] not in original and np.abs(X[j] - slope * X[i]).max() <= residual:
                original[name] = names[i]
                break
    return [
        replace(role, kind="copy", why_not=f"is a copy of {original[role.name]}") if role.name in original else role
        for role in columns
    ]


def _without_categories(columns: list[Column]) -> list[Column]:
    """Leave out categories and booleans beside numbers.

    By `benchmarks/quality/mixed.py`, groups 4.5 deviations apart have an adjusted Rand index of 0.91 without
    categories; two categories that know nothing of the groups lower it to 0.00, two that follow them to 0.90.
    """
    used = [column for column in columns if not column.why_not]
    words = [column for column in used if column.kind in ("category", "boolean")]
    if len(used) - len(words) < MIN_NUMBERS_WITHOUT_CATEGORIES:
        return columns
    return [replace(column, why_not=f"is a {column.kind}") if column in words else column for column in columns]
