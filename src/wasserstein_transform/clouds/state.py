"""A state of the flow on disk: blocks of points, and the bounds of all points from the footers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..backends import Extent, Frame, backend_of, join
from ..engine import Engine
from ..spaces import Euclidean
from ..transforms.parts import cells_of
from .blocks import Block, Chunks, open_block
from .points import Scale

_MOST_STEPS = 1 << 27  # most occupied cells along the axes of a cloud


@dataclass(frozen=True, eq=False)
class State:
    """A cloud of n points in R^m in blocks; `lam` is None if points have no covariances."""

    blocks: tuple[Block, ...]
    n: int
    m: int
    lam: float | None
    scale: Scale | None

    @property
    def extent(self) -> Extent:
        """The bounds that determine the frame."""
        return join(block.extent for block in self.blocks if block.extent is not None)

    @property
    def n_bytes(self) -> int:
        """Bytes on disk."""
        return sum(block.path.stat().st_size for block in self.blocks)

    @property
    def chunks(self) -> Chunks:
        """The table of all chunks."""
        tables = [block.chunks for block in self.blocks if block.n]
        counts, low, high = (np.concatenate([table[k] for table in tables]) for k in range(3))
        return Chunks(counts, low, high, np.empty((len(counts), 0), np.int64))

    def frame(self, reach: float, engine: Engine) -> Frame:
        """Return the frame of the whole cloud for steps of a given reach."""
        return backend_of(engine).frame_of_parts(self.extent, reach, lambda frame: self._occupied(frame, engine))

    def _occupied(self, frame: Frame, engine: Engine) -> list[Floats]:
        """Return the occupied cells along each axis; for clouds too wide to number all cells."""
        found = [np.empty(0) for _ in frame.axes]
        jobs = [_Looking(block.path, frame) for block in self.blocks if block.n]
        for _, steps in engine.each(_occupied, jobs, "looking at cells"):
            found = [np.union1d(one, other) for one, other in zip(found, steps, strict=True)]
            if sum(map(len, found)) > _MOST_STEPS:
                raise MemoryError(
                    f"the cloud is more than {_MOST_STEPS} radii wide and filled: its cells cannot be numbered; "
                    "use a larger eps, or remove far points"
                )
        return found


class _Looking(NamedTuple):
    path: Path
    frame: Frame


def _occupied(job: _Looking, engine: Engine) -> list[Floats]:
    block = open_block(job.path)
    found = [np.empty(0) for _ in job.frame.axes]
    for columns in block.read_columns(block.all_chunks, ("places",)):
        engine.check()
        cells = backend_of(engine).cells(Euclidean(columns["places"]).form, job.frame)
        found = [np.union1d(one, along) for one, along in zip(found, cells.T, strict=True)]
    return found


def open_blocks(paths: Sequence[Path]) -> tuple[Block, ...]:
    """Open the blocks of files."""
    return tuple(open_block(path) for path in paths)


class CellSpans(NamedTuple):
    """The first and the last cell of each chunk, along the axes of a frame."""

    first: Floats
    last: Floats


def spans_of(chunks: Chunks, frame: Frame, engine: Engine) -> CellSpans:
    """Return the cells that chunks span."""
    return CellSpans(*(cells_of(Euclidean(corner), frame, engine) for corner in (chunks.low, chunks.high)))


def near(spans: CellSpans, box: Box, margin: float) -> Ints:
    """Return the indices of chunks that may have points in a box, or within `margin` of it."""
    reaches = (spans.last >= np.array(box.first) - margin) & (spans.first < np.array(box.stop) + margin)
    return np.flatnonzero(reaches.all(axis=1))


class Box(NamedTuple):
    """A box of whole cells: from `first` to below `stop` along each axis of a frame."""

    first: tuple[float, ...]
    stop: tuple[float, ...]

    def halves(self) -> tuple[Box, Box] | None:
        """Return the box cut across its longest side; None for a single cell."""
        widths = np.array(self.stop) - np.array(self.first)
        axis = int(widths.argmax())
        if widths[axis] <= 1:
            return None
        return self.cut(axis, self.first[axis] + float(np.floor(widths[axis] / 2)))

    def cut(self, axis: int, at: float) -> tuple[Box, Box]:
        """Return the parts of the box below and above a cell along an axis."""
        below = (*self.stop[:axis], at, *self.stop[axis + 1 :])
        above = (*self.first[:axis], at, *self.first[axis + 1 :])
        return Box(self.first, below), Box(above, self.stop)

    def holds(self, cells: Floats, margin: float = 0.0) -> np.ndarray:
        """Tell which cells are in the box, or within `margin` of it."""
        inside = np.ones(len(cells), bool)
        for along, first, stop in zip(cells.T, self.first, self.stop, strict=True):
            inside &= (along >= first - margin) & (along < stop + margin)
        return inside
