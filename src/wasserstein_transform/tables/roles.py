"""What each column of a table is: a number, a category, a date, an id, …; which ones are clustered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

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
    read_numbers,
)
from .columns import (
    EXACT,
    TextCells,
    cell_fault,
    column,
    coordinate_names,
    is_text,
    missing_cells,
    names_as_text,
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
BLOCK_COLUMNS = 128  # columns whose correlations are in memory at a time

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


def column_roles(frame: pd.DataFrame, names: Sequence[str] | None) -> tuple[list[Column], dict[str, Floats]]:
    """Return how each column is read, and which ones are left out and why; and the numbers in columns of numbers.

    Given names are used, whatever they hold; else columns that say where points are, such as x and y; else what is
    neither id, constant, copy, date nor free text, and categories only where there are fewer than two numbers.
    """
    where = () if names is not None or is_nameless(frame) else coordinate_names(frame)
    labels = dict(zip(frame.columns, names_as_text(frame), strict=True))
    floats = _plain_numbers(frame, labels) if frame.columns.is_unique else {}

    def role(name: Any, is_requested: bool = False) -> Column:
        return _role(frame, name, labels.get(name, str(name)), floats, is_requested)

    columns = [role(name, is_requested=True) for name in (where if names is None else names)]
    if names is not None:
        return columns, floats
    others = [name for name in frame.columns if name not in where]
    if where:
        kinds = dict.fromkeys(numeric(frame), "number")
        return columns + [Column(labels[name], kinds.get(name, "other"), WHY_BESIDE) for name in others], floats
    columns = _without_categories(_without_copies([role(name) for name in others], floats))
    if all(column.kind == "constant" for column in columns):
        columns = [role(name, is_requested=True) for name in others]  # all rows are in one place
    return columns, floats


def read(frame: pd.DataFrame, role: Column, numbers_read: Mapping[str, Floats] | None = None) -> Floats:
    """Return the values of a column, shape (n, width): NaN where there is none, 0 and 1 for categories.

    Cells of new rows are read by what they mean: yes, true and 1 are the same, and a number in another unit is missing.
    `numbers_read` are numbers that were read before.
    """
    if numbers_read and role.name in numbers_read and np.abs(numbers_read[role.name]).max() < EXACT:
        return numbers_read[role.name][:, None]
    values = column(frame, _name_in(frame, role.name))
    if role.kind in ("category", "boolean"):
        codes = _codes(values, role)
        out = (codes[:, None] == np.arange(len(role.levels))).astype(np.float64)
        out = out if role.kind == "category" else out[:, 1:]
        out[codes < 0] = np.nan
        return np.asarray(out)
    if role.kind in ("date", "time"):
        return _times(values, role)[:, None]
    floats = numbers_read[role.name] if numbers_read and role.name in numbers_read else _floats(values, role)
    if np.isinf(floats).any():
        raise cell_fault(frame, int(np.argmax(np.isinf(floats))), _name_in(frame, role.name))
    return floats[:, None]


def misread(frame: pd.DataFrame, role: Column, floats: Floats) -> tuple[int, str]:
    """Return the number of cells of a column whose value is not known though they hold something, and the first."""
    if not np.isnan(floats).any():
        return 0, ""
    values = column(frame, _name_in(frame, role.name))
    bad = np.isnan(floats).any(axis=1) & ~missing_cells(values)
    return int(bad.sum()), str(values[bad].iloc[0]) if bad.any() else ""


def is_day_first_guessed(frame: pd.DataFrame, role: Column) -> bool:
    """Whether dates such as 03/04/2020 were read though no row tells which number is the day."""
    if role.kind != "date":
        return False
    values = column(frame, _name_in(frame, role.name))
    return is_text(values) and _is_day_first(text_cells(values).words)[1]


def unit_in_name(name: str) -> str:
    """Return the unit at the end of a name, in lower case: length_mm, weight (kg), T [°C]; "" if there is none."""
    match = _END_OF_NAME.search(name[-MAX_UNIT_CHARACTERS:])
    if match is None:
        return ""
    unit, pattern = (match[3], _UNIT_NAME) if match[3] else ((match[1] or match[2] or "").strip(), _UNIT_IN_BRACKETS)
    return unit.lower() if pattern.fullmatch(unit.lower()) else ""


def is_nameless(frame: pd.DataFrame) -> bool:
    """Whether the names of the columns say nothing, since the table came without."""
    numbers = frame.columns.dtype.kind in "iu"
    return numbers or frame.attrs.get("header") is False or frame.attrs.get("kind") == "npy"


def _name_in(frame: pd.DataFrame, label: str) -> Any:
    """The name of a column as the table has it: columns may be numbers."""
    if frame.columns.inferred_type == "string":
        return label
    if frame.columns.inferred_type == "integer" and label.removeprefix("-").isdecimal():
        return int(label)
    return dict(zip(names_as_text(frame), frame.columns, strict=True)).get(label, label)


def _plain_numbers(frame: pd.DataFrame, labels: Mapping[Any, str]) -> dict[str, Floats]:
    """The columns of NumPy's numbers, read all at once: a table may have many of them."""
    plain = [isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in frame.dtypes]
    block = np.ascontiguousarray(frame.loc[:, plain].to_numpy(np.float64).T)
    return dict(zip([labels[name] for name in frame.columns[plain]], block, strict=True))


