"""Points sorted into cells on the device, so that a ball only visits cells around it.

Sums over neighbors are computed in the order of the cells, and by index within a cell: a part of a cloud with whole
cells gives the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._cached import cached_property
from .._types import Floats, Ints
from ..compute.metric import MetricArrays
from ..compute.records import Frame
from ..compute.search import frame_of_extent
from ..engine import Engine
from .device import Array, Device, lies_there
from .geometry import Geometry, geometry_of

SMALL = 1000  # for fewer points the CPU is faster
_SIMPLE = 3  # largest dimension in which the distance of Gaussians has a closed formula
_BLOCKS = 512  # thread blocks for the bounds: enough to fill a device, few results to copy
_MAX_KEY = 2.0**62  # keys are 64-bit integers
GRAIN = 3e11  # operations of threads per launch: a fifth of what a large device does in a tenth of a second


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


def has_few_points(metric: MetricArrays) -> bool:
    """Whether there are few points and they are on the host, so that the CPU computes."""
    return metric.n < SMALL and not lies_there(metric.places)


def simple_geometry(metric: MetricArrays, device: Device) -> Geometry | None:
    """The metric on the device if one thread computes a distance; None for others, which the CPU computes."""
    if metric.places is None or has_few_points(metric) or (metric.lam > 0 and metric.places.shape[1] > _SIMPLE):
        return None
    geometry = geometry_of(metric, device)
    return None if geometry is None or geometry.solid else geometry


def places_of(metric: MetricArrays, device: Device) -> Array:
    """Coordinates of the points, on the device."""
    geometry = geometry_of(metric, device) if metric.lam == 0 else None
    if geometry is not None:
        return geometry.rows
    key = "places", device.name
    if key not in metric.derived:
        metric.derived[key] = device.put(metric.places)
    return metric.derived[key]


def cells_of(metric: MetricArrays, reach: float, device: Device, before: Array | None = None) -> Cells:
    """Cells in which all pairs within `reach` are candidates.

    Points of a cell are in the order of `before`, by default by index.
    """
    places = places_of(metric, device)
    if not np.isfinite(reach):
        return _one_cell(len(places), device.xp, before)
    low, high = bounds(places, device)
    frame = metric.frame or frame_of_extent(low, high, len(places), reach, lambda cut: cells_along(places, cut, device))
    return _sorted(keys_of(places, frame, low, high, device), frame, device, before)


def bounds(points: Array, device: Device) -> tuple[Floats, Floats]:
    """The smallest and the largest coordinates."""
    n, m = points.shape
    n_blocks = min(_BLOCKS, -(-n // 256))
    out = device.xp.empty((n_blocks, 2, m))
    device.launch("bounds.cu", "find_bounds", 256 * n_blocks, (points, n, m, out), block=256)
    found = device.fetch(out)
    return found[:, 0].min(axis=0), found[:, 1].max(axis=0)


def _one_cell(n: int, xp: Any, before: Array | None) -> Cells:
    """One cell: all points are candidates of all points."""
    ends = xp.arange(2) * n
    order = xp.arange(n) if before is None else before
    return Cells(order, xp.zeros(n, np.int64), ends, ends.reshape(1, 1, 2))


def _sorted(keys: Keys, frame: Frame, device: Device, before: Array | None) -> Cells:
    """The cells of points with these keys."""
    xp, values, n = device.xp, keys.values, len(keys.values)
    order = xp.argsort(values, kind="stable") if before is None else before[xp.argsort(values[before], kind="stable")]
    begins = xp.empty(n, np.int64)
    device.launch("cells.cu", "mark_cells", n, (values, order, n, begins), KEY=keys.kind)
    cell = xp.cumsum(begins)
    n_cells = int(cell[-1].item())
    starts, cell_keys = xp.empty(n_cells + 1, np.int64), xp.empty(n_cells, np.int64)
    device.launch("cells.cu", "fill_cells", n, (values, order, n, cell, starts, cell_keys), KEY=keys.kind)
    slow = (0, 0, *keys.strides[:-1].tolist())
    n_rows = (2 * frame.per_reach + 1) ** (len(keys.strides) - 1)
    runs = xp.empty((n_cells, n_rows, 2), np.int64)
    args = cell_keys, starts, n_cells, frame.per_reach, n_rows, slow[-1], slow[-2], runs
    device.launch("cells.cu", "find_runs", n_cells * n_rows, args, KEY=keys.kind)
    return Cells(order, cell, starts, runs)


class Keys(NamedTuple):
    """The key of the cell of each point, and the strides of keys along each axis."""

    values: Array
    strides: Ints

    @property
    def kind(self) -> str:
        """Name of the type in kernels."""
        return "int" if self.values.dtype == np.int32 else "Index"


def keys_of(places: Array, frame: Frame, low: Floats, high: Floats, device: Device) -> Keys:
    """Keys of points between these corners."""
    axes = list(frame.axes)
    if frame.side > 0:
        first, last = (np.floor((edge[axes] - np.array(frame.origin)) / frame.side) for edge in (low, high))
        shape = last - first + 2 * frame.per_reach + 1
        if np.prod(shape) <= _MAX_KEY:
            return _plain(places, frame, first, shape, device)
    numbers = _compressed(places, frame, device.xp)
    strides = _strides(_sizes(numbers, frame))
    return Keys(sum(along * stride for along, stride in zip(numbers, strides.tolist(), strict=True)), strides)


def cells_along(places: Array, frame: Frame, device: Device) -> Floats:
    """Numbers of cells along each axis, with shortened empty intervals."""
    return _sizes(_compressed(places, frame, device.xp), frame)


def _plain(places: Array, frame: Frame, first: Floats, shape: Floats, device: Device) -> Keys:
    """Keys that count all cells from `first` on."""
    strides = _strides(shape)
    # 32-bit keys are sorted in half the time
    values = device.xp.empty(len(places), np.int32 if np.prod(shape) < 2**31 else np.int64)
    keys = Keys(values, strides)
    cuts = list(zip(frame.axes, map(float, frame.origin), first.tolist(), strides.tolist(), strict=True))
    cuts += [(0, 0.0, 0.0, 0)] * (3 - len(cuts))
    args = places, *places.shape, float(frame.side), frame.per_reach, *(part for cut in cuts for part in cut), values
    device.launch("cells.cu", "find_keys", len(places), args, KEY=keys.kind)
    return keys


def _compressed(places: Array, frame: Frame, xp: Any) -> list[Array]:
    """The number of the cell of each point along each axis, with empty intervals shortened to just out of reach."""
    found, far = [], frame.per_reach + 1
    for axis, origin in zip(frame.axes, frame.origin, strict=True):
        along = places[:, axis]
        steps = xp.floor((along - origin) / frame.side) if frame.side > 0 else along + 0.0
        rising = xp.sort(steps)
        gaps = rising[1:] - rising[:-1]
        numbers = xp.zeros(len(rising), np.int64)
        numbers[1:] = (xp.minimum(gaps, far) if frame.side > 0 else xp.where(gaps > 0, far, 0)).astype(np.int64)
        found.append(xp.cumsum(numbers)[xp.searchsorted(rising, steps)] + frame.per_reach)
    return found


def _sizes(numbers: list[Array], frame: Frame) -> Floats:
    """The number of cell numbers along each axis, including a margin after the last."""
    return np.array([float(along.max().item()) + frame.per_reach + 1 for along in numbers])


def _strides(shape: Floats) -> Ints:
    return np.append(np.cumprod(shape[:0:-1].astype(np.int64))[::-1], 1).astype(np.int64)


def stretches(
    stage: str, cells: Cells, rows: Array, steps: float, device: Device, engine: Engine
) -> Iterator[tuple[int, int]]:
    """Begin and end of parts of `rows`, given the steps per candidate."""
    engine.check()
    ends = _ends(cells, rows, steps, device)
    for k, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
        if k > 0:
            device.wait()
            engine.check()
        yield begin, end
        engine.report(stage, k + 1, len(ends))


def is_long(cells: Cells, rows: Array, steps: float) -> bool:
    """Whether these rows need more than one launch."""
    if steps * cells.n * float(len(rows)) <= GRAIN:  # even if all points are candidates
        return False
    return steps * float(cells.n_candidates[rows].sum().item()) > GRAIN


def _ends(cells: Cells, rows: Array, steps: float, device: Device) -> list[int]:
    if not len(rows):
        return []
    if not is_long(cells, rows, steps):
        return [len(rows)]
    xp = device.xp
    seen = xp.cumsum(cells.n_candidates[rows].astype(xp.float64))
    n_parts = int(np.ceil(steps * float(seen[-1].item()) / GRAIN))
    marks = xp.arange(1, n_parts) * (seen[-1] / n_parts)
    ends = device.fetch(xp.searchsorted(seen, marks)) + 1
    return [*(end for end in np.unique(ends).tolist() if end < len(rows)), len(rows)]
