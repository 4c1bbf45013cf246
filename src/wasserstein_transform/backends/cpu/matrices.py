"""Many distances: blocks, lists, full and condensed matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import GRAIN, Blocks, Condensed, Engine, Flag, Record, Rows, Task, Tile, Tilewise, cut, evenly
from ...kernels import geometry as geometries
from ...kernels.distances import fill_block, fill_condensed, fill_matched, fill_pairs, fill_square
from ...kernels.geometry import Geometry, for_thread
from ..forms import Cloud, Filed, Form, GaussianCloud, Network
from . import chunked, filed, gaussian, paths
from .kinds import cost_of, geometry_of
from .passes import run, size_of, tiles_of

_SIDE = 512  # side of the blocks: a row is one or two pages of a memory map
_ROWS = 64  # rows computed before they are mirrored: they fit the cache
_SMALL = 1e6  # work with fewer steps runs in the calling thread


class _Pairs(NamedTuple):
    geometry: Geometry
    rows: Ints
    cols: Ints


def block(form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
    """Distances of the points `rows` to the points `cols`."""
    if isinstance(form, Network):
        return paths.block(form, rows, cols, engine)
    if isinstance(form, Filed):
        return filed.block(form, rows, cols)
    out = np.empty((len(rows), len(cols)))
    asked, cost = _Pairs(geometry_of(form, engine), rows, cols), cost_of(form)
    _run(Task("distances", _block, asked, evenly(len(rows), cost * len(cols)), Rows()), out, cost * out.size, engine)
    return out


def pairs(form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
    """Distances of the points rows[k] and cols[k]."""
    if isinstance(form, Network):
        return paths.pairs(form, rows, cols, engine)
    if isinstance(form, Filed):
        return filed.pairs(form, rows, cols)
    out = np.empty(len(rows))
    asked, cost = _Pairs(geometry_of(form, engine), rows, cols), 4 * cost_of(form)
    _run(Task("distances", _pairs, asked, evenly(len(rows), cost), Rows()), out, cost * out.size, engine)
    return out


def _run(task: Task, out: np.ndarray, cost: float, engine: Engine) -> None:
    """Run a task, in this thread if it is small."""
    if cost < _SMALL:
        task.compute(task.inputs, Tile(0, len(out)), np.zeros(1, np.uint8), (out,))
    else:
        engine.run(task, (out,))


def _block(asked: _Pairs, tile: Tile, stop: Flag, record: Record) -> None:
    fill_block(for_thread(asked.geometry), asked.rows[tile.start : tile.stop], asked.cols, record[0], stop)


def _pairs(asked: _Pairs, tile: Tile, stop: Flag, record: Record) -> None:
    part = slice(tile.start, tile.stop)
    fill_pairs(for_thread(asked.geometry), asked.rows[part], asked.cols[part], record[0])


def movement(before: Form, after: Form, engine: Engine) -> float:
    """The largest distance between the same point before and after; both forms have the same type."""
    if isinstance(after, GaussianCloud) and after.lam > 0:
        assert isinstance(before, GaussianCloud)
        return gaussian.movement(before, after, engine)
    points = _Later(_points(before), _points(after))
    n = len(points.before)
    out = np.empty(len(tiles_of(n)))
    run(Task("movement", _moved, points, tiles_of(n), Tilewise(size_of(n))), (out,), engine)
    return float(out.max())


def part_movement(before: Form, after: Form, unit: float, planar: bool, engine: Engine) -> tuple[float, bool]:
    """The same in a given unit, with the formulas for the plane or the general ones; and whether these are accurate."""
    if isinstance(after, GaussianCloud) and after.lam > 0:
        assert isinstance(before, GaussianCloud)
        return gaussian.part_movement(before, after, unit, planar, engine)
    return movement(before, after, engine), True


class _Later(NamedTuple):
    before: Floats
    after: Floats


def _points(form: Form) -> Floats:
    assert isinstance(form, Cloud | GaussianCloud)
    return form.points if isinstance(form, Cloud) else form.means


def _moved(points: _Later, tile: Tile, stop: Flag, record: Record) -> None:
    part = slice(tile.start, tile.stop)
    both, moved = np.concatenate([points.before[part], points.after[part]]), np.empty(tile.stop - tile.start)
    fill_matched(geometries.Cloud(both), len(moved), moved)
    record[0][0] = moved.max()


def joined(one: Form, other: Form) -> Form:
    """The points of both forms, which have the same type."""
    if isinstance(one, Cloud) and isinstance(other, Cloud):
        return Cloud(np.concatenate([one.points, other.points]))
    assert isinstance(one, GaussianCloud)
    assert isinstance(other, GaussianCloud)
    return GaussianCloud(np.concatenate([one.means, other.means]), np.concatenate([one.covs, other.covs]), other.lam)


class _Square(NamedTuple):
    geometry: Geometry
    corners: Ints
    side: int


def dense(form: Form, out: Any, engine: Engine) -> None:
    """Fill the full matrix block by block; each pair is computed once."""
    if not isinstance(out, np.ndarray):
        chunked.dense(form, out, engine)
        return
    if isinstance(form, Network):
        paths.dense(form, out, engine)
        return
    if isinstance(form, Filed):
        filed.dense(form, out, engine)
        return
    n, cost = form.n, cost_of(form)
    side = int(np.clip(np.sqrt(GRAIN / cost), 16, _SIDE))
    corners = np.array([(top, left) for top in range(0, n, side) for left in range(top, n, side)])
    asked = _Square(geometry_of(form, engine), corners, side)
    tiles = evenly(len(corners), side * side * cost)
    engine.run(Task("distances", _square, asked, tiles, Blocks(corners, side), heavy=True), (out,))


def _square(asked: _Square, tile: Tile, stop: Flag, record: Record) -> None:
    scratch = np.empty((_ROWS, asked.side + 8))  # + 8 puts columns on different cache lines
    geometry = for_thread(asked.geometry)
    for (top, left), upper, lower in zip(asked.corners[tile.start : tile.stop], record[::2], record[1::2], strict=True):
        fill_square(geometry, top, left, upper, lower, scratch, stop)


class _Vector(NamedTuple):
    geometry: Geometry
    n: int


def condensed(form: Form, out: Any, engine: Engine) -> None:
    """Fill the condensed vector, some rows at a time."""
    if not isinstance(out, np.ndarray):
        chunked.condensed(form, out, engine)
        return
    if isinstance(form, Network):
        paths.condensed(form, out, engine)
        return
    if isinstance(form, Filed):
        filed.condensed(form, out, engine)
        return
    asked = _Vector(geometry_of(form, engine), form.n)
    tiles = cut(np.arange(form.n, 0, -1, dtype=np.float64) * cost_of(form))
    engine.run(Task("distances", _vector, asked, tiles, Condensed(form.n), heavy=True), (out,))


def _vector(asked: _Vector, tile: Tile, stop: Flag, record: Record) -> None:
    fill_condensed(for_thread(asked.geometry), asked.n, tile.start, tile.stop, record[0], np.empty(_SIDE), stop)
