"""The largest change of a distance between two metrics."""

from __future__ import annotations

import numpy as np

from .._types import Floats
from ..backends import Cell, Filed, Source
from ..engine import Engine, current
from .metric import Metric

_CHUNK = 1 << 17  # distances compared at a time


def largest_change(before: Metric, after: Metric, engine: Engine | None) -> float:
    """The largest difference of two metrics on the same points, row block by row block, without a full matrix."""
    before.check_whole("all distances")
    after.check_whole("all distances")
    engine = current(engine)
    for one, other in ((before, after), (after, before)):
        if isinstance(one.form, Filed):
            return _change_through(one.form.source, other, engine)
    everything, step = np.arange(before.n), max(1, _CHUNK // before.n)
    quiet, largest_yet = engine.quiet(), 0.0
    for start in range(0, before.n, step):
        rows = everything[start : start + step]
        change = before.block(rows, everything, quiet) - after.block(rows, everything, quiet)
        largest_yet = max(largest_yet, float(np.abs(change, out=change).max()))
    return largest_yet


def _change_through(source: Source, other: Metric, engine: Engine) -> float:
    """The same for distances in a file, in one pass over it."""
    quiet, cells, largest_yet = engine.quiet(), source.cells(), 0.0
    with engine.watched() as watched:
        for k, cell in enumerate(cells):
            watched.check()
            largest_yet = max(largest_yet, _change(source.read(cell), other, cell, quiet))
            watched.report("movement", k + 1, len(cells))
    return largest_yet


def _change(values: Floats, other: Metric, cell: Cell, engine: Engine) -> float:
    change = values - other.block(np.arange(cell.top, cell.bottom), np.arange(cell.left, cell.right), engine)
    cell.bar(change, 0.0)
    return float(np.abs(change, out=change).max())
