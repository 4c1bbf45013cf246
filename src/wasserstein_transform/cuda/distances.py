"""Many distances: blocks, lists, full and condensed matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._types import Ints
from ..compute.metric import MetricArrays
from ..engine import Engine
from .cells import has_few_points
from .device import Array, Device, OnDevice, in_pieces
from .geometry import MAX_DIM, PAIRS, SPACE, Geometry, concatenated, fill_listed, geometry_for, numbered

_SIDE, _THREADS = 64, 256  # side of a tile, and threads of the block that fills it: as in tiles.h
_STEPS = 4e9  # steps per launch: some hundredths of a second
_BYTES = 1 << 28  # bytes computed before they are copied to the host
_DEAR = 1 << 20  # pairs of a band if each takes a warp
_BLOCKS = 512  # thread blocks for movement: enough to fill a device, few results to copy
_LISTED = 1 << 26  # pairs copied to the device at a time


def pairs(metric: MetricArrays, rows: Ints, cols: Ints, engine: Engine, *, device: Device) -> Any:
    """Distances of the points rows[k] and cols[k]."""
    geometry = geometry_for(metric, len(rows), device, engine)
    if geometry is None:
        return NotImplemented
    found = np.empty(len(rows))
    for part in in_pieces(len(rows), _LISTED, "distances", device, engine):
        put = device.put(rows[part].astype(np.int64)), device.put(cols[part].astype(np.int64))
        found[part] = device.fetch(listed(geometry, *put, device, engine))
    return found


def listed(geometry: Geometry, rows: Array, cols: Array, device: Device, engine: Engine) -> Array:
    """The same on the device; indices of points are 64-bit integers there."""
    out = device.xp.empty(len(rows))
    if geometry.solid:
        fill_listed(geometry, rows, cols, out, device, engine)
    else:
        args = *geometry.arguments, rows, cols, len(rows), out
        device.launch("distances.cu", "fill_pairs", len(rows), args, **geometry.constants)
    return out


def block(metric: MetricArrays, rows: Ints, cols: Ints, engine: Engine, *, device: Device) -> Any:
    """Distances of the points `rows` to the points `cols`."""
    geometry = geometry_for(metric, float(len(rows)) * len(cols), device, engine)
    if geometry is None:
        return NotImplemented
    found = np.empty((len(rows), len(cols)))
    on_device = device.put(rows.astype(np.int64)), device.put(cols.astype(np.int64))
    size = max(1, _DEAR // max(len(cols), 1)) if geometry.solid else _rows_of_band(len(cols), 8)
    for part in in_pieces(len(rows), size, "distances", device, engine):
        few = rectangle(geometry, on_device[0][part], on_device[1], np.float64, device, engine.quiet())
        device.fetch_into(found[part], few)
    return found


def n_within(metric: MetricArrays, rows: Ints, radius: float, engine: Engine, *, device: Device) -> Any:
    """Number of points within the radius of each of the points `rows`."""
    geometry = geometry_for(metric, float(len(rows)) * metric.n, device, engine)
    if geometry is None:
        return NotImplemented
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


def _geometry_to_fill(metric: MetricArrays, out: Any, device: Device, engine: Engine) -> Geometry | None:
    """The metric on the device if it can fill this array, else None."""
    there = on_device(out, device)
    if there is None and not isinstance(out, np.ndarray):
        return None
    geometry = geometry_for(metric, float(metric.n) ** 2 if there is None else np.inf, device, engine)
    if geometry is None or not geometry.solid or there is not None or device.fits(2.0 * out.nbytes):
        return geometry
    return None


def dense(metric: MetricArrays, out: Any, engine: Engine, *, device: Device) -> Any:
    """Fill the full matrix: on the device in place, on the host band by band."""
    geometry = _geometry_to_fill(metric, out, device, engine)
    return NotImplemented if geometry is None else fill_matrix(geometry, out, device, engine)


def fill_matrix(geometry: Geometry, out: Any, device: Device, engine: Engine) -> None:
    """The same for a metric on the device."""
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
    for part in in_pieces(n * (n - 1) // 2, PAIRS, "distances", device, engine):
        rows, cols = numbered(n, part, device, geometry)
        found = listed(geometry, rows, cols, device, engine.quiet()).astype(out.dtype)
        out[rows, cols] = found
        out[cols, rows] = found


def condensed(metric: MetricArrays, out: Any, engine: Engine, *, device: Device) -> Any:
    """Fill the distances of all pairs in SciPy's order."""
    geometry = _geometry_to_fill(metric, out, device, engine)
    if geometry is None:
        return NotImplemented
    there, n = on_device(out, device), geometry.n
    size = min(_BYTES // out.dtype.itemsize, int(_STEPS / 10))
    for part in in_pieces(n * (n - 1) // 2, PAIRS if geometry.solid else size, "distances", device, engine):
        found = _numbered(geometry, part, out.dtype, device, engine)
        if there is None:
            device.fetch_into(out[part], found)
        else:
            there[part] = found
    return None


def _numbered(geometry: Geometry, part: slice, stored: Any, device: Device, engine: Engine) -> Array:
    """The distances at these positions of the condensed vector."""
    n, count = geometry.n, part.stop - part.start
    if geometry.solid:
        return listed(geometry, *numbered(n, part, device, geometry), device, engine.quiet()).astype(stored)
    out = device.xp.empty(count, stored)
    args = *geometry.arguments, n, part.start, count, out
    device.launch("distances.cu", "fill_condensed", count, args, **_storing(geometry, out))
    return out


def movement(before: MetricArrays, after: MetricArrays, engine: Engine, *, device: Device) -> Any:
    """The largest distance between the same point before and after."""
    if before.places is None or after.places is None or after.places.shape[1] > MAX_DIM or has_few_points(after):
        return NotImplemented
    geometry, n = concatenated(before, after, device)[0], after.n
    if geometry.solid:
        rows = device.xp.arange(n)
        return float(listed(geometry, rows, rows + n, device, engine).max().item())
    n_blocks = min(_BLOCKS, -(-n // 256))
    out = device.xp.empty(n_blocks)
    args = *geometry.arguments, n, out
    device.launch("movement.cu", "find_movement", 256 * n_blocks, args, block=256, **geometry.constants)
    return float(np.sqrt(device.fetch(out).max()))
