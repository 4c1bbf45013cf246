"""Closed balls around every point: counted, then filled, some points at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Engine
from ..forms import Cloud, Form, GaussianCloud
from ..records import Balls, closed
from .cells import Cells, cells_of, simple_geometry
from .device import Array, Device
from .geometry import Geometry
from .stretches import stretches

_TOGETHER = 2**25  # members that are listed on the device at a time


def balls(form: Form, radius: float, device: Device, engine: Engine) -> Balls | None:
    """The closed balls of the given radius around every point; None if that is left to the CPU."""
    geometry = simple_geometry(form, device)
    if geometry is None or not np.isfinite(radius):
        return None
    assert isinstance(form, Cloud | GaussianCloud)
    cells = cells_of(form, radius, device)
    return _Search(geometry.sorted(cells.order), cells, closed(radius), device, engine).balls(radius)


class _Search:
    """Balls by point: `where[point]` is the position."""

    def __init__(self, geometry: Geometry, cells: Cells, limit: float, device: Device, engine: Engine) -> None:
        self.geometry, self.cells, self.limit, self.device, self.engine = geometry, cells, limit, device, engine
        self.where = device.xp.argsort(cells.order)

    def balls(self, radius: float) -> Balls:
        indptr = np.append(0, np.cumsum(self.device.fetch(self._counts())))
        size = int(indptr[-1])
        self.engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
        indices, distances = np.empty(size, np.intp), np.empty(size)
        begin, n = 0, self.cells.n
        while begin < n:
            self.engine.check()
            end = max(begin + 1, int(np.searchsorted(indptr, indptr[begin] + _TOGETHER, side="right")) - 1)
            part = slice(indptr[begin], indptr[end])
            self._fill(begin, end, indptr[begin : end + 1], indices[part], distances[part])
            self.engine.report("finding neighbors", end, n)
            begin = end
        return Balls(indptr, indices, distances)

    def _counts(self) -> Array:
        counts = self.device.xp.empty(self.cells.n, np.int64)
        steps = 10.0 + self.geometry.rows.shape[1] ** 2
        for begin, end in stretches("counting neighbors", self.cells, self.where, steps, self.device, self.engine):
            self._launch("count_balls", begin, end, (counts[begin:end],))
        return counts

    def _fill(self, begin: int, end: int, starts: Any, indices: Any, distances: Any) -> None:
        """The balls of some points, members sorted."""
        xp, n, size = self.device.xp, self.cells.n, len(indices)
        members, apart = xp.empty(size, np.int64), xp.empty(size)
        order = self.cells.order
        self._launch("fill_balls", begin, end, (order, n, self.device.put(starts - starts[0]), members, apart))
        rising = xp.argsort(members)
        indices[:] = self.device.fetch(members[rising] % n)
        distances[:] = self.device.fetch(apart[rising])

    def _launch(self, kernel: str, begin: int, end: int, rest: tuple[Any, ...]) -> None:
        runs = self.cells.runs
        args = (
            *self.geometry.arguments, self.cells.cell, runs, runs.shape[1], self.where, begin, end, self.limit, *rest,
        )  # fmt: skip
        self.device.launch("balls.cu", kernel, 32 * (end - begin), args, **self.geometry.constants)
