"""Points of laser scans: LAS and LAZ files (laspy, lazrs), and the vertices of PLY files (trimesh)."""

from __future__ import annotations

import base64
import io
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .columns import EXACT, coordinates, is_text, listed, source_of, unique_names
from .kinds import called, first_line, need, reserve

_AXES = ["x", "y", "z"]
_HELD = 3.0  # memory relative to the columns: points are held as stored and as numbers
_SHORTEST, _SHORTEST_1_4 = 227, 375  # smallest size of a header in bytes
_LONGEST = 32  # longest name of a dimension in bytes
_STEPS = 2**31 - 1  # coordinates are stored as integers up to this one, times a scale
_LAYERED = 3  # compression of the newer point formats: each field in a layer of its own
_LAYERS = {10: 9, 11: 1, 12: 2, 13: 1}  # layers by type of item; other types have one for each byte
_PLY_END = re.compile(rb"^end_header[ \t]*(?:\r\n|\n|\r)", re.MULTILINE)
_PLY_VERTICES = re.compile(rb"^element[ \t]+vertex[ \t]+([0-9]{1,18})[ \t]*\r?$", re.MULTILINE)
_PLY_OTHERS = re.compile(rb"^element[ \t]+(?!vertex)(\S+)[ \t]+0*[1-9]", re.MULTILINE)
_PLY_AXIS = re.compile(rb"^property[ \t]+\w+[ \t]+([xyz])[ \t]*\r?$", re.MULTILINE)
_PLY_TYPES = {"i1": "char", "u1": "uchar", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint", "f4": "float"}


def read_las(content: bytes, source: str) -> pd.DataFrame:
    """Read the coordinates, with scale and offset of the header applied, and all other dimensions."""
    packed = content[104:105] >= b"\x80"
    laspy = _laspy(packed)
    _check_counts(content, source)
    if packed:
        _check_chunks(content, source)
    with _tried(lambda: laspy.open(io.BytesIO(content), laz_backend=laspy.LazBackend.Lazrs), source) as file:
        header = file.header
        _check_size(header, len(content), source)
        if packed and not _layers_fit(content, header):
            raise ValueError(f"{source} is cut off or damaged: its points cannot be unpacked; fetch it again")
        points = _tried(file.read, source)
    if len(points.points) == 0:
        raise ValueError(f"{source} holds no points; a table needs at least one")
    if len(points.points) < header.point_count:
        raise ValueError(
            f"{source} announces {header.point_count} points and holds {len(points.points)}; it is cut off"
        )
    names = [name for name in points.point_format.dimension_names if name not in "XYZ"]
    columns = _tried(lambda: {axis: np.array(points[axis], np.float64) for axis in _AXES}, source)
    others = _tried(lambda: {name: np.asarray(points[name]) for name in names}, source)
    left_out = {name: "holds several values per point" for name, array in others.items() if array.ndim > 1}
    frame = pd.DataFrame(columns | {name: array for name, array in others.items() if array.ndim == 1})
    frame.attrs = {"axes": _AXES, "left_out": left_out, "las": _kept(header, content)}
    if left_out:
        told = ", ".join(left_out)
        frame.attrs["notes"] = [f"{source}: dimensions with several values per point are left out: {told}"]
    return frame


def _kept(header: Any, content: bytes) -> dict[str, Any]:
    """The header with all its records, as text: attrs of a DataFrame are copied and saved."""
    tail = content[header.start_of_first_evlr :] if header.number_of_evlrs else b""
    head = content[: header.offset_to_point_data]
    return {"head": base64.b64encode(head).decode(), "tail": base64.b64encode(tail).decode()}


def _tried(read: Callable[[], Any], source: str) -> Any:
    """Call a reader and turn any exception into a ValueError: laspy, lazrs and struct raise many types."""
    try:
        return read()
    except Exception as error:
        raise ValueError(f"{source} is cut off or damaged: {first_line(error)}; fetch it again") from None


def _check_counts(content: bytes, source: str) -> None:
    """Raise if more records are declared than fit into the file: laspy would try to read all of them."""
    if len(content) < _SHORTEST:
        raise ValueError(f"{source} is cut off: its header has {len(content)} bytes, at least {_SHORTEST} are needed")
    if content[24] != 1 or content[25] > 4:
        raise ValueError(f"{source} has LAS version {content[24]}.{content[25]}; versions 1.0 to 1.4 are read")
    before, after = int.from_bytes(content[100:104], "little"), 0
    if content[24:26] == b"\1\4" and len(content) >= _SHORTEST_1_4:
        after = int.from_bytes(content[243:247], "little")
    if 54 * before + 60 * after > len(content):  # smallest size of a record in bytes
        raise ValueError(
            f"{source} is damaged: it announces {before + after} records, more than fit into the file; fetch it again"
        )


def _check_chunks(content: bytes, source: str) -> None:
    """Raise if the chunk table is missing or too large: lazrs aborts the process if it cannot allocate it."""
    start = int.from_bytes(content[96:100], "little")
    at = int.from_bytes(content[start : start + 8], "little", signed=True)
    if at == -1:  # the offset is at the end if the file was written to a pipe
        at = int.from_bytes(content[-8:], "little", signed=True)
    head = content[at : at + 8] if start < at else b""
    if len(head) < 8 or head[:4] != bytes(4) or int.from_bytes(head[4:], "little") > len(content):
        raise ValueError(f"{source} is cut off or damaged: its points cannot be unpacked; fetch it again")


def _layers_fit(content: bytes, header: Any) -> bool:
    """Whether all layers of all chunks lie within the file: lazrs allocates what they declare, or aborts.

    A chunk consists of its first point uncompressed, the number of points, the lengths of the layers, and the layers.
    """
    records = [record.record_data_bytes() for record in header.vlrs.get("LasZipVlr")]
    if len(records) != 1:
        return False
    record, n_points, at = records[0], header.point_count, header.offset_to_point_data + 8  # after the chunk table
    try:
        if struct.unpack_from("<H", record)[0] != _LAYERED:
            return True
        (n_items,) = struct.unpack_from("<H", record, 32)
        items = [struct.unpack_from("<HHH", record, 34 + 6 * k) for k in range(n_items)]
        size = sum(length for _, length, _ in items)
        n_layers = sum(_LAYERS.get(kind, length) for kind, length, _ in items)
        while n_points > 0:
            (here,) = struct.unpack_from("<I", content, at + size)
            lengths = struct.unpack_from(f"<{n_layers}I", content, at + size + 4)
            at += size + 4 + 4 * n_layers + sum(lengths)
            n_points -= here
            if here == 0 or at > len(content):
                return False
    except struct.error:
        return False
    return True


def _check_size(header: Any, n_bytes: int, source: str) -> None:
    """Compare the declared number of points with the memory limit and, if uncompressed, with the size of the file."""
    n, each = header.point_count, header.point_format.size
    scales, offsets = np.abs(header.scales), np.abs(header.offsets)
    if not ((scales > 1e-30) & (scales < 1e30) & (offsets < 1e30)).all():  # False for NaN
        raise ValueError(f"{source} is damaged: its scales are {header.scales}, its offsets {header.offsets}")
    if not header.are_points_compressed and header.offset_to_point_data + n * each > n_bytes:
        there = max(0, n_bytes - header.offset_to_point_data) // each
        raise ValueError(f"{source} announces {n} points and has room for {there}; it is cut off")
    reserve(_HELD * n * 8 * len(list(header.point_format.dimension_names)), source)


def encode_las(frame: pd.DataFrame, kind: str) -> bytes:
    """Encode coordinates with the scale of the original header or a fitting one; new columns are extra dimensions."""
    laspy = _laspy(kind == "laz")
    source = source_of(frame)
    if not set(_AXES) <= set(frame.columns):
        raise ValueError(f"{source}: LAS needs columns x, y and z; there are {listed(list(frame.columns))}")
    header = _old_header(frame, laspy) if "las" in frame.attrs else _new_header(frame, laspy)
    known = set(header.point_format.dimension_names)
    columns = {name: _storable(frame, name) for name in frame if name not in _AXES}
    for name, values in columns.items():
        if name not in known:
            header.add_extra_dim(laspy.ExtraBytesParams(name, values.dtype))
    points = laspy.LasData(header, laspy.ScaleAwarePointRecord.zeros(len(frame), header=header))
    try:
        for axis, place in zip(_AXES, coordinates(frame, _AXES).T, strict=True):
            points[axis] = place
        for name, values in columns.items():
            points[name] = values
            if not np.array_equal(np.asarray(points[name]), values, equal_nan=values.dtype.kind == "f"):
                raise ValueError(
                    f"{source}, column {name}: LAS has a narrower dimension of that name; rename the column"
                )
    except OverflowError as error:
        raise ValueError(f"{source} cannot be written as LAS: {first_line(error)}; write CSV or Parquet") from None
    held = io.BytesIO()
    points.write(held, do_compress=kind == "laz")
    return held.getvalue()


def _old_header(frame: pd.DataFrame, laspy: Any) -> Any:
    head, tail = (base64.b64decode(frame.attrs["las"][part]) for part in ("head", "tail"))
    header = laspy.LasHeader.read_from(io.BytesIO(head))
    if tail:
        header.evlrs = laspy.vlrs.vlrlist.VLRList.read_from(io.BytesIO(tail), header.number_of_evlrs, extended=True)
    return header


def _new_header(frame: pd.DataFrame, laspy: Any) -> Any:
    """A header with the smallest power of ten as scale for which the coordinates fit."""
    header = laspy.LasHeader(point_format=7 if {"red", "green", "blue"} <= set(frame) else 6, version="1.4")
    places = coordinates(frame, _AXES) if len(frame) else np.zeros((1, 3))
    low, high = places.min(axis=0), places.max(axis=0)
    half = np.maximum((high - low) / 2, 1e-3)
    header.offsets = low / 2 + high / 2
    header.scales = 10.0 ** np.ceil(np.log10(half / _STEPS * 1.01))
    return header


def _storable(frame: pd.DataFrame, name: str) -> NDArray[Any]:
    values = frame[name]
    if is_text(values) or values.dtype.kind not in "iufb":
        raise ValueError(f"{source_of(frame)}, column {name}: LAS holds numbers, not text; leave it out, or write CSV")
    if len(str(name).encode()) > _LONGEST:
        raise ValueError(
            f"{source_of(frame)}, column {name}: LAS names have at most {_LONGEST} bytes; rename the column"
        )
    return values.to_numpy(np.uint8 if values.dtype.kind == "b" else values.dtype)


def _laspy(packed: bool) -> Any:
    if packed:
        need("lazrs", "laz")
    return need("laspy", "laz" if packed else "las")


def read_ply(content: bytes, source: str) -> pd.DataFrame:
    """Read the properties of the vertices; faces and other elements are left out, with a note."""
    trimesh = need("trimesh", "ply")
    end = _PLY_END.search(content)
    if end is None:
        raise ValueError(f"{source} has no line end_header; it is cut off, or no PLY file")
    head = content[: end.start()]
    declared = _PLY_VERTICES.search(head)
    if declared is None:
        raise ValueError(f"{source} has no element vertex, or no number of them; its points are its vertices")
    n = int(declared.group(1))
    if n == 0:
        raise ValueError(f"{source} holds no vertices; a table needs at least one")
    if len(set(_PLY_AXIS.findall(head))) < 3:
        raise ValueError(f"{source}: its vertices need the properties x, y and z")
    if n > len(content) - end.end():  # a vertex takes a byte at least
        raise ValueError(f"{source} announces {n} vertices, more than fit into the file; it is cut off")
    raw = _tried(lambda: _vertices(trimesh, content), source)
    columns = {name: np.asarray(values).reshape(len(values), -1) for name, values in raw.items()}
    if wide := [name for name, values in columns.items() if values.shape[1] != 1]:
        raise ValueError(f"{source}: property {wide[0]:.60} of its vertices is a list; one value per vertex is needed")
    if any(len(values) != n for values in columns.values()):
        there = min(map(len, columns.values()))
        raise ValueError(f"{source} announces {n} vertices and holds {there}; it is cut off")
    frame = pd.DataFrame({name: _native(values[:, 0]) for name, values in columns.items()})
    frame.attrs = {"axes": _AXES}
    if others := [name.decode("latin-1") for name in _PLY_OTHERS.findall(head)]:
        frame.attrs["notes"] = [f"{source}: only vertices are read; left out: {listed(others)}"]
    return frame


def _vertices(trimesh: Any, content: bytes) -> dict[str, NDArray[Any]]:
    read = trimesh.load(io.BytesIO(content), file_type="ply", process=False)
    data = read.metadata["_ply_raw"]["vertex"]["data"]
    return {name: data[name] for name in (data.dtype.names if isinstance(data, np.ndarray) else data)}


def _native(values: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(values, values.dtype.newbyteorder("="))


def encode_ply(frame: pd.DataFrame) -> bytes:
    """Encode the columns as properties of vertices in binary; trimesh writes coordinates and colors only."""
    source = source_of(frame)
    if not set(_AXES) <= set(frame.columns):
        raise ValueError(f"{source}: PLY needs columns x, y and z; there are {listed(list(frame.columns))}")
    fields = []
    for name, label in zip(unique_names(re.sub(r"\s+", "_", str(name)) for name in frame), frame, strict=True):
        values = frame[label]
        if is_text(values) or values.dtype.kind not in "iufb":
            raise ValueError(
                f"{source}, column {label!s:.60}: PLY holds numbers, not text; leave it out, or write another format"
            )
        array = values.to_numpy(np.uint8 if values.dtype.kind == "b" else values.dtype)
        if array.dtype.itemsize == 8 and array.dtype.kind in "iu":
            array = _narrower(array, f"{source}, column {label!s:.60}")
        fields.append((name, array))
    out = np.empty(len(frame), [(name, array.dtype.newbyteorder("<")) for name, array in fields])
    for name, array in fields:
        out[name] = array
    kinds = [f"property {_PLY_TYPES.get(array.dtype.str[1:], 'double')} {name}" for name, array in fields]
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(frame)}", *kinds, "end_header", ""]
    return "\n".join(head).encode() + out.tobytes()


def _narrower(values: NDArray[Any], where: str) -> NDArray[Any]:
    """Integers of 32 bits if they fit, else as floats: PLY has no longer integers."""
    limits = np.iinfo(np.int32)
    if values.size and limits.min <= values.min() and values.max() <= limits.max:
        return values.astype(np.int32)
    if values.size and max(abs(int(values.min())), abs(int(values.max()))) > EXACT:
        raise ValueError(f"{where}: PLY has no integers beyond ±2^53; write {called('csv')} or {called('parquet')}")
    return values.astype(np.float64)
