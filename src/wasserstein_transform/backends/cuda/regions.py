"""Regions of an image: linking moved pixels, sums over regions, adjacency."""

from __future__ import annotations

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine
from ..images import Grid, Links
from .device import Array, Device
from .pixels import MOST_PIXELS, mask_on

_BLOCK = 128


def can_link(modes: Floats, device: Device) -> bool:
    """Whether the device can link the pixels."""
    n, columns = modes.shape
    return n <= MOST_PIXELS and device.fits(n * (8.0 * columns + 30.0))


def link_touching(modes: Floats, grid: Grid, links: Links, device: Device, engine: Engine) -> tuple[Ints, int]:
    """The region of each pixel, −1 outside the mask, and the number of regions."""
    engine.check()
    engine.report("linking pixels", 0, 1)
    xp, (depth, height, width), n = device.xp, grid, len(modes)
    mask = mask_on(links.mask, device)
    seen = device.put(modes), modes.shape[1], links.axes, mask, links.mask is not None
    parent, joined, radii = xp.empty(n, np.int32), xp.empty(n, np.bool_), (links.spatial, links.range)
    rows = depth * height
    device.launch("links.cu", "link_rows", 32 * rows, (*seen, rows, width, *radii, parent, joined))
    for stride, extent in ((width, height), (width * height, depth)):
        if extent > 1:
            args = *seen, n, stride, extent, *radii, joined, parent
            device.launch("links.cu", "link_across", n, args)
    device.launch("links.cu", "find_roots", n, (n, parent))
    return _numbered(parent, None if links.mask is None else mask, device)


def _numbered(roots: Array, mask: Array | None, device: Device) -> tuple[Ints, int]:
    """Number the regions 0, 1, … by their first pixels, which are their roots."""
    xp = device.xp
    first = roots == xp.arange(len(roots), dtype=np.int32)
    if mask is not None:
        first &= mask
    numbers = xp.cumsum(first)
    count = int(numbers[-1].item())
    labels = xp.take(numbers, roots) - 1
    if mask is not None:
        labels = xp.where(mask, labels, -1)
    return np.asarray(device.fetch(labels)), count


def can_sum(labels: Ints, values: Floats, device: Device) -> bool:
    """Whether the device can compute sums over regions: sorting takes most of the memory."""
    return labels.size <= MOST_PIXELS and device.fits(labels.size * (8.0 * values.shape[1] + 60.0))


def region_sums(labels: Ints, values: Floats, first: int, device: Device, engine: Engine) -> tuple[Floats, Ints]:
    """Sums over each region, computed by a block of threads each, and sizes."""
    engine.check()
    xp, seen = device.xp, device.put(values)
    flat = device.put(labels.ravel()).astype(np.int32)
    count, columns = int(flat.max().item()) + 1, values.shape[1]
    order = xp.argsort(flat, kind="stable")
    starts = xp.searchsorted(xp.take(flat, order), xp.arange(count + 1, dtype=np.int32))
    sums = xp.empty((count, columns - first))
    args = seen, columns, first, order, starts, count, sums
    device.launch("regions.cu", "sum_regions", _BLOCK * count, args, block=_BLOCK)
    return np.asarray(device.fetch(sums)), np.diff(device.fetch(starts))


def can_compare(labels: Ints, device: Device) -> bool:
    """Whether the device can find the borders."""
    return device.fits(80.0 * labels.size)


def touching(labels: Ints, device: Device, engine: Engine) -> Ints:
    """Pairs of adjacent regions, each once."""
    engine.check()
    xp, there = device.xp, device.put(labels)
    count = max(int(there.max().item()) + 1, 1)
    found = [_keys(there, axis, count, xp) for axis in range(labels.ndim)]
    keys = device.fetch(xp.unique(xp.concatenate(found)))
    return np.stack(np.divmod(keys, count), axis=1)


def _keys(labels: Array, axis: int, count: int, xp: Array) -> Array:
    """A number for each pair of adjacent pixels of different regions."""
    before, after = ((slice(None),) * axis + (part,) for part in (slice(None, -1), slice(1, None)))
    one, other = labels[before], labels[after]
    border = (one != other) & (one >= 0) & (other >= 0)
    one, other = one[border], other[border]
    return xp.minimum(one, other) * count + xp.maximum(one, other)
