"""Check distances in a file, block by block: finite, not negative, symmetric, 0 on the diagonal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats
from ..backends import Cell
from ..engine import Compute, Engine, Flag, Record, Rows, Task, Tile, of_size
from .sources import Condensed, Numbers, Square

_NEAR = {4: 1e-6, 8: 1e-9}  # by bytes per number: allowed asymmetry, as a share of the largest distance
_RUN = 1 << 20  # numbers of a condensed vector that are checked at a time
_LEAST, _MOST, _OFF, _OWN = range(4)


class _Asked(NamedTuple):
    numbers: Numbers
    cells: list[Cell]


class Looked(NamedTuple):
    """The largest distance, and whether the matrix is symmetric to the bit."""

    largest: float
    mirrored: bool


def check_square(source: Square, itemsize: int, engine: Engine) -> Looked:
    """Raise an error, with the entry, if a square matrix does not hold distances."""
    asked = _Asked(source.numbers, source.cells() or [Cell(0, 1, 0, 1)])
    found = _run(asked, _look_at_cell, len(asked.cells), engine)
    _check_values(found, source.name)
    most = float(found[:, _MOST, 0].max())
    own, off = (found[found[:, kind, 0].argmax(), kind] for kind in (_OWN, _OFF))
    if own[0] > 0:
        i = int(own[1])
        value = float(source.pairs(np.array([i]), np.array([i]))[0])
        raise ValueError(f"{source.name}: distances must be 0 on the diagonal, got {value} at [{i}, {i}]")
    if off[0] > _NEAR[itemsize] * most:
        i, j = int(off[1]), int(off[2])
        one, other = source.pairs(np.array([i, j]), np.array([j, i]))
        raise ValueError(
            f"{source.name}: distances must be symmetric, got {one} at [{i}, {j}] and {other} at [{j}, {i}]; "
            "use (D + D.T) / 2"
        )
    return Looked(most, bool(off[0] == 0.0))


def check_condensed(source: Condensed, engine: Engine) -> float:
    """Raise an error, with the entry, if a condensed vector does not hold distances; return the largest one."""
    size = source.numbers.shape[0]
    starts = range(0, size, _RUN)
    asked = _Asked(source.numbers, [Cell(start, min(start + _RUN, size), 0, 1) for start in starts])
    found = _run(asked, _look_at_run, len(starts), engine)
    _check_values(found, source.name)
    return float(found[:, _MOST, 0].max(initial=0.0))


def _run(asked: _Asked, look: Compute, n_tiles: int, engine: Engine) -> Floats:
    """For each cell: value and position of the minimum, maximum, largest asymmetry and largest diagonal entry."""
    found = np.zeros((n_tiles, 4, 3))
    engine.run(Task("checking distances", look, asked, of_size(n_tiles, 1), Rows()), (found,))
    return found


def _check_values(found: Floats, name: str) -> None:
    for kind in (_LEAST, _MOST):
        wrong = np.flatnonzero(~np.isfinite(found[:, kind, 0]))
        if len(wrong):
            value, *where = found[wrong[0], kind]
            raise ValueError(
                f"{name}: distances must be finite, got {value} at {_at(where)}; drop or fill such entries"
            )
    negative = np.flatnonzero(found[:, _LEAST, 0] < 0)
    if len(negative):
        value, *where = found[negative[0], _LEAST]
        raise ValueError(f"{name}: distances must not be negative, got {value} at {_at(where)}")


def _at(where: list[float]) -> str:
    """Format a position in a matrix or a vector."""
    return "[" + ", ".join(str(int(k)) for k in where if k >= 0) + "]"


def _look_at_cell(asked: _Asked, tile: Tile, stop: Flag, record: Record) -> None:
    cell, found = asked.cells[tile.start], record[0][0]
    here, there = asked.numbers.part(cell.rows, cell.cols), asked.numbers.part(cell.cols, cell.rows).T
    corner = np.array([cell.top, cell.left])
    for values, turned in ((here, False), (there, True)):
        for kind, place in ((_LEAST, values.argmin()), (_MOST, values.argmax())):
            at = np.unravel_index(place, values.shape)
            value, where = values[at], corner + np.array(at)
            if not turned or not np.isfinite(value) or _exceeds(kind, value, found[kind, 0]):
                found[kind] = value, *(where[::-1] if turned else where)
            if not np.isfinite(value):
                return
    off = np.abs(here - there)
    at = np.unravel_index(off.argmax(), off.shape)
    found[_OFF] = off[at], *(corner + np.array(at))
    first, last = max(cell.top, cell.left), min(cell.bottom, cell.right)
    if first < last:
        k = np.arange(first, last)
        own = here[k - cell.top, k - cell.left]
        found[_OWN] = own.max(), *(2 * [k[own.argmax()]])


def _exceeds(kind: int, value: float, before: float) -> bool:
    return value < before if kind == _LEAST else value > before


def _look_at_run(asked: _Asked, tile: Tile, stop: Flag, record: Record) -> None:
    start, end, found = *asked.cells[tile.start][:2], record[0][0]
    values = asked.numbers.part(slice(start, end))
    for kind, place in ((_LEAST, int(values.argmin())), (_MOST, int(values.argmax()))):
        found[kind] = values[place], start + place, -1
