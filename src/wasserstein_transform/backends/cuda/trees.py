"""Minimum spanning trees: Borůvka's algorithm on the device, with tiles of points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine import Engine
from ..records import ReachTree
from .device import Array, Device
from .geometry import Geometry
from .tiling import SIDE, THREADS, Tiles, blocks_in_pieces, boxes_of, tiles_of, widest_axes

SMALL = 2e7  # for fewer distances between all pairs the CPU is faster
_NEVER = int(np.array(np.inf).view(np.int64))  # bits of infinity: larger than the key of any edge
_EVERY = int(np.iinfo(np.int64).max)  # larger than the bits of any length, and any two packed ends


@dataclass
class _Forest:
    """The components so far, and the best known edge of each point to another component; in the order of tiles.

    Without a known edge, `which` is −1 and `keys` is a lower bound.
    """

    component: Array
    n_components: int
    keys: Array
    lengths: Array
    which: Array


def spanning_tree(geometry: Geometry, points: Array, cores: Array | None, device: Device, engine: Engine) -> ReachTree:
    """The minimum spanning tree of the distances, or with `cores` that of mutual reachability.

    `points` are coordinates whose Euclidean distances are lower bounds of the distances.
    """
    xp, n = device.xp, geometry.n
    tiles = tiles_of(points, widest_axes(points, device), device)
    search = _Search(geometry.sorted(tiles.order), tiles, cores, device, engine)
    forest = _Forest(xp.arange(n), n, xp.zeros(n), xp.zeros(n), xp.full(n, -1, np.int64))
    found: list[tuple[np.ndarray, np.ndarray]] = []
    with engine.watched() as watched:
        while forest.n_components > 1:
            watched.check()
            search.best_edges(forest)
            ends, lengths = _join(forest, search.chosen(forest), search.where, device)
            found.append((device.fetch(ends), device.fetch(lengths)))
            watched.report("spanning tree", n - forest.n_components, n - 1)
    edges = np.concatenate([np.empty((0, 2), np.intp), *(ends for ends, _ in found)])
    apart = np.concatenate([np.empty(0), *(lengths for _, lengths in found)])
    heights = apart if cores is None else np.maximum(apart, device.fetch(cores)[edges].max(axis=1, initial=0.0))
    return ReachTree(edges, heights, apart)


class _Search:
    """Points in tiles, and the searches for edges among them."""

    def __init__(self, geometry: Geometry, tiles: Tiles, cores: Array | None, device: Device, engine: Engine) -> None:
        self.geometry, self.tiles, self.device, self.engine = geometry, tiles, device, engine.quiet()
        xp, n = device.xp, geometry.n
        self.where = xp.empty(n, np.int64)
        self.where[tiles.order] = xp.arange(n)
        self.constants = {**geometry.constants, "REACH": int(cores is not None)}
        self.cores = xp.zeros(1) if cores is None else cores[tiles.order]

    def _launch(self, kernel: str, n_threads: int, *args: Any, block: int = 128) -> None:
        self.device.launch("trees.cu", kernel, n_threads, args, block=block, **self.constants)

    def best_edges(self, forest: _Forest) -> None:
        """Search edges for the points that may have the best edge of their component and do not know it."""
        xp, n = self.device.xp, self.geometry.n
        limits = xp.full(forest.n_components, _NEVER, np.uint64)
        self._launch("forget_inside", n, forest.component, self.where, n, forest.keys, forest.which, limits)
        least = limits.view(np.float64)[forest.component]
        asking = xp.nonzero((forest.which < 0) & (forest.keys <= least))[0]
        rows, boxes = self.geometry.rows[asking], boxes_of(self.tiles.places[asking], self.device)
        whole = self._whole(forest.component)
        for part in blocks_in_pieces(len(asking), n, "spanning tree", self.device, self.engine):
            self._launch(
                "search_outside", (part.stop - part.start) * THREADS, *self.geometry.arguments, n, self.tiles.order,
                self.tiles.boxes, self.cores, forest.component, whole, limits, rows, len(asking), asking, boxes,
                part.start, forest.keys, forest.lengths, forest.which, block=THREADS,
            )  # fmt: skip

    def _whole(self, component: Array) -> Array:
        """The component of each tile; −1 if there are several."""
        xp = self.device.xp
        filled = xp.concatenate([component, xp.repeat(component[-1:], -len(component) % SIDE)]).reshape(-1, SIDE)
        return xp.where(filled.min(axis=1) == filled.max(axis=1), filled[:, 0], -1)

    def chosen(self, forest: _Forest) -> tuple[Array, Array]:
        """The ends i < j of the shortest edge of each component, in 32 bits each, and its length."""
        xp, n = self.device.xp, self.geometry.n
        key, length, ends = (xp.full(forest.n_components, _EVERY, np.uint64) for _ in range(3))
        known = forest.component, self.tiles.order, n, forest.keys, forest.lengths, forest.which
        for stage in range(3):
            self._launch("choose_edges", n, *known, stage, key, length, ends)
        return ends.view(np.int64), length.view(np.float64)


def _join(forest: _Forest, chosen: tuple[Array, Array], where: Array, device: Device) -> tuple[Array, Array]:
    """Join components along their shortest edges and renumber them; returns the edges, each once, and their lengths."""
    xp, (packed, lengths) = device.xp, chosen
    everybody = xp.arange(forest.n_components)
    ends = xp.stack([packed >> 32, packed & 0xFFFFFFFF], axis=1)
    labels = forest.component[where[ends]]
    parent = xp.where(labels[:, 0] == everybody, labels[:, 1], labels[:, 0])
    first = (parent[parent] == everybody) & (everybody < parent)  # the first of two components that chose the same edge
    parent = xp.where(first, everybody, parent)
    for _ in range(forest.n_components.bit_length()):
        parent = parent[parent]
    roots = xp.nonzero(first)[0]
    forest.component = xp.searchsorted(roots, parent)[forest.component]
    forest.n_components = len(roots)
    return ends[~first], lengths[~first]
