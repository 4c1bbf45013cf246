"""Transport on the real line: distribution functions, and distances between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._types import Floats
from ...engine import AT_A_TIME, Engine, Flag, Mirrored, Record, Rows as InRows, Task, Tile, cut, room_for
from ...kernels.line import Climbs, accumulate, fill_line_block, fill_line_square, line_distance
from ..records import Rows

_STEPS = 8.0  # approximate inner-loop steps per mass


class _Square(NamedTuple):
    climbs: Climbs
    p: float


def among(places: Floats, p: float, measures: Rows, engine: Engine) -> Floats:
    """The full matrix of distances; each pair is computed once."""
    n = len(measures.totals)
    out = room_for((n, n), f"distances of {n} measures on a line", engine, "use fewer points", at_a_time=AT_A_TIME)
    sizes = np.diff(measures.indptr).astype(np.float64)
    met = sizes * np.arange(n - 1, -1, -1) + sizes.sum() - np.cumsum(sizes)
    asked = _Square(climbs_of(measures, places), p)
    engine.run(Task(_name(p), _square, asked, cut(_STEPS * met), Mirrored(), heavy=True), (out,))
    return out


def _square(asked: _Square, tile: Tile, stop: Flag, record: Record) -> None:
    upper, lower = record
    fill_line_square(asked.climbs, asked.p, tile.start, tile.stop, upper, lower, stop)


class _Rectangle(NamedTuple):
    A: Climbs
    B: Climbs
    p: float


def between(places: Floats, p: float, A: Rows, B: Rows, engine: Engine) -> Floats:
    """The rectangle of distances from the measures A to the measures B."""
    out = np.empty((len(A.totals), len(B.totals)))
    met = np.diff(A.indptr) * float(len(B.totals)) + len(B.masses)
    asked = _Rectangle(climbs_of(A, places), climbs_of(B, places), p)
    engine.run(Task(_name(p), _rectangle, asked, cut(_STEPS * met), InRows(), heavy=True), (out,))
    return out


def _rectangle(asked: _Rectangle, tile: Tile, stop: Flag, record: Record) -> None:
    fill_line_block(asked.A, asked.B, asked.p, tile.start, tile.stop, record[0], stop)


def one(climbs: Climbs, p: float) -> float:
    """The distance between the first two measures."""
    return float(line_distance(climbs, 0, climbs, 1, p))


def climbs_of(measures: Rows, places: Floats) -> Climbs:
    """The distribution functions of measures."""
    where, owner = places[measures.indices], np.repeat(np.arange(len(measures.totals)), np.diff(measures.indptr))
    order = np.lexsort((where, owner))
    levels = np.empty(len(order))
    accumulate(measures.indptr, measures.masses[order], levels)
    return Climbs(measures.indptr, where[order], levels)


def _name(p: float) -> str:
    return f"transport on a line, p = {p:g}"
