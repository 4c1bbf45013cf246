"""What each column of a table is: a number, a category, a date, an id, …; which ones are clustered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from .._check import warn_of_rounding
from .._types import Bools, Floats
from .cells import Column, boolean_levels, is_date, is_money, read_numbers
from .columns import cell_fault, column, is_text, missing_cells, numeric, places, source_of

_NEARLY = 0.95  # fraction of the cells that must be numbers, or dates
_LEVELS = 20  # most values of a category
_REPEATS = 3  # rows for each value of a category, at least
_ROWS = 10  # rows from which on a column that only counts is no measurement, whatever its name
_DENSE, _UNIQUE = 2, 30  # so many different integers in a range of twice their number are numbers of rows
_SAME = 0.03  # interquartile ranges: the largest rounding between two copies of a column

# words that end the name of an id; with the second ones it must also be different in every row
_IDS = {"id", "ids", "fid", "rowid", "uid", "uuid", "guid", "key", "code", "zip", "zipcode", "postcode", "plz", "phone",
        "tel", "telephone", "fax", "isbn", "ean", "sku"}  # fmt: skip
_NUMBERS = {"no", "nr", "num", "number", "nummer", "index", "row", "rank", "record", "case", "unnamed: 0", "column_1"}
_YEARS = {"year", "jahr", "yr"}
_DAYS = {"month", "monat", "day", "tag", "weekday", "hour"}
_TIMES = {"time", "timestamp", "ts", "date", "datetime", "epoch", "unix", "zeit", "datum", "at"}
_EPOCHS = tuple((1e8 * unit, 5e9 * unit) for unit in (1.0, 1e3, 1e6, 1e9))  # 1973 to 2128, in s, ms, µs, ns

_UNITS = re.compile(
    r"[nuµmcdk]?m|in|inch(?:es)?|ft|yd|mi|miles?|[mk]?g|grams?|lbs?|oz|m?s|sec|min|h|hrs?|hours?|days?|years?|yrs?"
    r"|[kmg]?hz|°[cfk]?|[hkm]?pa|m?bar|psi|[mk]?v|ma|kw|k?wh|mwh|kj|kcal|[mcd]?l|gal|eur|usd|gbp|chf|pct|percent|[%‰]"
    r"|deg|degrees?|rad|pp[mb]|m?mol|px|dbm?|km/?h|mph|m/s|l/min|mm/h|mg/d?l|g/l|mmol/l|k?m[2²3³]|ha"
)
_ENDING = re.compile(
    r".*?(?:\[\s*(?P<square>[^\]]+?)\s*\]|\(\s*(?P<round>[^)]+?)\s*\)|[\s_.](?P<word>[^\s_()\[\]]+))\s*"
)


ENOUGH = 2
"""Numbers beside which categories are left out."""

BESIDE = "is beside the coordinates"
"""Why a column is left out if others say where points are."""


def roles(frame: pd.DataFrame, names: Sequence[str] | None) -> list[Column]:
    """Return how each column is read, and which ones are left out and why.

    Given names are used, whatever they hold; else columns that say where points are, such as x and y; else what is
    neither id, constant, copy, date nor free text, and categories only where there are fewer than two numbers.
    """
    where = () if names is not None or is_nameless(frame) else places(frame)
    asked = tuple(names) if names is not None else where
    found = [_role(frame, name, asked=True) for name in asked]
    if names is not None:
        return found
    others = [name for name in frame.columns if name not in where]
    if where:
        known = numeric(frame)
        return found + [Column(str(name), "number" if name in known else "other", BESIDE) for name in others]
    found = _without_categories(_without_copies(frame, [_role(frame, name) for name in others]))
    if all(one.kind == "constant" for one in found):
        return [_role(frame, name, asked=True) for name in others]  # all rows are in one place
    return found


def read(frame: pd.DataFrame, role: Column) -> Floats:
    """Return the values of a column, shape (n, width): NaN where there is none, 0 and 1 for categories."""
    values = column(frame, _name_in(frame, role.name))
    if role.kind in ("category", "boolean"):
        words = _words(values)
        if role.kind == "boolean":
            words = words.str.lower()
        codes = pd.Index(role.levels).get_indexer(words)
        out = (codes[:, None] == np.arange(len(role.levels))).astype(np.float64)
        out = out if role.kind == "category" else out[:, 1:]
        out[missing_cells(values)] = np.nan
        return np.asarray(out)
    if role.kind == "date":
        return _days(values)[:, None]
    if values.dtype.kind in "iu":
        warn_of_rounding(values.dropna().to_numpy(), f"{source_of(frame)}, column {role.name:.60},")
    floats = _floats(values, role.decimal)
    if np.isinf(floats).any():
        raise cell_fault(frame, int(np.argmax(np.isinf(floats))), _name_in(frame, role.name))
    return floats[:, None]


def misread(frame: pd.DataFrame, role: Column) -> tuple[int, str]:
    """Return the number of cells in a column of numbers that are something else, and the first of them."""
    values = column(frame, _name_in(frame, role.name))
    if not is_text(values) or role.kind not in ("number", "percent", "money"):
        return 0, ""
    bad = np.isnan(_floats(values, role.decimal)) & ~missing_cells(values)
    return int(bad.sum()), str(values[bad].iloc[0]) if bad.any() else ""


def unit_in_name(name: str) -> str:
    """Return the unit at the end of a name, in lower case: length_mm, weight (kg), T [°C]; "" if there is none."""
    found = _ENDING.fullmatch(name)
    unit = next((part for part in found.groups() if part), "").lower() if found else ""
    return unit if _UNITS.fullmatch(unit) or (found and found["word"] is None) else ""


def is_nameless(frame: pd.DataFrame) -> bool:
    """Whether the names of the columns say nothing, since the table came without."""
    numbers = frame.columns.dtype.kind in "iu"
    return numbers or frame.attrs.get("header") is False or frame.attrs.get("kind") == "npy"


def _name_in(frame: pd.DataFrame, name: str) -> str:
    """The name as the table has it: columns may be numbers."""
    if name in frame.columns:
        return name
    return next((one for one in frame.columns if str(one) == name), name)


def _words(values: pd.Series) -> pd.Series:
    """Cells as text; whole numbers without a decimal point."""
    if values.dtype.kind == "f" and (values.dropna() % 1 == 0).all():
        values = values.astype("Int64")
    return values.astype(str).str.strip()


def _floats(values: pd.Series, decimal: str) -> Floats:
    if is_text(values) or isinstance(values.dtype, pd.CategoricalDtype):
        codes, cells = pd.factorize(values.astype(str).where(~missing_cells(values)))
        return np.asarray(np.append(read_numbers(list(cells), decimal, fixed=True).values, np.nan)[codes])
    if values.dtype.kind == "m":
        return np.asarray(values.dt.total_seconds(), np.float64)
    return np.asarray(values.to_numpy(np.float64, na_value=np.nan))


def _days(values: pd.Series) -> Floats:
    if is_text(values):
        dotted = values.dropna().astype(str).str.contains(r"^\d{1,2}\.").any()
        values = pd.to_datetime(values, format="mixed", dayfirst=bool(dotted), utc=True, errors="coerce")
    if values.dtype.kind in "iuf":
        return np.asarray(values.to_numpy(np.float64, na_value=np.nan))
    if isinstance(values.dtype, pd.PeriodDtype):
        values = values.dt.to_timestamp()
    naive = values.dt.tz_localize(None)
    days = np.asarray(naive, "datetime64[us]").astype(np.float64) / 86400e6
    return np.asarray(np.where(naive.isna(), np.nan, days))


def _role(frame: pd.DataFrame, name: str, asked: bool = False) -> Column:
    """How a column is read; `asked` is True if it is used whatever it holds."""
    values = column(frame, name)
    there, label = ~missing_cells(values), str(name)
    if not there.any():
        return Column(label, "empty", "" if asked else "has no values")
    if isinstance(values.dtype, pd.DatetimeTZDtype | pd.PeriodDtype) or values.dtype.kind == "M":
        return Column(label, "date", "" if asked else "holds dates")
    if values.dtype.kind == "b" or str(values.dtype) == "boolean":
        return Column(label, "boolean", levels=("false", "true"))
    if is_text(values) or isinstance(values.dtype, pd.CategoricalDtype):
        role = _role_of_text(frame, name, there, asked)
    elif values.dtype.kind in "iufm":
        role = Column(label, "number", unit=unit_in_name(label))
    elif not asked:
        return Column(label, "other", f"holds {values.dtype!s:.40}")
    else:
        where = f"{source_of(frame)}, column {label:.60}"
        raise ValueError(f"{where}: numbers or words are needed, got {values.dtype!s:.40}; leave it out")
    if asked or role.why_not:
        return role
    if not 2 * there.sum() >= len(there):
        return replace(role, kind="empty", why_not="is mostly empty")
    if role.kind in ("number", "percent", "money"):
        return _check_numbers(role, _floats(values, role.decimal))
    return role


def _role_of_text(frame: pd.DataFrame, name: str, there: Bools, asked: bool) -> Column:
    label, values = str(name), column(frame, name)
    counts = values[there].astype(str).str.strip().value_counts()
    cells = list(map(str, counts.index))
    if levels := boolean_levels(cells):
        return Column(label, "boolean", levels=tuple(levels))
    numbers = read_numbers(cells, str(frame.attrs.get("decimal", ".")))
    share = counts[~np.isnan(numbers.values)].sum() / counts.sum()
    if share >= _NEARLY and len(numbers.units) == 1:
        unit = numbers.units[0]
        kind = "percent" if unit == "%" else "money" if is_money(unit) else "number"
        return Column(label, kind, unit=unit or unit_in_name(label), decimal=numbers.decimal)
    dates = counts[[is_date(cell) for cell in cells]].sum() / counts.sum()
    if dates >= _NEARLY:
        return Column(label, "date", "" if asked else "holds dates")
    if asked and share >= 0.5 and len(numbers.units) == 1:
        bad = cells[int(np.argmax(np.isnan(numbers.values)))]
        raise cell_fault(frame, int(np.argmax(values.astype(str).str.strip() == bad)), name)
    if not asked and len(cells) == 1 < len(values):
        return Column(label, "constant", "is the same in every row")
    why = "" if asked else _why_no_category(name, counts, share, len(numbers.units))
    kind = "category" if not why else "id" if "row" in why else "text"
    return Column(label, kind, why, levels=() if why else tuple(sorted(cells)))


def _why_no_category(name: str, counts: pd.Series, share: float, n_units: int) -> str:
    n, d = int(counts.sum()), len(counts)
    if d == n > 1:
        return "is different in every row"
    if _last_word(name) in _IDS:
        return "is an id by its name, not one for each row"
    if share >= 0.5:
        what = "has different units" if n_units > 1 else "mixes numbers and text"
        return f"{what}, such as {counts.index[0]!s:.20} and {counts.index[-1]!s:.20}"
    return f"holds text, {d} different values" if d > _LEVELS or n < _REPEATS * d else ""


def _check_numbers(role: Column, floats: Floats) -> Column:
    """The role of a column of numbers: left out if it is constant, an id, a counter or a time."""
    there = floats[np.isfinite(floats)]
    if not np.isnan(floats).any() and (why := _counts(role.name, there)):
        return replace(role, kind="id", why_not=why)
    whole, last = bool((there % 1 == 0).all()), _last_word(role.name)
    if len(there) > 1 and (there == there[0]).all():
        return replace(role, kind="constant", why_not="is the same in every row")
    if whole and (last in _IDS or (last in _NUMBERS and len(np.unique(there)) == len(there) > 1)):
        return replace(role, kind="id", why_not="is an id by its name")
    if _is_time(role.name, last, there, whole):
        return replace(role, kind="date", why_not="holds times")
    if whole and set(np.unique(there)) == {0.0, 1.0}:
        return replace(role, kind="boolean", levels=("0", "1"), unit="")
    return role


def _counts(name: str, there: Floats) -> str:
    """Why a complete column numbers the rows; "" if it does not."""
    n, steps = len(there), np.diff(np.sort(there))
    even = n > 1 and steps[0] > 0 and bool((np.abs(steps - steps[0]) <= 1e-6 * steps[0]).all())
    if even and (n >= _ROWS or _last_word(name) in _IDS | _NUMBERS):
        return "numbers the rows"
    if n < _UNIQUE or (there % 1 != 0).any():
        return ""
    if (steps > 0).all() and there.max() - there.min() < _DENSE * n:
        return "numbers the rows"
    period = int(there.max() - there.min()) + 1 if there.max() - there.min() < n / 4 else 0
    if period > 2 and ((np.diff(there) - 1) % period == 0).all():
        return f"counts {there.min():.0f} to {there.max():.0f} again and again"
    return ""


def _is_time(name: str, last: str, there: Floats, whole: bool) -> bool:
    low, high = there.min(), there.max()
    if whole and last in _YEARS and 1000 <= low <= high <= 2500:
        return True
    if whole and name.lower() in _DAYS:
        return True
    return last in _TIMES and any(least <= low <= high <= most for least, most in _EPOCHS)


def _last_word(name: str) -> str:
    """The last word of a name, in lower case: of user_id, userId and "user id" it is id."""
    if name.lower() in _NUMBERS:
        return name.lower()
    words = re.findall(r"[A-ZÄÖÜ]?[a-zäöüß]+|[A-ZÄÖÜ]+(?![a-zäöü])", name)
    return words[-1].lower() if words else ""


def _without_copies(frame: pd.DataFrame, found: list[Column]) -> list[Column]:
    """Leave out columns that are another one in another unit: Celsius and Fahrenheit, centimeters and inches."""
    numbers = [k for k, one in enumerate(found) if not one.why_not and one.kind in ("number", "percent", "money")]
    if len(numbers) < 2:
        return found
    X = np.column_stack([_floats(column(frame, _name_in(frame, found[k].name)), found[k].decimal) for k in numbers])
    X = X[np.isfinite(X).all(axis=1)]
    if len(X) < 3:
        return found
    low, middle, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
    Z = (X - middle) / np.where(high > low, high - low, np.maximum(np.ptp(X, axis=0), 1e-300))
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = np.abs(np.corrcoef(Z, rowvar=False)) > 0.999
    out = list(found)
    for j in range(1, len(numbers)):
        for i in np.flatnonzero(alike[j, :j]):
            if not out[numbers[i]].why_not and _is_copy(Z[:, i], Z[:, j]):
                out[numbers[j]] = replace(
                    found[numbers[j]], kind="copy", why_not=f"is a copy of {found[numbers[i]].name}"
                )
                break
    return out


def _is_copy(one: Floats, other: Floats) -> bool:
    slope = np.cov(one, other)[0, 1] / one.var(ddof=1)
    rest = np.abs(other - other.mean() - slope * (one - one.mean())).max()
    return bool(rest <= (_SAME if len(one) >= _ROWS else 1e-9))


def _without_categories(found: list[Column]) -> list[Column]:
    """Leave out categories and booleans beside numbers.

    By `benchmarks/quality/mixed.py`, groups 4.5 deviations apart have an adjusted Rand index of 0.91 without
    categories; two categories that know nothing of the groups lower it to 0.00, two that follow them to 0.90.
    """
    used = [one for one in found if not one.why_not]
    words = [one for one in used if one.kind in ("category", "boolean")]
    if len(used) - len(words) < ENOUGH:
        return found
    return [replace(one, why_not=f"is a {one.kind}") if one in words else one for one in found]
