"""Tables in NumPy files: one array (NPY) or several (NPZ). Pickled objects are never loaded."""

from __future__ import annotations

import io
import struct
import sys
import zipfile
import zlib
from collections.abc import Mapping
from itertools import islice
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..._arrays import DamagedError, read_array, show_shape
from ..columns import default_names, free_name, unique_names
from ..sources import reserve
from ..table import Table

_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENTRY, _COLUMN = 1000.0, 400.0  # bytes of memory of an archive member and of a column, in addition to the content
_LISTED = 12  # the most names that an error message lists
_POINTS = ("points", "X", "x", "data", "arr_0")  # usual names of the main array


def read_npy(content: bytes, source: str) -> Table:
    """Read the columns of a 2-D array, the fields of a structured array, or one column."""
    return Table(_columns(array_of(content, source), source), source)


def read_npz(content: bytes, source: str) -> Table:
    """Read one 2-D array and the 1-D arrays of the same length; or 1-D arrays of one length, each a column."""
    arrays = arrays_of(content, source)
    matrices = {name: array for name, array in arrays.items() if array.ndim == 2 or array.dtype.names}
    singles = {name: array for name, array in arrays.items() if array.ndim == 1 and not array.dtype.names}
    if matrices:
        name = _chosen(matrices, arrays, source)
        columns = _columns(matrices[name], source)
    elif singles and len({len(array) for array in singles.values()}) == 1:
        name, columns = "", {}
    else:
        raise ValueError(f"{source} holds no table, but {described(arrays)}; an array named points is needed")
    n = len(next(iter(columns.values()))) if columns else len(next(iter(singles.values())))
    beside = {other: array for other, array in singles.items() if len(array) == n}
    left_out = [other for other in arrays if other != name and other not in beside]
    told = ", ".join(left_out[:_LISTED]) + ", …" * (len(left_out) > _LISTED)
    notes = (f"{source}: {told} left out, not as long as the columns",) if left_out else ()
    for other, array in beside.items():
        columns[free_name(other, columns)] = array
    return Table(columns, source, notes=notes)


def array_of(content: bytes, source: str) -> NDArray[Any]:
    """The array of an NPY file."""
    return _array(io.BytesIO(content), len(content), source)


def arrays_of(content: bytes, source: str) -> dict[str, NDArray[Any]]:
    """The arrays of an NPZ file."""
    try:
        reserve(_ENTRY * content.count(b"PK\1\2"), source)  # memory of the list of members, before it is read
        with zipfile.ZipFile(io.BytesIO(content)) as members:
            listed = members.infolist()
            if not listed or not all(member.filename.endswith(".npy") for member in listed):
                if any(member.filename.startswith("xl/") for member in listed):
                    raise ValueError(f"{source} is an Excel workbook; save the sheet as CSV, and give that")
                inside = ", ".join(member.filename[:40] for member in listed[:4]) or "nothing"
                raise ValueError(f"{source} is an archive of other files ({inside}), not of arrays (NPZ)")
            if any(member.compress_type not in _PACKED for member in listed):
                raise ValueError(f"{source} uses a compression that NumPy does not write; write it with np.savez")
            if len({member.filename for member in listed}) < len(listed):
                raise ValueError(f"{source} holds two arrays with the same name; remove one of them")
            reserve(2.0 * sum(member.file_size for member in listed), source)
            return {member.filename.removesuffix(".npy"): _member(members, member, source) for member in listed}
    except (
        zipfile.BadZipFile,
        EOFError,
        NotImplementedError,
        RuntimeError,
        OSError,
        IndexError,
        struct.error,
    ) as error:
        raise ValueError(f"{source} is cut off or damaged: {_first_line(error)}; fetch it again") from None
    except ValueError as error:
        if str(error).startswith(source):
            raise
        raise ValueError(f"{source} is cut off or damaged: {_first_line(error)}; fetch it again") from None


def _member(members: zipfile.ZipFile, member: zipfile.ZipInfo, source: str) -> NDArray[Any]:
    try:
        with members.open(member) as stream:
            return _array(stream, member.file_size, source)
    except (zlib.error, KeyError) as error:
        raise ValueError(f"{source} is cut off or damaged: {_first_line(error)}; fetch it again") from None


