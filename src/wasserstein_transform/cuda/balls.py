"""Closed balls around every point, and merging points within a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._types import Floats
from ..compute import Balls
from ..compute.metrics.distances import closed
from ..compute.neighbors.moments_jit import ROUNDING_FACTOR
from ..engine import Engine
from .cells import Cells, cells_of, has_few_points, iterate_rows, places_of, simple_geometry
from .device import Array, Device
from .distances import distances_of_pairs
from .geometry import GpuGeometry, geometry_of, of_points

if TYPE_CHECKING:
    from ..spaces import Metric

MAX_LISTED_MEMBERS = 2**25  # members listed on the device at a time
MAX_ROUNDS = 64  # if more are needed, leaders depend on long chains of points, and the CPU is faster
_SORTED_PAIR_BYTES = 100.0  # bytes per listed pair while they are sorted


def balls(metric: Metric, radius: float, engine: Engine, *, device: Device) -> Any:
    """The closed balls of the given radius around every point."""
    geometry = None if has_few_points(metric) or not np.isfinite(radius) else geometry_of(metric, device)
    if geometry is None:
        return NotImplemented
    xp, n = device.xp, metric.n
    if geometry.solid:
        pairs = near_pairs(metric, geometry, radius, device, engine)
        if pairs is None:
            return NotImplemented
        near = xp.flatnonzero(pairs.distances * pairs.distances <= closed(radius))
        numbers = pairs.numbers[near]
        rows = xp.searchsorted(numbers, xp.arange(n + 1) * n), numbers % n, pairs.distances[near]
        return Balls(*map(device.fetch, rows))
    cells = cells_of(metric, radius, device)
    listing = BallListing(geometry.sorted(cells.order), cells, closed(radius), device, engine)
    indptr = np.append(0, np.cumsum(device.fetch(listing.counts())))
    size = int(indptr[-1])
    engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
    result = Balls(indptr, np.empty(size, np.intp), np.empty(size))
    begin = 0
    while begin < n:
        engine.check()
        end = max(begin + 1, int(np.searchsorted(indptr, indptr[begin] + MAX_LISTED_MEMBERS, side="right")) - 1)
        starts = indptr[begin : end + 1]
        part = slice(starts[0], starts[-1])
        members, distances = listing.members(begin, end, device.put(starts - starts[0]), int(starts[-1] - starts[0]))
        result.indices[part] = device.fetch(members % n)
        result.distances[part] = device.fetch(distances)
        engine.report("finding neighbors", end, n)
        begin = end
    return result


def leaders(metric: Metric, weights: Floats, tol: float, engine: Engine, *, device: Device) -> Any:
    """For every point, the first leader within `tol`; points with mass come before the others, each by index."""
    geometry = simple_geometry(metric, device)
    if geometry is None or not np.isfinite(tol):
        return NotImplemented
    xp = device.xp
    heavy_first = xp.argsort((device.put(weights) == 0).astype(np.int8), kind="stable")
    cells = cells_of(metric, tol, device, heavy_first)
    geometry, ranks = geometry.sorted(cells.order), xp.argsort(heavy_first)[cells.order]

    def launch(kernel: str, *rest: Any) -> None:
        known = *geometry.arguments, cells.cell, cells.starts, cells.runs, cells.runs.shape[1], ranks
        steps = 10.0 + geometry.rows.shape[1] ** 2
        for begin, end in iterate_rows("merging points", cells, cells.order, steps, device, engine):
            args = *known, begin, end, closed(tol), *rest
            device.launch("merging.cu", kernel, end - begin, args, **geometry.constants)

    states = xp.zeros(cells.n, np.int32)
    for k in range(MAX_ROUNDS):
        launch("decide", int(k == 0), states)
        if k > 0 and bool((states != 0).all().item()):
            result = xp.empty(cells.n, np.int64)
            launch("find_leaders", states, cells.order, result)
            return np.asarray(device.fetch(result), np.intp)
    return NotImplemented


class NearPairs(NamedTuple):
    """Pairs of points with near coordinates: sorted numbers i·n + j, those of i from starts[i] on; and distances."""

    starts: Array
    numbers: Array
    distances: Array


def near_pairs(metric: Metric, geometry: GpuGeometry, reach: float, device: Device, engine: Engine) -> NearPairs | None:
    """All pairs whose coordinates are within `reach`; None if they do not fit on the device."""
    cells, n, xp = cells_of(metric, reach, device), metric.n, device.xp
    limit = closed(reach) * ROUNDING_FACTOR if np.isfinite(reach) else float("inf")
    near = of_points(places_of(metric, device), device).sorted(cells.order)
    listing = BallListing(near, cells, limit, device, engine)
    starts = xp.zeros(n + 1, np.int64)
    starts[1:] = xp.cumsum(listing.counts())
    size = int(starts[-1].item())
    if not device.fits(_SORTED_PAIR_BYTES * size):
        return None
    numbers, _ = listing.members(0, n, starts, size)
    rows, cols, distances = numbers // n, numbers % n, xp.zeros(size)
    later, earlier = xp.flatnonzero(rows < cols), xp.flatnonzero(rows > cols)
    distances[later] = distances_of_pairs(geometry, rows[later], cols[later], device, engine)
    distances[earlier] = distances[xp.searchsorted(numbers, cols[earlier] * n + rows[earlier])]
    return NearPairs(starts, numbers, distances)


class BallListing:
    """Balls by point with squared radius `limit`; `geometry` is that of the sorted points."""

    def __init__(self, geometry: GpuGeometry, cells: Cells, limit: float, device: Device, engine: Engine) -> None:
        self.geometry, self.cells, self.limit, self.device, self.engine = geometry, cells, limit, device, engine
        self.positions = device.xp.argsort(cells.order)  # the position of each point

    def counts(self) -> Array:
        """Number of members of each ball."""
        counts = self.device.xp.empty(self.cells.n, np.int64)
        steps = 10.0 + self.geometry.rows.shape[1] ** 2
        rows = iterate_rows("counting neighbors", self.cells, self.positions, steps, self.device, self.engine)
        for begin, end in rows:
            self._launch("count_balls", begin, end, counts[begin:end])
        return counts

    def members(self, begin: int, end: int, starts: Array, size: int) -> tuple[Array, Array]:
        """The `size` members of the balls of the points begin…end, those of a ball from its start on, and distances.

        A member j of ball i is encoded as (i − begin)·n + j, in increasing order.
        """
        xp, n = self.device.xp, self.cells.n
        members, distances = xp.empty(size, np.int64), xp.empty(size)
        self._launch("fill_balls", begin, end, self.cells.order, n, starts, members, distances)
        rising = xp.argsort(members)
        return members[rising], distances[rising]

    def _launch(self, kernel: str, begin: int, end: int, *rest: Any) -> None:
        cells, runs = self.cells, self.cells.runs
        args = *self.geometry.arguments, cells.cell, runs, runs.shape[1], self.positions, begin, end, self.limit, *rest
        self.device.launch("balls.cu", kernel, 32 * (end - begin), args, **self.geometry.constants)
