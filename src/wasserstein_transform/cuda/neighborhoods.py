"""Neighborhoods in a weighted space on the device, for moments, without storing balls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._types import Floats
from ..compute import HasMoments, MeansAndCovs, Moments
from ..compute.metrics.distances import closed
from ..compute.neighbors import moments as on_cpu
from ..compute.neighbors.moments_jit import FLAT, GAUSSIAN
from ..engine import Engine
from .balls import near_pairs
from .cells import MAX_LAUNCH_STEPS, Cells, cells_of, has_few_points, iterate_rows, places_of
from .device import Array, Device, is_on_device, iterate_slices
from .geometry import MAX_DIM, SPACE, GpuGeometry, geometry_of

if TYPE_CHECKING:
    from ..spaces import Metric

Out = tuple[Array, Array, Array]

_MAX_THREAD_COLUMNS = 4  # most columns whose sums a thread holds
_THREADS_PER_POINT = 4  # threads per point for up to that many columns, as in moments.cu
_THREADS_PER_WIDE_POINT = 128  # threads per point for more columns, as in wide.h
_STEPS_OF_DISTANCE = (0, 10, 30, 300)  # extra steps: for points, and for Gaussians in one, two, three dimensions
_KERNELS = ("first_moments", "second_moments")


def neighborhoods(
    metric: Metric, weights: Floats, profile: int, eps: float, reach: float, engine: Engine, first: int = 0, *,
    device: Device,
) -> Any:  # fmt: skip
    """Neighborhoods within the reach of the points from `first` on, weighted by profile(d²/ε²)."""
    geometry = None if has_few_points(metric) else geometry_of(metric, device)
    if geometry is None:
        return NotImplemented
    engine.check()
    on_host = partial(on_cpu.neighborhoods, metric, weights, profile, eps, reach, engine, first)
    limit = closed(float(reach)) if np.isfinite(reach) else float("inf")
    scale, mass = 1.0 / (float(eps) * float(eps)), device.put(weights)
    if geometry.solid:
        pairs = near_pairs(metric, geometry, float(reach), device, engine)
        if pairs is None:
            return on_host()
        return _ListedNeighborhoods(
            limit=limit, profile=profile, scale=scale, weights=mass, first=first, on_host=on_host, device=device,
            engine=engine, starts=pairs.starts, members=pairs.numbers % metric.n, distances=pairs.distances,
        )  # fmt: skip
    cells = cells_of(metric, float(reach), device)
    places, ordered = places_of(metric, device), geometry.sorted(cells.order)
    return _CellNeighborhoods(
        limit=limit, profile=profile, scale=scale, weights=device.xp.take(mass, cells.order), first=first,
        on_host=on_host, device=device, engine=engine, cells=cells, geometry=ordered, known=metric.coordinates,
        places=ordered.rows if geometry.rows is places else device.xp.take(places, cells.order, axis=0),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class GpuNeighborhoods(ABC):
    """Neighborhoods of the points from `first` on: `limit` is the squared reach, `scale` is 1/ε².

    `on_host` makes the neighborhoods of the CPU.
    """

    limit: float
    profile: int
    scale: float
    weights: Array
    first: int
    on_host: Callable[[], HasMoments]
    device: Device
    engine: Engine

    def cached(self) -> GpuNeighborhoods:
        """The same neighborhoods: expensive pairs are tested only once in any case."""
        if self.profile != FLAT:
            raise ValueError("one bit says who is near, and a smooth profile weighs by distance: use profile='flat'")
        return self

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; without mass, the point itself."""
        if points.shape[1] > MAX_DIM:
            return self.on_host().means(points)
        mass, means, _ = self._moments("means", points, second=False)
        return Moments(mass, means)

    def covs(self, points: Floats) -> Moments:
        """Mass and covariance of `points`, divided by the mass; 0 without mass."""
        both = self.means_and_covs(points)
        return Moments(both.mass, both.covs)

    def means_and_covs(self, points: Floats) -> MeansAndCovs:
        """Mass, mean and covariance of `points` in one pass."""
        if points.shape[1] > MAX_DIM:
            return self.on_host().means_and_covs(points)
        return MeansAndCovs(*self._moments("covariances", points, second=True))

    def _moments(self, name: str, points: Floats, second: bool) -> Out:
        (n_all, m), device, xp = points.shape, self.device, self.device.xp
        n = n_all - self.first
        device.reserve(8.0 * n * (1 + m + m * m * second), f"{name} of {n} points", "use fewer points at a time")
        out = xp.empty(n), xp.empty((n, m)), xp.empty((n, m, m) if second else 0)
        self._add_up(name, points, second, out)
        mass, means, covs = map(device.wrap, out)
        return mass, means, covs

    @abstractmethod
    def _add_up(self, name: str, points: Floats, second: bool, out: Out) -> None:
        """Fill mass and means of the points from `first` on, and covariances if `second`."""


