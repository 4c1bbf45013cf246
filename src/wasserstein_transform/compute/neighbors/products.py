"""Nearest neighbors of points with many columns, by blocks of matrix products.

Products in float32 select candidates: all points that can be near enough for any rounding of the products. Their
distances are then computed as everywhere, so results have the same bits as those of k-d trees.
"""

from __future__ import annotations

import numpy as np

from ..._types import Floats
from ...engine import Engine, Flag, Tile, cut_by_size, one_blas_thread
from ..cells.rows import bounds, sample_evenly
from ..records import KNeighbors
from .products_jit import measure_candidates, offer_block

_UNIT = 2.0**-24  # of rounding to float32
_LARGEST = 2.0**50  # of scaled coordinates: neither their squares nor those of small ones leave the range of float32
_MAX_EXPONENT = 1000  # of the scale, which stays finite
_MAX_REACH = 2.0**500  # squares of larger coordinates can overflow, and distances are infinite
_MAX_ROWS_FOR_CENTER = 1000
_QUERIES_PER_TILE, _POINTS_PER_BLOCK = 256, 2048  # their products, 2 MiB, stay in the cache
_MIN_CANDIDATES = 2**13
_MAX_CANDIDATES_PER_TILE = 2**21


def nearest(points: Floats, queries: Floats | None, k: int, engine: Engine) -> KNeighbors:
    """The k nearest other points of every point, or the k nearest points of every query."""
    (n, m), of = points.shape, points if queries is None else queries
    size = (len(of), k)
    n_candidates = min(n, max(_MIN_CANDIDATES, 8 * k))
    n_rows = min(max(_MAX_CANDIDATES_PER_TILE // n_candidates, 16), _QUERIES_PER_TILE)
    tiles = cut_by_size(len(of), n_rows)
    n_threads = min(engine.n_threads, len(tiles))
    per_thread = n_rows * (12.0 * n_candidates + 4.0 * _POINTS_PER_BLOCK) + 20.0 * _POINTS_PER_BLOCK * m
    n_bytes = 4.0 * points.size + 12.0 * n + n_threads * per_thread
    engine.reserve(n_bytes, f"the products of {n} points with {m} columns", "use fewer points, or fewer threads")
    result = KNeighbors(np.empty(size), np.empty(size, np.intp))
    center, scale, share, floor = _bounds_of_error(points, of, engine)

    def shrink(rows: Floats) -> tuple[np.ndarray, Floats]:
        """Rows in float32, and halves of their squared norms."""
        small = ((rows - center) * scale).astype(np.float32)
        return small, np.einsum("ia,ia->i", small, small, dtype=np.float64) / 2

    unused = [  # scratch of threads, made once: the system takes long to give new memory
        (
            np.empty(n_rows * _POINTS_PER_BLOCK, np.float32),
            np.empty((n_rows, n_candidates), np.intp),
            np.empty((n_rows, n_candidates), np.float32),
        )
        for _ in range(n_threads)
    ]
    small, floors, spreads = np.empty((n, m), np.float32), np.empty(n, np.float32), np.empty(n)

    def fill(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        small[part], halves = shrink(points[part])
        floors[part], spreads[part] = halves * (1 - share), 2 * share * halves

    def search(tile: Tile, stop: Flag) -> None:
        part, count = slice(*tile), tile.stop - tile.start
        rows, halves = shrink(of[part])
        own = np.arange(*tile) if queries is None else np.full(count, -1)
        rooms = 2 * (share * halves + floor)
        near, which, sizes = result.distances[part], result.indices[part], np.zeros(count, np.intp)
        near[:] = np.inf
        buffer, members, member_floors = scratch = unused.pop()
        for block in cut_by_size(n, _POINTS_PER_BLOCK):
            if stop[0]:
                return
            those = slice(*block)
            products = buffer[: count * (block.stop - block.start)].reshape(count, -1)
            np.matmul(rows, small[those].T, out=products)
            offer_block(
                products, block.start, own, rooms, floors[those], spreads[those], near, which, members, member_floors,
                sizes, stop,
            )  # fmt: skip
        measure_candidates(points, of[part], own, rooms, near, which, members, member_floors, sizes, stop)
        unused.append(scratch)

    with one_blas_thread():
        engine.for_tiles("sorting points", cut_by_size(n, _POINTS_PER_BLOCK), fill)
        engine.for_tiles("nearest neighbors", tiles, search)
    return result


def _bounds_of_error(points: Floats, queries: Floats, engine: Engine) -> tuple[Floats, float, float, float]:
    """A center and a power of two that coordinates are shifted and scaled by, and how far off products can be.

    With u = 2⁻²⁴ and rows x, y of m coordinates, of which a = ½‖x‖² and b = ½‖y‖²: the products are off by up to
    mu/(1 − mu) · (a + b) in any order of summation, and the rounding of coordinates to float32 moves half a squared
    distance by up to 4u · (a + b). Rounding b and the difference to float32 takes up to 5u · (a + b), and the distances
    that are compared in the end have errors up to 2⁻⁵¹(m + 4) · (a + b). Underflow loses less than the constant.
    """
    m = points.shape[1]
    center = np.median(points[sample_evenly(len(points), _MAX_ROWS_FOR_CENTER)], axis=0)
    lows, highs = np.stack([bounds(points, engine), bounds(queries, engine)], axis=1) if len(queries) else 2 * [center]
    reach = float(np.maximum(highs - center, center - lows).max())
    scale = float(2.0 ** min(np.floor(np.log2(_LARGEST / reach)), _MAX_EXPONENT)) if reach > 0 else 1.0
    share = m * _UNIT / max(1 - m * _UNIT, _UNIT) + 16 * _UNIT + (m + 4) * 2.0**-50
    smallest = m * (2.0**-125 + (scale * 2.0**-536) ** 2) if reach < _MAX_REACH else np.inf
    return center, scale, share, smallest
