"""Many distances: blocks, lists, full and condensed matrices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine
from . import solid
from .device import Array, Device, OnDevice
from .geometry import SPACE, Geometry
from .pieces import in_pieces

_SIDE, _THREADS = 64, 256  # side of a tile, and threads of the block that fills it: as in tiles.h
_STEPS = 4e9  # steps per launch: some hundredths of a second
_BYTES = 1 << 28  # bytes computed before they are copied to the host
_DEAR = 1 << 20  # pairs of a band if each takes a warp
_LISTED = 1 << 26  # pairs copied to the device at a time


def pairs(geometry: Geometry, rows: Ints, cols: Ints, device: Device, engine: Engine) -> Floats:
    """Distances of the points rows[k] and cols[k]."""
    found = np.empty(len(rows))
    for part in in_pieces(len(rows), _LISTED, "distances", device, engine):
        put = device.put(rows[part].astype(np.int64)), device.put(cols[part].astype(np.int64))
        found[part] = device.fetch(listed(geometry, *put, device, engine))
    return found


def listed(geometry: Geometry, rows: Array, cols: Array, device: Device, engine: Engine) -> Array:
    """The same on the device; indices of points are 64-bit integers there."""
    out = device.xp.empty(len(rows))
    if geometry.solid:
        solid.fill_listed(geometry, rows, cols, out, device, engine)
    else:
        args = *geometry.arguments, rows, cols, len(rows), out
        device.launch("distances.cu", "fill_pairs", len(rows), args, **geometry.constants)
    return out


def block(geometry: Geometry, rows: Ints, cols: Ints, device: Device, engine: Engine) -> Floats:
    """Distances of the points `rows` to the points `cols`."""
    found = np.empty((len(rows), len(cols)))
    on_device = device.put(rows.astype(np.int64)), device.put(cols.astype(np.int64))
    size = max(1, _DEAR // max(len(cols), 1)) if geometry.solid else _rows_of_band(len(cols), 8)
    for part in in_pieces(len(rows), size, "distances", device, engine):
        few = rectangle(geometry, on_device[0][part], on_device[1], np.float64, device, engine.quiet())
        device.fetch_into(found[part], few)
    return found


def n_within(geometry: Geometry, rows: Ints, radius: float, device: Device, engine: Engine) -> Ints:
    """Number of points within the radius of each of the points `rows`."""
    found, everybody = np.empty(len(rows), np.intp), device.xp.arange(geometry.n)
    asked = device.put(rows.astype(np.int64))
    size = max(1, _DEAR // geometry.n) if geometry.solid else _rows_of_band(geometry.n, 8)
    for part in in_pieces(len(rows), size, "distances", device, engine):
        few = rectangle(geometry, asked[part], everybody, np.float64, device, engine.quiet())
        found[part] = device.fetch((few <= radius).sum(axis=1))
    return found


def rectangle(geometry: Geometry, rows: Array, cols: Array, stored: Any, device: Device, engine: Engine) -> Array:
    """Distances of the points `rows` to the points `cols`, on the device."""
    xp = device.xp
    if geometry.solid:
        found = listed(geometry, xp.repeat(rows, len(cols)), xp.tile(cols, len(rows)), device, engine)
        return found.reshape(len(rows), len(cols)).astype(stored)
    out = xp.empty((len(rows), len(cols)), stored)
    fill_rectangle(geometry.sorted(rows), geometry.sorted(cols), out, device, engine)
    return out


def fill_rectangle(one: Geometry, other: Geometry, out: Array, device: Device, engine: Engine) -> None:
    """out[i, j] = distance from point i of one geometry to point j of another one of the same type."""
    n_tiles = -(-one.n // _SIDE) * -(-other.n // _SIDE)
    args = *one.arguments, one.n, other.rows, other.n
    _fill_tiles("fill_rectangle", n_tiles, one, args, out, device, engine)


def _fill_tiles(
    kernel: str, n_tiles: int, geometry: Geometry, args: tuple[Any, ...], out: Array, device: Device, engine: Engine
) -> None:
    constants = _storing(geometry, out)
    for part in in_pieces(n_tiles, _tiles_of_launch(geometry), "distances", device, engine):
        n_threads = (part.stop - part.start) * _THREADS
        device.launch("distances.cu", kernel, n_threads, (*args, part.start, out), block=_THREADS, **constants)


def _tiles_of_launch(geometry: Geometry) -> int:
    kind, m = geometry.constants["METRIC"], geometry.constants["M"]
    return max(1, int(_STEPS / ((10 if kind == SPACE else 2 + m / 4) * _SIDE**2)))


def _storing(geometry: Geometry, out: Array) -> dict[str, Any]:
    """Constants for the data type of `out`."""
    return {**geometry.constants, "STORED": "float"} if out.dtype == np.float32 else geometry.constants


def _rows_of_band(n: int, itemsize: int) -> int:
    return max(1, int(_BYTES / (itemsize * max(n, 1))) // _SIDE * _SIDE or _SIDE)


def on_device(out: Any, device: Device) -> Array | None:
    """The array on the device to be filled in place; None if it is on the host."""
    if isinstance(out, OnDevice) and out.device is device:
        vars(out).pop("host", None)  # drop the copy on the host, which becomes outdated
        return out.array
    return device.xp.asarray(out) if hasattr(out, "__cuda_array_interface__") else None


@contextmanager
def on_host(out: Any, device: Device) -> Iterator[Any]:
    """The array itself, or an array on the host that is copied to it at the end."""
    there = on_device(out, device)
    if there is None:
        yield out
        return
    host = np.empty(out.shape, out.dtype)
    yield host
    there[...] = device.put(host)


def can_fill(geometry: Geometry, out: Any, device: Device) -> bool:
    """Whether the device has enough memory for its result before it is copied to the host."""
    return not geometry.solid or on_device(out, device) is not None or device.fits(2.0 * out.nbytes)


def dense(geometry: Geometry, out: Any, device: Device, engine: Engine) -> None:
    """Fill the full matrix: on the device in place, on the host band by band."""
    n, there = geometry.n, on_device(out, device)
    if there is not None:
        _fill_whole(geometry, there, device, engine)
    elif geometry.solid:
        there = device.xp.empty((n, n), out.dtype)
        _fill_whole(geometry, there, device, engine)
        for start in range(0, n, _rows_of_band(n, out.dtype.itemsize)):
            band = slice(start, start + _rows_of_band(n, out.dtype.itemsize))
            device.fetch_into(out[band], there[band])
    else:
        for band in in_pieces(n, _rows_of_band(n, out.dtype.itemsize), "distances", device, engine):
            part = device.xp.empty((band.stop - band.start, n), out.dtype)
            fill_rectangle(geometry.sorted(band), geometry, part, device, engine.quiet())
            device.fetch_into(out[band], part)


def _fill_whole(geometry: Geometry, out: Array, device: Device, engine: Engine) -> None:
    """Fill a matrix on the device; each pair is computed once and mirrored."""
    n = geometry.n
    if not geometry.solid:
        across = -(-n // _SIDE)
        _fill_tiles("fill_square", across * (across + 1) // 2, geometry, (*geometry.arguments, n), out, device, engine)
        return
    out[...] = 0.0
    for part in in_pieces(n * (n - 1) // 2, solid.PAIRS, "distances", device, engine):
        rows, cols = solid.numbered(n, part, device, geometry)
        found = listed(geometry, rows, cols, device, engine.quiet()).astype(out.dtype)
        out[rows, cols] = found
        out[cols, rows] = found


def condensed(geometry: Geometry, out: Any, device: Device, engine: Engine) -> None:
    """Fill the distances of all pairs in SciPy's order."""
    there, n = on_device(out, device), geometry.n
    size = min(_BYTES // out.dtype.itemsize, int(_STEPS / 10))
    for part in in_pieces(n * (n - 1) // 2, solid.PAIRS if geometry.solid else size, "distances", device, engine):
        found = _numbered(geometry, part, out.dtype, device, engine)
        if there is None:
            device.fetch_into(out[part], found)
        else:
            there[part] = found


def _numbered(geometry: Geometry, part: slice, stored: Any, device: Device, engine: Engine) -> Array:
    """The distances at these positions of the condensed vector."""
    n, count = geometry.n, part.stop - part.start
    if geometry.solid:
        return listed(geometry, *solid.numbered(n, part, device, geometry), device, engine.quiet()).astype(stored)
    out = device.xp.empty(count, stored)
    args = *geometry.arguments, n, part.start, count, out
    device.launch("distances.cu", "fill_condensed", count, args, **_storing(geometry, out))
    return out
