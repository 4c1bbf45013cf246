"""Neighborhoods in a weighted space on the device, for moments, without storing balls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .._types import Floats
from ..compute import neighborhoods as on_cpu, records
from ..compute.distances import closed
from ..compute.metric import MetricArrays
from ..compute.records import MeansAndCovs, Moments
from ..engine import Engine
from ..kernels.moments import FLAT, GAUSSIAN
from .balls import near_pairs
from .cells import GRAIN, Cells, cells_of, has_few_points, is_long, places_of, stretches
from .device import Array, Device, in_pieces, lies_there
from .geometry import MAX_DIM, SPACE, Geometry, geometry_of

Out = tuple[Array, Array, Array]


@dataclass(frozen=True)
class Request:
    """The parameters of neighborhoods; `otherwise` makes those of the CPU."""

    weights: Floats
    profile: int
    eps: float
    reach: float
    first: int
    otherwise: Callable[[], records.HasMoments]
    device: Device
    engine: Engine

    @property
    def scale(self) -> float:
        """1/ε²."""
        return 1.0 / (self.eps * self.eps)


class Neighborhoods(ABC):
    """Neighborhoods of the points from `first` on under a kernel profile."""

    request: Request

    def cached(self) -> Neighborhoods:
        """The same neighborhoods: expensive pairs are tested only once in any case."""
        if self.request.profile != FLAT:
            raise ValueError("one bit says who is near, and a smooth profile weighs by distance: use profile='flat'")
        return self

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; without mass, the point itself."""
        if points.shape[1] > MAX_DIM:
            return self.request.otherwise().means(points)
        mass, means, _ = self._moments("means", points, second=False)
        return Moments(mass, means)

    def covs(self, points: Floats) -> Moments:
        """Mass and covariance of `points`, divided by the mass; 0 without mass."""
        both = self.means_and_covs(points)
        return Moments(both.mass, both.covs)

    def means_and_covs(self, points: Floats) -> MeansAndCovs:
        """Mass, mean and covariance of `points` in one pass."""
        if points.shape[1] > MAX_DIM:
            return self.request.otherwise().means_and_covs(points)
        return MeansAndCovs(*self._moments("covariances", points, second=True))

    def _moments(self, name: str, points: Floats, second: bool) -> tuple[Any, Any, Any]:
        (n_all, m), device, xp = points.shape, self.request.device, self.request.device.xp
        n = n_all - self.request.first
        device.reserve(8.0 * n * (1 + m + m * m * second), f"{name} of {n} points", "use fewer points at a time")
        out = xp.empty(n), xp.empty((n, m)), xp.empty((n, m, m) if second else 0)
        self._add_up(name, points, second, out)
        mass, means, covs = map(device.handed_out, out)
        return mass, means, covs

    @abstractmethod
    def _add_up(self, name: str, points: Floats, second: bool, out: Out) -> None:
        """Fill mass and means of the points from `first` on, and covariances if `second`."""


def kernel_of(second: bool) -> str:
    """Name of the kernel for first moments, or for first and second moments."""
    return "second_moments" if second else "first_moments"


_FEW = 4  # most columns whose sums a thread holds
_TEAM = 4  # threads per point for up to _FEW columns, as in moments.cu
_WIDE_TEAM = 128  # threads per point for more columns, as in wide.h
_STEPS = (0, 10, 30, 300)  # extra steps of a distance: for points, and for Gaussians in one, two, three dimensions


def neighborhoods(
    metric: MetricArrays, weights: Floats, profile: int, eps: float, reach: float, engine: Engine, first: int = 0, *,
    device: Device,
) -> Any:  # fmt: skip
    """Neighborhoods within the reach of the points from `first` on, weighted by profile(d²/ε²)."""
    geometry = None if has_few_points(metric) else geometry_of(metric, device)
    if geometry is None:
        return NotImplemented
    on_host = partial(on_cpu.neighborhoods, metric, weights, profile, eps, reach, engine, first)
    request = Request(weights, profile, float(eps), float(reach), first, on_host, device, engine)
    engine.check()
    if geometry.solid:
        return listed_neighborhoods(metric, geometry, request) or request.otherwise()
    cells = cells_of(metric, request.reach, device)
    places, ordered = places_of(metric, device), geometry.sorted(cells.order)
    same = ordered.rows if geometry.rows is places else device.xp.take(places, cells.order, axis=0)
    weights = device.xp.take(device.put(request.weights), cells.order)
    return _ByCells(request, cells, ordered, weights, metric.places, same)


