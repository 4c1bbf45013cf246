"""Moments if distances are expensive: pairs with near coordinates are listed, and each distance is computed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..._types import Floats
from ...engine import Engine
from ...kernels.moments import ROOM
from ..forms import Cloud, GaussianCloud
from ..records import closed
from .cells import cells_of, places_of
from .device import Array, Device
from .distances import listed
from .geometry import Geometry, of_points
from .listing import Listing
from .neighborhoods import Asked, Neighborhoods, Out, kernel_of
from .pieces import in_pieces

_BYTES = 100.0  # bytes per listed pair while they are sorted
_SIZE = 128  # threads per point, as in wide.h
_GRAIN = 3e11  # operations of threads per launch


class Pairs(NamedTuple):
    """Pairs of points with near coordinates: sorted numbers i·n + j, those of i from starts[i] on; and distances."""

    starts: Array
    numbers: Array
    distances: Array


def near_pairs(
    form: Cloud | GaussianCloud, geometry: Geometry, reach: float, device: Device, engine: Engine
) -> Pairs | None:
    """All pairs whose coordinates are within `reach`; None if they do not fit on the device."""
    cells, n = cells_of(form, reach, device), form.n
    limit = closed(reach) * ROOM if np.isfinite(reach) else float("inf")
    near = of_points(places_of(form, device), device).sorted(cells.order)
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


def listed_neighborhoods(form: Cloud | GaussianCloud, geometry: Geometry, asked: Asked) -> Neighborhoods | None:
    """Neighborhoods with listed candidates; None if they do not fit on the device."""
    pairs = near_pairs(form, geometry, asked.reach, asked.device, asked.engine)
    if pairs is None:
        return None
    return _Listed(asked, pairs.starts, pairs.numbers % form.n, pairs.distances, asked.device.put(asked.weights))


@dataclass(frozen=True, eq=False)
class _Listed(Neighborhoods):
    """Candidates of point i are `members[starts[i]:starts[i + 1]]`."""

    asked: Asked
    starts: Array
    members: Array
    distances: Array
    weights: Array

    def _add_up(self, name: str, points: Floats, second: bool, out: Out) -> None:
        asked, device, (n, m) = self.asked, self.asked.device, points.shape
        limit = closed(asked.reach) if np.isfinite(asked.reach) else float("inf")
        values = self.weights, device.put(points), limit, asked.profile, asked.scale, *out
        each = (50.0 + m * m) * max(1.0, len(self.members) / n)
        for part in in_pieces(n - asked.first, max(1, int(_GRAIN / each)), name, device, asked.engine):
            args = self.starts, self.members, self.distances, asked.first + part.start, asked.first, *values
            n_threads = _SIZE * (part.stop - part.start)
            device.launch("listed_moments.cu", kernel_of(second), n_threads, args, block=_SIZE, COLUMNS=m)
