"""The columns of a DataFrame as coordinates, their standard errors in columns such as x_err beside x, and the map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from .. import _check as check
from .._types import Floats
from .arrays import TableValues
from .cells import Column, list_names, say_left_out
from .columns import chosen, longitude_and_latitude, numeric, source_of, with_text_names
from .earth import MAP_RADIUS, LocalMeters, map_of
from .filling import fill_by_columns
from .roles import column_roles, is_day_first_guessed, is_nameless, misread, read

_ERROR_NAMES = ("{}_err", "{}_error", "{}_sigma", "err_{}", "error_{}", "sigma_{}")  # columns of standard errors


def read_frame(
    frame: pd.DataFrame, columns: Sequence[Any] | None, errors: Sequence[Any] | None, weights: Floats
) -> TableValues:
    """Read the columns that are chosen, or asked for, and their standard errors."""
    named = with_text_names(frame)
    text_of_name = dict(zip(frame.columns, named.columns, strict=True))
    columns, errors = (
        None if names is None else chosen(named, [text_of_name.get(name, name) for name in np.atleast_1d(names)])
        for names in (columns, errors)
    )
    frame, error_of = named, find_errors(named) if errors is None else {}
    aside = {*(error_of.values() if errors is None else errors)} - {*(columns or ())}
    rest = frame.drop(columns=list(aside)) if aside else frame
    rest.attrs = frame.attrs
    if not len(rest):
        raise ValueError(f"{source_of(frame)} has no rows; a table needs at least one")
    with_mass = rest if weights.all() else rest[weights > 0]
    numbers = dict[str, Floats]()
    all_columns = column_roles(with_mass, columns, numbers)
    used = [column for column in all_columns if not column.why_not]
    if not used:
        said = list_names([f"{column.name} {column.why_not}" for column in all_columns])
        use = check.option_text("columns=[...]")
        raise ValueError(f"{source_of(frame)} has no column to cluster: {said}; {use} uses them anyway")
    notes, blocks = say_left_out(all_columns), []
    for column in used:
        blocks.append(read(rest, column, numbers if with_mass is rest else None))
        count, first = misread(rest, column, blocks[-1])
        if count:
            cells = "cell is" if count == 1 else "cells are"
            what = "date" if column.kind == "date" else "number"
            notes.append(f"column {column.name}: {count} {cells} no {what}, such as {first!r:.40}, and missing")
        if is_day_first_guessed(rest, column):
            notes.append(f"column {column.name}: 03/04/2020 is read as 4 March; write 2020-04-03 if it is 3 April")
    table = TableValues(all_columns, np.column_stack(blocks), notes, not is_nameless(rest))
    if errors is not None:
        if len(errors) != len(used):
            raise ValueError(
                f"covariances must name a column of errors for each of the {len(used)} columns "
                f"{', '.join(column.name for column in used)}, got {len(errors)}; "
                f"{check.option_text('columns=[...]')} names those to cluster"
            )
        error_of = {column.name: name for column, name in zip(used, errors, strict=True)}
    names = tuple(
        error_of.get(column.name, "") if column.kind in ("number", "percent", "money") else ""
        for column in used
        for _ in column.names
    )
    names = tuple("" if name in (columns or ()) else name for name in names)
    if not any(names):
        return table
    said = list_names([name for name in names if name])
    of = list_names([column for column, name in zip(table.names, names, strict=True) if name])
    use = check.option_text("covariances=True")
    notes.append(f"read as standard errors of {of}, not as coordinates: {said}; {use} takes them into account")
    filled = fill_by_columns(read_errors(frame, names), weights, [Column(name, "number") for name in names])
    return replace(table, errors=filled, error_names=names)


def map_among(frame: Any, names: tuple[str, ...], values: Floats) -> tuple[LocalMeters | None, list[int], list[str]]:
    """The local map if longitude and latitude are among the coordinates, where they are, and what is said."""
    pair = longitude_and_latitude(names)
    if pair is None:
        return None, [], []
    positions = [names.index(name) for name in pair]
    earth, _, _, said = map_of(frame, pair, values[:, positions])
    if earth is None:
        return None, [], said
    far = float(np.hypot(*earth.to_meters(values[:, positions]).T).max())
    if far <= MAP_RADIUS:
        return earth, positions, said
    why = (
        f"{pair[0]} and {pair[1]} are used in degrees, since points lie {far / 1e3:,.0f} km from their middle, too far "
        "for one map in meters; take one region at a time"
    )
    return None, [], [why]


def find_errors(frame: pd.DataFrame) -> dict[str, str]:
    """Return the column of standard errors of each column that has one by name: numbers that are not negative."""
    numbers = {name.lower(): name for name in numeric(frame)}
    errors = dict[str, str]()
    for lowered, name in numbers.items():
        beside = [numbers[form.format(lowered)] for form in _ERROR_NAMES if form.format(lowered) in numbers]
        if beside and not (read(frame, Column(beside[0], "number")) < 0).any():
            errors[name] = beside[0]
    return errors


def read_errors(frame: pd.DataFrame, names: Sequence[str]) -> Floats:
    """Return standard errors, shape (n, m): NaN in gaps, 0 where the name is empty."""
    frame = with_text_names(frame)
    parts = [read(frame, Column(name, "number"))[:, 0] if name else np.zeros(len(frame)) for name in names]
    errors = np.column_stack(parts)
    if (errors < 0).any():
        k = int(np.argmax((errors < 0).any(axis=0)))
        raise ValueError(
            f"{source_of(frame)}, column {names[k]}: standard errors must not be negative, got {errors[:, k].min():g}"
        )
    return errors
