"""Points from a source into blocks: one pass, some rows at a time, each sorted into compact chunks."""

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

_TAKEN = 3.0  # copies of the rows while they are read, checked and sorted
_SHARE = 0.5  # of the limit: readers of files hold some memory of their own
_KEYS = 40.0  # bytes a row: numbers, keys, order


class Ingest(NamedTuple):
    """A stretch of rows that become a block."""

    source: Source
    stretch: Stretch
    target: Path
    most: int
    stamp: str


def most_rows(m: int, limit: float) -> int:
    """How many rows fit a limit of memory at a time."""
    return int(max(1024, min(1 << 22, _SHARE * limit / bytes_of_row(m))))


def bytes_of_row(m: int) -> float:
    """What a row takes while it is read, checked, sorted and written."""
    return _TAKEN * 8.0 * (m + 2) + _KEYS


def ingest(job: Ingest, engine: Engine) -> str:
    """Write the block of a stretch; returns the digest of what was read."""
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
    """What a stretch of rows holds, in 32 letters; the same however many are read at a time."""

    def __init__(self) -> None:
        self._points, self._weights = (hashlib.blake2b(digest_size=16) for _ in range(2))

    def add(self, rows: Rows) -> None:
        """The next rows."""
        self._points.update(rows.points.data)
        if rows.weights is not None:
            self._weights.update(rows.weights.data)

    @property
    def text(self) -> str:
        """The digest of all rows so far."""
        return hashlib.blake2b(self._points.digest() + self._weights.digest(), digest_size=16).hexdigest()


class Digesting(NamedTuple):
    """A stretch of rows whose digest is asked for."""

    source: Source
    stretch: Stretch
    most: int


def digest_of(job: Digesting, engine: Engine) -> str:
    """The digest of a stretch."""
    digest = Digest()
    for rows in job.source.read(job.stretch, job.most):
        engine.check()
        digest.add(rows)
    return digest.text


class Weighing(NamedTuple):
    """A block whose weights are to be added up, in units of the largest of all."""

    path: Path
    largest: float


def weigh(job: Weighing, engine: Engine) -> int:
    """The exact sum of the weights of a block."""
    block, total = open_block(job.path), 0
    for columns in block.read_columns(block.all_chunks, ("weights",)):
        engine.check()
        total += exact_sum(columns["weights"] / job.largest)
    return total
