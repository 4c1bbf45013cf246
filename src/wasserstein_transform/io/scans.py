"""Points of laser scans: LAS and LAZ files (laspy, lazrs), and the vertices of PLY files (trimesh)."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..tables.columns import EXACT, coordinates, is_text, listed, source_of, unique_names
from .formats import first_line, need, reserve

AXIS_NAMES = ["x", "y", "z"]
MEMORY_PER_COLUMN = 3.0  # memory relative to the columns: points are held as stored and as numbers
MAX_LAS_NAME = 32  # longest name of a dimension in bytes
MAX_COORDINATE_STEPS = 2**31 - 1  # coordinates are stored as integers up to this one, times a scale
PLY_TYPE_NAMES = {"i1": "char", "u1": "uchar", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint", "f4": "float"}


def read_las(content: bytes, source: str) -> pd.DataFrame:
    """Read the coordinates, with scale and offset of the header applied, and all other dimensions."""
    laspy = _laspy(packed=content[104:105] >= b"\x80")
    n_records, n_last = (int.from_bytes(content[start : start + 4], "little") for start in (100, 243))
    if 54 * n_records + 60 * n_last * (content[24:26] == b"\1\4") > len(content):  # laspy would read all of them
        raise ValueError(f"{source} is cut off or damaged: its header does not fit its size; download it again")
    try:
        with laspy.open(io.BytesIO(content), laz_backend=laspy.LazBackend.Lazrs) as file:
            header = file.header
            n_dimensions = len(list(header.point_format.dimension_names))
            reserve(MEMORY_PER_COLUMN * 8 * header.point_count * n_dimensions, source)
            points = file.read()
        columns = {axis: np.array(points[axis], np.float64) for axis in AXIS_NAMES}
        for name in points.point_format.dimension_names:
            array = np.asarray(points[name])
            if array.ndim > 1:  # a dimension of several values becomes several columns
                columns |= {f"{name}_{k}": part for k, part in enumerate(array.T)}
            elif name not in "XYZ":
                columns[name] = array
    except MemoryError:
        raise
    except Exception as error:  # laspy, lazrs and struct raise many types
        raise ValueError(f"{source} is cut off or damaged: {first_line(error)}; download it again") from None
    n = len(points.points)
    if n < max(header.point_count, 1):
        raise ValueError(f"{source} should have {header.point_count} points, but has {n}; it is cut off, or empty")
    frame = pd.DataFrame(columns)
    tail = content[header.start_of_first_evlr :] if header.number_of_evlrs else b""
    records = [base64.b64encode(part).decode() for part in (content[: header.offset_to_point_data], tail)]
    frame.attrs = {"axes": AXIS_NAMES, "las": records}  # as text: pandas copies and saves attrs
    return frame


def encode_las(frame: pd.DataFrame, kind: str) -> bytes:
    """Encode coordinates with the scale of the original header or a fitting one; new columns are extra dimensions."""
    laspy = _laspy(kind == "laz")
    source = source_of(frame)
    _check_axes(frame, "LAS")
    header = _old_header(frame, laspy) if "las" in frame.attrs else _new_header(frame, laspy)
    for name in set(header.point_format.extra_dimension_names) - set(frame.columns):
        header.remove_extra_dim(name)
    dimensions = set(header.point_format.dimension_names)
    columns = {name: _numbers(frame, name, "LAS") for name in frame if name not in AXIS_NAMES}
    for name, values in columns.items():
        if len(str(name).encode()) > MAX_LAS_NAME:
            raise ValueError(f"{source}, column {name}: LAS names have at most {MAX_LAS_NAME} bytes; rename the column")
        if name not in dimensions:
            header.add_extra_dim(laspy.ExtraBytesParams(name, values.dtype))
    points = laspy.LasData(header, laspy.ScaleAwarePointRecord.zeros(len(frame), header=header))
    try:
        for axis, values_along in zip(AXIS_NAMES, coordinates(frame, AXIS_NAMES).T, strict=True):
            points[axis] = values_along
        for name, values in columns.items():
            points[name] = values
            if not np.array_equal(np.asarray(points[name]), values, equal_nan=values.dtype.kind == "f"):
                raise ValueError(
                    f"{source}, column {name}: LAS has a narrower dimension of that name; rename the column"
                )
    except OverflowError as error:
        raise ValueError(f"{source} cannot be written as LAS: {first_line(error)}; write CSV or Parquet") from None
    stream = io.BytesIO()
    points.write(stream, do_compress=kind == "laz")
    return stream.getvalue()


def _old_header(frame: pd.DataFrame, laspy: Any) -> Any:
    head, tail = map(base64.b64decode, frame.attrs["las"])
    header = laspy.LasHeader.read_from(io.BytesIO(head))
    if tail:
        header.evlrs = laspy.vlrs.vlrlist.VLRList.read_from(io.BytesIO(tail), header.number_of_evlrs, extended=True)
    return header


def _new_header(frame: pd.DataFrame, laspy: Any) -> Any:
    """A header with the smallest power of ten as scale for which the coordinates fit."""
    header = laspy.LasHeader(point_format=7 if {"red", "green", "blue"} <= set(frame) else 6, version="1.4")
    points = coordinates(frame, AXIS_NAMES) if len(frame) else np.zeros((1, 3))
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.maximum((high - low) / 2, 1e-3)
    header.offsets = low / 2 + high / 2
    header.scales = 10.0 ** np.ceil(np.log10(half / MAX_COORDINATE_STEPS * 1.01))
    return header


def _numbers(frame: pd.DataFrame, name: str, kind: str) -> NDArray[Any]:
    values = frame[name]
    if is_text(values) or values.dtype.kind not in "iufb":
        raise ValueError(f"{source_of(frame)}, column {name!s:.60}: {kind} holds numbers, not text; leave it out")
    return np.asarray(values, np.uint8 if values.dtype.kind == "b" else None)


def _check_axes(frame: pd.DataFrame, kind: str) -> None:
    if not set(AXIS_NAMES) <= set(frame.columns):
        raise ValueError(
            f"{source_of(frame)}: {kind} needs columns x, y and z; there are {listed(list(frame.columns))}"
        )


def _laspy(packed: bool) -> Any:
    if packed:
        need("lazrs", "laz")
    return need("laspy", "laz" if packed else "las")


def read_ply(content: bytes, source: str) -> pd.DataFrame:
    """Read the properties of the vertices; faces and other elements are left out."""
    trimesh = need("trimesh", "ply")
    try:
        read = trimesh.load(io.BytesIO(content), file_type="ply", process=False)
        raw = read.metadata["_ply_raw"]["vertex"]
        data, n = raw["data"], raw["length"]
        names = data.dtype.names if isinstance(data, np.ndarray) else list(data)
        columns = {name: np.asarray(data[name]).reshape(n) for name in names}
        if not n or not set(AXIS_NAMES) <= set(columns):
            raise ValueError("properties x, y and z are needed")
    except Exception as error:  # trimesh and NumPy raise many types
        raise ValueError(
            f"{source} is no PLY file with vertices, or it is cut off or damaged: {first_line(error)}"
        ) from None
    frame = pd.DataFrame({name: values.astype(values.dtype.newbyteorder("=")) for name, values in columns.items()})
    frame.attrs = {"axes": AXIS_NAMES}
    return frame


def encode_ply(frame: pd.DataFrame) -> bytes:
    """Encode the columns as properties of vertices in binary; trimesh writes coordinates and colors only."""
    _check_axes(frame, "PLY")
    names = unique_names("_".join(str(name).split()) for name in frame)
    fields = {
        name: _narrow(_numbers(frame, column, "PLY"), frame, column) for name, column in zip(names, frame, strict=True)
    }
    out = np.empty(len(frame), [(name, array.dtype.newbyteorder("<")) for name, array in fields.items()])
    for name, array in fields.items():
        out[name] = array
    kinds = [f"property {PLY_TYPE_NAMES.get(array.dtype.str[1:], 'double')} {name}" for name, array in fields.items()]
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(frame)}", *kinds, "end_header", ""]
    return "\n".join(head).encode() + out.tobytes()


def _narrow(values: NDArray[Any], frame: pd.DataFrame, name: str) -> NDArray[Any]:
    """Integers of 32 bits if they fit, else floats: PLY has no longer integers."""
    if values.dtype.itemsize < 8 or values.dtype.kind == "f":
        return values
    largest = max(abs(int(values.min(initial=0))), abs(int(values.max(initial=0))))
    if largest > EXACT:
        raise ValueError(f"{source_of(frame)}, column {name!s:.60}: PLY has no integers beyond ±2^53; write CSV")
    return values.astype(np.int32 if largest < 2**31 else np.float64)
