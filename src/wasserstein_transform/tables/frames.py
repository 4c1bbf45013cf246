"""The columns of a DataFrame as coordinates, their standard errors in columns such as x_err beside x, and the map."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from .. import _check as check
from .._types import Floats
from .arrays import TableValues
from .cells import MAX_LISTED, Column, list_names, say_left_out
from .columns import chosen, longitude_and_latitude, numeric, source_of
from .earth import MAP_RADIUS, LocalMeters, map_of
from .filling import fill_by_columns
from .roles import column_roles, is_day_first_guessed, is_nameless, misread, read

_ERROR_NAME = re.compile(r"(?P<first>.+)_(?:err|error|sigma)|(?:err|error|sigma)_(?P<last>.+)", re.IGNORECASE)


def read_frame(
    frame: pd.DataFrame, columns: Sequence[Any] | None, errors: Sequence[Any] | None, weights: Floats
) -> TableValues:
    """Read the columns that are chosen, or asked for, and their standard errors."""
    rest, errors_by_column = _without_errors(frame, columns, errors)
    if not len(rest):
        raise ValueError(f"{source_of(frame)} has no rows; a table needs at least one")
    with_mass = rest if weights.all() else rest[weights > 0]
    all_columns, floats = column_roles(with_mass, None if columns is None else chosen(rest, columns))
    used = [column for column in all_columns if not column.why_not]
    if not used:
        said = "; ".join(f"{column.name} {column.why_not}" for column in all_columns[:MAX_LISTED])
        more = f"; and {len(all_columns) - MAX_LISTED} more" if len(all_columns) > MAX_LISTED else ""
        use = check.option_text("columns=[...]")
        raise ValueError(f"{source_of(frame)} has no column to cluster: {said}{more}; {use} uses them anyway")
    notes, blocks = say_left_out(all_columns), []
    for column in used:
        blocks.append(read(rest, column, floats if with_mass is rest else None))
        count, first = misread(rest, column, blocks[-1])
        if count:
            cells = "cell is" if count == 1 else "cells are"
            what = "date" if column.kind == "date" else "number"
            notes.append(f"column {column.name}: {count} {cells} no {what}, such as {first!r:.40}, and missing")
        if is_day_first_guessed(rest, column):
            notes.append(f"column {column.name}: 03/04/2020 is read as 4 March; write 2020-04-03 if it is 3 April")
    table = TableValues(all_columns, np.column_stack(blocks), notes, not is_nameless(rest))
    names = names_of_errors(used, errors_by_column if errors is None else name_errors(frame, errors, used))
    if not any(names):
        return table
    said = list_names([name for name in names if name])
    of = list_names([column for column, name in zip(table.names, names, strict=True) if name])
    use = check.option_text("covariances=True")
    notes.append(f"read as standard errors of {of}, not as coordinates: {said}; {use} takes them into account")
    filled = fill_by_columns(read_errors(frame, names), weights, [Column(name, "number") for name in names])
    return replace(table, errors=filled, error_names=names)


def _without_errors(
    frame: pd.DataFrame, columns: Sequence[Any] | None, errors: Sequence[Any] | None
) -> tuple[pd.DataFrame, dict[Any, Any]]:
    """Return a table without columns of standard errors, and the column of errors of each column that has one."""
    beside = find_errors(frame) if errors is None else {}
    if columns is not None:
        requested = chosen(frame, columns)
        return frame, {of: name for of, name in beside.items() if of in requested and name not in requested}
    aside = list(beside.values()) if errors is None else list(chosen(frame, errors))
    rest = frame.drop(columns=aside) if aside else frame
    rest.attrs = frame.attrs
    return rest, beside


def map_among(frame: Any, names: tuple[str, ...], values: Floats) -> tuple[LocalMeters | None, list[int], list[str]]:
    """The local map if longitude and latitude are among the coordinates, where they are, and what is said."""
    pair = longitude_and_latitude(names)
    if pair is None:
        return None, [], []
    positions = [names.index(name) for name in pair]
    earth, _, _, said = map_of(frame, pair, values[:, positions])
    if earth is None or (far := earth.farthest(values[:, positions])) <= MAP_RADIUS:
        return earth, positions if earth is not None else [], said
    why = (
        f"{pair[0]} and {pair[1]} are used in degrees, since points lie {far / 1e3:,.0f} km from their middle, too far "
        "for one map in meters; take one region at a time"
    )
    return None, [], [why]


def find_errors(frame: pd.DataFrame) -> dict[Any, Any]:
    """Return the column of standard errors of each column that has one by name.

    The errors of x are x_err, x_error, x_sigma, err_x, error_x or sigma_x: numbers that are not negative, in at least
    half of the rows.
    """
    matches = {name: match for name in frame.columns if (match := _ERROR_NAME.fullmatch(str(name)))}
    if not matches:
        return {}
    numbers, error_of_column = set(numeric(frame)), dict[Any, Any]()
    columns = {str(name).lower(): name for name in numbers}
    for name, match in matches.items():
        name_of_values = columns.get((match["first"] or match["last"]).lower())
        if name_of_values is None or name_of_values in error_of_column or name not in numbers:
            continue
        values = read(frame, Column(str(name), "number"))
        errors = values[~np.isnan(values)]
        if 2 * errors.size >= values.size and (errors >= 0).all():
            error_of_column[name_of_values] = name
    return error_of_column


def name_errors(frame: pd.DataFrame, names: Sequence[Any], used: Sequence[Column]) -> dict[str, Any]:
    """Return the column of standard errors of each column that is used, if they are given in the same order."""
    if len(names) != len(used):
        columns = ", ".join(column.name for column in used)
        raise ValueError(
            f"covariances must name a column of errors for each of the {len(used)} columns {columns}, "
            f"got {len(names)}; {check.option_text('columns=[...]')} names those to cluster"
        )
    return {column.name: name for column, name in zip(used, chosen(frame, names), strict=True)}


def read_errors(frame: pd.DataFrame, names: Sequence[str]) -> Floats:
    """Return standard errors, shape (n, m): NaN in gaps, 0 where the name is empty."""
    parts = [read(frame, Column(name, "number"))[:, 0] if name else np.zeros(len(frame)) for name in names]
    errors = np.column_stack(parts)
    if (errors < 0).any():
        k = int(np.argmax((errors < 0).any(axis=0)))
        raise ValueError(
            f"{source_of(frame)}, column {names[k]}: standard errors must not be negative, got {errors[:, k].min():g}"
        )
    return errors


def names_of_errors(used: Sequence[Column], beside: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the name of the column of errors of each coordinate, empty if there is none."""
    by_name = {str(of): str(name) for of, name in beside.items()}
    return tuple(
        by_name.get(column.name, "") if column.kind in ("number", "percent", "money") else ""
        for column in used
        for _ in column.names
    )
