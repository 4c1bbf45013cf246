"""Tables in Parquet files, read with pyarrow; unchanged columns are written back with their original types."""

from __future__ import annotations

import io
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns import Kept, as_column, listed, unique_names, words
from ..kinds import need
from ..sources import reserve
from ..table import Table
from .pages import pages_of

_HELD = 3.0  # bytes of memory for each uncompressed byte of a column
_WORD = 60.0  # bytes that a string takes in addition to its characters
_LONGEST = 16.0  # largest size of a number in bytes


def read_parquet(content: bytes, source: str) -> Table:
    """Read all flat columns; nested columns are left out, with a note."""
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    try:
        file = parquet.ParquetFile(arrow.BufferReader(content))
        reserve(_needed(content, file), source)
        schema = file.schema_arrow
        nested = {field.name: field.type for field in schema if arrow.types.is_nested(field.type)}
        flat = {field.name: field.type for field in schema if field.name not in nested}
        worded = [name for name, kind in flat.items() if _is_words(kind, arrow)]
        file = parquet.ParquetFile(arrow.BufferReader(content), metadata=file.metadata, read_dictionary=worded)
        read = file.read(columns=list(flat) if nested else None, use_pandas_metadata=False)
        if flat and read.num_rows == 0:
            names = listed(read.column_names)
            raise ValueError(f"{source} has columns ({names}) and no rows; a table needs at least one")
        return from_arrow(_with_words(read, flat, worded, source, arrow), source, nested)
    except MemoryError:
        raise
    except Exception as error:  # errors of Arrow, and invalid dates
        if type(error) is ValueError and str(error).startswith(source):
            raise
        words = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"{source} is cut off or damaged: {words:.200}; fetch it again") from None


def _needed(content: bytes, file: Any) -> float:
    """Bytes of memory for all columns, computed from the pages: repeated values take almost no space in the file."""
    total = 0.0
    lengths = [max(_LONGEST, file.schema.column(j).length or 0) for j in range(file.metadata.num_columns)]
    for k in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(k)
        for j, length in enumerate(lengths if group.num_rows else ()):
            column = group.column(j)
            start = column.data_page_offset
            if column.dictionary_page_offset is not None and column.has_dictionary_page:
                start = min(start, column.dictionary_page_offset)
            for page in pages_of(content, start, column.total_compressed_size):
                total += _HELD * page.n_bytes + length * page.n_values
    return total


def _is_words(kind: Any, arrow: Any) -> bool:
    is_a = arrow.types
    return any(is_one(kind) for is_one in (is_a.is_string, is_a.is_large_string, is_a.is_binary, is_a.is_large_binary))


def _with_words(read: Any, kinds: Mapping[str, Any], worded: list[str], source: str, arrow: Any) -> Any:
    """Expand dictionary-encoded strings, after checking that they fit into memory."""
    for k, name in enumerate(read.column_names):
        column = read.column(k)
        if name in worded and arrow.types.is_dictionary(column.type):
            _reserve_words(column, source, arrow)
            read = read.set_column(k, name, column.cast(kinds[name]))
    return read


def _reserve_words(column: Any, source: str, arrow: Any) -> None:
    lengths = need("pyarrow.compute", "parquet").binary_length
    total = _WORD * len(column)
    for chunk in column.chunks:
        if _is_words(chunk.type.value_type, arrow):
            each = lengths(chunk.dictionary).fill_null(0).to_numpy(zero_copy_only=False)
            total += _HELD * float(each[chunk.indices.drop_null().to_numpy(zero_copy_only=False)].sum(dtype=np.float64))
    reserve(total, source)


def from_arrow(read: Any, source: str, nested: Mapping[str, Any] = MappingProxyType({})) -> Table:
    """Convert an Arrow table; `nested` has the types of columns that were not read."""
    arrow = need("pyarrow", "parquet")
    columns, kept = {}, {}
    left_out = {name: _why(kind) for name, kind in nested.items()}
    for name, column in zip(unique_names(read.column_names), read.columns, strict=True):
        if arrow.types.is_nested(column.type):
            left_out[name] = _why(column.type)
            continue
        columns[name] = _values(column, name, source, arrow)
        if column.null_count or column.type not in (arrow.int64(), arrow.float64(), arrow.string()):
            kept[name] = Kept("arrow", column)
    if not columns:
        raise ValueError(
            f"{source} has only nested columns ({listed(tuple(left_out))}); a table needs numbers or strings"
        )
    notes = (f"{source}: nested columns are left out: {listed(tuple(left_out))}",) if left_out else ()
    return Table(columns, source, notes=notes, kept=kept, left_out=left_out)


def _why(kind: Any) -> str:
    return f"holds {kind!s:.60}, more than one value per row"


def _values(column: Any, name: str, source: str, arrow: Any) -> NDArray[Any]:
    kind, is_a = column.type, arrow.types
    if is_a.is_dictionary(kind):
        _reserve_words(column, source, arrow)
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
    """Encode all columns, unchanged ones with the type they had in the file."""
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