@dataclass(frozen=True, eq=False)
class _ByCells(Neighborhoods):
    """Neighborhoods of sorted points; `places` are the coordinates `known` in sorted order."""

    request: Request
    cells: Cells
    geometry: Geometry
    weights: Array
    known: Any
    places: Array

    def _add_up(self, name: str, points: Floats, second: bool, out: Out) -> None:
        xp, cells, first = self.request.device.xp, self.cells, self.request.first
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
        request, cells, device, m = self.request, self.cells, self.request.device, ordered.shape[1]
        limit = closed(request.reach) if np.isfinite(request.reach) else float("inf")
        values = self.weights, ordered, limit, request.profile, request.scale, *out
        file, team = self._file(m)
        for begin, end in stretches(name, cells, rows, steps, device, request.engine):
            where = cells.cell, cells.runs, cells.runs.shape[1], rows, begin, end, cells.order, request.first
            args, constants = (*self.geometry.arguments, *where, *values), self.geometry.constants
            device.launch(file, kernel_of(second), team * (end - begin), args, block=_WIDE_TEAM, COLUMNS=m, **constants)

    def _file(self, m: int) -> tuple[str, int]:
        """The source file for m columns, and its number of threads per point."""
        if m > _FEW:
            return "wide_moments.cu", _WIDE_TEAM
        return ("queued_moments.cu", 32) if self.geometry.constants["METRIC"] == SPACE else ("moments.cu", _TEAM)

    def _steps(self, m: int, second: bool) -> float:
        """Cost of a candidate, in operations of a thread."""
        constants, profile = self.geometry.constants, 30.0 if self.request.profile == GAUSSIAN else 5.0
        return 2.0 * m + m * m * second + profile + float(constants["M"] + _STEPS[constants["METRIC"]])

    def _sorted(self, points: Floats) -> Array:
        """Coordinates of the sorted points."""
        if points is self.known:
            return self.places
        return self.request.device.xp.take(self.request.device.put(points), self.cells.order, axis=0)


def listed_neighborhoods(metric: MetricArrays, geometry: Geometry, request: Request) -> Neighborhoods | None:
    """Neighborhoods with listed candidates; None if they do not fit on the device."""
    pairs = near_pairs(metric, geometry, request.reach, request.device, request.engine)
    if pairs is None:
        return None
    return _Listed(
        request, pairs.starts, pairs.numbers % metric.n, pairs.distances, request.device.put(request.weights)
    )


@dataclass(frozen=True, eq=False)
class _Listed(Neighborhoods):
    """Candidates of point i are `members[starts[i]:starts[i + 1]]`."""

    request: Request
    starts: Array
    members: Array
    distances: Array
    weights: Array

    def _add_up(self, name: str, points: Floats, second: bool, out: Out) -> None:
        request, device, (n, m) = self.request, self.request.device, points.shape
        limit = closed(request.reach) if np.isfinite(request.reach) else float("inf")
        values = self.weights, device.put(points), limit, request.profile, request.scale, *out
        each = (50.0 + m * m) * max(1.0, len(self.members) / n)
        for part in in_pieces(n - request.first, max(1, int(GRAIN / each)), name, device, request.engine):
            args = self.starts, self.members, self.distances, request.first + part.start, request.first, *values
            n_threads = _WIDE_TEAM * (part.stop - part.start)
            device.launch("listed_moments.cu", kernel_of(second), n_threads, args, block=_WIDE_TEAM, COLUMNS=m)


_WORTH = 0.1  # smallest share of repeated points for which this pays off


def twins(columns: Array, xp: Any) -> Array | None:
    """For every row, the representative of its equal rows; None if few rows repeat."""
    n = len(columns)
    if not _seem_to_repeat(columns, xp):
        return None
    order = xp.lexsort(columns.T)
    ordered = columns[order]
    differs = xp.ones(n, np.bool_)
    differs[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = order[xp.flatnonzero(differs)]
    if len(first) > (1 - _WORTH) * n:
        return None
    twin = xp.empty(n, np.int64)
    twin[order] = first[xp.cumsum(differs.astype(np.int64)) - 1]
    return twin


def _seem_to_repeat(columns: Array, xp: Any) -> bool:
    """Whether many rows may repeat, tested with one number per row, because sorting numbers is faster."""
    mixed = columns[:, 0]
    for k in range(1, columns.shape[1]):
        mixed = 0.6180339887498949 * mixed + columns[:, k]
    rising = xp.sort(mixed)
    return int((rising[1:] == rising[:-1]).sum().item()) >= _WORTH * len(columns)


def repeat(out: tuple[Array, ...], order: Array, twin: Array, xp: Any) -> None:
    """Copy the results of the representatives; `order` maps positions to points."""
    of = xp.empty(len(order), np.int64)
    of[order] = order[twin]
    for array in out:
        if array.size:
            array[...] = array[of]


def ridge_step(points: Floats, means: Floats, covs: Floats, dim: int, engine: Engine, *, device: Device) -> Any:
    """Positions after moving toward the means, orthogonally to the `dim` leading axes of the covariances."""
    if not lies_there(means):
        return NotImplemented
    here, there, spread = map(device.put, (points, means, covs))
    return device.handed_out(here + on_cpu.off_leading_axes(device.xp, there - here, spread, dim))
