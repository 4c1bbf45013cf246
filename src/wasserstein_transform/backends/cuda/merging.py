"""Merging of points that coincide: the sequential definition, evaluated in parallel rounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine
from ..forms import Cloud, Form, GaussianCloud
from ..records import closed
from .cells import Cells, cells_of, simple_geometry
from .device import Device
from .geometry import Geometry
from .stretches import stretches

_ROUNDS = 64  # if more are needed, leaders depend on long chains of points, and the CPU is faster


def leaders(form: Form, weights: Floats, tol: float, device: Device, engine: Engine) -> Ints | None:
    """For every point, the first leader within `tol`; None if the CPU should do it."""
    geometry = simple_geometry(form, device)
    if geometry is None or not np.isfinite(tol):
        return None
    assert isinstance(form, Cloud | GaussianCloud)
    xp = device.xp
    heavy_first = xp.argsort((device.put(weights) == 0).astype(np.int8), kind="stable")
    cells = cells_of(form, tol, device, heavy_first)
    return _Merging(geometry.sorted(cells.order), cells, heavy_first, closed(tol), device, engine).leaders()


class _Merging:
    """Positions with their ranks: points with mass first, then the others, each by index."""

    def __init__(
        self, geometry: Geometry, cells: Cells, ranking: Any, limit: float, device: Device, engine: Engine
    ) -> None:
        self.geometry, self.cells, self.limit, self.device, self.engine = geometry, cells, limit, device, engine
        self.ranks = device.xp.argsort(ranking)[cells.order]
        self.states = device.xp.zeros(cells.n, np.int32)

    def leaders(self) -> Ints | None:
        """The leader of every point; None if more than _ROUNDS rounds are needed."""
        for k in range(_ROUNDS):
            self._launch("decide", (int(k == 0), self.states))
            if k > 0 and bool((self.states != 0).all().item()):
                break
        else:
            return None
        found = self.device.xp.empty(self.cells.n, np.int64)
        self._launch("find_leaders", (self.states, self.cells.order, found))
        return np.asarray(self.device.fetch(found), np.intp)

    def _launch(self, kernel: str, rest: tuple[Any, ...]) -> None:
        cells, runs, steps = self.cells, self.cells.runs, 10.0 + self.geometry.rows.shape[1] ** 2
        for begin, end in stretches("merging points", cells, cells.order, steps, self.device, self.engine):
            args = (
                *self.geometry.arguments, cells.cell, cells.starts, runs, runs.shape[1], self.ranks, begin, end,
                self.limit, *rest,
            )  # fmt: skip
            self.device.launch("merging.cu", kernel, end - begin, args, **self.geometry.constants)
