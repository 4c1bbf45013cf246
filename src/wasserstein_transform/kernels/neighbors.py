"""Loops over the neighbours of points: balls, moments of the localized measure, merging of collocated points.

Points are named by position in `cells`; `limit` is the squared radius of the closed ball. `near` and `apart` are the
caller's scratch, long enough for the candidates of any cell (`n_candidates`); `stop[0]` ≠ 0 interrupts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit, jit_allocating
from .geometry import sided, squared
from .profiles import FLAT, profile_value


@jit
def n_candidates(cells: Any) -> int:
    """The most points any cell has to look at."""
    most = 0
    for c in range(cells.runs.shape[0]):
        count = 0
        for r in range(cells.runs.shape[1]):
            count += cells.runs[c, r, 1] - cells.runs[c, r, 0]
        most = max(most, count)
    return most


@jit
def gather(geometry: Any, cells: Any, i: int, limit: float, exact: bool, near: Any, apart: Any, stop: Any) -> int:
    """The closed ball of position i: members into `near`; returns their number.

    With `exact`, their squared distances go to `apart`; without, numbers on the same side of the limit.
    """
    c = cells.cell[i]
    count = 0
    for r in range(cells.runs.shape[1]):
        if stop[0] != 0:
            return 0
        for j in range(cells.runs[c, r, 0], cells.runs[c, r, 1]):
            if i == j:
                d = 0.0
            elif exact:
                d = squared(geometry, i, j, limit)
            else:
                d = sided(geometry, i, j, limit)
            near[count] = j
            apart[count] = d
            if d <= limit:
                count += 1
    return count


@jit
def count_balls(
    geometry: Any, cells: Any, start: int, end: int, limit: float, near: Any, apart: Any, counts: Any, stop: Any
) -> None:
    """counts[i] = number of points in the closed ball of position i."""
    for i in range(start, end):
        counts[i] = gather(geometry, cells, i, limit, False, near, apart, stop)


@jit
def fill_balls(
    geometry: Any,
    cells: Any,
    start: int,
    end: int,
    limit: float,
    near: Any,
    apart: Any,
    indptr: Any,
    indices: Any,
    distances: Any,
    stop: Any,
) -> None:
    """Members of the balls counted by `count_balls`, by position, with their distances."""
    for i in range(start, end):
        count = gather(geometry, cells, i, limit, True, near, apart, stop)
        at = indptr[i]
        for k in range(count):
            indices[at + k] = near[k]
            distances[at + k] = np.sqrt(apart[k])


@jit
def _weigh(near: Any, apart: Any, count: int, weights: Any, profile: int, scale: float) -> float:
    """Turn squared distances into masses under the profile, in place; returns their sum."""
    total = 0.0
    for k in range(count):
        w = weights[near[k]] * profile_value(profile, apart[k] * scale)
        apart[k] = w
        total += w
    return total


@jit
def _drift(near: Any, mass: Any, count: int, points: Any, i: int, a: int) -> float:
    """Σ mass · (y_a − x_a): relative to the point, so exact far from the origin."""
    origin = points[i, a]
    total = 0.0
    for k in range(count):
        total += mass[k] * (points[near[k], a] - origin)
    return total


@jit
def _spread(near: Any, mass: Any, count: int, points: Any, i: int, a: int, b: int) -> float:
    """Σ mass · (y_a − x_a)(y_b − x_b)."""
    x, y = points[i, a], points[i, b]
    total = 0.0
    for k in range(count):
        j = near[k]
        total += mass[k] * (points[j, a] - x) * (points[j, b] - y)
    return total


@jit
def first_moments(
    geometry: Any,
    cells: Any,
    rows: Any,
    weights: Any,
    points: Any,
    profile: int,
    eps: float,
    limit: float,
    near: Any,
    apart: Any,
    mass: Any,
    means: Any,
    stop: Any,
) -> None:
    """Mass and mean of the localized measure of each row; a row without mass keeps its point."""
    scale = 1.0 / (eps * eps)
    for k in range(rows.shape[0]):
        i = rows[k]
        count = gather(geometry, cells, i, limit, profile != FLAT, near, apart, stop)
        total = _weigh(near, apart, count, weights, profile, scale)
        mass[k] = total
        for a in range(points.shape[1]):
            means[k, a] = points[i, a]
            if total > 0.0:
                means[k, a] += _drift(near, apart, count, points, i, a) / total


@jit
def second_moments(
    geometry: Any,
    cells: Any,
    rows: Any,
    weights: Any,
    points: Any,
    profile: int,
    eps: float,
    limit: float,
    near: Any,
    apart: Any,
    mass: Any,
    drift: Any,
    covs: Any,
    stop: Any,
) -> None:
    """Mass of the localized measure of each row and its covariance of `points`, divided by mass; 0 without mass."""
    m = points.shape[1]
    scale = 1.0 / (eps * eps)
    for k in range(rows.shape[0]):
        i = rows[k]
        count = gather(geometry, cells, i, limit, profile != FLAT, near, apart, stop)
        total = _weigh(near, apart, count, weights, profile, scale)
        mass[k] = total
        if total == 0.0:
            covs[k] = 0.0
            continue
        for a in range(m):
            drift[a] = _drift(near, apart, count, points, i, a) / total
            for b in range(a + 1):
                value = _spread(near, apart, count, points, i, a, b) / total - drift[a] * drift[b]
                if a == b:
                    value = max(value, 0.0)  # ≥ 0 in theory; clip what rounding adds
                covs[k, a, b] = value
                covs[k, b, a] = value


@jit_allocating
def find_leaders(geometry: Any, cells: Any, order: Any, limit: float, leader: Any) -> None:
    """leader[i]: the earliest point (in `order`) that leads and lies within the limit of i; leaders lead themselves.

    Every point is within the limit of its leader: nothing chains, and the cost is points times nearby leaders.
    """
    n_cells = cells.runs.shape[0]
    first = np.full(n_cells, -1, np.intp)
    last = np.full(n_cells, -1, np.intp)
    following = np.full(order.shape[0], -1, np.intp)
    rank = np.empty(order.shape[0], np.intp)
    for k in range(order.shape[0]):
        rank[order[k]] = k
    for k in range(order.shape[0]):
        i = order[k]
        c = cells.cell[i]
        best = -1
        for r in range(cells.runs.shape[1]):
            at, end = cells.runs[c, r, 0], cells.runs[c, r, 1]
            while at < end:
                here = cells.cell[at]
                j = first[here]
                while j >= 0:
                    if (best < 0 or rank[j] < rank[best]) and squared(geometry, i, j, limit) <= limit:
                        best = j
                    j = following[j]
                while at < end and cells.cell[at] == here:
                    at += 1
        if best < 0:
            best = i
            if last[c] < 0:
                first[c] = i
            else:
                following[last[c]] = i
            last[c] = i
        leader[i] = best
