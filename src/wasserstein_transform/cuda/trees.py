"""Nearest neighbors and minimum spanning trees: tiles of points are compared with all tiles that are near enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._types import Floats
from ..compute import trees as on_cpu
from ..compute.metric import MetricArrays
from ..compute.records import Nearest, ReachTree
from ..engine import Engine
from ..kernels.geometry import Table
from .device import Array, Device, in_pieces
from .distances import fill_matrix, rectangle
from .geometry import Geometry, joined_geometry

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


_MOST = 128  # most neighbors; for more, sorting is faster
_STATIC = 16 << 10  # shared memory of the kernel besides its lists in bytes, in 64 dimensions
_BYTES = 1 << 26  # bytes of distances sorted at a time


def can_find(k: int, device: Device) -> bool:
    """Whether the lists of a tile fit the shared memory of a block."""
    return k <= _MOST and _shared(k) + _STATIC <= device.shared_bytes


def _shared(k: int) -> int:
    return 8 * SIDE * (SIDE + 1 + 2 * k)


def nearest(metric: MetricArrays, k: int, of: MetricArrays | None, engine: Engine, *, device: Device) -> Any:
    """The k nearest other points of every point, or the k nearest points of `metric` for every point of `of`."""
    joined = joined_geometry(metric, of, device) if can_find(k, device) else None
    if joined is None:
        return NotImplemented
    (geometry, points), n = joined, metric.n
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


def spanning_tree(metric: MetricArrays, engine: Engine, *, device: Device) -> Any:
    """Edges and heights of a minimum spanning tree, in any order."""
    joined = joined_geometry(metric, None, device, SMALL)
    if joined is None:
        return NotImplemented
    if not joined[0].solid:
        edges, heights, _ = _spanning_tree(*joined, None, device, engine)
        return edges, heights
    stored = _stored(metric, joined[0], device, engine)
    if stored is None:
        return NotImplemented
    edges, heights = on_cpu.grow(stored[0], metric.n, 1.0, engine)
    return edges, heights * stored[1]


def reach_tree(metric: MetricArrays, cores: Floats, engine: Engine, *, device: Device) -> Any:
    """The tree of max(d(x, y), cores[x], cores[y]), with ties broken by d."""
    joined = joined_geometry(metric, None, device, SMALL)
    if joined is None:
        return NotImplemented
    if not joined[0].solid:
        return _spanning_tree(*joined, device.put(cores), device, engine)
    stored = _stored(metric, joined[0], device, engine)
    if stored is None:
        return NotImplemented
    edges, heights, lengths = on_cpu.grow_by_reach(stored[0], cores / stored[1], 1.0, engine)
    return ReachTree(edges, heights * stored[1], lengths * stored[1])


def _stored(metric: MetricArrays, geometry: Geometry, device: Device, engine: Engine) -> tuple[Table, float] | None:
    """All distances if they fit into memory, because expensive ones should be computed only once."""
    n_bytes = 8.0 * metric.n**2
    if not engine.fits(n_bytes) or not device.fits(2 * n_bytes):
        return None
    out = np.empty((metric.n, metric.n))
    fill_matrix(geometry, out, device, engine)
    return on_cpu.table_and_unit(out, float(out.max()))


def _spanning_tree(geometry: Geometry, points: Array, cores: Array | None, device: Device, engine: Engine) -> ReachTree:
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
