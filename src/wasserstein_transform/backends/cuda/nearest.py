"""Nearest neighbors: each tile of points is compared with all tiles that are near enough."""

from __future__ import annotations

import numpy as np

from ...engine import Engine
from ..records import Nearest
from .device import Array, Device
from .distances import rectangle
from .geometry import Geometry
from .pieces import in_pieces
from .tiling import SIDE, THREADS, blocks_in_pieces, tiles_of, widest_axes

_MOST = 128  # most neighbors; for more, sorting is faster
_STATIC = 16 << 10  # shared memory of the kernel besides its lists in bytes, in 64 dimensions
_BYTES = 1 << 26  # bytes of distances sorted at a time


def can_find(k: int, device: Device) -> bool:
    """Whether the lists of a tile fit the shared memory of a block."""
    return k <= _MOST and _shared(k) + _STATIC <= device.shared_bytes


def _shared(k: int) -> int:
    return 8 * SIDE * (SIDE + 1 + 2 * k)


def nearest(geometry: Geometry, points: Array, n: int, k: int, device: Device, engine: Engine) -> Nearest:
    """The k nearest of the first n points, for the points after them, or for the n points themselves if there are none.

    `points` are coordinates whose Euclidean distances are lower bounds of the distances.
    """
    if geometry.solid:
        return _sorted_rows(geometry, n, k, device, engine)
    xp, axes, itself = device.xp, widest_axes(points, device), len(points) == n
    stored = tiles_of(points[:n], axes, device)
    asked = stored if itself else tiles_of(points[n:], axes, device)
    rows = geometry.sorted(stored.order)
    asking = rows if itself else geometry.sorted(n + asked.order)
    distances, indices = xp.empty((asking.n, k)), xp.empty((asking.n, k), np.int64)
    for part in blocks_in_pieces(asking.n, n, "nearest neighbors", device, engine):
        args = (
            *rows.arguments, n, stored.order, stored.boxes, asking.rows, asking.n, asked.order, asked.boxes,
            part.start, itself, k, distances, indices,
        )  # fmt: skip
        n_threads, shared = (part.stop - part.start) * THREADS, _shared(k)
        device.launch(
            "nearest.cu", "search_nearest", n_threads, args, block=THREADS, shared=shared, **geometry.constants
        )
    return Nearest(device.fetch(distances), device.fetch(indices))


def _sorted_rows(geometry: Geometry, n: int, k: int, device: Device, engine: Engine) -> Nearest:
    """Nearest neighbors by sorting all distances, if distances are expensive."""
    xp, first = device.xp, 0 if geometry.n == n else n
    n_asking = geometry.n - first
    found = Nearest(np.empty((n_asking, k)), np.empty((n_asking, k), np.intp))
    for part in in_pieces(n_asking, max(1, _BYTES // (8 * n)), "nearest neighbors", device, engine):
        asking = xp.arange(first + part.start, first + part.stop)
        near = rectangle(geometry, asking, xp.arange(n), np.float64, device, engine.quiet())
        if first == 0:
            near[xp.arange(len(asking)), asking] = np.inf
        order = xp.argsort(near, axis=1, kind="stable")[:, :k]
        found.indices[part] = device.fetch(order)
        found.distances[part] = device.fetch(xp.take_along_axis(near, order, axis=1))
    return found