@dataclass(frozen=True, eq=False)
class _CellNeighborhoods(GpuNeighborhoods):
    """Neighborhoods of sorted points; `places` are the coordinates `known` in sorted order."""

    cells: Cells
    geometry: GpuGeometry
    known: Any
    places: Array

    def _add_up(self, name: str, points: Floats, second: bool, out: Out) -> None:
        xp, cells, constants, m = self.device.xp, self.cells, self.geometry.constants, points.shape[1]
        ordered = self.places if points is self.known else xp.take(self.device.put(points), cells.order, axis=0)
        # cost of a candidate, in operations of a thread
        profile = 30.0 if self.profile == GAUSSIAN else 5.0
        steps = 2.0 * m + m * m * second + profile + float(constants["M"] + _STEPS_OF_DISTANCE[constants["METRIC"]])
        rows = xp.arange(cells.n) if self.first == 0 else xp.flatnonzero(cells.order >= self.first)
        if m > _MAX_THREAD_COLUMNS:
            file, team = "wide_moments.cu", _THREADS_PER_WIDE_POINT
        else:
            file, team = (
                ("queued_moments.cu", 32) if constants["METRIC"] == SPACE else ("moments.cu", _THREADS_PER_POINT)
            )
        candidates = *self.geometry.arguments, cells.cell, cells.runs, cells.runs.shape[1], rows
        for begin, end in iterate_rows(name, cells, rows, steps, self.device, self.engine):
            values = self.weights, ordered, self.limit, self.profile, self.scale, *out
            args = *candidates, begin, end, cells.order, self.first, *values
            n_threads, kernel = team * (end - begin), _KERNELS[second]
            self.device.launch(file, kernel, n_threads, args, block=_THREADS_PER_WIDE_POINT, COLUMNS=m, **constants)


@dataclass(frozen=True, eq=False)
class _ListedNeighborhoods(GpuNeighborhoods):
    """Candidates of point i are `members[starts[i]:starts[i + 1]]`."""

    starts: Array
    members: Array
    distances: Array

    def _add_up(self, name: str, points: Floats, second: bool, out: Out) -> None:
        (n, m), first = points.shape, self.first
        values = self.weights, self.device.put(points), self.limit, self.profile, self.scale, *out
        steps = (50.0 + m * m) * max(1.0, len(self.members) / n)
        for part in iterate_slices(n - first, max(1, int(MAX_LAUNCH_STEPS / steps)), name, self.device, self.engine):
            args = self.starts, self.members, self.distances, first + part.start, first, *values
            n_threads, kernel = _THREADS_PER_WIDE_POINT * (part.stop - part.start), _KERNELS[second]
            self.device.launch("listed_moments.cu", kernel, n_threads, args, block=_THREADS_PER_WIDE_POINT, COLUMNS=m)


def ridge_step(points: Floats, means: Floats, covs: Floats, dim: int, engine: Engine, *, device: Device) -> Any:
    """Positions after moving toward the means, orthogonally to the `dim` leading axes of the covariances."""
    if not is_on_device(means):
        return NotImplemented
    points, means, covs = map(device.put, (points, means, covs))
    return device.wrap(points + on_cpu.off_leading_axes(device.xp, means - points, covs, dim))
