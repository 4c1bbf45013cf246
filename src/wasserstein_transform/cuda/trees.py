"""Nearest neighbors and minimum spanning trees: tiles of points are compared with all tiles that are near enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._types import Floats
from ..compute import KNeighbors, MutualReachabilityTree
from ..compute.trees import spanning as on_cpu
from ..engine import Engine
from .device import Array, Device, iterate_slices
from .distances import fill_matrix
from .geometry import GpuGeometry, joined_geometry

if TYPE_CHECKING:
    from ..spaces import Metric

SIDE, THREADS = 64, 256  # points per tile, and threads of the block that searches for them: as in tiles.h
_MAX_SORTED_AXES = 3  # axes along which points are sorted
MAX_LAUNCH_DISTANCES = 4e9  # distances per launch, if no tile is skipped
MIN_LAUNCH_BLOCKS = 528  # this many run at a time
MIN_TREE_DISTANCES = 2e7  # for fewer distances between all pairs the CPU is faster
_MAX_NEIGHBORS = 128  # for more, sorting is faster
_STATIC_BYTES = 16 << 10  # shared memory of the kernel besides its lists, in 64 dimensions
_NO_KEY = int(np.array(np.inf).view(np.int64))  # bits of infinity: larger than the key of any edge
_NO_EDGE = int(np.iinfo(np.int64).max)  # larger than the bits of any length, and any two packed ends


class Tiles(NamedTuple):
    """The points in the order of tiles, their coordinates along the sorting axes, and the boxes of the tiles."""

    order: Array
    coordinates: Array
    boxes: Array


def _sort_into_tiles(points: Array, axes: list[int], device: Device) -> Tiles:
    """Sort points along the first axis, within slices of it along the second, and so on, with equally many slices."""
    xp, n, coordinates = device.xp, len(points), points[:, axes]
    across = max(1, int(np.ceil((n / SIDE) ** (1 / len(axes)) - 1e-9)))
    order, size = xp.arange(n), SIDE * across ** len(axes)
    for a in range(len(axes)):
        by = xp.argsort(coordinates[order, a], kind="stable")
        by = by[xp.argsort(by // size, kind="stable")]
        order, size = order[by], size // across
    return Tiles(order, coordinates[order], _boxes_of(coordinates[order], device))


def _widest_axes(points: Array, device: Device) -> list[int]:
    """The axes with the largest extents, at most three."""
    extents = device.fetch(points.max(axis=0) / 2 - points.min(axis=0) / 2)
    return [int(axis) for axis in np.argsort(-extents, kind="stable")[:_MAX_SORTED_AXES]]


def _boxes_of(coordinates: Array, device: Device) -> Array:
    """Smallest and largest coordinates of each tile, in a row of six."""
    xp, (n, n_axes) = device.xp, coordinates.shape
    whole = xp.concatenate([coordinates, xp.repeat(coordinates[-1:], -n % SIDE, axis=0)]).reshape(-1, SIDE, n_axes)
    boxes = xp.zeros((len(whole), 2 * _MAX_SORTED_AXES))
    boxes[:, :n_axes] = whole.min(axis=1)
    boxes[:, _MAX_SORTED_AXES : _MAX_SORTED_AXES + n_axes] = whole.max(axis=1)
    return boxes


def _iterate_tiles(n_queries: int, n: int, stage: str, device: Device, engine: Engine) -> Iterator[slice]:
    """Slices of the tiles of queries, one for each launch."""
    size = max(MIN_LAUNCH_BLOCKS, int(MAX_LAUNCH_DISTANCES / (SIDE * max(n, 1))))
    return iterate_slices(-(-n_queries // SIDE), size, stage, device, engine)


def nearest(metric: Metric, k: int, of: Metric | None, engine: Engine, *, device: Device) -> Any:
    """The k nearest other points of every point, or the k nearest points of `metric` for every point of `of`."""
    shared = 8 * SIDE * (SIDE + 1 + 2 * k)  # the lists of a tile
    fits = k <= _MAX_NEIGHBORS and shared + _STATIC_BYTES <= device.shared_bytes
    joined = joined_geometry(metric, of, device) if fits else None
    if joined is None or joined[0].solid:
        return NotImplemented
    (geometry, points), n = joined, metric.n
    xp, axes, itself = device.xp, _widest_axes(points, device), len(points) == n
    tiles = _sort_into_tiles(points[:n], axes, device)
    queries = tiles if itself else _sort_into_tiles(points[n:], axes, device)
    rows = geometry.sorted(tiles.order)
    query_rows = rows if itself else geometry.sorted(n + queries.order)
    n_queries = query_rows.n
    distances, indices = xp.empty((n_queries, k)), xp.empty((n_queries, k), np.int64)
    for part in _iterate_tiles(n_queries, n, "nearest neighbors", device, engine):
        args = (
            *rows.arguments, n, tiles.order, tiles.boxes, query_rows.rows, n_queries, queries.order, queries.boxes,
            part.start, itself, k, distances, indices,
        )  # fmt: skip
        n_threads, options = (part.stop - part.start) * THREADS, {"block": THREADS, "shared": shared}
        device.launch("nearest.cu", "search_nearest", n_threads, args, **options, **geometry.constants)
    return KNeighbors(device.fetch(distances), device.fetch(indices))


def spanning_tree(metric: Metric, engine: Engine, *, device: Device) -> Any:
    """Edges and heights of a minimum spanning tree, in any order."""
    tree = mutual_reachability_tree(metric, None, engine, device=device)
    return tree if tree is NotImplemented else (tree.edges, tree.heights)


def mutual_reachability_tree(metric: Metric, cores: Floats | None, engine: Engine, *, device: Device) -> Any:
    """The tree of max(d(x, y), cores[x], cores[y]), with ties broken by d; without cores that of d."""
    joined = joined_geometry(metric, None, device, MIN_TREE_DISTANCES)
    if joined is None:
        return NotImplemented
    geometry, n_bytes = joined[0], 8.0 * metric.n**2
    if not geometry.solid:
        return _spanning_tree(*joined, None if cores is None else device.put(cores), device, engine)
    if not engine.fits(n_bytes) or not device.fits(2 * n_bytes):
        return NotImplemented
    distances = np.empty((metric.n, metric.n))  # stored, because expensive ones should be computed only once
    fill_matrix(geometry, distances, device, engine)
    table, unit = on_cpu.table_and_unit(distances, float(distances.max()))
    cores = None if cores is None else cores / unit
    edges, heights, lengths = on_cpu.prim(table, metric.n, cores, 1.0, engine)
    return MutualReachabilityTree(edges, heights * unit, lengths * unit)


def _spanning_tree(
    geometry: GpuGeometry, points: Array, cores: Array | None, device: Device, engine: Engine
) -> MutualReachabilityTree:
    """The minimum spanning tree of the distances, or with `cores` that of mutual reachability.

    `points` are coordinates whose Euclidean distances are lower bounds of the distances.
    """
    n = geometry.n
    tiles = _sort_into_tiles(points, _widest_axes(points, device), device)
    forest = _Forest(geometry.sorted(tiles.order), tiles, cores, device, engine)
    parts = [(np.empty((0, 2), np.intp), np.empty(0))]
    with engine.progress_scope() as watched:
        while forest.n_components > 1:
            watched.check()
            forest.search_edges()
            ends, lengths = forest.join()
            parts.append((device.fetch(ends), device.fetch(lengths)))
            watched.report("spanning tree", n - forest.n_components, n - 1)
    edges, lengths = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    heights = lengths if cores is None else np.maximum(lengths, device.fetch(cores)[edges].max(axis=1, initial=0.0))
    return MutualReachabilityTree(edges, heights, lengths)


class _Forest:
    """The components so far, and the best known edge of each point to another component; in the order of tiles.

    Without a known edge, `which` is −1 and `keys` is a lower bound.
    """

    def __init__(
        self, geometry: GpuGeometry, tiles: Tiles, cores: Array | None, device: Device, engine: Engine
    ) -> None:
        self.geometry, self.tiles, self.device, self.engine = geometry, tiles, device, engine.silent()
        xp, n = device.xp, geometry.n
        self.component, self.n_components = xp.arange(n), n
        self.keys, self.lengths, self.which = xp.zeros(n), xp.zeros(n), xp.full(n, -1, np.int64)
        self.positions = xp.empty(n, np.int64)
        self.positions[tiles.order] = xp.arange(n)
        self.constants = {**geometry.constants, "REACH": int(cores is not None)}
        self.cores = xp.zeros(1) if cores is None else cores[tiles.order]

    def _launch(self, kernel: str, n_threads: int, *args: Any, block: int = 128) -> None:
        self.device.launch("trees.cu", kernel, n_threads, args, block=block, **self.constants)

    def search_edges(self) -> None:
        """Search edges for the points that may have the best edge of their component and do not know it."""
        xp, n, component = self.device.xp, self.geometry.n, self.component
        limits = xp.full(self.n_components, _NO_KEY, np.uint64)
        self._launch("forget_inside", n, component, self.positions, n, self.keys, self.which, limits)
        best_keys = limits.view(np.float64)[component]
        queries = xp.nonzero((self.which < 0) & (self.keys <= best_keys))[0]
        rows, boxes = self.geometry.rows[queries], _boxes_of(self.tiles.coordinates[queries], self.device)
        filled = xp.concatenate([component, xp.repeat(component[-1:], -n % SIDE)]).reshape(-1, SIDE)
        whole = xp.where(filled.min(axis=1) == filled.max(axis=1), filled[:, 0], -1)  # of tiles; −1 if several
        for part in _iterate_tiles(len(queries), n, "spanning tree", self.device, self.engine):
            self._launch(
                "search_outside", (part.stop - part.start) * THREADS, *self.geometry.arguments, n, self.tiles.order,
                self.tiles.boxes, self.cores, component, whole, limits, rows, len(queries), queries, boxes, part.start,
                self.keys, self.lengths, self.which, block=THREADS,
            )  # fmt: skip

    def join(self) -> tuple[Array, Array]:
        """Join components along their shortest edges and renumber them; returns the edges, each once, and lengths."""
        xp, n, count = self.device.xp, self.geometry.n, self.n_components
        key, length, packed = (xp.full(count, _NO_EDGE, np.uint64) for _ in range(3))  # ends i < j in 32 bits each
        known = self.component, self.tiles.order, n, self.keys, self.lengths, self.which
        for stage in range(3):
            self._launch("choose_edges", n, *known, stage, key, length, packed)
        packed, everybody = packed.view(np.int64), xp.arange(count)
        ends = xp.stack([packed >> 32, packed & 0xFFFFFFFF], axis=1)
        labels = self.component[self.positions[ends]]
        parent = xp.where(labels[:, 0] == everybody, labels[:, 1], labels[:, 0])
        first = (parent[parent] == everybody) & (everybody < parent)  # the first of two that chose the same edge
        parent = xp.where(first, everybody, parent)
        for _ in range(count.bit_length()):
            parent = parent[parent]
        roots = xp.nonzero(first)[0]
        self.component, self.n_components = xp.searchsorted(roots, parent)[self.component], len(roots)
        return ends[~first], length.view(np.float64)[~first]
