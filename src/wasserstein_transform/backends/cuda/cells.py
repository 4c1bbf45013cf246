"""Points sorted into cells on the device, so that a ball only visits cells around it.

Sums over neighbors are computed in the order of the cells, and by index within a cell: a part of a cloud with whole
cells gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._cached import cached_property
from ..._elsewhere import where_it_lies
from ..._types import Floats
from ..cpu.search import frame_of_extent
from ..forms import Cloud, Form, GaussianCloud
from ..frame import Frame
from .device import Array, Device, lies_there
from .geometry import Geometry, geometry_of
from .keys import Keys, cells_along, keys_of

SMALL = 1000  # for fewer points the CPU is faster
_SIMPLE = 3  # largest dimension in which the distance of Gaussians has a closed formula
_BLOCKS = 512  # thread blocks for the bounds: enough to fill a device, few results to copy


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


def given_places(form: Cloud | GaussianCloud) -> Any:
    """Coordinates of the points where they are stored, on the host or on a device."""
    return where_it_lies(form, "points" if isinstance(form, Cloud) else "means")


def is_small(form: Form) -> bool:
    """Whether there are few points and they are on the host, so that the CPU computes."""
    return form.n < SMALL and not (isinstance(form, Cloud | GaussianCloud) and lies_there(given_places(form)))


def simple_geometry(form: Form, device: Device) -> Geometry | None:
    """The metric on the device if one thread computes a distance; None for others, which the CPU computes."""
    if is_small(form):
        return None
    if isinstance(form, GaussianCloud) and form.lam > 0 and given_places(form).shape[1] > _SIMPLE:
        return None
    geometry = geometry_of(form, device)
    return None if geometry is None or geometry.solid else geometry


def places_of(form: Cloud | GaussianCloud, device: Device) -> Array:
    """Coordinates of the points, on the device."""
    geometry = geometry_of(form, device) if isinstance(form, Cloud) else None
    if geometry is not None:
        return geometry.rows
    return form.kept(f"places on {device.name}", lambda: device.put(given_places(form)))


def cells_of(form: Cloud | GaussianCloud, reach: float, device: Device, before: Array | None = None) -> Cells:
    """Cells in which all pairs within `reach` are candidates.

    Points of a cell are in the order of `before`, by default by index.
    """
    places = places_of(form, device)
    if not np.isfinite(reach):
        return _one_cell(len(places), device.xp, before)
    low, high = bounds(places, device)
    frame = form.frame or frame_of_extent(low, high, len(places), reach, lambda cut: cells_along(places, cut, device))
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