def _codes(values: pd.Series, role: Column) -> Ints:
    """The number of the level of each cell, −1 for other words and for missing cells."""
    code_of_word = {word: k for k, word in enumerate(role.levels)}
    if role.kind == "boolean":
        code_of_word = boolean_codes(role.levels) | code_of_word
    for word, k in list(code_of_word.items()):
        if word.removesuffix(".0").isdecimal():  # 1.0 is the level 1
            code_of_word.setdefault(word.removesuffix(".0") if word.endswith(".0") else f"{word}.0", k)
    cells = text_cells(values)
    words = map(str.lower, cells.words) if role.kind == "boolean" else cells.words
    return np.array([*(code_of_word.get(word, -1) for word in words), -1], np.intp)[cells.codes]


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
    pairs = [day_and_month(word) for word in words]
    swapped = [pair is not None and day_first for pair in pairs]
    good = [is_date(word) and not is_clock(word) and (pair is None or pair[day_first] <= 12)
            for word, pair in zip(words, pairs, strict=True)]  # fmt: skip
    out = np.full(len(words), np.nan)
    for first in (False, True):
        chosen = np.flatnonzero([ok and is_swapped == first for ok, is_swapped in zip(good, swapped, strict=True)])
        cells = pd.Series([words[int(k)] for k in chosen], dtype=object)
        times = pd.to_datetime(cells, format="mixed", dayfirst=first, utc=True, errors="coerce")
        out[chosen] = _since_1970(times.dt.tz_localize(None)) / 86400
    return out


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


def _role(frame: pd.DataFrame, name: Any, label: str, floats: dict[str, Floats], is_requested: bool = False) -> Column:
    """How a column is read; a requested one is used whatever it holds. Its numbers are added to `floats`."""
    if label in floats:
        n, n_there = len(floats[label]), int(np.count_nonzero(floats[label] == floats[label]))
        role = Column(label, "number", unit=unit_in_name(label))
    else:
        values = column(frame, name)
        n, n_there = len(values), int(np.count_nonzero(~missing_cells(values)))
        role = _role_of_cells(frame, name, label, values, floats, is_requested) if n_there else Column(label, "empty")
    if not n_there:
        return Column(label, "empty", "" if is_requested else "has no values")
    if is_requested or role.why_not or role.kind == "boolean":
        return role
    if 2 * n_there < n:
        return replace(role, kind="empty", why_not="is mostly empty")
    return role if role.kind == "category" else _check_numbers(frame, role, floats[label])


def _role_of_cells(
    frame: pd.DataFrame, name: Any, label: str, values: pd.Series, floats: dict[str, Floats], is_requested: bool
) -> Column:
    kind = values.dtype.kind
    if isinstance(values.dtype, pd.DatetimeTZDtype | pd.PeriodDtype) or kind == "M":
        return Column(label, "date", "" if is_requested else "holds dates")
    if kind == "b" or str(values.dtype) == "boolean":
        return Column(label, "boolean", levels=("false", "true"))
    if is_text(values) or isinstance(values.dtype, pd.CategoricalDtype):
        return _role_of_text(frame, name, label, text_cells(values), floats, is_requested)
    if kind in "iufm":
        role = Column(label, "number", unit=unit_in_name(label))
        floats[label] = _floats(values, role)
        return role
    if not is_requested:
        return Column(label, "other", f"holds {values.dtype!s:.40}")
    where = f"{source_of(frame)}, column {label:.60}"
    raise ValueError(f"{where}: numbers or words are needed, got {values.dtype!s:.40}; leave it out")


def _role_of_text(
    frame: pd.DataFrame, name: Any, label: str, cells: TextCells, floats: dict[str, Floats], is_requested: bool
) -> Column:
    words, counts = cells.words, cells.counts
    if levels := boolean_levels(words):
        return Column(label, "boolean", levels=tuple(levels))
    numbers = read_numbers(words, str(frame.attrs.get("decimal", ".")))
    is_number = ~np.isnan(numbers.values)
    units, share = {numbers.units[k] for k in np.flatnonzero(is_number)}, counts[is_number].sum() / counts.sum()
    if share >= MIN_SHARE_OF_NUMBERS and len(units) == 1:
        (unit,) = units
        floats[label] = np.append(numbers.values, np.nan)[cells.codes]
        kind = "percent" if unit == "%" else "money" if is_money(unit) else "number"
        return Column(label, kind, unit=unit or unit_in_name(label), decimal=numbers.decimal)
    for kind, test in (("time", is_clock), ("date", is_date)):
        if counts[list(map(test, words))].sum() >= MIN_SHARE_OF_NUMBERS * counts.sum():
            why = "" if is_requested else "holds times of the day" if kind == "time" else "holds dates"
            return Column(label, kind, why, day_first=_is_day_first(words)[0])
    if is_requested and share >= 0.5 and len(units) == 1:
        raise cell_fault(frame, int(np.argmax(cells.codes == int(np.argmin(is_number)))), name)
    if not is_requested and len(words) == 1 < len(cells.codes):
        return Column(label, "constant", "is the same in every row")
    why = "" if is_requested else _why_no_category(label, cells, share, len(units))
    kind = "category" if not why else "id" if "row" in why else "text"
    return Column(label, kind, why, levels=() if why else tuple(sorted(words)))


