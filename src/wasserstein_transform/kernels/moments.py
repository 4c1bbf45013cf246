"""Moments of the localized measures: sums over the neighbors of points, relative to the point.

Points are named by position in `cells`; `limit` is the squared radius of the closed ball. `scratch` is the caller's, as
long as the longest run; `stop[0]` ≠ 0 interrupts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .compile import compiled_as, jit, jit_summing, plain
from .formulas import squares, within
from .geometry import GaussianPlane, Geometry
from .profiles import Flat, Smooth, profile_value


def weigh(
    profile: Flat | Smooth, geometry: Any, i: int, low: int, high: int, limit: float, weights: Any, mass: Any
) -> None:
    """mass[k] = what position i sees of low + k: weight times profile within the limit, else 0."""
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


_WEIGHINGS: dict[type, Callable[..., None]] = {Flat: _weigh_flat, Smooth: _weigh_smooth}


@compiled_as(weigh)
def _weigh(profile: Any, geometry: Any, i: Any, low: Any, high: Any, limit: Any, weights: Any, mass: Any) -> Any:
    return plain(_WEIGHINGS[profile.instance_class])


@jit_summing
def _first_in_plane(points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    """Add Σ mass · (y − x) to `drift`, relative to the point so exact far from the origin; returns Σ mass."""
    flat = points.reshape(points.size)[2 * low : 2 * high]
    x, y, sum_x, sum_y, total = points[i, 0], points[i, 1], 0.0, 0.0, 0.0
    for k in range(high - low):
        w = mass[k]
        total += w
        sum_x += w * (flat[2 * k] - x)
        sum_y += w * (flat[2 * k + 1] - y)
    drift[0] += sum_x
    drift[1] += sum_y
    return total


@jit_summing
def _first_in_space(points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    """The same in any dimension."""
    total = 0.0
    for k in range(high - low):
        w = mass[k]
        if w > 0.0:
            total += w
            for a in range(points.shape[1]):
                drift[a] += w * (points[low + k, a] - points[i, a])
    return total


@jit_summing
def _second_in_plane(points: Any, i: int, low: int, high: int, mass: Any, drift: Any, spread: Any) -> float:
    """Add Σ mass · (y − x), and Σ mass · (y − x)(y − x)ᵀ to the upper triangle of `spread`; returns Σ mass."""
    flat = points.reshape(points.size)[2 * low : 2 * high]
    x, y, sum_x, sum_y, xx, xy, yy, total = points[i, 0], points[i, 1], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(high - low):
        w, dx, dy = mass[k], flat[2 * k] - x, flat[2 * k + 1] - y
        wx, wy = w * dx, w * dy
        total += w
        sum_x += wx
        sum_y += wy
        xx += wx * dx
        xy += wx * dy
        yy += wy * dy
    drift[0] += sum_x
    drift[1] += sum_y
    spread[0, 0] += xx
    spread[0, 1] += xy
    spread[1, 1] += yy
    return total


@jit_summing
def _second_in_space(points: Any, i: int, low: int, high: int, mass: Any, drift: Any, spread: Any) -> float:
    """The same in any dimension."""
    m, total = points.shape[1], 0.0
    for k in range(high - low):
        w = mass[k]
        if w > 0.0:
            total += w
            for a in range(m):
                step = w * (points[low + k, a] - points[i, a])
                drift[a] += step
                for b in range(a, m):
                    spread[a, b] += step * (points[low + k, b] - points[i, b])
    return total


@jit
def _add_first_in_plane(geometry: Any, points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    return _first_in_plane(points, i, low, high, mass, drift)


@jit
def _add_first_anywhere(geometry: Any, points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    if points.shape[1] == 2:
        return _first_in_plane(points, i, low, high, mass, drift)
    return _first_in_space(points, i, low, high, mass, drift)


@jit
def _add_second_in_plane(
    geometry: Any, points: Any, i: int, low: int, high: int, mass: Any, drift: Any, spread: Any
) -> float:
    return _second_in_plane(points, i, low, high, mass, drift, spread)


@jit
def _add_second_anywhere(
    geometry: Any, points: Any, i: int, low: int, high: int, mass: Any, drift: Any, spread: Any
) -> float:
    if points.shape[1] == 2:
        return _second_in_plane(points, i, low, high, mass, drift, spread)
    return _second_in_space(points, i, low, high, mass, drift, spread)


def add_first(geometry: Geometry, points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    """Add first moments; those of Gaussians in the plane are compiled without the loops of other dimensions."""
    plane = isinstance(geometry, GaussianPlane)
    return (_add_first_in_plane if plane else _add_first_anywhere)(geometry, points, i, low, high, mass, drift)


def add_second(
    geometry: Geometry, points: Any, i: int, low: int, high: int, mass: Any, drift: Any, spread: Any
) -> float:
    """Add first and second moments."""
    plane = isinstance(geometry, GaussianPlane)
    return (_add_second_in_plane if plane else _add_second_anywhere)(
        geometry, points, i, low, high, mass, drift, spread
    )


@compiled_as(add_first)
def _add_first(geometry: Any, points: Any, i: Any, low: Any, high: Any, mass: Any, drift: Any) -> Any:
    return plain(_add_first_in_plane if geometry.instance_class is GaussianPlane else _add_first_anywhere)


@compiled_as(add_second)
def _add_second(geometry: Any, points: Any, i: Any, low: Any, high: Any, mass: Any, drift: Any, spread: Any) -> Any:
    return plain(_add_second_in_plane if geometry.instance_class is GaussianPlane else _add_second_anywhere)


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
        _settle(points[i], total, means[row])


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
            _center(covs[row], means[row], total)
        _settle(points[i], total, means[row])


@jit
def _center(spread: Any, drift: Any, total: float) -> None:
    """Sums of squares and products around the point become a covariance; what rounding adds to one is clipped."""
    m = drift.shape[0]
    for a in range(m):
        spread[a, a] = max(spread[a, a] / total - (drift[a] / total) * (drift[a] / total), 0.0)
    for a in range(m):
        for b in range(a + 1, m):
            most = np.sqrt(spread[a, a]) * np.sqrt(spread[b, b])
            value = spread[a, b] / total - (drift[a] / total) * (drift[b] / total)
            spread[a, b] = spread[b, a] = min(max(value, -most), most)


@jit
def _settle(point: Any, total: float, drift: Any) -> None:
    """Σ mass · (y − x) becomes the mean."""
    for a in range(point.shape[0]):
        drift[a] = point[a] + drift[a] / total if total > 0.0 else point[a]
