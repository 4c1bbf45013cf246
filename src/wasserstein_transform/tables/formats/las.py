"""Points in LAS and LAZ files, read with laspy and lazrs."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns import Rows
from ..content import kind_of
from ..kinds import need
from ..sources import reserve
from ..table import Table
from .laz import layers_fit

_AXES = ("x", "y", "z")
_HELD = 3.0  # memory relative to the columns: points are held as stored and as numbers
_SHORTEST, _SHORTEST_1_4 = 227, 375  # smallest size of a header in bytes
_LONGEST = 32  # longest name of a dimension in bytes
_STEPS = 2**31 - 1  # coordinates are stored as integers up to this one, times a scale


def read_las(content: bytes, source: str) -> Table:
    """Read the coordinates, with scale and offset of the header applied, and all other dimensions."""
    packed = kind_of(content)[0] == "laz"
    laspy = _laspy(packed)
    _check_counts(content, source)
    if packed:
        _check_chunks(content, source)
    backend = laspy.LazBackend.Lazrs
    with _tried(lambda: laspy.open(io.BytesIO(content), laz_backend=backend), source) as file:
        header = file.header
        _check_size(header, len(content), source)
        if packed:
            _check_layers(header, content, source)
        points = _tried(file.read, source)
    if len(points.points) == 0:
        raise ValueError(f"{source} holds no points; a table needs at least one")
    names = [name for name in points.point_format.dimension_names if name not in "XYZ"]
    columns = _tried(lambda: {axis: np.array(points[axis], np.float64) for axis in _AXES}, source)
    others = _tried(lambda: {name: np.asarray(points[name]) for name in names}, source)
    flat = {name: array for name, array in others.items() if array.ndim == 1}
    left_out = {name: "holds several values per point" for name in others if name not in flat}
    notes = (
        (f"{source}: dimensions with several values per point are left out: {', '.join(left_out)}",) if left_out else ()
    )
    if len(points.points) < header.point_count:
        raise ValueError(
            f"{source} announces {header.point_count} points and holds {len(points.points)}; it is cut off"
        )
    return Table(columns | flat, source, _AXES, notes, Rows("point"), left_out=left_out, origin=header)


def _tried(read: Callable[[], Any], source: str) -> Any:
    """Call a reader and turn any exception into a ValueError: laspy, lazrs and struct raise many types."""
    try:
        return read()
    except Exception as error:
        raise ValueError(f"{source} is cut off or damaged: {_first_line(error)}; fetch it again") from None


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
    at = (
        int.from_bytes(content[-8:], "little", signed=True) if at == -1 else at
    )  # the offset is at the end if the file was written to a pipe
    head = content[at : at + 8] if start < at else b""
    if len(head) < 8 or head[:4] != bytes(4) or int.from_bytes(head[4:], "little") > len(content):
        raise ValueError(f"{source} is cut off or damaged: its points cannot be unpacked; fetch it again")


def _check_layers(header: Any, content: bytes, source: str) -> None:
    """Raise if a chunk declares more bytes than the file has."""
    records = [record.record_data_bytes() for record in header.vlrs.get("LasZipVlr")]
    if len(records) != 1 or not layers_fit(content, header.offset_to_point_data, header.point_count, records[0]):
        raise ValueError(f"{source} is cut off or damaged: its points cannot be unpacked; fetch it again")


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


def encode_las(table: Table, packed: bool = False) -> bytes:
    """Encode coordinates with the scale of the original header or a fitting one; new columns are extra dimensions."""
    laspy = _laspy(packed)
    if not set(_AXES) <= set(table.names):
        raise ValueError(f"{table.source}: LAS needs columns x, y and z; there are {', '.join(table.names)}")
    header = copy.deepcopy(table.origin) if isinstance(table.origin, laspy.LasHeader) else _new_header(table, laspy)
    known = set(header.point_format.dimension_names)
    columns = {name: _storable(table, name) for name in table.names if name not in _AXES}
    for name, values in columns.items():
        if name not in known:
            header.add_extra_dim(laspy.ExtraBytesParams(name, values.dtype))
    points = laspy.LasData(header, laspy.ScaleAwarePointRecord.zeros(len(table), header=header))
    try:
        for axis, place in zip(_AXES, table.numbers(_AXES).T, strict=True):
            points[axis] = place
        for name, values in columns.items():
            _fill(points, name, values, table.source)
    except OverflowError as error:
        raise ValueError(
            f"{table.source} cannot be written as LAS: {_first_line(error)}; write CSV or Parquet"
        ) from None
    held = io.BytesIO()
    points.write(held, do_compress=packed)
    return held.getvalue()


def _fill(points: Any, name: str, values: NDArray[Any], source: str) -> None:
    points[name] = values
    if not np.array_equal(np.asarray(points[name]), values, equal_nan=values.dtype.kind == "f"):
        raise ValueError(f"{source}, column {name}: LAS has a narrower dimension of that name; rename the column")


def _storable(table: Table, name: str) -> NDArray[Any]:
    values = table.columns[name]
    if values.dtype.kind not in "iufb":
        raise ValueError(f"{table.source}, column {name}: LAS holds numbers, not text; leave it out, or write CSV")
    if len(name.encode()) > _LONGEST:
        raise ValueError(f"{table.source}, column {name}: LAS names have at most {_LONGEST} bytes; rename the column")
    return values.astype(np.uint8) if values.dtype.kind == "b" else values


def _new_header(table: Table, laspy: Any) -> Any:
    """A header with the smallest power of ten as scale for which the coordinates fit."""
    colored = {"red", "green", "blue"} <= set(table.names)
    header = laspy.LasHeader(point_format=7 if colored else 6, version="1.4")
    places = table.numbers(_AXES)
    low, high = places.min(axis=0, initial=0.0), places.max(axis=0, initial=0.0)
    if len(places):
        low, high = places.min(axis=0), places.max(axis=0)
    half = np.maximum((high - low) / 2, 1e-3)
    header.offsets = low / 2 + high / 2
    header.scales = 10.0 ** np.ceil(np.log10(half / _STEPS * 1.01))
    return header


def _laspy(packed: bool) -> Any:
    if packed:
        need("lazrs", "laz")
    return need("laspy", "laz" if packed else "las")


def _first_line(error: Exception) -> str:
    return ((str(error) or type(error).__name__).splitlines() or [""])[0][:200]
