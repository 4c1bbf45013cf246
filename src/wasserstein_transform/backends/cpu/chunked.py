"""Write distances to chunked arrays, with a record for each chunk, because kernels cannot write to them directly."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import ChunkBlocks, ChunkRuns, Engine, Flag, Record, Task, Tile, of_size
from ...kernels.distances import fill_block, fill_condensed, fill_square
from ...kernels.geometry import Geometry, for_thread
from ..forms import Filed, Form, Network
from . import filed, paths
from .kinds import geometry_of

_ROWS = 64  # rows computed before they are copied
_PIECE = 512  # distances of a row computed at a time


class _Squares(NamedTuple):
    source: Any
    corners: Ints


def dense(form: Form, out: Any, engine: Engine) -> None:
    """Fill the full matrix chunk by chunk; each pair is computed once."""
    n, side = form.n, int(out.chunks[0])
    corners = np.array([(top, left) for top in range(0, n, side) for left in range(top, n, side)])
    place, tiles = ChunkBlocks(corners, side), of_size(len(corners), 1)
    if isinstance(form, Network):
        _one_by_one(form, tiles, place, out, engine)
    elif isinstance(form, Filed):
        engine.run(Task("distances", _read_square, _Squares(form.source, corners), tiles, place), (out,))
    else:
        asked = _Squares(geometry_of(form, engine), corners)
        engine.run(Task("distances", _square, asked, tiles, place, heavy=True), (out,))


def _one_by_one(form: Network, tiles: list[Tile], place: ChunkBlocks, out: Any, engine: Engine) -> None:
    """Fill one chunk after the other: all threads search paths for the same chunk."""
    with engine.watched() as watched:
        for k, tile in enumerate(tiles):
            record, (top, left) = place.blank((out,), tile), place.corners[tile.start]
            rows, cols = (np.arange(at, at + size) for at, size in zip((top, left), record[0].shape, strict=True))
            record[0][...] = paths.block(form, rows, cols, watched.quiet())
            place.put((out,), tile, record)
            watched.report("shortest paths", k + 1, len(tiles))


def _square(asked: _Squares, tile: Tile, stop: Flag, record: Record) -> None:
    upper, lower = record
    top, left = asked.corners[tile.start]
    fill_square(
        for_thread(asked.source), top, left, upper, lower, np.empty((_ROWS, upper.shape[1] + 8)), stop
    )  # + 8 puts columns on different cache lines


def _read_square(asked: _Squares, tile: Tile, stop: Flag, record: Record) -> None:
    top, left = asked.corners[tile.start]
    rows, cols = (np.arange(at, at + size) for at, size in zip((top, left), record[0].shape, strict=True))
    record[0][...] = asked.source.block(rows, cols)


class _Vector(NamedTuple):
    geometry: Geometry
    n: int
    starts: Ints


def condensed(form: Form, out: Any, engine: Engine) -> None:
    """Fill the condensed vector chunk by chunk; a chunk may begin and end within a row."""
    n = form.n
    if isinstance(form, Network | Filed):
        _row_by_row(form, out, engine)
        return
    rows = np.arange(n)
    asked = _Vector(geometry_of(form, engine), n, rows * n - rows * (rows + 1) // 2)
    tiles = of_size(int(out.shape[0]), int(out.chunks[0]))
    engine.run(Task("distances", _run, asked, tiles, ChunkRuns(), heavy=True), (out,))


def _run(asked: _Vector, tile: Tile, stop: Flag, record: Record) -> None:
    """Fill the end of a row, whole rows, and the beginning of a row."""
    geometry, n, starts = asked
    geometry, (values,), at, scratch = for_thread(geometry), record, tile.start, np.empty(_PIECE)
    while at < tile.stop and not stop[0]:
        i = int(np.searchsorted(starts, at, "right")) - 1
        last = int(np.searchsorted(starts, tile.stop, "right")) - 1
        if at == starts[i] and last > i:
            upto = int(starts[last])
            fill_condensed(geometry, n, i, last, values[at - tile.start : upto - tile.start], scratch, stop)
        else:
            upto = min(int(starts[i + 1]), tile.stop)
            first = i + 1 + at - int(starts[i])
            part = np.empty((1, upto - at))
            fill_block(geometry, np.array([i]), np.arange(first, first + upto - at), part, stop)
            values[at - tile.start : upto - tile.start] = part[0]
        at = upto


def _row_by_row(form: Network | Filed, out: Any, engine: Engine) -> None:
    """Collect rows until they fill a chunk."""
    size, total = int(out.chunks[0]), int(out.shape[0])
    waiting, n_waiting, at = list[Floats](), 0, 0
    with engine.watched() as watched:
        for i in range(form.n - 1):
            rows, cols = np.array([i]), np.arange(i + 1, form.n)
            found = (
                filed.block(form, rows, cols)
                if isinstance(form, Filed)
                else paths.block(form, rows, cols, watched.quiet())
            )
            waiting.append(found[0])
            n_waiting += len(cols)
            if n_waiting >= size or at + n_waiting == total:
                values = np.concatenate(waiting)
                upto = len(values) if at + n_waiting == total else len(values) // size * size
                out[at : at + upto] = values[:upto].astype(out.dtype)
                waiting, n_waiting, at = [values[upto:]], len(values) - upto, at + upto
                watched.check()
                watched.report("distances", at, total)
