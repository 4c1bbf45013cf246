"""Process rows in blocks: memory stays bounded, progress is reported, and cancellation is checked between blocks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import Ints
from ..engine import Engine

ROWS = 1 << 14  # words per block
ENTRIES = 1 << 21  # entries of a sparse matrix per block


def row_blocks(n: int, stage: str, engine: Engine) -> Iterator[slice]:
    """Yield slices of n rows."""
    for start in range(0, n, ROWS):
        engine.check()
        engine.report(stage, start, n)
        yield slice(start, min(start + ROWS, n))
    engine.report(stage, n, n)


def entry_blocks(starts: Ints, stage: str, engine: Engine) -> Iterator[slice]:
    """Yield slices of rows of a sparse matrix, with about ENTRIES entries each; `starts` is the matrix's indptr."""
    n, first = len(starts) - 1, 0
    while first < n:
        engine.check()
        engine.report(stage, first, n)
        last = int(np.searchsorted(starts, starts[first] + ENTRIES, "right")) - 1
        last = min(max(last, first + 1), n)
        yield slice(first, last)
        first = last
    engine.report(stage, n, n)
