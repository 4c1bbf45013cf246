"""Places of records in chunked arrays: each tile writes whole chunks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .places import Blocks, Place, Record
from .tiles import Tile


@dataclass(frozen=True, eq=False)
class ChunkBlocks(Blocks):
    """Square blocks of a symmetric matrix that are its chunks, with their mirror images; each tile is one block.

    Parameters
    ----------
    corners : array of int, shape (k, 2)
        Top row and left column of each block, on or above the diagonal.
    side : int
        Rows and columns of a block.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> matrix, tile = np.zeros((3, 3)), wt.engine.Tile(0, 1)
    >>> place = wt.engine.ChunkBlocks(np.array([[0, 2]]), side=2)
    >>> record = place.blank((matrix,), tile)
    >>> record[0][:] = [[1.0], [2.0]]
    >>> place.put((matrix,), tile, record)
    >>> matrix
    array([[0., 0., 1.],
           [0., 0., 2.],
           [1., 2., 0.]])
    """

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
    """Entries start…stop of vectors that are written chunk by chunk.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> out, tile = (np.zeros(5),), wt.engine.Tile(1, 3)
    >>> wt.engine.ChunkRuns().put(out, tile, (np.array([7.0, 8.0]),))
    >>> out[0]
    array([0., 7., 8., 0., 0.])
    """

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.zeros(tile.stop - tile.start, array.dtype) for array in out)

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        for target, values in zip(out, record, strict=True):
            target[tile.start : tile.stop] = values
