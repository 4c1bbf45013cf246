"""Points sorted into tiles, near ones together, so that searches pass over tiles that are too far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...engine import Engine
from .device import Array, Device
from .pieces import in_pieces

SIDE, THREADS = 64, 256  # points of a tile, and threads of the block that searches for them: as in tiles.h
_AXES = 3
_STEPS = 4e9  # distances of a launch, if no tile is passed over
_BLOCKS = 528  # of a launch, at least: so many run at a time


class Tiles(NamedTuple):
    """The points in an order of tiles, along the axes that they are sorted by, and the boxes of the tiles."""

    order: Array
    places: Array
    boxes: Array


def tiles_of(points: Array, axes: list[int], device: Device) -> Tiles:
    """Points sorted along the first axis, in slices of it along the second, and so on; as many slices along each."""
    xp, n, places = device.xp, len(points), points[:, axes]
    across = max(1, int(np.ceil((n / SIDE) ** (1 / len(axes)) - 1e-9)))
    order, size = xp.arange(n), SIDE * across ** len(axes)
    for a in range(len(axes)):
        by = xp.argsort(places[order, a], kind="stable")
        by = by[xp.argsort(by // size, kind="stable")]
        order, size = order[by], size // across
    return Tiles(order, places[order], boxes_of(places[order], device))


def widest_axes(points: Array, device: Device) -> list[int]:
    """The axes along which points are farthest apart, at most three."""
    extents = device.fetch(points.max(axis=0) / 2 - points.min(axis=0) / 2)
    return [int(axis) for axis in np.argsort(-extents, kind="stable")[:_AXES]]


def boxes_of(places: Array, device: Device) -> Array:
    """Least and largest coordinates of each tile of points, a row of six."""
    xp, (n, n_axes) = device.xp, places.shape
    whole = xp.concatenate([places, xp.repeat(places[-1:], -n % SIDE, axis=0)]).reshape(-1, SIDE, n_axes)
    boxes = xp.zeros((len(whole), 2 * _AXES))
    boxes[:, :n_axes] = whole.min(axis=1)
    boxes[:, _AXES : _AXES + n_axes] = whole.max(axis=1)
    return boxes


def blocks_in_pieces(n_asked: int, n: int, stage: str, device: Device, engine: Engine) -> Iterator[slice]:
    """Tiles of points that ask, some for each launch."""
    size = max(_BLOCKS, int(_STEPS / (SIDE * max(n, 1))))
    return in_pieces(-(-n_asked // SIDE), size, stage, device, engine)
