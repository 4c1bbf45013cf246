"""Distances in a file, processed in one pass; memory holds only some cells and the result."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.sparse import csr_array

from ..._types import Floats, Ints
from ...engine import Engine, Flag, room_for
from ..forms import Filed
from ..records import Balls, closed
from ..source import Cell, Source

_SOME = 1 << 20  # distances read at a time


def go_through(source: Source, engine: Engine, name: str, look: Callable[[Cell, Floats], None]) -> None:
    """Call `look` for all cells of the upper triangle in order, while the next one is read."""
    cells = source.cells()

    def work(stop: Flag) -> None:
        with ThreadPoolExecutor(1) as reader:
            coming = reader.submit(source.read, cells[0])
            for k, cell in enumerate(cells):
                values = coming.result()
                if stop[0]:
                    return
                if k + 1 < len(cells):
                    coming = reader.submit(source.read, cells[k + 1])
                watched.check()
                look(cell, values)
                watched.report(name, k + 1, len(cells))

    if not cells:  # a single point
        return
    with engine.watched() as watched:
        watched.report(name, 0, len(cells))
        watched.alone(work, name)


def block(form: Filed, rows: Ints, cols: Ints) -> Floats:
    """Distances of the points `rows` to the points `cols`."""
    out, step = np.empty((len(rows), len(cols))), max(1, _SOME // max(len(cols), 1))
    for start in range(0, len(rows), step):
        out[start : start + step] = form.source.block(rows[start : start + step], cols)
    return out


def pairs(form: Filed, rows: Ints, cols: Ints) -> Floats:
    """Distances of the points rows[k] and cols[k]."""
    out = np.empty(len(rows))
    for start in range(0, len(rows), _SOME):
        part = slice(start, start + _SOME)
        out[part] = form.source.pairs(rows[part], cols[part])
    return out


def matrix(form: Filed, engine: Engine) -> Floats:
    """The full matrix, for random access: in memory, or memory-mapped in the folder of the store."""
    name = form.source.name
    what = f"the {form.n} × {form.n} distances of {name} as a table"
    out = room_for((form.n, form.n), what, engine, "write them as a square float64 .npy file, which is mapped as it is")
    dense(form, out, engine)
    return out


def dense(form: Filed, out: np.ndarray, engine: Engine) -> None:
    """Fill the full matrix."""
    np.fill_diagonal(out, 0.0)
    go_through(form.source, engine, "distances", lambda cell, values: _put_twice(out, cell, values))


def _put_twice(out: np.ndarray, cell: Cell, values: Floats) -> None:
    """Store a cell and its transpose; of columns that cross the diagonal, only the part above it."""
    edge = cell.edge
    row, col = np.nonzero(~cell.below())
    out[cell.top + row, cell.left + col] = out[cell.left + col, cell.top + row] = values[row, col]
    right = slice(cell.left + edge, cell.right)
    out[cell.rows, right], out[right, cell.rows] = values[:, edge:], values[:, edge:].T


def condensed(form: Filed, out: np.ndarray, engine: Engine) -> None:
    """Fill the condensed vector."""
    n = form.n

    def put(cell: Cell, values: Floats) -> None:
        for i in range(cell.top, min(cell.bottom, cell.right - 1)):
            first = max(cell.left, i + 1)
            at = i * n - i * (i + 1) // 2 + first - i - 1
            out[at : at + cell.right - first] = values[i - cell.top, first - cell.left :]

    go_through(form.source, engine, "distances", put)


def balls(form: Filed, radius: float, engine: Engine) -> Balls:
    """The closed balls of the given radius around every point."""
    limit, size = closed(radius), 0
    found: list[tuple[Ints, Ints, Floats]] = []

    def look(cell: Cell, values: Floats) -> None:
        nonlocal size
        with np.errstate(over="ignore"):
            near = values * values <= limit
        near[:, : cell.edge] &= ~cell.below()
        row, col = np.divmod(np.flatnonzero(near), near.shape[1])
        found.append((cell.top + row, cell.left + col, values[row, col]))
        size += 2 * len(row)
        engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")

    go_through(form.source, engine, "finding neighbors", look)
    everyone = np.arange(form.n)
    rows, cols = (np.concatenate([part[k] for part in found] or [everyone[:0]]) for k in (0, 1))
    apart = np.concatenate([part[2] for part in found] or [np.empty(0)])
    found.clear()
    rows, cols = np.concatenate([rows, cols, everyone]), np.concatenate([cols, rows, everyone])
    apart = np.concatenate([apart, apart, np.zeros(form.n)])
    order = np.argsort(rows, kind="stable")
    indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=form.n)))
    near = csr_array((apart[order], cols[order], indptr), shape=(form.n, form.n))
    near.sort_indices()
    return Balls(near.indptr.astype(np.intp), near.indices.astype(np.intp), near.data)