def _first_line(error: Exception) -> str:
    return ((str(error) or type(error).__name__).splitlines() or [""])[0][:200]


def _array(stream: IO[bytes], n_bytes: int, source: str) -> NDArray[Any]:
    try:
        array = read_array(stream, n_bytes)
        for name in array.dtype.names or ():
            _check_letters(array[name])
        _check_letters(array)
        return array
    except DamagedError as error:
        raise ValueError(f"{source} cannot be read: {error}") from None


def _check_letters(array: NDArray[Any]) -> None:
    """Raise if strings hold invalid code points: NumPy accepts them, and Python fails on them later."""
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        order = array.dtype.byteorder
        codes = np.ascontiguousarray(array).view(np.dtype(np.uint32).newbyteorder(order))
        if codes.max() > sys.maxunicode:
            raise DamagedError("it holds strings with invalid characters")


def _columns(array: NDArray[Any], source: str) -> dict[str, NDArray[Any]]:
    if array.size == 0:
        raise ValueError(
            f"{source} holds an empty array of shape {show_shape(array.shape)}; a table needs at least one row"
        )
    if array.dtype.names and array.ndim == 1:
        flat = [name for name in array.dtype.names if array.dtype[name].shape == () and not array.dtype[name].names]
        if len(flat) < len(array.dtype.names):
            raise ValueError(f"{source} has fields with several values per row; one value per row is needed")
        columns = dict(zip(unique_names(flat), (array[name] for name in flat), strict=True))
    elif array.ndim in (1, 2) and array.dtype.kind in "biufUS":
        reserve(_COLUMN * (array.shape[1] if array.ndim == 2 else 1), source)
        columns = dict(zip(default_names(len(array.T) if array.ndim == 2 else 1), np.atleast_2d(array.T), strict=True))
    else:
        raise ValueError(
            f"{source} holds an array of shape {show_shape(array.shape)} and kind {array.dtype!s:.60}; a table needs "
            "numbers, n × m"
        )
    return {name: np.ascontiguousarray(column) for name, column in columns.items()}


def _chosen(matrices: Mapping[str, Any], arrays: Mapping[str, Any], source: str) -> str:
    if len(matrices) == 1:
        return next(iter(matrices))
    for name in _POINTS:
        if name in matrices:
            return name
    raise ValueError(f"{source} holds {described(arrays)}; one of them must be named points")


def described(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Names and shapes of the first arrays, for messages."""
    told = [f"{name[:40]} {show_shape(array.shape)}" for name, array in islice(arrays.items(), _LISTED)]
    return ", ".join([*told, "…"] if len(arrays) > _LISTED else told)


def encode_npy(table: Table) -> bytes:
    """Encode as a 2-D array if names and types allow, else as a structured array with a field for each column."""
    columns = [_storable(array) for array in table.columns.values()]
    if table.names == default_names(len(columns)) and len({column.dtype for column in columns}) == 1:
        return _npy(np.stack(columns, axis=1))
    fields = [(name, column.dtype) for name, column in zip(table.names, columns, strict=True)]
    out = np.empty(len(table), np.dtype(fields))
    for name, column in zip(table.names, columns, strict=True):
        out[name] = column
    return _npy(out)


def encode_npz(table: Table) -> bytes:
    """Encode one array for each column, under its name; the bytes do not depend on the time of writing."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as members:
        for name, array in table.columns.items():
            members.writestr(zipfile.ZipInfo(f"{name}.npy"), _npy(_storable(array)))
    return held.getvalue()


def _storable(array: NDArray[Any]) -> NDArray[Any]:
    """Strings as a fixed-width array: objects would have to be pickled."""
    if array.dtype.kind == "O":
        return np.array(["" if cell is None else cell for cell in array.tolist()], np.str_)
    return array


def _npy(array: NDArray[Any]) -> bytes:
    held = io.BytesIO()
    npy.write_array(held, array, allow_pickle=False)
    return held.getvalue()
