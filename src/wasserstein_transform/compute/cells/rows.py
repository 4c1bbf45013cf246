"""Cheap passes over all rows: gathers, bounds, sizes. A small number of rows is processed in the calling thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Tile, cut_by_size
from .cells_jit import scatter_rows as scatter_rows_compiled

_MAX_ROWS_IN_CALLER = 2**14  # more are processed in parallel
_N_TILES = 64  # number of tiles for more rows: enough for many threads to finish together
_FIRST_COLUMNS = 4  # that are compared to sort rows


def are_few(n: int) -> bool:
    """Whether NumPy is used for n rows, so that nothing is compiled."""
    return n <= _MAX_ROWS_IN_CALLER


def rows_per_tile(n: int) -> int:
    """Rows per tile for n rows."""
    return max(n, 1) if n <= _MAX_ROWS_IN_CALLER else max(_MAX_ROWS_IN_CALLER // 4, -(-n // _N_TILES))


def tiles_of(n: int) -> list[Tile]:
    """Rows 0…n in tiles of `rows_per_tile(n)`."""
    return cut_by_size(n, rows_per_tile(n))


def for_tiles(name: str, tiles: list[Tile], function: Callable[[Tile, Flag], None], engine: Engine | None) -> None:
    """Call the function for all tiles; a single tile, or all tiles without an engine, in this thread."""
    if engine is not None and len(tiles) > 1:
        engine.for_tiles(name, tiles, function)
        return
    stop = np.zeros(1, np.uint8)
    for tile in tiles:
        function(tile, stop)


def take(source: np.ndarray, rows: Ints, engine: Engine | None) -> Any:
    """source[rows], in parallel."""
    out = np.empty((len(rows), *source.shape[1:]), source.dtype)

    def fill(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        np.take(source, rows[part], axis=0, out=out[part], mode="clip")  # "raise" would copy

    for_tiles("sorting points", tiles_of(len(rows)), fill, engine)
    return out


def gather_columns(source: Floats, rows: Ints | None, engine: Engine | None) -> Floats:
    """source[rows], or all of it, transposed: one contiguous row for each coordinate."""
    n = len(source) if rows is None else len(rows)
    out = np.empty((source.shape[1], n))

    def fill(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        out[:, part] = (source[part] if rows is None else np.take(source, rows[part], axis=0)).T

    for_tiles("sorting points", tiles_of(n), fill, engine)
    return out


def sample_evenly(n: int, count: int) -> Ints:
    """Choose at most `count` of n indices, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, count)).round().astype(np.intp))


def inverse(order: Ints) -> Ints:
    """The inverse of a permutation."""
    positions = np.empty(len(order), np.intp)
    positions[order] = np.arange(len(order))
    return positions


def flatten(array: np.ndarray) -> np.ndarray:
    """Rows of any shape as rows of numbers."""
    return array.reshape(len(array), -1)


def scatter_rows(values: np.ndarray, rows: Ints, out: np.ndarray) -> None:
    """out[rows] = values, with a compiled loop if `out` is long."""
    if are_few(len(out)):
        out[rows] = values
    else:
        scatter_rows_compiled(flatten(values), rows, flatten(out))


def bounds(points: Floats, engine: Engine | None = None) -> tuple[Floats, Floats]:
    """The smallest and the largest coordinates."""
    n, m = points.shape
    tiles, size = tiles_of(n), rows_per_tile(n)
    low, high = np.empty((2, len(tiles), m))

    def find(tile: Tile, stop: Flag) -> None:
        part = points[slice(*tile)]
        low[tile.start // size], high[tile.start // size] = part.min(axis=0), part.max(axis=0)

    for_tiles("sorting points", tiles, find, engine)
    return low.min(axis=0), high.max(axis=0)


def lexical_order(points: np.ndarray) -> Ints:
    """The order of rows by their columns, the first column first; equal rows stay in order.

    `np.lexsort` sorts by every column; here only as many are looked at as tell rows apart.
    """
    m = points.shape[1]
    count = min(_FIRST_COLUMNS, m)
    while True:
        order = np.lexsort(points[:, :count].T[::-1])
        if count == m or not (points[order[1:], :count] == points[order[:-1], :count]).all(axis=1).any():
            return order
        count = min(8 * count, m)
