"""Read the points of a state in the order of the source, a window of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import Floats
from ..engine import Engine
from .state import State


def in_row_order(state: State, column: str, most: int, engine: Engine) -> Iterator[tuple[int, Floats]]:
    """Yield the first row number and a column of up to `most` rows; each window reads all blocks."""
    n_windows = -(-state.n // most)
    for k in range(n_windows):
        first, stop = k * most, min((k + 1) * most, state.n)
        out = np.empty((stop - first, width_of(column, state.m)))
        for b, block in enumerate(state.blocks):
            engine.report("points in their order", k * len(state.blocks) + b, n_windows * len(state.blocks))
            for found in block.read_columns(block.all_chunks, ("rows", column)):
                engine.check()
                rows, values = found["rows"], found[column]
                if n_windows > 1:
                    start, end = np.searchsorted(rows, [first, stop])  # chunks are sorted by rows
                    rows, values = rows[start:end], values[start:end]
                out[rows - first] = values
        yield first, out


def width_of(column: str, m: int) -> int:
    """Return how many numbers a row has."""
    return m if column == "places" else m * (m + 1) // 2
