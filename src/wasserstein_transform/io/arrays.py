"""Tables in NumPy files, whose pickles are never loaded, and in Parquet files (pyarrow)."""

from __future__ import annotations

import base64
import io
import sys
import zipfile
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.lib import format as npy
from numpy.typing import NDArray

from .._archive import DamagedError, read_array, show_shape
from ..tables.columns import default_names, free_name, is_text, listed, names_as_text, unique_names
from .formats import first_line, need, reserve

COLUMN_BYTES = 400.0  # bytes of memory of a column, in addition to the content
NUMBER_BYTES, STRING_BYTES = 8.0, 60.0  # bytes of memory of a number and of a string of a Parquet file
MAX_LISTED_ARRAYS = 12  # the most names that an error message lists
POINT_ARRAY_NAMES = ("points", "X", "x", "data", "arr_0")  # usual names of the main array


def read_npy(content: bytes, source: str) -> pd.DataFrame:
    """Read the columns of a 2-D array, the fields of a structured array, or one column."""
    return pd.DataFrame(_columns(array_of(content, source), source))


def read_npz(content: bytes, source: str) -> pd.DataFrame:
    """Read one 2-D array and the 1-D arrays of the same length; or 1-D arrays of one length, each a column."""
    arrays = arrays_of(content, source)
    matrices = {name: array for name, array in arrays.items() if array.ndim == 2 or array.dtype.names}
    singles = {name: array for name, array in arrays.items() if array.ndim == 1 and not array.dtype.names}
    name, columns = "", dict[str, NDArray[Any]]()
    if matrices:
        name = main_array(matrices, POINT_ARRAY_NAMES)
        if not name:
            raise ValueError(f"{source} holds {described(arrays)}; one of them must be named points")
        columns = _columns(matrices[name], source)
    elif not singles or len({len(array) for array in singles.values()}) > 1:
        raise ValueError(f"{source} holds no table, but {described(arrays)}; an array named points is needed")
    n = len(next(iter((columns or singles).values())))
    beside = {other: array for other, array in singles.items() if len(array) == n}
    for other, array in beside.items():
        columns[free_name(other, columns)] = array
    frame = pd.DataFrame(columns)
    if left_out := [other for other in arrays if other != name and other not in beside]:
        names = ", ".join(left_out[:MAX_LISTED_ARRAYS]) + ", …" * (len(left_out) > MAX_LISTED_ARRAYS)
        frame.attrs["notes"] = [f"{source}: {names} left out, not as long as the columns"]
    return frame


def array_of(content: bytes, source: str) -> NDArray[Any]:
    """The array of an NPY file."""
    try:
        return read_array(io.BytesIO(content), len(content))
    except DamagedError as error:
        raise ValueError(f"{source} cannot be read: {error}") from None


