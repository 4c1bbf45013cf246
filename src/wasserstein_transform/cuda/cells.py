"""Points sorted into cells on the device, so that a ball only visits cells around it.

Sums over neighbors are computed in the order of the cells, and by index within a cell: a part of a cloud with whole
cells gives the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._types import Floats, Ints, cached_property
from ..compute import Frame
from ..compute.cells.index import frame_between
from ..engine import Engine
from .device import Array, Device, is_on_device
from .geometry import GpuGeometry, geometry_of

if TYPE_CHECKING:
    from ..spaces import Metric

MIN_POINTS = 1000  # for fewer points the CPU is faster
_MAX_CLOSED_DIM = 3  # largest dimension in which the distance of Gaussians has a closed formula
_MAX_KEY = 2.0**62  # keys are 64-bit integers
MAX_LAUNCH_STEPS = 3e11  # operations of threads per launch: a fifth of what a large device does in a tenth of a second


@dataclass(frozen=True, eq=False)
class Cells:
    """Points by position: `order[position]` is the point, `cell[position]` its cell.

    Cell c holds the positions `starts[c]` to `starts[c + 1]`; the candidates of its points are the positions
    `runs[c, r, 0]` to `runs[c, r, 1]`, for each r.
    """

    order: Array
    cell: Array
    starts: Array
    runs: Array

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.order)

    @cached_property
    def n_candidates(self) -> Array:
        """Number of candidates of each position."""
        return (self.runs[:, :, 1] - self.runs[:, :, 0]).sum(axis=1)[self.cell]


def has_few_points(metric: Metric) -> bool:
    """Whether there are few points and they are on the host, so that the CPU computes."""
    return metric.n < MIN_POINTS and not is_on_device(metric.coordinates)


def simple_geometry(metric: Metric, device: Device) -> GpuGeometry | None:
    """The metric on the device if one thread computes a distance; None for others, which the CPU computes."""
    if (
        metric.coordinates is None
        or has_few_points(metric)
        or (metric.lam > 0 and metric.coordinates.shape[1] > _MAX_CLOSED_DIM)
    ):
        return None
    geometry = geometry_of(metric, device)
    return None if geometry is None or geometry.solid else geometry


def places_of(metric: Metric, device: Device) -> Array:
    """Coordinates of the points, on the device."""
    geometry = geometry_of(metric, device) if metric.lam == 0 else None
    if geometry is not None:
        return geometry.rows
    key = "places", device.name
    if key not in metric.derived.on_devices:
        metric.derived.on_devices[key] = device.put(metric.coordinates)
    return metric.derived.on_devices[key]


def cells_of(metric: Metric, reach: float, device: Device, before: Array | None = None) -> Cells:
    """Cells in which all pairs within `reach` are candidates.

    Points of a cell are in the order of `before`, by default by index.
    """
    places, xp = places_of(metric, device), device.xp
    n = len(places)
    if not np.isfinite(reach):  # one cell: all points are candidates of all points
        ends = xp.arange(2) * n
        return Cells(xp.arange(n) if before is None else before, xp.zeros(n, np.int64), ends, ends.reshape(1, 1, 2))
    low, high = bounds(places, device)
    frame = frame_between(low, high, n, reach, lambda cut: _count_along(_compressed_numbers(places, cut, xp), cut))
    keys, strides = _keys_and_strides(places, frame, low, high, device)
    order = xp.argsort(keys, kind="stable") if before is None else before[xp.argsort(keys[before], kind="stable")]
    begins, key_type = xp.empty(n, np.int64), _type_of(keys)
    device.launch("cells.cu", "mark_cells", n, (keys, order, n, begins), KEY=key_type)
    cell = xp.cumsum(begins)
    n_cells = int(cell[-1].item())
    starts, cell_keys = xp.empty(n_cells + 1, np.int64), xp.empty(n_cells, np.int64)
    device.launch("cells.cu", "fill_cells", n, (keys, order, n, cell, starts, cell_keys), KEY=key_type)
    slow = (0, 0, *strides[:-1].tolist())
    n_rows = (2 * frame.per_reach + 1) ** (len(strides) - 1)
    runs = xp.empty((n_cells, n_rows, 2), np.int64)
    args = cell_keys, starts, n_cells, frame.per_reach, n_rows, slow[-1], slow[-2], runs
    device.launch("cells.cu", "find_runs", n_cells * n_rows, args, KEY=key_type)
    return Cells(order, cell, starts, runs)


def bounds(points: Array, device: Device) -> tuple[Floats, Floats]:
    """The smallest and the largest coordinates."""
    return device.fetch(points.min(axis=0)), device.fetch(points.max(axis=0))


def _type_of(keys: Array) -> str:
    """The type of keys in kernels."""
    return "int" if keys.dtype == np.int32 else "Index"


def _keys_and_strides(places: Array, frame: Frame, low: Floats, high: Floats, device: Device) -> tuple[Array, Ints]:
    """The key of the cell of each point, and the strides of keys along each axis; points are between these corners."""
    if frame.side > 0:
        corners = (edge[list(frame.axes)] - np.array(frame.origin) for edge in (low, high))
        first, last = (np.floor(corner / frame.side) for corner in corners)
        shape = last - first + 2 * frame.per_reach + 1
        if np.prod(shape) <= _MAX_KEY:
            strides = _strides(shape)
            # 32-bit keys are sorted in half the time
            keys = device.xp.empty(len(places), np.int32 if np.prod(shape) < 2**31 else np.int64)
            cuts = list(zip(frame.axes, map(float, frame.origin), first.tolist(), strides.tolist(), strict=True))
            cuts += [(0, 0.0, 0.0, 0)] * (3 - len(cuts))
            along = (part for cut in cuts for part in cut)
            args = places, *places.shape, float(frame.side), frame.per_reach, *along, keys
            device.launch("cells.cu", "find_keys", len(places), args, KEY=_type_of(keys))
            return keys, strides
    numbers = _compressed_numbers(places, frame, device.xp)
    strides = _strides(_count_along(numbers, frame))
    return sum(along * stride for along, stride in zip(numbers, strides.tolist(), strict=True)), strides


def _compressed_numbers(places: Array, frame: Frame, xp: Any) -> list[Array]:
    """The number of the cell of each point along each axis, with empty intervals shortened to just out of reach."""
    numbers, far = [], frame.per_reach + 1
    for axis, origin in zip(frame.axes, frame.origin, strict=True):
        along = places[:, axis]
        steps = xp.floor((along - origin) / frame.side) if frame.side > 0 else along + 0.0
        rising = xp.sort(steps)
        gaps = rising[1:] - rising[:-1]
        steps_to = xp.zeros(len(rising), np.int64)
        steps_to[1:] = (xp.minimum(gaps, far) if frame.side > 0 else xp.where(gaps > 0, far, 0)).astype(np.int64)
        numbers.append(xp.cumsum(steps_to)[xp.searchsorted(rising, steps)] + frame.per_reach)
    return numbers


def _count_along(numbers: list[Array], frame: Frame) -> Floats:
    """The number of cell numbers along each axis, including a margin after the last."""
    return np.array([float(along.max().item()) + frame.per_reach + 1 for along in numbers])


def _strides(shape: Floats) -> Ints:
    return np.append(np.cumprod(shape[:0:-1].astype(np.int64))[::-1], 1).astype(np.int64)


def iterate_rows(
    stage: str, cells: Cells, rows: Array, steps: float, device: Device, engine: Engine
) -> Iterator[tuple[int, int]]:
    """Begin and end of parts of `rows`, one for each launch, given the steps per candidate."""
    engine.check()
    ends = [len(rows)] if len(rows) else []
    if steps * cells.n * float(len(rows)) > MAX_LAUNCH_STEPS:  # if all points were candidates
        xp = device.xp
        visited = xp.cumsum(cells.n_candidates[rows].astype(xp.float64))
        n_parts = int(np.ceil(steps * float(visited[-1].item()) / MAX_LAUNCH_STEPS))
        inner = device.fetch(xp.searchsorted(visited, xp.arange(1, n_parts) * (visited[-1] / n_parts))) + 1
        ends = [*(end for end in np.unique(inner).tolist() if end < len(rows)), len(rows)]
    for k, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
        if k > 0:
            device.wait()
            engine.check()
        yield begin, end
        engine.report(stage, k + 1, len(ends))
