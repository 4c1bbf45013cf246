"""Read points from a source into blocks: one pass, a number of rows at a time, sorted into compact chunks."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..engine import Engine
from .blocks import open_block, writing_block
from .exact_sum import exact_sum
from .points import Points
from .sources import Rows, Source, Stretch

_TAKEN = 3.0  # copies of the rows in memory while they are read, checked and sorted
_SHARE = 0.5  # of the memory limit: file readers use some memory of their own
_KEYS = 40.0  # bytes per row for row numbers, keys and order


class Ingest(NamedTuple):
    """A job: read a stretch of rows and write it as a block."""

    source: Source
    stretch: Stretch
    target: Path
    most: int
    stamp: str


def most_rows(m: int, limit: float) -> int:
    """Return how many rows fit in a limit of memory at a time."""
    return int(max(1024, min(1 << 22, _SHARE * limit / bytes_of_row(m))))


def bytes_of_row(m: int) -> float:
    """Return the bytes of memory per row while it is read, checked, sorted and written."""
    return _TAKEN * 8.0 * (m + 2) + _KEYS


def ingest(job: Ingest, engine: Engine) -> str:
    """Write the block of a stretch; return the digest of the rows."""
    columns = ("rows", "places") if job.source.weights is None else ("rows", "places", "weights", "massless")
    digest = Digest()
    heaviest = 0.0
    with writing_block(job.target, columns, len(job.source.names())) as writer:
        for rows in job.source.read(job.stretch, job.most):
            engine.check()
            digest.add(rows)
            heaviest = max(heaviest, 0.0 if rows.weights is None else float(rows.weights.max(initial=0.0)))
            writer.add(_points(rows))
        note = {"stamp": job.stamp, "digest": digest.text, "heaviest": heaviest}
        writer.finish(note)
    return digest.text


def _points(rows: Rows) -> Points:
    numbers = np.arange(rows.first, rows.first + len(rows.points))
    if rows.weights is None:
        return Points(numbers, rows.points)
    return Points(numbers, rows.points, None, rows.weights, np.zeros(len(numbers), np.uint8))


class Digest:
    """Digest of a stretch of rows, 32 hex digits; it does not depend on how many rows are read at a time."""

    def __init__(self) -> None:
        self._points, self._weights = (hashlib.blake2b(digest_size=16) for _ in range(2))

    def add(self, rows: Rows) -> None:
        """Add the next rows."""
        self._points.update(rows.points.data)
        if rows.weights is not None:
            self._weights.update(rows.weights.data)

    @property
    def text(self) -> str:
        """Digest of all rows so far."""
        return hashlib.blake2b(self._points.digest() + self._weights.digest(), digest_size=16).hexdigest()


class Digesting(NamedTuple):
    """A job: compute the digest of a stretch of rows."""

    source: Source
    stretch: Stretch
    most: int


def digest_of(job: Digesting, engine: Engine) -> str:
    """Return the digest of a stretch."""
    digest = Digest()
    for rows in job.source.read(job.stretch, job.most):
        engine.check()
        digest.add(rows)
    return digest.text


class Weighing(NamedTuple):
    """A job: sum the weights of a block, in units of the largest weight of all."""

    path: Path
    largest: float


def weigh(job: Weighing, engine: Engine) -> int:
    """Return the exact sum of the weights of a block."""
    block, total = open_block(job.path), 0
    for columns in block.read_columns(block.all_chunks, ("weights",)):
        engine.check()
        total += exact_sum(columns["weights"] / job.largest)
    return total
