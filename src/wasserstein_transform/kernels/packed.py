"""Moments over balls of Gaussians in space: of the many points around one, those whose means are near are packed first.

Then one loop without gaps takes their distances, and another one their sums. A pack is one piece of the columns of
`GaussianSpace`; the point itself is the first of the next one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .columns import N_COLUMNS, PIECE, place
from .compile import jit
from .formulas import within
from .geometry import GaussianSpace
from .moments import ROOM, add_first, add_second, center, settle, squares_of_places

_OWN = PIECE  # where the point itself is, beside its pack


class Pack(NamedTuple):
    """Near points of one point, side by side: `near` are their positions, `places` where their columns are."""

    geometry: GaussianSpace
    points: np.ndarray
    weights: np.ndarray
    mass: np.ndarray
    near: np.ndarray
    places: np.ndarray
    squares: np.ndarray


def pack_for(geometry: GaussianSpace, m: int, longest_run: int) -> Pack:
    """An empty pack."""
    own = geometry._replace(columns=np.empty(2 * N_COLUMNS * PIECE))
    near, places = np.empty(PIECE + longest_run, np.intp), np.empty(PIECE, np.intp)
    return Pack(own, np.empty((m, PIECE + 1)), np.empty(PIECE), np.empty(PIECE), near, places, np.empty(longest_run))


@jit
def _put(source: Any, near: Any, n: int, target: Any) -> None:
    """target[k] = source[near[k]]."""
    for k in range(n):
        target[k] = source[near[k]]


@jit
def _start(geometry: Any, points: Any, i: int, pack: Pack) -> None:
    """The point itself, beside its pack."""
    for c in range(N_COLUMNS):
        pack.geometry.columns[(N_COLUMNS + c) * PIECE] = geometry.columns[place(i) + c * PIECE]
    for a in range(points.shape[0]):
        pack.points[a, _OWN] = points[a, i]


@jit
def _find(places: Any, i: int, low: int, high: int, far: float, pack: Pack, count: int) -> int:
    """Add those of a run that are not far to the list of near ones; returns its length."""
    squares_of_places(places, i, low, high, pack.squares)
    for k in range(high - low):
        pack.near[count] = low + k
        count += 1 if pack.squares[k] <= far else 0
    return count


@jit
def _weigh(geometry: Any, points: Any, weights: Any, i: int, limit: float, pack: Pack, n: int) -> None:
    """Pack the first n of the near points, and weigh them."""
    _put(weights, pack.near, n, pack.weights)
    for a in range(points.shape[0]):
        _put(points[a], pack.near, n, pack.points[a])
    for k in range(n):
        pack.places[k] = place(pack.near[k])
    for c in range(N_COLUMNS):
        _put(geometry.columns[c * PIECE :], pack.places, n, pack.geometry.columns[c * PIECE :])
    within(pack.geometry, _OWN, 0, n, limit, pack.weights, pack.mass)
    for k in range(n):
        if pack.near[k] == i:
            pack.mass[k] = pack.weights[k]


@jit
def _drop(pack: Pack, n: int, count: int) -> int:
    """Take the first n of the near points off their list; returns how many are left."""
    for k in range(n, count):
        pack.near[k - n] = pack.near[k]
    return count - n


@jit
def first_moments_packed(
    geometry: Any, places: Any, cells: Any, rows: Any, weights: Any, points: Any, limit: float, pack: Pack, mass: Any,
    means: Any, stop: Any,
) -> None:  # fmt: skip
    """As `first_moments`."""
    for row in range(rows.shape[0]):
        i = rows[row]
        means[row] = 0.0
        total, count, last = 0.0, 0, cells.runs.shape[1] - 1
        _start(geometry, points, i, pack)
        for r in range(last + 1):
            if stop[0] != 0:
                return
            low, high = cells.runs[cells.cell[i], r]
            count = _find(places, i, low, high, limit * ROOM, pack, count)
            while count >= PIECE or (r == last and count > 0):
                n = min(count, PIECE)
                _weigh(geometry, points, weights, i, limit, pack, n)
                total += add_first(geometry, pack.points, _OWN, 0, n, pack.mass, means[row])
                count = _drop(pack, n, count)
        mass[row] = total
        settle(points, i, total, means[row])


@jit
def second_moments_packed(
    geometry: Any, places: Any, cells: Any, rows: Any, weights: Any, points: Any, limit: float, pack: Pack, mass: Any,
    means: Any, covs: Any, stop: Any,
) -> None:  # fmt: skip
    """As `second_moments`."""
    for row in range(rows.shape[0]):
        i = rows[row]
        means[row] = 0.0
        covs[row] = 0.0
        total, count, last = 0.0, 0, cells.runs.shape[1] - 1
        _start(geometry, points, i, pack)
        for r in range(last + 1):
            if stop[0] != 0:
                return
            low, high = cells.runs[cells.cell[i], r]
            count = _find(places, i, low, high, limit * ROOM, pack, count)
            while count >= PIECE or (r == last and count > 0):
                n = min(count, PIECE)
                _weigh(geometry, points, weights, i, limit, pack, n)
                total += add_second(geometry, pack.points, _OWN, 0, n, pack.mass, means[row], covs[row])
                count = _drop(pack, n, count)
        mass[row] = total
        if total > 0.0:
            center(covs[row], means[row], total)
        settle(points, i, total, means[row])
