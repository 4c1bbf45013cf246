"""Rows of all words, some thousand at a time: memory is bounded, progress is told, and whoever cancels is heard."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import Ints
from ..engine import Engine

ROWS = 1 << 14  # words at a time
ENTRIES = 1 << 21  # entries of a sparse matrix at a time


def row_blocks(n: int, stage: str, engine: Engine) -> Iterator[slice]:
    """Slices of n rows."""
    for start in range(0, n, ROWS):
        engine.check()
        engine.report(stage, start, n)
        yield slice(start, min(start + ROWS, n))
    engine.report(stage, n, n)


def entry_blocks(starts: Ints, stage: str, engine: Engine) -> Iterator[slice]:
    """Slices of the rows of a sparse matrix that begin there, with about as many entries each."""
    n, first = len(starts) - 1, 0
    while first < n:
        engine.check()
        engine.report(stage, first, n)
        last = int(np.searchsorted(starts, starts[first] + ENTRIES, "right")) - 1
        last = min(max(last, first + 1), n)
        yield slice(first, last)
        first = last
    engine.report(stage, n, n)