def arrays_of(content: bytes, source: str) -> dict[str, NDArray[Any]]:
    """The arrays of an NPZ file."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as members:
            listed = members.infolist()
            inside = ", ".join(member.filename[:40] for member in listed[:4])
            if "xl/" in content[-1 << 16 :].decode("latin-1") and not inside.endswith(".npy"):
                raise ValueError(f"{source} is an Excel workbook; save the sheet as CSV, and give that")
            if not listed or not all(member.filename.endswith(".npy") for member in listed):
                raise ValueError(f"{source} is an archive of other files ({inside}), not of arrays (NPZ)")
            reserve(2.0 * sum(member.file_size for member in listed), source)
            return {member.filename[:-4]: read_array(members.open(member), member.file_size) for member in listed}
    except MemoryError:
        raise
    except Exception as error:  # zipfile and zlib raise many types
        if str(error).startswith(source):
            raise
        what = "cannot be read" if isinstance(error, DamagedError) else "is cut off or damaged"
        raise ValueError(f"{source} {what}: {first_line(error)}") from None


def main_array(arrays: Mapping[str, NDArray[Any]], usual: Sequence[str]) -> str:
    """The name of the array to read: the only one, or the first with a usual name; "" if neither is there."""
    return next((name for name in (*usual, *arrays) if name in arrays and (name in usual or len(arrays) == 1)), "")


def _columns(array: NDArray[Any], source: str) -> dict[str, NDArray[Any]]:
    if array.size == 0:
        raise ValueError(
            f"{source} holds an empty array of shape {show_shape(array.shape)}; a table needs at least one row"
        )
    if array.dtype.names and array.ndim == 1:
        if any(array.dtype[name].shape or array.dtype[name].names for name in array.dtype.names):
            raise ValueError(f"{source} has fields with several values per row; one value per row is needed")
        fields = [_native(array[name], source) for name in array.dtype.names]
        return dict(zip(unique_names(array.dtype.names), fields, strict=True))
    if array.ndim not in (1, 2) or array.dtype.kind not in "biufUSM":
        raise ValueError(
            f"{source} holds an array of shape {show_shape(array.shape)} and kind {array.dtype!s:.60}; a table needs "
            "numbers, n × m"
        )
    rows = _native(array.reshape(len(array), -1), source)
    reserve(COLUMN_BYTES * rows.shape[1], source)
    return dict(zip(default_names(rows.shape[1]), rows.T, strict=True))


def _native(array: NDArray[Any], source: str) -> NDArray[Any]:
    """An array in the byte order of this machine, of types that pandas holds."""
    if array.dtype.kind == "S":
        return np.char.decode(array, "utf-8", "replace").astype(object)
    if array.dtype.kind == "U":
        codes = np.ascontiguousarray(array).view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
        if codes.max(initial=0) > sys.maxunicode:  # NumPy accepts them, and Python fails on them later
            raise ValueError(f"{source} cannot be read: it holds strings with invalid characters")
        return array.astype(object)
    if array.dtype.kind not in "biufM":
        raise ValueError(f"{source} holds values of kind {array.dtype!s:.60}; numbers or words are needed")
    return np.ascontiguousarray(array, np.float64 if array.dtype == np.float16 else array.dtype.newbyteorder("="))


def described(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Names and shapes of the first arrays, for messages."""
    texts = [f"{name[:40]} {show_shape(array.shape)}" for name, array in islice(arrays.items(), MAX_LISTED_ARRAYS)]
    return ", ".join([*texts, "…"] if len(arrays) > MAX_LISTED_ARRAYS else texts)


def encode_npy(frame: pd.DataFrame) -> bytes:
    """Encode as a 2-D array if names and types allow, else as a structured array with a field for each column."""
    columns = {name: _storable(frame.iloc[:, k]) for k, name in enumerate(names_as_text(frame))}
    stream = io.BytesIO()
    if tuple(columns) == default_names(len(columns)) and len({column.dtype for column in columns.values()}) == 1:
        npy.write_array(stream, np.stack(list(columns.values()), axis=1), allow_pickle=False)
    else:
        out = np.empty(len(frame), np.dtype([(name, column.dtype) for name, column in columns.items()]))
        for name, column in columns.items():
            out[name] = column
        npy.write_array(stream, out, allow_pickle=False)
    return stream.getvalue()


