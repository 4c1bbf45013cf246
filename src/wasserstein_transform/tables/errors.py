"""Columns that hold the standard errors of other columns: x_err beside x."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .. import _check as check
from .._types import Floats
from .cells import Column
from .columns import chosen, numeric, source_of
from .roles import read

_NAMES = re.compile(r"(?P<first>.+)_(?:err|error|sigma)|(?:err|error|sigma)_(?P<last>.+)", re.IGNORECASE)


def find_errors(frame: pd.DataFrame) -> dict[Any, Any]:
    """Return the column of standard errors of each column that has one by name.

    The errors of x are x_err, x_error, x_sigma, err_x, error_x or sigma_x: numbers that are not negative, in at least
    half of the rows.
    """
    matches = {name: match for name in frame.columns if (match := _NAMES.fullmatch(str(name)))}
    if not matches:
        return {}
    known, found = set(numeric(frame)), dict[Any, Any]()
    columns = {str(name).lower(): name for name in known}
    for name, match in matches.items():
        of = columns.get((match["first"] or match["last"]).lower())
        if of is not None and of not in found and name in known and _are_errors(frame, name):
            found[of] = name
    return found


def _are_errors(frame: pd.DataFrame, name: Any) -> bool:
    values = read(frame, Column(str(name), "number"))
    known = values[~np.isnan(values)]
    return 2 * known.size >= values.size and bool((known >= 0).all())


def name_errors(frame: pd.DataFrame, names: Sequence[Any], used: Sequence[Column]) -> dict[str, Any]:
    """Return the column of standard errors of each column that is used, if they are given in the same order."""
    if len(names) != len(used):
        columns = ", ".join(one.name for one in used)
        raise ValueError(
            f"covariances must name a column of errors for each of the {len(used)} columns {columns}, "
            f"got {len(names)}; {check.spell('columns=[...]')} names those to cluster"
        )
    return {one.name: name for one, name in zip(used, chosen(frame, names), strict=True)}


def read_errors(frame: pd.DataFrame, names: Sequence[str]) -> Floats:
    """Return standard errors, shape (n, m): NaN in gaps, 0 where the name is empty."""
    parts = [read(frame, Column(name, "number"))[:, 0] if name else np.zeros(len(frame)) for name in names]
    errors = np.column_stack(parts)
    if (errors < 0).any():
        at = int(np.argmax((errors < 0).any(axis=0)))
        raise ValueError(
            f"{source_of(frame)}, column {names[at]}: standard errors must not be negative, got {errors[:, at].min():g}"
        )
    return errors


def names_of_errors(used: Sequence[Column], beside: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the name of the column of errors of each coordinate, empty if there is none."""
    by_name = {str(of): str(name) for of, name in beside.items()}
    return tuple(
        by_name.get(one.name, "") if one.kind in ("number", "percent", "money") else ""
        for one in used
        for _ in one.names
    )
