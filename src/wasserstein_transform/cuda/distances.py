"""Many distances: blocks, lists, full and condensed matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._types import Ints
from ..engine import Engine
from .cells import has_few_points
from .device import Array, Device, GpuArray, iterate_slices
from .geometry import MAX_DIM, MAX_LAUNCH_PAIRS, SPACE, GpuGeometry, fill_pairs, geometry_for, join_metrics, pairs_at

if TYPE_CHECKING:
    from ..spaces import Metric

_SIDE, _THREADS = 64, 256  # side of a tile, and threads of the block that fills it: as in tiles.h
MAX_LAUNCH_STEPS = 4e9  # steps per launch: some hundredths of a second
_MAX_BAND_BYTES = 1 << 28  # bytes computed before they are copied to the host
_MAX_SOLID_PAIRS = 1 << 20  # pairs of a band if each takes a warp
_MAX_LISTED_PAIRS = 1 << 26  # pairs copied to the device at a time


def pairs(metric: Metric, rows: Ints, cols: Ints, engine: Engine, *, device: Device) -> Any:
    """Distances of the points rows[k] and cols[k]."""
    geometry = geometry_for(metric, len(rows), device, engine)
    if geometry is None:
        return NotImplemented
    out = np.empty(len(rows))
    for part in iterate_slices(len(rows), _MAX_LISTED_PAIRS, "distances", device, engine):
        sources, targets = (device.put(side[part].astype(np.int64)) for side in (rows, cols))
        out[part] = device.fetch(distances_of_pairs(geometry, sources, targets, device, engine))
    return out


def distances_of_pairs(geometry: GpuGeometry, rows: Array, cols: Array, device: Device, engine: Engine) -> Array:
    """The same on the device; indices of points are 64-bit integers there."""
    out = device.xp.empty(len(rows))
    if geometry.solid:
        fill_pairs(geometry, rows, cols, out, device, engine)
    else:
        args = *geometry.arguments, rows, cols, len(rows), out
        device.launch("distances.cu", "fill_pairs", len(rows), args, **geometry.constants)
    return out


def block(metric: Metric, rows: Ints, cols: Ints, engine: Engine, *, device: Device) -> Any:
    """Distances of the points `rows` to the points `cols`."""
    geometry = geometry_for(metric, float(len(rows)) * len(cols), device, engine)
    if geometry is None:
        return NotImplemented
    out = np.empty((len(rows), len(cols)))
    sources, targets = (device.put(points.astype(np.int64)) for points in (rows, cols))
    n = max(len(cols), 1)
    size = max(1, _MAX_SOLID_PAIRS // n) if geometry.solid else _rows_of_band(n, 8)
    for part in iterate_slices(len(rows), size, "distances", device, engine):
        device.fetch_into(out[part], rectangle(geometry, sources[part], targets, device, engine.silent()))
    return out


def rectangle(geometry: GpuGeometry, rows: Array, cols: Array, device: Device, engine: Engine) -> Array:
    """Distances of the points `rows` to the points `cols`, on the device."""
    xp, shape = device.xp, (len(rows), len(cols))
    if geometry.solid:
        ends = xp.repeat(rows, len(cols)), xp.tile(cols, len(rows))
        return distances_of_pairs(geometry, *ends, device, engine).reshape(shape)
    out = xp.empty(shape)
    _fill_rectangle(geometry.sorted(rows), geometry.sorted(cols), out, device, engine)
    return out


def _fill_rectangle(one: GpuGeometry, other: GpuGeometry, out: Array, device: Device, engine: Engine) -> None:
    """out[i, j] = distance from point i of one geometry to point j of another one of the same type."""
    n_tiles = -(-one.n // _SIDE) * -(-other.n // _SIDE)
    _fill_tiles("fill_rectangle", n_tiles, one, (one.n, other.rows, other.n), out, device, engine)


def _fill_tiles(
    kernel: str, n_tiles: int, geometry: GpuGeometry, args: tuple[Any, ...], out: Array, device: Device, engine: Engine
) -> None:
    steps = 10 if geometry.constants["METRIC"] == SPACE else 2 + geometry.constants["M"] / 4
    size = max(1, int(MAX_LAUNCH_STEPS / (steps * _SIDE**2)))
    for part in iterate_slices(n_tiles, size, "distances", device, engine):
        n_threads, given = (part.stop - part.start) * _THREADS, (*geometry.arguments, *args, part.start, out)
        device.launch("distances.cu", kernel, n_threads, given, block=_THREADS, **_constants(geometry, out))


def _constants(geometry: GpuGeometry, out: Array) -> dict[str, Any]:
    """Constants for the data type of `out`."""
    return {**geometry.constants, "STORED": "float"} if out.dtype == np.float32 else geometry.constants


def _rows_of_band(n: int, itemsize: int) -> int:
    return max(1, int(_MAX_BAND_BYTES / (itemsize * max(n, 1))) // _SIDE * _SIDE or _SIDE)


def _array_on(device: Device, out: Any) -> Array | None:
    """The array on the device to be filled in place; None if it is on the host."""
    if isinstance(out, GpuArray) and out.device is device:
        vars(out).pop("host", None)  # drop the copy on the host, which becomes outdated
        return out.array
    return device.xp.asarray(out) if hasattr(out, "__cuda_array_interface__") else None


def _geometry_to_fill(metric: Metric, out: Any, device: Device, engine: Engine) -> GpuGeometry | None:
    """The metric on the device if it can fill this array, else None."""
    array = _array_on(device, out)
    if array is None and not isinstance(out, np.ndarray):
        return None
    geometry = geometry_for(metric, float(metric.n) ** 2 if array is None else np.inf, device, engine)
    if geometry is None or not geometry.solid or array is not None or device.fits(2.0 * out.nbytes):
        return geometry
    return None


def dense(metric: Metric, out: Any, engine: Engine, *, device: Device) -> Any:
    """Fill the full matrix: on the device in place, on the host band by band."""
    geometry = _geometry_to_fill(metric, out, device, engine)
    return NotImplemented if geometry is None else fill_matrix(geometry, out, device, engine)


def fill_matrix(geometry: GpuGeometry, out: Any, device: Device, engine: Engine) -> None:
    """The same for a metric on the device."""
    n, array, xp = geometry.n, _array_on(device, out), device.xp
    size = _rows_of_band(n, out.dtype.itemsize)
    if array is None and not geometry.solid:
        for band in iterate_slices(n, size, "distances", device, engine):
            part = xp.empty((band.stop - band.start, n), out.dtype)
            _fill_rectangle(geometry.sorted(band), geometry, part, device, engine.silent())
            device.fetch_into(out[band], part)
        return
    matrix = xp.empty((n, n), out.dtype) if array is None else array
    _fill_square(geometry, matrix, device, engine)
    if array is None:
        for start in range(0, n, size):
            device.fetch_into(out[start : start + size], matrix[start : start + size])


def _fill_square(geometry: GpuGeometry, out: Array, device: Device, engine: Engine) -> None:
    """Fill a matrix on the device; each pair is computed once and mirrored."""
    n = geometry.n
    if not geometry.solid:
        across = -(-n // _SIDE)
        _fill_tiles("fill_square", across * (across + 1) // 2, geometry, (n,), out, device, engine)
        return
    out[...] = 0.0
    for part in iterate_slices(n * (n - 1) // 2, MAX_LAUNCH_PAIRS, "distances", device, engine):
        rows, cols = pairs_at(n, part, device, geometry)
        values = distances_of_pairs(geometry, rows, cols, device, engine.silent()).astype(out.dtype)
        out[rows, cols] = values
        out[cols, rows] = values


def condensed(metric: Metric, out: Any, engine: Engine, *, device: Device) -> Any:
    """Fill the distances of all pairs in SciPy's order."""
    geometry = _geometry_to_fill(metric, out, device, engine)
    if geometry is None:
        return NotImplemented
    array, n = _array_on(device, out), geometry.n
    size = min(_MAX_BAND_BYTES // out.dtype.itemsize, int(MAX_LAUNCH_STEPS / 10))
    size = MAX_LAUNCH_PAIRS if geometry.solid else size
    for part in iterate_slices(n * (n - 1) // 2, size, "distances", device, engine):
        if geometry.solid:
            ends = pairs_at(n, part, device, geometry)
            values = distances_of_pairs(geometry, *ends, device, engine.silent()).astype(out.dtype)
        else:
            count = part.stop - part.start
            values = device.xp.empty(count, out.dtype)
            args = *geometry.arguments, n, part.start, count, values
            device.launch("distances.cu", "fill_condensed", count, args, **_constants(geometry, values))
        if array is None:
            device.fetch_into(out[part], values)
        else:
            array[part] = values
    return None


def movement(before: Metric, after: Metric, engine: Engine, *, device: Device) -> Any:
    """The largest distance between the same point before and after."""
    if (
        before.coordinates is None
        or after.coordinates is None
        or after.coordinates.shape[1] > MAX_DIM
        or has_few_points(after)
    ):
        return NotImplemented
    rows = device.xp.arange(after.n)
    distances = distances_of_pairs(join_metrics(before, after, device)[0], rows, rows + after.n, device, engine)
    return float(distances.max().item())
