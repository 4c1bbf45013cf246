"""Find points at rest, cell by cell, by the same rule as `transforms.resting` in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._types import Floats
from ..backends import Frame
from ..engine import Engine
from ..spaces import Euclidean
from ..transforms.parts import cells_of, distinct, halo, near_cells
from .blocks import open_block


def hot_cells(files: Sequence[Path], cells: Floats, margin: float) -> Floats:
    """Return a superset of the hot cells within `margin` of the given cells along every axis."""
    low, high = cells.min(axis=0) - margin, cells.max(axis=0) + margin
    found = [np.empty((0, cells.shape[1]))]
    for path in files:
        block = open_block(path)
        wanted = ((block.chunks.high >= low) & (block.chunks.low <= high)).all(axis=1)
        found += [points.places for points in block.read(np.flatnonzero(wanted))]
    return np.concatenate(found)


class Counting(NamedTuple):
    """A job: count the points of a block near hot cells."""

    path: Path
    hot: tuple[Path, ...]
    frame: Frame


def count_near(asked: Counting, engine: Engine) -> int:
    """Return how many points of a block the next step must read."""
    block, n, margin = open_block(asked.path), 0, 2 * halo(asked.frame)
    for columns in block.read_columns(block.all_chunks, ("places",)):
        engine.check()
        cells, members = distinct(cells_of(Euclidean(columns["places"]), asked.frame, engine))
        hot = hot_cells(asked.hot, cells, margin)
        if len(hot):
            n += int(members[near_cells(cells, hot, margin)].sum())
    return n
