"""Members of closed balls, listed on the device: counted, then filled, some points at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Engine
from .cells import Cells
from .device import Array, Device
from .geometry import Geometry
from .stretches import stretches


class Listing:
    """Balls by point with squared radius `limit`; `geometry` is that of the sorted points."""

    def __init__(self, geometry: Geometry, cells: Cells, limit: float, device: Device, engine: Engine) -> None:
        self.geometry, self.cells, self.limit, self.device, self.engine = geometry, cells, limit, device, engine
        self.where = device.xp.argsort(cells.order)  # the position of each point

    def counts(self) -> Array:
        """Number of members of each ball."""
        counts = self.device.xp.empty(self.cells.n, np.int64)
        steps = 10.0 + self.geometry.rows.shape[1] ** 2
        for begin, end in stretches("counting neighbors", self.cells, self.where, steps, self.device, self.engine):
            self._launch("count_balls", begin, end, (counts[begin:end],))
        return counts

    def members(self, begin: int, end: int, starts: Array, size: int) -> tuple[Array, Array]:
        """The `size` members of the balls of the points begin…end, those of a ball from its start on, and distances.

        A member j of ball i is encoded as (i − begin)·n + j, in increasing order.
        """
        xp, n = self.device.xp, self.cells.n
        members, apart = xp.empty(size, np.int64), xp.empty(size)
        self._launch("fill_balls", begin, end, (self.cells.order, n, starts, members, apart))
        rising = xp.argsort(members)
        return members[rising], apart[rising]

    def _launch(self, kernel: str, begin: int, end: int, rest: tuple[Any, ...]) -> None:
        cells, runs = self.cells, self.cells.runs
        args = *self.geometry.arguments, cells.cell, runs, runs.shape[1], self.where, begin, end, self.limit, *rest
        self.device.launch("balls.cu", kernel, 32 * (end - begin), args, **self.geometry.constants)
