"""Cheap passes over all rows: gathers, bounds, keys. A small number of rows is processed in the calling thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Place, Record, Rows, Scattered, Task, Tile, Tilewise, of_size
from ...kernels.gather import find_bounds, largest_size, put_rows, take_columns, take_rows

_SHORT = 2**14  # up to this many rows are processed in the calling thread
_MANY = 64  # number of tiles for more rows: enough for many threads to finish together


def size_of(n: int) -> int:
    """Rows per tile for n rows."""
    return max(n, 1) if n <= _SHORT else max(_SHORT // 4, -(-n // _MANY))


def tiles_of(n: int) -> list[Tile]:
    """Rows 0…n in tiles of `size_of(n)`."""
    return of_size(n, size_of(n))


def run(task: Task, out: Record, engine: Engine | None) -> None:
    """Run a task; a single tile, or all tiles without an engine, in this thread."""
    if engine is not None and len(task.tiles) > 1:
        engine.run(task, out)
    else:
        stop = np.zeros(1, np.uint8)
        for tile in task.tiles:
            task.into(out, tile, stop)


class _Taken(NamedTuple):
    source: np.ndarray
    rows: Ints | None


def are_few(n: int) -> bool:
    """Whether NumPy is used for n rows, so that nothing is compiled."""
    return n <= _SHORT


def taken(source: np.ndarray, rows: Ints, engine: Engine | None) -> Any:
    """source[rows], in parallel."""
    if are_few(len(rows)):
        return np.ascontiguousarray(source[rows])
    out = np.empty((len(rows), *source.shape[1:]), source.dtype)
    flat = source.reshape(len(source), -1)
    run(Task("sorting points", _take, _Taken(flat, rows), tiles_of(len(rows)), Rows()), (flatten(out),), engine)
    return out


def _take(asked: _Taken, tile: Tile, stop: Flag, record: Record) -> None:
    assert asked.rows is not None
    take_rows(asked.source, asked.rows[tile.start : tile.stop], record[0])


def columns(source: Floats, rows: Ints | None, engine: Engine | None) -> Floats:
    """source[rows], or all of it, transposed: one contiguous row for each coordinate."""
    n = len(source) if rows is None else len(rows)
    if are_few(n):
        return np.ascontiguousarray((source if rows is None else source[rows]).T)
    out = np.empty((source.shape[1], n))
    run(Task("sorting points", _turn, _Taken(source, rows), tiles_of(n), Across()), (out,), engine)
    return out


def _turn(asked: _Taken, tile: Tile, stop: Flag, record: Record) -> None:
    rows = np.arange(*tile) if asked.rows is None else asked.rows[tile.start : tile.stop]
    take_columns(asked.source, rows, record[0])


@dataclass(frozen=True)
class Across(Place):
    """Columns start…stop of every array."""

    def view(self, out: Record, tile: Tile) -> Record:
        return tuple(array[:, tile.start : tile.stop] for array in out)

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.empty_like(array) for array in self.view(out, tile))

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        for target, values in zip(self.view(out, tile), record, strict=True):
            target[...] = values


def flatten(array: np.ndarray) -> np.ndarray:
    """Rows of any shape as rows of numbers."""
    return array.reshape(len(array), -1)


@dataclass(frozen=True, eq=False)
class Spread(Scattered):
    """The same as `Scattered`, with a compiled loop."""

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        if are_few(len(self.rows)):
            super().put(out, tile, record)
            return
        rows = self.rows[tile.start : tile.stop]
        for target, values in zip(out, record, strict=True):
            put_rows(flatten(values), rows, flatten(target))


def bounds(points: Floats, engine: Engine | None = None) -> tuple[Floats, Floats]:
    """The smallest and the largest coordinates."""
    n, m = points.shape
    if are_few(n):
        return points.min(axis=0), points.max(axis=0)
    tiles = tiles_of(n)
    out = np.empty((len(tiles), m)), np.empty((len(tiles), m))
    run(Task("sorting points", _bounds, (points,), tiles, Tilewise(size_of(n))), out, engine)
    return out[0].min(axis=0), out[1].max(axis=0)


def _bounds(asked: tuple[Floats], tile: Tile, stop: Flag, record: Record) -> None:
    low, high = record
    find_bounds(asked[0], tile.start, tile.stop, low[0], high[0])


def size(values: np.ndarray, engine: Engine | None = None) -> float:
    """The largest absolute value; 0 if there is none."""
    if values.size == 0:
        return 0.0
    if are_few(values.size):
        return float(np.abs(values).max())
    flat = values.reshape(-1)
    tiles = tiles_of(len(flat))
    out = np.empty(len(tiles))
    run(Task("sizes", _size, (flat,), tiles, Tilewise(size_of(len(flat)))), (out,), engine)
    return float(out.max())


def _size(asked: tuple[Floats], tile: Tile, stop: Flag, record: Record) -> None:
    record[0][0] = largest_size(asked[0][tile.start : tile.stop])
