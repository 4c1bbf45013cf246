"""Moments of the localized measure around every point, with no ball stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._types import Floats
from ...engine import Engine
from ...kernels.profiles import FLAT, GAUSSIAN
from .. import records
from ..forms import Cloud, Form, GaussianCloud
from ..records import MeansAndCovs, Moments, closed
from .cells import Cells, cells_of, given_places, places_of, simple_geometry
from .device import Array, Device
from .geometry import MOST, Geometry
from .stretches import stretches

_FEW = 4  # columns whose sums a thread holds
_TEAM = 4  # threads a point, for so few; as in moments.cu
_SIZE = 128  # threads a point, for more; as in wide_moments.cu
_STEPS = (0, 10, 30, 300)  # of a distance, beside those of places: points, then Gaussians in one, two, three dimensions


@dataclass(frozen=True, eq=False)
class Neighborhoods:
    """What the points from `first` on see of a weighted space through a kernel profile, on the device."""

    cells: Cells
    geometry: Geometry
    weights: Array
    profile: int
    eps: float
    limit: float
    first: int
    known: tuple[Any, Array]
    otherwise: Callable[[], records.Neighborhoods]
    device: Device
    engine: Engine

    def cached(self) -> Neighborhoods:
        """The same neighborhoods: testing a pair again is faster here than to keep who is near."""
        if self.profile != FLAT:
            raise ValueError("one bit says who is near, and a smooth profile weighs by distance: use profile='flat'")
        return self

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; where there is no mass, the point itself."""
        if points.shape[1] > MOST:
            return self.otherwise().means(points)
        mass, means, _ = self._run("means", points, second=False)
        return Moments(mass, means)

    def covs(self, points: Floats) -> Moments:
        """Mass and covariance of `points`, divided by the mass; 0 where there is no mass."""
        both = self.means_and_covs(points)
        return Moments(both.mass, both.covs)

    def means_and_covs(self, points: Floats) -> MeansAndCovs:
        """Mass, mean and covariance of `points` in one pass."""
        if points.shape[1] > MOST:
            return self.otherwise().means_and_covs(points)
        return MeansAndCovs(*self._run("covariances", points, second=True))

    def _run(self, name: str, points: Floats, second: bool) -> tuple[Any, Any, Any]:
        """Sums over the neighbors of the points from `first` on, each put where its point is."""
        (n_all, m), xp, device = points.shape, self.device.xp, self.device
        n = n_all - self.first
        device.reserve(8.0 * n * (1 + m + m * m * second), f"{name} of {n} points", "use fewer points at a time")
        out = xp.empty(n), xp.empty((n, m)), xp.empty((n, m, m) if second else 0)
        few = m <= _FEW
        file, kernel = "moments.cu" if few else "wide_moments.cu", "second_moments" if second else "first_moments"
        rows = xp.arange(n) if self.first == 0 else xp.flatnonzero(self.cells.order >= self.first)
        order, runs, threads = self.cells.order, self.cells.runs, _TEAM if few else _SIZE
        sorted_points = self._sorted(points)
        for begin, end in stretches(name, self.cells, rows, self._steps(m, second), device, self.engine):
            args = (
                *self.geometry.arguments, self.cells.cell, runs, runs.shape[1], rows, begin, end, order, self.first,
                self.weights, sorted_points, self.limit, self.profile, 1.0 / (self.eps * self.eps), *out,
            )  # fmt: skip
            device.launch(
                file, kernel, threads * (end - begin), args, block=_SIZE, COLUMNS=m, **self.geometry.constants
            )
        mass, means, covs = map(device.handed_out, out)
        return mass, means, covs

    def _steps(self, m: int, second: bool) -> float:
        """What a candidate costs, in operations of a thread."""
        sums = 2.0 * m + (m * m if second else 0)
        profile = 30.0 if self.profile == GAUSSIAN else 5.0
        return sums + profile + float(self.geometry.constants["M"] + _STEPS[self.geometry.constants["METRIC"]])

    def _sorted(self, points: Floats) -> Array:
        """Coordinates of the sorted points."""
        known, places = self.known
        return places if points is known else self.device.xp.take(self.device.put(points), self.cells.order, axis=0)


def neighborhoods(
    form: Form, weights: Floats, profile: int, eps: float, reach: float, first: int,
    otherwise: Callable[[], records.Neighborhoods], device: Device, engine: Engine,
) -> records.Neighborhoods:  # fmt: skip
    """Neighborhoods within `reach`, weighted by profile(d²/ε²); `otherwise` gives those of the CPU."""
    geometry = simple_geometry(form, device)
    if geometry is None:
        return otherwise()
    assert isinstance(form, Cloud | GaussianCloud)
    engine.check()
    cells = cells_of(form, reach, device)
    xp, places = device.xp, places_of(form, device)
    ordered = geometry.sorted(cells.order)
    same = ordered.rows if geometry.rows is places else xp.take(places, cells.order, axis=0)
    limit = closed(reach) if np.isfinite(reach) else float("inf")
    return Neighborhoods(
        cells, ordered, xp.take(device.put(weights), cells.order), profile, float(eps), limit, first,
        (given_places(form), same), otherwise, device, engine,
    )  # fmt: skip
