"""Moments of the localized measures of all points; neighbors are searched in cells in every pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Floats
from ...kernels.profiles import GAUSSIAN
from .. import records
from ..forms import Cloud, Form, GaussianCloud
from ..records import closed
from .cells import Cells, cells_of, given_places, is_small, places_of
from .device import Array
from .geometry import SPACE, Geometry, geometry_of
from .listed import listed_neighborhoods
from .neighborhoods import Asked, Neighborhoods, Out, kernel_of
from .stretches import is_long, stretches
from .twins import repeat, twins

_FEW = 4  # most columns whose sums a thread holds
_TEAM = 4  # threads per point for up to _FEW columns, as in moments.cu
_SIZE = 128  # threads per point for more columns, as in wide.h
_STEPS = (0, 10, 30, 300)  # extra steps of a distance: for points, and for Gaussians in one, two, three dimensions


def neighborhoods(form: Form, asked: Asked) -> records.Neighborhoods:
    """Neighborhoods within the reach, weighted by profile(d²/ε²)."""
    device = asked.device
    geometry = None if is_small(form) else geometry_of(form, device)
    if geometry is None:
        return asked.otherwise()
    assert isinstance(form, Cloud | GaussianCloud)
    asked.engine.check()
    if geometry.solid:
        return listed_neighborhoods(form, geometry, asked) or asked.otherwise()
    cells = cells_of(form, asked.reach, device)
    places, ordered = places_of(form, device), geometry.sorted(cells.order)
    same = ordered.rows if geometry.rows is places else device.xp.take(places, cells.order, axis=0)
    weights = device.xp.take(device.put(asked.weights), cells.order)
    return _ByCells(asked, cells, ordered, weights, given_places(form), same)


@dataclass(frozen=True, eq=False)
class _ByCells(Neighborhoods):
    """Neighborhoods of sorted points; `places` are the coordinates `known` in sorted order."""

    asked: Asked
    cells: Cells
    geometry: Geometry
    weights: Array
    known: Any
    places: Array

    def _add_up(self, name: str, points: Floats, second: bool, out: Out) -> None:
        xp, cells, first = self.asked.device.xp, self.cells, self.asked.first
        ordered, steps = self._sorted(points), self._steps(points.shape[1], second)
        rows = xp.arange(cells.n) if first == 0 else xp.flatnonzero(cells.order >= first)
        twin = None
        if first == 0 and is_long(cells, rows, steps):
            twin = twins(xp.concatenate([self.geometry.rows, ordered], axis=1), xp)
        if twin is None:
            self._ask(name, rows, ordered, steps, second, out)
        else:
            self._ask(name, xp.flatnonzero(twin == rows), ordered, steps, second, out)
            repeat(out, cells.order, twin, xp)

    def _ask(self, name: str, rows: Array, ordered: Array, steps: float, second: bool, out: Out) -> None:
        """Compute sums of sorted coordinates over the neighbors of some positions."""
        asked, cells, device, m = self.asked, self.cells, self.asked.device, ordered.shape[1]
        limit = closed(asked.reach) if np.isfinite(asked.reach) else float("inf")
        values = self.weights, ordered, limit, asked.profile, asked.scale, *out
        file, team = self._file(m)
        for begin, end in stretches(name, cells, rows, steps, device, asked.engine):
            where = cells.cell, cells.runs, cells.runs.shape[1], rows, begin, end, cells.order, asked.first
            args, constants = (*self.geometry.arguments, *where, *values), self.geometry.constants
            device.launch(file, kernel_of(second), team * (end - begin), args, block=_SIZE, COLUMNS=m, **constants)

    def _file(self, m: int) -> tuple[str, int]:
        """The source file for m columns, and its number of threads per point."""
        if m > _FEW:
            return "wide_moments.cu", _SIZE
        return ("queued_moments.cu", 32) if self.geometry.constants["METRIC"] == SPACE else ("moments.cu", _TEAM)

    def _steps(self, m: int, second: bool) -> float:
        """Cost of a candidate, in operations of a thread."""
        constants, profile = self.geometry.constants, 30.0 if self.asked.profile == GAUSSIAN else 5.0
        return 2.0 * m + m * m * second + profile + float(constants["M"] + _STEPS[constants["METRIC"]])

    def _sorted(self, points: Floats) -> Array:
        """Coordinates of the sorted points."""
        if points is self.known:
            return self.places
        return self.asked.device.xp.take(self.asked.device.put(points), self.cells.order, axis=0)
