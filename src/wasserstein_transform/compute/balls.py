"""Closed balls around every point, and the points that coincide."""

from __future__ import annotations

import numpy as np

from .._device_array import to_host
from .._types import Floats, Ints
from ..engine import Engine, Flag, Tile, cut
from ..kernels.cells import sort_balls
from ..kernels.geometry import for_thread
from ..kernels.neighbors import count_balls, fill_balls, find_leaders
from .metric import MetricArrays
from .passes import loop
from .records import Balls, closed
from .search import frame_of, sort_points


def balls(metric: MetricArrays, radius: float, engine: Engine) -> Balls:
    """The closed balls of the given radius around every point: counted first, then filled."""
    search, limit = metric.search(radius, engine), closed(radius)
    geometry, cells, longest = metric.geometry_near(search, radius, engine), search.cells, search.longest_run
    tiles, counts = search.tiles(metric.cost), np.empty(metric.n, np.intp)

    def count(tile: Tile, stop: Flag) -> None:
        part = counts[slice(*tile)]
        count_balls(for_thread(geometry), cells, *tile, limit, np.empty(longest), part, stop)

    engine.loop("counting neighbors", tiles, count)
    indptr = np.append(0, np.cumsum(counts))
    size = int(indptr[-1])
    engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
    members, distances = np.empty(size, np.intp), np.empty(size)

    def fill(tile: Tile, stop: Flag) -> None:
        part = slice(indptr[tile.start], indptr[tile.stop])
        scratch = np.empty(longest)
        fill_balls(for_thread(geometry), cells, *tile, limit, scratch, members[part], distances[part], stop)

    engine.loop("finding neighbors", tiles, fill)
    return _by_point(Balls(indptr, members, distances), search.order, engine)


def _by_point(by_position: Balls, order: Ints, engine: Engine) -> Balls:
    """Convert balls by position to balls by point, with sorted members."""
    positions = np.empty(len(order), np.intp)
    positions[order] = np.arange(len(order))
    indptr = np.append(0, np.cumsum(np.diff(by_position.indptr)[positions]))
    result = Balls(indptr, np.empty_like(by_position.indices), np.empty_like(by_position.distances))

    def sort(tile: Tile, stop: Flag) -> None:
        part = slice(indptr[tile.start], indptr[tile.stop])
        sort_balls(by_position, order, positions[slice(*tile)], result.indices[part], result.distances[part], stop)

    loop("finding neighbors", cut(np.diff(indptr) * 20.0 + 1.0), sort, engine)
    return result


def leaders(metric: MetricArrays, weights: Floats, tol: float, engine: Engine) -> Ints:
    """For every point, the first leader within `tol`; a point without mass never leads one with mass."""
    heavy_first = np.argsort(weights == 0, kind="stable")
    if tol == 0 and metric.places is not None and metric.covs is None:
        return _equal(to_host(metric.places), heavy_first, engine)
    search = metric.search(tol, engine)
    position = np.empty(metric.n, np.intp)
    position[search.order] = np.arange(metric.n)
    leader = np.empty(metric.n, np.intp)
    geometry, cells = for_thread(metric.geometry_near(search, tol, engine)), search.cells
    engine.alone(
        lambda stop: find_leaders(geometry, cells, position[heavy_first], closed(tol), leader, stop), "merging points"
    )
    return np.asarray(search.order[leader][position])


def _equal(points: Floats, heavy_first: Ints, engine: Engine) -> Ints:
    """The same for equal points: after sorting they are adjacent."""
    order, places = sort_points(points, frame_of(points, 0.0, engine), engine)
    group = np.append(0, np.cumsum((places[1:] != places[:-1]).any(axis=1)))
    rank = np.empty(len(group), np.intp)
    rank[heavy_first] = np.arange(len(group))
    first = np.minimum.reduceat(rank[order], np.flatnonzero(np.diff(group, prepend=-1)))
    leader = np.empty(len(group), np.intp)
    leader[order] = heavy_first[first][group]
    return leader
