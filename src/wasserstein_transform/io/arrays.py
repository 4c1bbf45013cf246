"""Tables in NumPy files, whose pickles are never loaded, and in Parquet files (pyarrow)."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.lib import format as npy
from numpy.typing import NDArray

from .._archive import DamagedError, read_array, read_arrays
from ..tables.columns import default_names, free_name, is_text, listed, unique_names
from .formats import first_line, need, reserve

COLUMN_BYTES = 400.0  # bytes of memory of a column, in addition to the content
NUMBER_BYTES, STRING_BYTES = 8.0, 60.0  # bytes of memory of a number and of a string of a Parquet file
POINT_ARRAY_NAMES = ("points", "X", "x", "data", "arr_0")  # usual names of the main array


def read_npy(content: bytes, source: str) -> pd.DataFrame:
    """Read the columns of a 2-D array, the fields of a structured array, or one column."""
    return pd.DataFrame(_columns(array_of(content, source), source))


def read_npz(content: bytes, source: str) -> pd.DataFrame:
    """Read one 2-D array and the 1-D arrays of the same length; or 1-D arrays of one length, each a column."""
    arrays = arrays_of(content, source)
    tables = {name: array for name, array in arrays.items() if array.ndim == 2 or array.dtype.names}
    singles = {name: array for name, array in arrays.items() if array.ndim == 1 and not array.dtype.names}
    columns = dict[str, NDArray[Any]]()
    if tables:
        columns = _columns(main_array(tables, POINT_ARRAY_NAMES, source), source)
    elif not singles or len({len(array) for array in singles.values()}) > 1:
        raise ValueError(f"{source} holds no table, but {described(arrays)}; an array named points is needed")
    n = len(next(iter((columns or singles).values())))
    for name, array in singles.items():
        if len(array) == n:
            columns[free_name(name, columns)] = _native(array, source)
    return pd.DataFrame(columns)


def array_of(content: bytes, source: str) -> NDArray[Any]:
    """The array of an NPY file."""
    try:
        return read_array(io.BytesIO(content), len(content))
    except DamagedError as error:
        raise ValueError(f"{source} cannot be read: {error}") from None


def arrays_of(content: bytes, source: str) -> dict[str, NDArray[Any]]:
    """The arrays of an NPZ file."""
    try:
        return read_arrays(io.BytesIO(content), lambda n_bytes: reserve(2.0 * n_bytes, source))
    except DamagedError as error:
        raise ValueError(f"{source} cannot be read: {error}") from None


def main_array(arrays: Mapping[str, NDArray[Any]], usual: Sequence[str], source: str) -> NDArray[Any]:
    """The array to read: the only one, or the first with a usual name."""
    names = list(arrays) if len(arrays) == 1 else [name for name in usual if name in arrays]
    if not names:
        raise ValueError(f"{source} holds {described(arrays)}; one of them must be named {usual[0]}")
    return arrays[names[0]]


def _columns(array: NDArray[Any], source: str) -> dict[str, NDArray[Any]]:
    if array.size == 0:
        raise ValueError(f"{source} holds an empty array of shape {array.shape}; a table needs at least one row")
    if array.dtype.names and array.ndim == 1 and all(array[name].ndim == 1 for name in array.dtype.names):
        fields = [_native(array[name], source) for name in array.dtype.names]
        return dict(zip(unique_names(array.dtype.names), fields, strict=True))
    if array.ndim not in (1, 2):
        raise ValueError(f"{source} holds an array of shape {array.shape}; a table has rows and columns")
    rows = _native(array.reshape(len(array), -1), source)
    reserve(COLUMN_BYTES * rows.shape[1], source)
    return dict(zip(default_names(rows.shape[1]), rows.T, strict=True))


def _native(array: NDArray[Any], source: str) -> NDArray[Any]:
    """An array of types that pandas holds, in the byte order of this machine."""
    if array.dtype.kind in "SU":
        return (
            np.char.decode(array, "utf-8", "replace").astype(object)
            if array.dtype.kind == "S"
            else array.astype(object)
        )
    if array.dtype.kind not in "biufM":
        raise ValueError(f"{source} holds values of kind {array.dtype!s:.60}; a table needs numbers or words")
    return np.ascontiguousarray(array, np.float64 if array.dtype == np.float16 else array.dtype.newbyteorder("="))


def described(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Names and shapes of arrays, for messages."""
    return listed([f"{name} {array.shape}" for name, array in arrays.items()])


def encode_npy(frame: pd.DataFrame) -> bytes:
    """Encode as a 2-D array if names and types allow, else as a structured array with a field for each column."""
    columns = {name: _storable(frame.iloc[:, k]) for k, name in enumerate(unique_names(map(str, frame)))}
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
        for k, name in enumerate(unique_names(map(str, frame))):
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
        words = sum(arrow.types.is_string(kind) for kind in schema.types)
        unpacked = sum(declared.row_group(k).total_byte_size for k in range(declared.num_row_groups))
        reserve(2.0 * unpacked + declared.num_rows * (NUMBER_BYTES * len(schema) + STRING_BYTES * words), source)
        others = [field.name for field in schema if _is_other(field.type, arrow)]
        flat = [name for name in schema.names if name not in others and not name.startswith("__index_level_")]
        read = file.read(columns=flat, use_pandas_metadata=False)
        read = read.rename_columns(list(unique_names(read.column_names)))
        frame = read.to_pandas(ignore_metadata=True, date_as_object=False)
        for name, column in zip(read.column_names, read.columns, strict=True):
            if column.null_count and arrow.types.is_integer(column.type):  # floats would round them
                frame[name] = column.to_pandas(types_mapper=_integers_with_gaps)
    except MemoryError:
        raise
    except Exception as error:  # errors of Arrow, and invalid dates
        raise ValueError(f"{source} is cut off or damaged: {first_line(error)}; download it again") from None
    if not len(frame.columns) or not len(frame):
        raise ValueError(
            f"{source} has {len(frame)} rows, and columns of numbers or words {listed(list(frame))}; a table needs at "
            "least one of each"
        )
    frame.attrs["schema"] = base64.b64encode(read.schema.remove_metadata().serialize()).decode()
    if others:
        frame.attrs["notes"] = [f"{source}: columns that are not numbers or words are left out: {listed(others)}"]
    return frame


def _is_other(kind: Any, arrow: Any) -> bool:
    is_a = arrow.types
    return bool(is_a.is_nested(kind) or is_a.is_binary(kind) or is_a.is_large_binary(kind))


def _integers_with_gaps(kind: Any) -> Any:
    return pd.UInt64Dtype() if str(kind).startswith("u") else pd.Int64Dtype()


def encode_parquet(frame: pd.DataFrame) -> bytes:
    """Encode all columns, unchanged ones with the type they had in the file."""
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    type_of_column = {}
    if "schema" in frame.attrs:
        schema = arrow.ipc.read_schema(arrow.py_buffer(base64.b64decode(frame.attrs["schema"])))
        type_of_column = {field.name: field.type for field in schema}
    columns = []
    for name, values in frame.items():
        try:
            columns.append(arrow.array(values, type_of_column.get(name), from_pandas=True))
        except (arrow.ArrowInvalid, arrow.ArrowTypeError, arrow.ArrowNotImplementedError):
            columns.append(arrow.array(values.astype(str).where(values.notna(), None), from_pandas=True))
    stream = io.BytesIO()
    parquet.write_table(arrow.table(columns, list(map(str, frame.columns))), stream)
    return stream.getvalue()
