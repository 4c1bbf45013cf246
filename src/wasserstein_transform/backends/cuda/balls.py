"""Closed balls around every point."""

from __future__ import annotations

import numpy as np

from ...engine import Engine
from ..forms import Cloud, Form, GaussianCloud
from ..records import Balls, closed
from .cells import cells_of, is_small
from .device import Device
from .geometry import geometry_of
from .listed import Pairs, near_pairs
from .listing import Listing

_TOGETHER = 2**25  # members listed on the device at a time


def balls(form: Form, radius: float, device: Device, engine: Engine) -> Balls | None:
    """The closed balls of the given radius around every point; None if the CPU should compute them."""
    geometry = None if is_small(form) or not np.isfinite(radius) else geometry_of(form, device)
    if geometry is None:
        return None
    assert isinstance(form, Cloud | GaussianCloud)
    if geometry.solid:
        return _of_pairs(near_pairs(form, geometry, radius, device, engine), form.n, radius, device)
    cells = cells_of(form, radius, device)
    listing = Listing(geometry.sorted(cells.order), cells, closed(radius), device, engine)
    indptr = np.append(0, np.cumsum(device.fetch(listing.counts())))
    size = int(indptr[-1])
    engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
    found = Balls(indptr, np.empty(size, np.intp), np.empty(size))
    begin = 0
    while begin < form.n:
        engine.check()
        end = max(begin + 1, int(np.searchsorted(indptr, indptr[begin] + _TOGETHER, side="right")) - 1)
        _fill(found, begin, end, listing)
        engine.report("finding neighbors", end, form.n)
        begin = end
    return found


def _fill(found: Balls, begin: int, end: int, listing: Listing) -> None:
    """Fill the balls of some points."""
    device, starts = listing.device, found.indptr[begin : end + 1]
    part = slice(starts[0], starts[-1])
    members, apart = listing.members(begin, end, device.put(starts - starts[0]), int(starts[-1] - starts[0]))
    found.indices[part] = device.fetch(members % listing.cells.n)
    found.distances[part] = device.fetch(apart)


def _of_pairs(pairs: Pairs | None, n: int, radius: float, device: Device) -> Balls | None:
    """Balls from pairs with known distances."""
    if pairs is None:
        return None
    xp = device.xp
    near = xp.flatnonzero(pairs.distances * pairs.distances <= closed(radius))
    numbers = pairs.numbers[near]
    indptr = xp.searchsorted(numbers, xp.arange(n + 1) * n)
    return Balls(*(device.fetch(part) for part in (indptr, numbers % n, pairs.distances[near])))
