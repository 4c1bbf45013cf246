"""Moments where distances are expensive: pairs whose places are near are listed, and each is measured once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Floats
from ...kernels.moments import ROOM
from ..forms import Cloud, GaussianCloud
from ..records import closed
from .cells import cells_of, places_of
from .device import Array
from .distances import listed
from .geometry import Geometry, of_points
from .listing import Listing
from .neighborhoods import Asked, Neighborhoods, Out, kernel_of
from .pieces import in_pieces

_BYTES = 100.0  # for each pair that is listed, while they are sorted
_SIZE = 128  # threads a point; as in wide.h
_GRAIN = 3e11  # operations of threads in a launch


def listed_neighborhoods(form: Cloud | GaussianCloud, geometry: Geometry, asked: Asked) -> Neighborhoods | None:
    """Neighborhoods with all candidates listed; None if they are too many for the device."""
    device, engine, n = asked.device, asked.engine, form.n
    cells = cells_of(form, asked.reach, device)
    limit = closed(asked.reach) * ROOM if np.isfinite(asked.reach) else float("inf")
    near = of_points(places_of(form, device), device).sorted(cells.order)
    listing = Listing(near, cells, limit, device, engine)
    starts = device.xp.zeros(n + 1, np.int64)
    starts[1:] = device.xp.cumsum(listing.counts())
    size = int(starts[-1].item())
    if not device.fits(_BYTES * size):
        return None
    pairs, _ = listing.members(0, n, starts, size)
    return _Listed(asked, starts, pairs % n, _measured(pairs, n, geometry, asked), device.put(asked.weights))


def _measured(pairs: Array, n: int, geometry: Geometry, asked: Asked) -> Array:
    """Distances of the pairs i·n + j, which rise: those of i < j are measured, and read from there for j < i."""
    xp, rows, cols = asked.device.xp, pairs // n, pairs % n
    out = xp.zeros(len(pairs))
    later = xp.flatnonzero(rows < cols)
    out[later] = listed(geometry, rows[later], cols[later], asked.device, asked.engine)
    earlier = xp.flatnonzero(rows > cols)
    out[earlier] = out[xp.searchsorted(pairs, cols[earlier] * n + rows[earlier])]
    return out


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
