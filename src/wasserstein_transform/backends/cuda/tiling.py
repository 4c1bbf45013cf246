"""Points sorted into tiles of near points, so that searches skip tiles that are too far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...engine import Engine
from .device import Array, Device
from .pieces import in_pieces

SIDE, THREADS = 64, 256  # points per tile, and threads of the block that searches for them: as in tiles.h
_AXES = 3
_STEPS = 4e9  # distances per launch, if no tile is skipped
_BLOCKS = 528  # fewest blocks per launch: this many run at a time


class Tiles(NamedTuple):
    """The points in the order of tiles, their coordinates along the sorting axes, and the boxes of the tiles."""

    order: Array
    places: Array
    boxes: Array


def tiles_of(points: Array, axes: list[int], device: Device) -> Tiles:
    """Sort points along the first axis, within slices of it along the second, and so on, with equally many slices."""
    xp, n, places = device.xp, len(points), points[:, axes]
    across = max(1, int(np.ceil((n / SIDE) ** (1 / len(axes)) - 1e-9)))
    order, size = xp.arange(n), SIDE * across ** len(axes)
    for a in range(len(axes)):
        by = xp.argsort(places[order, a], kind="stable")
        by = by[xp.argsort(by // size, kind="stable")]
        order, size = order[by], size // across
    return Tiles(order, places[order], boxes_of(places[order], device))


def widest_axes(points: Array, device: Device) -> list[int]:
    """The axes with the largest extents, at most three."""
    extents = device.fetch(points.max(axis=0) / 2 - points.min(axis=0) / 2)
    return [int(axis) for axis in np.argsort(-extents, kind="stable")[:_AXES]]


def boxes_of(places: Array, device: Device) -> Array:
    """Smallest and largest coordinates of each tile, in a row of six."""
    xp, (n, n_axes) = device.xp, places.shape
    whole = xp.concatenate([places, xp.repeat(places[-1:], -n % SIDE, axis=0)]).reshape(-1, SIDE, n_axes)
    boxes = xp.zeros((len(whole), 2 * _AXES))
    boxes[:, :n_axes] = whole.min(axis=1)
    boxes[:, _AXES : _AXES + n_axes] = whole.max(axis=1)
    return boxes


def blocks_in_pieces(n_asked: int, n: int, stage: str, device: Device, engine: Engine) -> Iterator[slice]:
    """Slices of the tiles of queries, one for each launch."""
    size = max(_BLOCKS, int(_STEPS / (SIDE * max(n, 1))))
    return in_pieces(-(-n_asked // SIDE), size, stage, device, engine)