def encode_npz(frame: pd.DataFrame) -> bytes:
    """Encode one array for each column, under its name; the bytes do not depend on the time of writing."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as members:
        for k, name in enumerate(names_as_text(frame)):
            with members.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as stream:
                npy.write_array(stream, _storable(frame.iloc[:, k]), allow_pickle=False)
    return archive.getvalue()


def _storable(values: pd.Series) -> NDArray[Any]:
    """A column as an array without objects, which would have to be pickled."""
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        values = values.dt.tz_convert(None)
    if values.dtype.kind in "iufb":
        return (
            values.to_numpy(np.float64, na_value=np.nan)
            if values.isna().any()
            else np.asarray(values, getattr(values.dtype, "numpy_dtype", values.dtype))
        )
    if is_text(values) or not isinstance(values.dtype, np.dtype):
        return np.asarray(values.astype(object).where(values.notna(), "")).astype(np.str_)
    return np.asarray(values)


def read_parquet(content: bytes, source: str) -> pd.DataFrame:
    """Read all flat columns; columns that are not numbers or words are left out, with a note."""
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    try:
        file = parquet.ParquetFile(arrow.BufferReader(content))
        schema, declared = file.schema_arrow, file.metadata
        words = sum(arrow.types.is_string(kind) or arrow.types.is_binary(kind) for kind in schema.types)
        unpacked = sum(declared.row_group(k).total_byte_size for k in range(declared.num_row_groups))
        reserve(2.0 * unpacked + declared.num_rows * (NUMBER_BYTES * len(schema) + STRING_BYTES * words), source)
        nested = {field.name: field.type for field in schema if _holds_more(field.type, arrow)}
        flat = [name for name in schema.names if name not in nested]
        read = file.read(columns=flat if nested else None, use_pandas_metadata=False)
        read = read.rename_columns(list(unique_names(read.column_names)))
        frame = read.to_pandas(ignore_metadata=True, date_as_object=False)
        for name, column in zip(read.column_names, read.columns, strict=True):
            if column.null_count and arrow.types.is_integer(column.type):  # floats would round them
                kind = pd.UInt64Dtype() if arrow.types.is_unsigned_integer(column.type) else pd.Int64Dtype()
                frame[name] = column.to_pandas(types_mapper={column.type: kind}.get)
            if name.startswith("__index_level_"):  # the index of a DataFrame: names of rows, or their numbers
                index = frame.pop(name)
                if is_text(index):
                    frame.insert(0, free_name("row", frame), index)
    except MemoryError as error:
        if source in str(error):
            raise
        raise MemoryError(f"reading {source}: {first_line(error)}; take a part of it") from None  # Arrow's
    except Exception as error:  # errors of Arrow, and invalid dates
        raise ValueError(f"{source} is cut off or damaged: {first_line(error)}; download it again") from None
    if not flat:
        raise ValueError(
            f"{source} has only columns of other values ({listed(list(nested))}); a table needs numbers or strings"
        )
    if not len(frame):
        raise ValueError(f"{source} has columns ({listed(flat)}) and no rows; a table needs at least one")
    frame.attrs["schema"] = base64.b64encode(read.schema.remove_metadata().serialize()).decode()
    if nested:
        why = {name: f"holds {kind!s:.60}, not one number or word per row" for name, kind in nested.items()}
        frame.attrs |= {
            "left_out": why,
            "notes": [f"{source}: columns that are not numbers or words are left out: {listed(list(nested))}"],
        }
    return frame


def encode_parquet(frame: pd.DataFrame) -> bytes:
    """Encode all columns, unchanged ones with the type they had in the file."""
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    schema = frame.attrs.get("schema")
    type_of_column = {} if schema is None else {field.name: field.type for field in _schema(schema, arrow)}
    stream = io.BytesIO()
    columns = [_arrow(values, type_of_column.get(name), arrow) for name, values in frame.items()]
    parquet.write_table(arrow.table(columns, list(map(str, frame.columns))), stream)
    return stream.getvalue()


def _holds_more(kind: Any, arrow: Any) -> bool:
    is_a = arrow.types
    return bool(is_a.is_nested(kind) or is_a.is_binary(kind) or is_a.is_large_binary(kind))


def _schema(text: str, arrow: Any) -> Any:
    return arrow.ipc.read_schema(arrow.py_buffer(base64.b64decode(text)))


def _arrow(values: pd.Series, kind: Any, arrow: Any) -> Any:
    if values.dtype.name == "geometry":
        values = values.to_wkt()
    try:
        return arrow.array(values, kind, from_pandas=True)
    except (arrow.ArrowInvalid, arrow.ArrowTypeError, arrow.ArrowNotImplementedError):
        return arrow.array(values.astype(str).where(values.notna(), None), from_pandas=True)
