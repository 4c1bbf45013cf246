"""Moments over balls of Gaussians in space: of the many points around one, those whose means are near are packed first.

Then one loop without gaps takes their distances. Sums are taken run by run, as everywhere else, to the same bits. A
pack is one piece of the columns of `GaussianSpace`; the point itself is the first of the next one.
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
    """Near points of one point: positions, run after run, where these end, and masses; and the columns of some."""

    geometry: GaussianSpace
    weights: np.ndarray
    where: np.ndarray
    near: np.ndarray
    ends: np.ndarray
    mass: np.ndarray
    scratch: np.ndarray


def pack_for(geometry: GaussianSpace, most: int, n_runs: int, longest_run: int) -> Pack:
    """An empty pack for points that look at `most` others."""
    own = geometry._replace(columns=np.empty(2 * N_COLUMNS * PIECE))
    near, mass = np.empty(most + 1, np.intp), np.empty(most)
    return Pack(
        own, np.empty(PIECE), np.empty(PIECE, np.intp), near, np.empty(n_runs, np.intp), mass, np.empty(longest_run)
    )


@jit
def _put(source: Any, where: Any, n: int, target: Any) -> None:
    """target[k] = source[where[k]]."""
    for k in range(n):
        target[k] = source[where[k]]


@jit
def _find(places: Any, cells: Any, i: int, far: float, pack: Pack) -> int:
    """List the points around i that are not far; returns their number."""
    count = 0
    for r in range(cells.runs.shape[1]):
        low, high = cells.runs[cells.cell[i], r]
        squares_of_places(places, i, low, high, pack.scratch)
        for k in range(high - low):
            pack.near[count] = low + k
            count += 1 if pack.scratch[k] <= far else 0
        pack.ends[r] = count
    return count


@jit
def _weigh(geometry: Any, places: Any, cells: Any, i: int, limit: float, weights: Any, pack: Pack) -> None:
    """List the points around i that are not far, and their masses, those of a pack at a time."""
    count, columns = _find(places, cells, i, limit * ROOM, pack), pack.geometry.columns
    for c in range(N_COLUMNS):
        columns[(N_COLUMNS + c) * PIECE] = geometry.columns[place(i) + c * PIECE]
    for start in range(0, count, PIECE):
        n, near, mass = min(PIECE, count - start), pack.near[start:], pack.mass[start:]
        _put(weights, near, n, pack.weights)
        for k in range(n):
            pack.where[k] = place(near[k])
        for c in range(N_COLUMNS):
            _put(geometry.columns[c * PIECE :], pack.where, n, columns[c * PIECE :])
        within(pack.geometry, _OWN, 0, n, limit, pack.weights, mass)
        for k in range(n):
            if near[k] == i:
                mass[k] = pack.weights[k]


@jit
def _unpack(pack: Pack, r: int, low: int, high: int) -> None:
    """The masses of run r, into scratch."""
    pack.scratch[: high - low] = 0.0
    for k in range(0 if r == 0 else pack.ends[r - 1], pack.ends[r]):
        pack.scratch[pack.near[k] - low] = pack.mass[k]


@jit
def first_moments_packed(
    geometry: Any, places: Any, cells: Any, rows: Any, weights: Any, points: Any, limit: float, pack: Pack, mass: Any,
    means: Any, stop: Any,
) -> None:  # fmt: skip
    """As `first_moments`."""
    for row in range(rows.shape[0]):
        if stop[0] != 0:
            return
        i = rows[row]
        means[row] = 0.0
        total = 0.0
        _weigh(geometry, places, cells, i, limit, weights, pack)
        for r in range(cells.runs.shape[1]):
            low, high = cells.runs[cells.cell[i], r]
            _unpack(pack, r, low, high)
            total += add_first(geometry, points, i, low, high, pack.scratch, means[row])
        mass[row] = total
        settle(points, i, total, means[row])


@jit
def second_moments_packed(
    geometry: Any, places: Any, cells: Any, rows: Any, weights: Any, points: Any, limit: float, pack: Pack, mass: Any,
    means: Any, covs: Any, stop: Any,
) -> None:  # fmt: skip
    """As `second_moments`."""
    for row in range(rows.shape[0]):
        if stop[0] != 0:
            return
        i = rows[row]
        means[row] = 0.0
        covs[row] = 0.0
        total = 0.0
        _weigh(geometry, places, cells, i, limit, weights, pack)
        for r in range(cells.runs.shape[1]):
            low, high = cells.runs[cells.cell[i], r]
            _unpack(pack, r, low, high)
            total += add_second(geometry, points, i, low, high, pack.scratch, means[row], covs[row])
        mass[row] = total
        if total > 0.0:
            center(covs[row], means[row], total)
        settle(points, i, total, means[row])
