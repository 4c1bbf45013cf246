"""Points sorted into cells on the device, so that a ball only looks around itself.

As on the CPU: along each axis that is cut, empty stretches count as just out of reach where numbers of cells would not
fit otherwise. Sums are taken in the order of the cells, and by number within a cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._cached import cached_property
from ..._elsewhere import where_it_lies
from ..._types import Floats, Ints
from ..cpu.search import frame_of_extent
from ..forms import Cloud, GaussianCloud
from ..frame import Frame
from .device import Array, Device
from .geometry import CLOUD, geometry_of

_MOST_KEYS = 2.0**62  # they are integers
_BLOCKS = 512  # that look for the least and largest: enough to fill a device, and few to bring home


@dataclass(frozen=True, eq=False)
class Cells:
    """Points by position: `order[position]` is the point, `cell[position]` its cell.

    Cell c holds the positions `starts[c]` to `starts[c + 1]`, and its points look at those from `runs[c, r, 0]` to
    `runs[c, r, 1]`, for each r.
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
        """How many points each position has to look at."""
        return (self.runs[:, :, 1] - self.runs[:, :, 0]).sum(axis=1)[self.cell]


def given_places(form: Cloud | GaussianCloud) -> Any:
    """Where the points are, as the form was given them: on the host, or on a device."""
    return where_it_lies(form, "points" if isinstance(form, Cloud) else "means")


def places_of(form: Cloud | GaussianCloud, device: Device) -> Array:
    """Where the points are, on the device."""
    geometry = geometry_of(form, device)
    if geometry is not None and geometry.constants["METRIC"] == CLOUD:
        return geometry.rows
    return form.kept(f"places on {device.name}", lambda: device.put(given_places(form)))


def cells_of(form: Cloud | GaussianCloud, reach: float, device: Device, before: Array | None = None) -> Cells:
    """Cells in which all pairs within `reach` see each other.

    Points of a cell are in the order that `before` lists them in, by default by number.
    """
    places = places_of(form, device)
    if not np.isfinite(reach):
        return _one_cell(len(places), device.xp, before)
    low, high = bounds(places, device)
    cut = form.frame or frame_of_extent(
        low, high, len(places), reach, lambda frame: _n_keys(_compressed(places, frame, device.xp), frame)
    )
    return _sorted(places, cut, low, high, device, before)


def bounds(points: Array, device: Device) -> tuple[Floats, Floats]:
    """The least and the largest coordinates."""
    n, m = points.shape
    n_blocks = min(_BLOCKS, -(-n // 256))
    out = device.xp.empty((n_blocks, 2, m))
    device.launch("bounds.cu", "find_bounds", 256 * n_blocks, (points, n, m, out), block=256)
    found = device.fetch(out)
    return found[:, 0].min(axis=0), found[:, 1].max(axis=0)


def _one_cell(n: int, xp: Any, before: Array | None) -> Cells:
    """Everybody looks at everybody."""
    ends = xp.zeros(2, xp.int64)
    ends[1:] = n
    order = xp.arange(n) if before is None else before
    return Cells(order, xp.zeros(n, xp.int64), ends, ends.reshape(1, 1, 2))


def _sorted(
    places: Array, frame: Frame, low: Floats, high: Floats, device: Device, before: Array | None
) -> Cells:  # fmt: skip
    xp, n = device.xp, len(places)
    keys, strides, kind = _keys(places, frame, low, high, device)
    order = xp.argsort(keys, kind="stable") if before is None else before[xp.argsort(keys[before], kind="stable")]
    constants: dict[str, Any] = {"KEY": kind, "M": places.shape[1]}
    begins = xp.empty(n, xp.int64)
    device.launch("cells.cu", "mark_cells", n, (keys, order, n, begins), **constants)
    cell = xp.cumsum(begins)
    n_cells = int(cell[-1].item())
    starts, cell_keys = xp.empty(n_cells + 1, xp.int64), xp.empty(n_cells, xp.int64)
    device.launch("cells.cu", "fill_cells", n, (keys, order, n, cell, starts, cell_keys), **constants)
    n_rows = (2 * frame.per_reach + 1) ** (len(strides) - 1)
    runs = xp.empty((n_cells, n_rows, 2), xp.int64)
    slow = (0, 0, *strides[:-1].tolist())
    args = cell_keys, starts, n_cells, frame.per_reach, n_rows, slow[-1], slow[-2], runs
    device.launch("cells.cu", "find_runs", n_cells * n_rows, args, **constants)
    return Cells(order, cell, starts, runs)


def _keys(places: Array, frame: Frame, low: Floats, high: Floats, device: Device) -> tuple[Array, Ints, str]:
    """Numbers of the cells of points; how far apart those of next cells along each axis are; and their type."""
    axes, xp = list(frame.axes), device.xp
    base, shape = _shape(frame, low[axes], high[axes])
    is_plain = np.prod(shape) <= _MOST_KEYS
    numbers = [] if is_plain else _compressed(places, frame, xp)
    if not is_plain:
        shape = np.array([float(along.max().item()) + frame.per_reach + 1 for along in numbers])
    strides = np.append(np.cumprod(shape[:0:-1].astype(np.int64))[::-1], 1).astype(np.int64)
    if not is_plain:
        return sum(along * int(stride) for along, stride in zip(numbers, strides, strict=True)), strides, "Index"
    kind = "int" if np.prod(shape) < 2**31 else "Index"  # short keys are sorted in half the time
    keys = xp.empty(len(places), xp.int32 if kind == "int" else xp.int64)
    cuts = [(axis, *along) for axis, *along in zip(axes, frame.origin, base.tolist(), strides.tolist(), strict=True)]
    cuts += [(0, 0.0, 0.0, 0)] * (3 - len(cuts))
    args = places, len(places), float(frame.side), frame.per_reach, *(value for along in cuts for value in along), keys
    device.launch("cells.cu", "find_keys", len(places), args, KEY=kind, M=places.shape[1])
    return keys, strides, kind


def _shape(frame: Frame, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The first cell along each axis, and how many there are if empty ones count, with room before and after them."""
    if frame.side == 0:
        return low, np.full(len(low), np.inf)
    first, last = (np.floor((edge - np.array(frame.origin)) / frame.side) for edge in (low, high))
    return first, last - first + 2 * frame.per_reach + 1


def _compressed(places: Array, frame: Frame, xp: Any) -> list[Array]:
    """The number of each point's cell along each axis, empty stretches being as long as is just out of reach."""
    found = []
    for axis, origin in zip(frame.axes, frame.origin, strict=True):
        steps = places[:, axis] - origin
        steps = xp.floor(steps / frame.side) if frame.side > 0 else places[:, axis] + 0.0
        rising = xp.sort(steps)
        gaps = xp.zeros(len(rising), xp.int64)
        far = frame.per_reach + 1
        apart = rising[1:] - rising[:-1]
        gaps[1:] = (xp.minimum(apart, far) if frame.side > 0 else xp.where(apart > 0, far, 0)).astype(xp.int64)
        found.append(xp.cumsum(gaps)[xp.searchsorted(rising, steps)] + frame.per_reach)
    return found


def _n_keys(numbers: list[Array], frame: Frame) -> float:
    """How many keys there could be."""
    return float(np.prod([float(along.max().item()) + frame.per_reach + 1 for along in numbers]))