def _why_no_category(label: str, cells: TextCells, share: float, n_units: int) -> str:
    n, d = int(cells.counts.sum()), len(cells.words)
    if d == n > 1:
        return "is different in every row"
    if _last_word(label) in ID_WORDS:
        return "is an id by its name, not one for each row"
    if share >= 0.5:
        what = "has different units" if n_units > 1 else "mixes numbers and text"
        order = np.argsort(-cells.counts, kind="stable")
        return f"{what}, such as {cells.words[order[0]]:.20} and {cells.words[order[-1]]:.20}"
    return f"holds text, {d} different values" if d > MAX_CATEGORY_LEVELS or n < MIN_ROWS_PER_LEVEL * d else ""


def _check_numbers(frame: pd.DataFrame, role: Column, floats: Floats) -> Column:
    """The role of a column of numbers: left out if it is constant, an id, a counter or a time."""
    finite = floats[np.isfinite(floats)]
    if _is_measured(role.name, finite[:8], finite.min(), (finite.max() - finite.min()) / max(len(finite) - 1, 1)):
        return role
    if not np.isnan(floats).any() and (why := _counts(role.name, finite)):
        return replace(role, kind="id", why_not=why)
    whole, last = bool((finite % 1 == 0).all()), _last_word(role.name)
    if len(finite) > 1 and (finite == finite[0]).all():
        values = column(frame, _name_in(frame, role.name))
        exact = values.dtype.kind not in "iu" or values.nunique() == 1
        why = "is the same in every row" if exact else "differs by less than floats of its size can tell"
        return replace(role, kind="constant", why_not=why)
    if whole and (last in ID_WORDS or (last in ROW_NAMES and len(np.unique(finite)) == len(finite) > 1)):
        return replace(role, kind="id", why_not="is an id by its name")
    if _is_time(role.name, last, finite, whole):
        return replace(role, kind="date", why_not="holds times")
    if whole and set(np.unique(finite)) == {0.0, 1.0}:
        return replace(role, kind="boolean", levels=("0", "1"), unit="")
    return role


def _is_measured(name: str, some: Floats, low: float, step: float) -> bool:
    """Whether some of the values tell that they are no times, neither whole nor evenly spaced: most columns are so."""
    if not step or not (some % 1).any():
        return False
    off = (some - low) / step
    return bool(np.abs(off - np.round(off)).max() > 0.01) and _last_word(name) not in TIME_WORDS


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


def _without_copies(columns: list[Column], floats: Mapping[str, Floats]) -> list[Column]:
    """Leave out columns that are another one in another unit: Celsius and Fahrenheit, centimeters and inches."""
    numbers = [k for k, role in enumerate(columns) if not role.why_not and role.kind in ("number", "percent", "money")]
    if len(numbers) < 2:
        return columns
    n_bytes = 40.0 * len(numbers) * len(floats[columns[numbers[0]].name])
    current().reserve(n_bytes, f"comparing {len(numbers)} columns", "use fewer columns")
    X = np.stack([floats[columns[k].name] for k in numbers])
    X = X[:, np.isfinite(X).all(axis=0)]
    if X.shape[1] < 3:
        return columns
    low, middle, high = quartiles(X.T)[:, :, None]
    X = (X - middle) / np.where(high > low, high - low, np.maximum(np.ptp(X, axis=1, keepdims=True), 1e-300))
    centered = X - X.mean(axis=1, keepdims=True)
    centered /= np.maximum(np.linalg.norm(centered, axis=1, keepdims=True), 1e-300)
    out = list(columns)
    for start in range(0, len(X), BLOCK_COLUMNS):
        correlations = np.abs(centered[start : start + BLOCK_COLUMNS] @ centered.T)
        for j, row in enumerate(correlations, start):
            for i in np.flatnonzero(row[:j] > MIN_COPY_CORRELATION - 1e-6).tolist():
                if not out[numbers[i]].why_not and _is_copy(X[i], X[j]):
                    said = f"is a copy of {columns[numbers[i]].name}"
                    out[numbers[j]] = replace(columns[numbers[j]], kind="copy", why_not=said)
                    break
    return out


def _is_copy(column: Floats, other: Floats) -> bool:
    """Whether one column is another, rounded, in another unit."""
    column, other = column - column.mean(), other - other.mean()
    squares, product = column @ column, column @ other
    if product**2 <= MIN_COPY_CORRELATION**2 * squares * (other @ other):
        return False
    rest = np.abs(other - product / squares * column).max()
    return bool(rest <= (MAX_COPY_RESIDUAL if len(column) >= MIN_ROWS_TO_JUDGE else 1e-9))


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
