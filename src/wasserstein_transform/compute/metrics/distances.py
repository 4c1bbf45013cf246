"""Many distances: blocks, lists, full and condensed matrices; and how far points moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ..._types import Floats, Ints
from ...engine import GRAIN, Engine, Flag, Tile, condensed_starts, cut_by_cost, cut_evenly, host_copy
from .distances_jit import fill_block, fill_condensed, fill_pairs, fill_square
from .geometry_jit import for_thread

if TYPE_CHECKING:
    from ...spaces import Metric

_BLOCK_SIDE = 512  # side of the blocks: a row is one or two pages of a memory map
_ROWS_PER_MIRROR = 64  # rows computed before they are mirrored: they fit the cache
_MAX_STEPS_IN_CALLER = 1e6  # work with fewer steps runs in the calling thread
_POINTS_COMPARED_AT_ONCE = 1 << 16  # points of two metrics that are put together, to save memory
_MAX_DISTANCES_AT_ONCE = 1 << 18  # distances computed at a time for counts


Radius = TypeVar("Radius", float, Floats)


def rim(radius: Radius) -> Radius:
    """Enlarge the radius of a closed ball by 1e-12 of it, so that rounding does not exclude points at the radius.

    All comparisons of distances with radii use this radius, or its square.

    Parameters
    ----------
    radius : float or array
        In the unit of the distances.

    Returns
    -------
    float or array

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> 0.1 + 0.2 <= 0.3, 0.1 + 0.2 <= wt.spaces.rim(0.3)
    (False, True)
    """
    return radius * (1 + 1e-12)


def closed(radius: float) -> float:
    """Square the radius of a closed ball, with the tolerance of `rim`.

    Parameters
    ----------
    radius : float
        In the unit of the distances.

    Returns
    -------
    float
        Infinity if the square is too large for a float.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.spaces.closed(2.0) >= 4.0, wt.spaces.closed(1e200)
    (True, inf)
    """
    return rim(radius) * rim(radius)  # gives infinity where a power would raise


def block(metric: Metric, rows: Ints, cols: Ints, engine: Engine) -> Floats:
    """Distances of the points `rows` to the points `cols`."""
    out, geometry, cost = np.empty((len(rows), len(cols))), metric.geometry(engine), metric.cost * len(cols)
    if cost * len(rows) < _MAX_STEPS_IN_CALLER:  # in the calling thread
        fill_block(for_thread(geometry), rows, cols, out, np.zeros(1, np.uint8))
        return out

    def fill(tile: Tile, stop: Flag) -> None:
        fill_block(for_thread(geometry), rows[slice(*tile)], cols, out[slice(*tile)], stop)

    engine.for_tiles("distances", cut_evenly(len(rows), cost), fill)
    return out


def pairs(metric: Metric, rows: Ints, cols: Ints, engine: Engine) -> Floats:
    """Distances of the points rows[k] and cols[k]."""
    out, geometry, cost = np.empty(len(rows)), metric.geometry(engine), 4 * metric.cost
    if cost * len(rows) < _MAX_STEPS_IN_CALLER:
        fill_pairs(for_thread(geometry), rows, cols, out)
        return out

    def fill(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        fill_pairs(for_thread(geometry), rows[part], cols[part], out[part])

    engine.for_tiles("distances", cut_evenly(len(rows), cost), fill)
    return out


def n_within(metric: Metric, rows: Ints, radius: float, engine: Engine) -> Ints:
    """Number of points within the radius of each of the points `rows`, including itself."""
    all_points, step = np.arange(metric.n), max(1, _MAX_DISTANCES_AT_ONCE // metric.n)
    counts = np.empty(len(rows), np.intp)
    for k in range(0, len(rows), step):
        is_near = metric.block(rows[k : k + step], all_points, engine) <= radius
        counts[k : k + step] = np.count_nonzero(is_near, axis=1)
    return counts


def movement(before: Metric, after: Metric, engine: Engine) -> float:
    """The largest distance between the same point before and after."""
    largest = 0.0
    for start in range(0, before.n, _POINTS_COMPARED_AT_ONCE):
        rows = np.arange(start, min(start + _POINTS_COMPARED_AT_ONCE, before.n))
        both, one = before.take(rows).concatenate(after.take(rows)), np.arange(len(rows))
        largest = max(largest, float(pairs(both, one, len(rows) + one, engine.silent()).max()))
    return largest


def dense(metric: Metric, out: np.ndarray, engine: Engine) -> None:
    """Fill the full matrix, which may be a memory-mapped file, block by block; each pair is computed once."""
    n, cost = metric.n, metric.cost
    side = int(np.clip(np.sqrt(GRAIN / cost), 16, _BLOCK_SIDE))
    corners = np.array([(top, left) for top in range(0, n, side) for left in range(top, n, side)])
    geometry, tiles = metric.geometry(engine), cut_evenly(len(corners), side * side * cost)
    with host_copy(out) as host:

        def fill(tile: Tile, stop: Flag) -> None:
            scratch = np.empty((_ROWS_PER_MIRROR, side + 8))  # + 8 puts columns on different cache lines
            local = for_thread(geometry)
            for top, left in corners[slice(*tile)]:
                rows, cols = slice(top, top + side), slice(left, left + side)
                fill_square(local, top, left, host[rows, cols], host[cols, rows], scratch, stop)

        engine.for_tiles("distances", tiles, fill)


def condensed(metric: Metric, out: np.ndarray, engine: Engine) -> None:
    """Fill the n(n−1)/2 distances in SciPy's order, some rows at a time."""
    n, geometry, starts = metric.n, metric.geometry(engine), condensed_starts(metric.n)
    tiles = cut_by_cost(np.arange(n, 0, -1, dtype=np.float64) * metric.cost)
    with host_copy(out) as host:

        def fill(tile: Tile, stop: Flag) -> None:
            part = host[starts[tile.start] : starts[tile.stop]]
            fill_condensed(for_thread(geometry), n, *tile, part, np.empty(_BLOCK_SIDE), stop)

        engine.for_tiles("distances", tiles, fill)
