"""Closed balls around every point."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..compute.distances import closed
from ..compute.metric import MetricArrays
from ..compute.records import Balls
from ..engine import Engine
from ..kernels.moments import ROUNDING_FACTOR
from .cells import Cells, cells_of, has_few_points, places_of, simple_geometry, stretches
from .device import Array, Device
from .distances import listed
from .geometry import Geometry, geometry_of, of_points

_TOGETHER = 2**25  # members listed on the device at a time


def balls(metric: MetricArrays, radius: float, engine: Engine, *, device: Device) -> Any:
    """The closed balls of the given radius around every point."""
    geometry = None if has_few_points(metric) or not np.isfinite(radius) else geometry_of(metric, device)
    if geometry is None:
        return NotImplemented
    if geometry.solid:
        return _of_pairs(near_pairs(metric, geometry, radius, device, engine), metric.n, radius, device)
    cells = cells_of(metric, radius, device)
    listing = Listing(geometry.sorted(cells.order), cells, closed(radius), device, engine)
    indptr = np.append(0, np.cumsum(device.fetch(listing.counts())))
    size = int(indptr[-1])
    engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
    found = Balls(indptr, np.empty(size, np.intp), np.empty(size))
    begin = 0
    while begin < metric.n:
        engine.check()
        end = max(begin + 1, int(np.searchsorted(indptr, indptr[begin] + _TOGETHER, side="right")) - 1)
        _fill(found, begin, end, listing)
        engine.report("finding neighbors", end, metric.n)
        begin = end
    return found


def _fill(found: Balls, begin: int, end: int, listing: Listing) -> None:
    """Fill the balls of some points."""
    device, starts = listing.device, found.indptr[begin : end + 1]
    part = slice(starts[0], starts[-1])
    members, apart = listing.members(begin, end, device.put(starts - starts[0]), int(starts[-1] - starts[0]))
    found.indices[part] = device.fetch(members % listing.cells.n)
    found.distances[part] = device.fetch(apart)


def _of_pairs(pairs: Pairs | None, n: int, radius: float, device: Device) -> Any:
    """Balls from pairs with known distances."""
    if pairs is None:
        return NotImplemented
    xp = device.xp
    near = xp.flatnonzero(pairs.distances * pairs.distances <= closed(radius))
    numbers = pairs.numbers[near]
    indptr = xp.searchsorted(numbers, xp.arange(n + 1) * n)
    return Balls(*(device.fetch(part) for part in (indptr, numbers % n, pairs.distances[near])))


_ROUNDS = 64  # if more are needed, leaders depend on long chains of points, and the CPU is faster


def leaders(metric: MetricArrays, weights: Floats, tol: float, engine: Engine, *, device: Device) -> Any:
    """For every point, the first leader within `tol`."""
    geometry = simple_geometry(metric, device)
    if geometry is None or not np.isfinite(tol):
        return NotImplemented
    xp = device.xp
    heavy_first = xp.argsort((device.put(weights) == 0).astype(np.int8), kind="stable")
    cells = cells_of(metric, tol, device, heavy_first)
    result = _Merging(geometry.sorted(cells.order), cells, heavy_first, closed(tol), device, engine).leaders()
    return NotImplemented if result is None else result


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


_BYTES = 100.0  # bytes per listed pair while they are sorted


class Pairs(NamedTuple):
    """Pairs of points with near coordinates: sorted numbers i·n + j, those of i from starts[i] on; and distances."""

    starts: Array
    numbers: Array
    distances: Array


def near_pairs(metric: MetricArrays, geometry: Geometry, reach: float, device: Device, engine: Engine) -> Pairs | None:
    """All pairs whose coordinates are within `reach`; None if they do not fit on the device."""
    cells, n = cells_of(metric, reach, device), metric.n
    limit = closed(reach) * ROUNDING_FACTOR if np.isfinite(reach) else float("inf")
    near = of_points(places_of(metric, device), device).sorted(cells.order)
    listing = Listing(near, cells, limit, device, engine)
    starts = device.xp.zeros(n + 1, np.int64)
    starts[1:] = device.xp.cumsum(listing.counts())
    size = int(starts[-1].item())
    if not device.fits(_BYTES * size):
        return None
    numbers, _ = listing.members(0, n, starts, size)
    return Pairs(starts, numbers, _measured(numbers, n, geometry, device, engine))


def _measured(numbers: Array, n: int, geometry: Geometry, device: Device, engine: Engine) -> Array:
    """Distances of pairs: computed for i < j, and copied for j < i."""
    xp, rows, cols = device.xp, numbers // n, numbers % n
    out = xp.zeros(len(numbers))
    later = xp.flatnonzero(rows < cols)
    out[later] = listed(geometry, rows[later], cols[later], device, engine)
    earlier = xp.flatnonzero(rows > cols)
    out[earlier] = out[xp.searchsorted(numbers, cols[earlier] * n + rows[earlier])]
    return out


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
