"""Tables in Parquet files, by pyarrow; columns that are not changed are written back with their own types."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns import Kept, as_column, unique_names, words
from ..kinds import need
from ..sources import reserve
from ..table import Table

_HELD = 3.0  # bytes of memory for each that a column has unpacked


def read_parquet(content: bytes, source: str) -> Table:
    """All flat columns; nested ones are left out, and a note says so."""
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    try:
        file = parquet.ParquetFile(arrow.BufferReader(content))
        groups = (file.metadata.row_group(k) for k in range(file.metadata.num_row_groups))
        reserve(_HELD * sum(group.total_byte_size for group in groups), source)
        read = file.read(use_pandas_metadata=False)
    except (arrow.ArrowException, OSError) as error:
        raise ValueError(f"{source} is cut off or damaged: {str(error).splitlines()[0]}; fetch it again") from None
    if read.num_rows == 0:
        raise ValueError(
            f"{source} has columns ({', '.join(read.column_names)}) and no rows; a table needs at least one"
        )
    return from_arrow(read, source)


def from_arrow(read: Any, source: str) -> Table:
    """A table of an Arrow table."""
    arrow = need("pyarrow", "parquet")
    columns, kept, left_out = {}, {}, {}
    for name, column in zip(unique_names(read.column_names), read.columns, strict=True):
        if arrow.types.is_nested(column.type):
            left_out[name] = f"holds {column.type}, more than one value a row"
            continue
        columns[name] = _values(column, name, source, arrow)
        if column.null_count or column.type not in (arrow.int64(), arrow.float64(), arrow.string()):
            kept[name] = Kept("arrow", column)
    if not columns:
        raise ValueError(f"{source} has only nested columns ({', '.join(left_out)}); a table needs numbers or words")
    notes = (f"{source}: nested columns are left out: {', '.join(left_out)}",) if left_out else ()
    return Table(columns, source, notes=notes, kept=kept, left_out=left_out)


def _values(column: Any, name: str, source: str, arrow: Any) -> NDArray[Any]:
    kind, is_a = column.type, arrow.types
    if is_a.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if is_a.is_decimal(kind):
        column = column.cast(arrow.float64())
    elif is_a.is_float16(kind):
        return np.asarray(column.to_numpy(), np.float64)
    if is_a.is_integer(kind) and column.null_count:
        return np.array([np.nan if cell is None else float(cell) for cell in column.to_pylist()])
    if is_a.is_integer(kind) or is_a.is_floating(kind) or is_a.is_decimal(kind):
        return as_column(column.to_numpy(), name, source)
    if is_a.is_timestamp(kind) or is_a.is_date(kind):
        return np.asarray(column.to_numpy(), "datetime64[us]" if is_a.is_date(kind) else None)
    if is_a.is_boolean(kind) and not column.null_count:
        return np.array(column.to_pylist(), np.bool_)
    return words([cell if cell is None or isinstance(cell, str) else str(cell) for cell in column.to_pylist()])


def encode_parquet(table: Table) -> bytes:
    """A column for each, with the type it came with."""
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    held = io.BytesIO()
    parquet.write_table(arrow.table([_arrow(table, name, arrow) for name in table.names], list(table.names)), held)
    return held.getvalue()


def _arrow(table: Table, name: str, arrow: Any) -> Any:
    kept = table.kept.get(name)
    if kept is not None and kept.family == "arrow":
        return kept.cells
    values = table.columns[name]
    return arrow.array(values.tolist(), arrow.string()) if values.dtype.kind in "UO" else arrow.array(values)
