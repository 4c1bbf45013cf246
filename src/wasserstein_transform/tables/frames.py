"""Tables from DataFrames, Arrow tables, mappings and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .columns import default_names, unique_names
from .formats.parquet import from_arrow
from .table import Table


def as_table(values: Any, source: str = "the table") -> Table:
    """Convert a DataFrame of pandas or polars, an Arrow table, a mapping of names to columns, or an array to a Table.

    Parameters
    ----------
    values : Table, DataFrame, mapping, or array of shape (n, m) or (n,)
        A Table is returned unchanged. The columns of an array are named x, y, z, or x1, …, xm if there are more than
        three.
    source : str, default "the table"
        Name of the table in error messages.

    Returns
    -------
    Table

    Examples
    --------
    >>> import pandas as pd
    >>> from wasserstein_transform.tables import as_table
    >>> as_table(pd.DataFrame({"east": [0.0, 1.0], "north": [2.0, 3.0]})).names
    ('east', 'north')
    """
    if isinstance(values, Table):
        return values
    if hasattr(values, "column_names") and hasattr(values, "num_rows"):
        return from_arrow(values, source)
    if hasattr(values, "columns") and hasattr(values, "__getitem__"):
        names = [str(name) for name in values.columns]
        columns = (values.iloc[:, k] if hasattr(values, "iloc") else values[name] for k, name in enumerate(names))
        return Table(dict(zip(unique_names(names), map(np.asarray, columns), strict=True)), source)
    if isinstance(values, Mapping):
        return Table({str(name): column for name, column in values.items()}, source)
    array = np.asarray(values)
    if array.ndim not in (1, 2) or array.dtype.names:
        raise TypeError(
            f"{source} must be a DataFrame, a mapping of names to columns or an n × m array, "
            f"got {type(values).__name__} of shape {array.shape}"
        )
    rows = array.reshape(len(array), -1)
    return Table(dict(zip(default_names(rows.shape[1]), rows.T, strict=True)), source)
