"""Moments of the localized measures: sums over the neighbors of points, relative to the point.

Points are given by position in `cells`, with a contiguous row for each coordinate; `limit` is the squared radius of the
closed ball. `scratch` belongs to the caller and is as long as the longest run; `stop[0]` ≠ 0 interrupts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .adding import add_first, add_second
from .compile import compiled_as, jit, plain
from .formulas import comparable_square, squares, within
from .profiles import Flat, Smooth, profile_value

ROOM = 1 + 1e-9  # tolerance for rounding: points farther than the limit times this are outside of the ball


class Nearby(NamedTuple):
    """The flat profile for expensive distances, with Euclidean distances of `places` as lower bounds tested first."""

    places: np.ndarray


def weigh(
    profile: Flat | Smooth | Nearby, geometry: Any, i: int, low: int, high: int, limit: float, weights: Any, mass: Any
) -> None:
    """mass[k] = weight times profile of position low + k seen from i, within the limit, else 0."""
    _WEIGHINGS[type(profile)](profile, geometry, i, low, high, limit, weights, mass)


@jit
def _weigh_flat(
    profile: Any, geometry: Any, i: int, low: int, high: int, limit: float, weights: Any, mass: Any
) -> None:
    within(geometry, i, low, high, limit, weights, mass)


@jit
def _weigh_smooth(
    profile: Any, geometry: Any, i: int, low: int, high: int, limit: float, weights: Any, mass: Any
) -> None:
    squares(geometry, i, low, high, limit, mass)
    near = weights[low:high]
    for k in range(near.shape[0]):
        mass[k] = near[k] * profile_value(profile.code, mass[k] * profile.scale) if mass[k] <= limit else 0.0


@jit
def squares_of_places(places: Any, i: int, low: int, high: int, out: Any) -> None:
    """Approximate squared Euclidean distances of position i to a run, for excluding far positions."""
    n = high - low
    if places.shape[0] == 3:
        x, y, z = places[0, i], places[1, i], places[2, i]
        X, Y, Z = places[0, low:high], places[1, low:high], places[2, low:high]
        for k in range(n):
            dx, dy, dz = X[k] - x, Y[k] - y, Z[k] - z
            out[k] = dx * dx + dy * dy + dz * dz
        return
    out[:n] = 0.0
    for a in range(places.shape[0]):
        X, x = places[a, low:high], places[a, i]
        for k in range(n):
            out[k] += (X[k] - x) * (X[k] - x)


@jit
def _weigh_nearby(
    profile: Any, geometry: Any, i: int, low: int, high: int, limit: float, weights: Any, mass: Any
) -> None:
    squares_of_places(profile.places, i, low, high, mass)
    far, near = limit * ROOM, weights[low:high]
    for k in range(near.shape[0]):
        if mass[k] > far or (low + k != i and comparable_square(geometry, i, low + k, limit) > limit):
            mass[k] = 0.0
        else:
            mass[k] = near[k]


_WEIGHINGS: dict[type, Callable[..., None]] = {Flat: _weigh_flat, Smooth: _weigh_smooth, Nearby: _weigh_nearby}


@compiled_as(weigh)
def _weigh(profile: Any, geometry: Any, i: Any, low: Any, high: Any, limit: Any, weights: Any, mass: Any) -> Any:
    return plain(_WEIGHINGS[profile.instance_class])


@jit
def first_moments(
    geometry: Any,
    cells: Any,
    rows: Any,
    weights: Any,
    points: Any,
    profile: Any,
    limit: float,
    scratch: Any,
    mass: Any,
    means: Any,
    stop: Any,
) -> None:
    """Mass and mean of the localized measure of each row; a row without mass keeps its point."""
    for row in range(rows.shape[0]):
        i = rows[row]
        means[row] = 0.0
        total = 0.0
        for r in range(cells.runs.shape[1]):
            if stop[0] != 0:
                return
            low, high = cells.runs[cells.cell[i], r]
            weigh(profile, geometry, i, low, high, limit, weights, scratch)
            total += add_first(geometry, points, i, low, high, scratch, means[row])
        mass[row] = total
        settle(points, i, total, means[row])


@jit
def second_moments(
    geometry: Any,
    cells: Any,
    rows: Any,
    weights: Any,
    points: Any,
    profile: Any,
    limit: float,
    scratch: Any,
    mass: Any,
    means: Any,
    covs: Any,
    stop: Any,
) -> None:
    """The same, and the covariance of `points`, divided by mass; 0 without mass."""
    for row in range(rows.shape[0]):
        i = rows[row]
        means[row] = 0.0
        covs[row] = 0.0
        total = 0.0
        for r in range(cells.runs.shape[1]):
            if stop[0] != 0:
                return
            low, high = cells.runs[cells.cell[i], r]
            weigh(profile, geometry, i, low, high, limit, weights, scratch)
            total += add_second(geometry, points, i, low, high, scratch, means[row], covs[row])
        mass[row] = total
        if total > 0.0:
            center(covs[row], means[row], total)
        settle(points, i, total, means[row])


@jit
def center(spread: Any, drift: Any, total: float) -> None:
    """Turn sums of squares and products about the point into a covariance; negative rounding errors are clipped."""
    m = drift.shape[0]
    for a in range(m):
        spread[a, a] = max(spread[a, a] / total - (drift[a] / total) * (drift[a] / total), 0.0)
    for a in range(m):
        for b in range(a + 1, m):
            most = np.sqrt(spread[a, a]) * np.sqrt(spread[b, b])
            value = spread[a, b] / total - (drift[a] / total) * (drift[b] / total)
            spread[a, b] = spread[b, a] = min(max(value, -most), most)


@jit
def settle(points: Any, i: int, total: float, drift: Any) -> None:
    """Turn Σ mass · (y − x) into the mean."""
    for a in range(points.shape[0]):
        drift[a] = points[a, i] + drift[a] / total if total > 0.0 else points[a, i]
