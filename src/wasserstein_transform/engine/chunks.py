"""Where records lie in arrays that are written chunk by chunk: nothing but whole chunks, each by one tile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .places import Blocks, Place, Record
from .tiles import Tile


@dataclass(frozen=True, eq=False)
class ChunkBlocks(Blocks):
    """Square blocks of a symmetric matrix that are its chunks, and their mirror images; a tile is one block."""

    def view(self, out: Record, tile: Tile) -> None:
        return None

    def blank(self, out: Record, tile: Tile) -> Record:
        (matrix,), (top, left) = out, self.corners[tile.start]
        shape = min(self.side, matrix.shape[0] - top), min(self.side, matrix.shape[1] - left)
        upper = np.zeros(shape, matrix.dtype)
        return upper, upper[:0, :0]

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        (matrix,), (top, left) = out, self.corners[tile.start]
        values = record[0]
        rows, cols = slice(top, top + len(values)), slice(left, left + values.shape[1])
        if top == left:
            above = np.triu(values, 1)
            matrix[rows, cols] = above + above.T
        else:
            matrix[rows, cols] = values
            matrix[cols, rows] = np.ascontiguousarray(values.T)


@dataclass(frozen=True)
class ChunkRuns(Place):
    """Entries start…stop of a vector."""

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.zeros(tile.stop - tile.start, array.dtype) for array in out)

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        for target, values in zip(out, record, strict=True):
            target[tile.start : tile.stop] = values
