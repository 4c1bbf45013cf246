"""Moments of the localized measures: sums over the neighbors of points, relative to the point.

Points are given by position in `cells`, with a contiguous row for each coordinate; `limit` is the squared radius of the
closed ball. `scratch` belongs to the caller and is as long as the longest run; `stop[0]` ≠ 0 interrupts. A profile
weighs neighbors by t = d²/ε².
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..jit import compiled_as, jit, jit_summing, plain
from ..metrics import geometry_jit as geometries

FLAT, GAUSSIAN, EPANECHNIKOV, TRIANGLE = range(4)
MAX_GAUSSIAN_T = 1400.0  # for larger t, a gaussian weight is denormal


class Profile(NamedTuple):
    """A named profile: its code in compiled loops, its reach in units of ε, and its formula."""

    code: int
    reach: float
    formula: Callable[[Any], Any]


PROFILES: dict[str, Profile] = {
    "flat": Profile(FLAT, 1.0, np.ones_like),
    "gaussian": Profile(GAUSSIAN, np.inf, lambda t: np.where(t < MAX_GAUSSIAN_T, np.exp(-0.5 * t), 0.0)),
    "epanechnikov": Profile(EPANECHNIKOV, 1.0, lambda t: np.maximum(1.0 - t, 0.0)),
    "triangle": Profile(TRIANGLE, 1.0, lambda t: np.maximum(1.0 - np.sqrt(t), 0.0)),
}
"""Kernel profiles by name. With t = d²/ε², flat: 1 on [0, 1]; gaussian: exp(−t/2), so ε is the standard deviation;
epanechnikov: 1 − t on [0, 1]; triangle: 1 − √t on [0, 1]. CUDA sources take the codes from here (`cuda/device.py`)."""

ROUNDING_FACTOR = 1 + 1e-9  # tolerance for rounding: points farther than the limit times this are outside of the ball


class Flat(NamedTuple):
    """The flat profile, with 1/ε², which is not used."""

    scale: float


class Smooth(NamedTuple):
    """Another profile, with 1/ε². It is a separate type so that loops over flat balls do not compile its formulas."""

    code: int
    scale: float


def profile_of(code: int, eps: float) -> Flat | Smooth:
    """A profile as kernels take it."""
    scale = 1.0 / (eps * eps)
    return Flat(scale) if code == FLAT else Smooth(code, scale)


@jit
def profile_value(profile: int, t: float) -> float:
    """Weight of a neighbor at squared relative distance t in the closed ball; NaN for an unknown profile."""
    if profile == FLAT:
        return 1.0
    if profile == GAUSSIAN:
        return np.exp(-0.5 * t) if t < MAX_GAUSSIAN_T else 0.0
    if profile == EPANECHNIKOV:
        return max(1.0 - t, 0.0)
    if profile == TRIANGLE:
        return max(1.0 - np.sqrt(t), 0.0)
    return np.nan


@jit_summing
def _first_in_plane(points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    """Add Σ mass · (y − x) to `drift`, relative to the point x to be accurate far from the origin; returns Σ mass."""
    X, Y = points[0, low:high], points[1, low:high]
    x, y, sum_x, sum_y, total = points[0, i], points[1, i], 0.0, 0.0, 0.0
    for k in range(X.shape[0]):
        w = mass[k]
        total += w
        sum_x += w * (X[k] - x)
        sum_y += w * (Y[k] - y)
    drift[0] += sum_x
    drift[1] += sum_y
    return total


@jit_summing
def _first_in_solid(points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    """The same in three dimensions."""
    X, Y, Z = points[0, low:high], points[1, low:high], points[2, low:high]
    x, y, z = points[0, i], points[1, i], points[2, i]
    sum_x, sum_y, sum_z, total = 0.0, 0.0, 0.0, 0.0
    for k in range(X.shape[0]):
        w = mass[k]
        total += w
        sum_x += w * (X[k] - x)
        sum_y += w * (Y[k] - y)
        sum_z += w * (Z[k] - z)
    drift[0] += sum_x
    drift[1] += sum_y
    drift[2] += sum_z
    return total


@jit_summing
def _first_in_space(points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    """The same in any dimension."""
    total = 0.0
    for k in range(high - low):
        total += mass[k]
    for a in range(points.shape[0]):
        X, x, along = points[a, low:high], points[a, i], 0.0
        for k in range(X.shape[0]):
            along += mass[k] * (X[k] - x)
        drift[a] += along
    return total


@jit_summing
def _second_in_plane(points: Any, i: int, low: int, high: int, mass: Any, drift: Any, spread: Any) -> float:
    """Add Σ mass · (y − x), and Σ mass · (y − x)(y − x)ᵀ to the upper triangle of `spread`; returns Σ mass."""
    X, Y = points[0, low:high], points[1, low:high]
    x, y, sum_x, sum_y, xx, xy, yy, total = points[0, i], points[1, i], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(X.shape[0]):
        w, dx, dy = mass[k], X[k] - x, Y[k] - y
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
def _second_in_solid(points: Any, i: int, low: int, high: int, mass: Any, drift: Any, spread: Any) -> float:
    """The same in three dimensions."""
    X, Y, Z = points[0, low:high], points[1, low:high], points[2, low:high]
    x, y, z = points[0, i], points[1, i], points[2, i]
    sum_x, sum_y, sum_z, total = 0.0, 0.0, 0.0, 0.0
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(X.shape[0]):
        w, dx, dy, dz = mass[k], X[k] - x, Y[k] - y, Z[k] - z
        wx, wy, wz = w * dx, w * dy, w * dz
        total += w
        sum_x += wx
        sum_y += wy
        sum_z += wz
        xx += wx * dx
        xy += wx * dy
        xz += wx * dz
        yy += wy * dy
        yz += wy * dz
        zz += wz * dz
    drift[0] += sum_x
    drift[1] += sum_y
    drift[2] += sum_z
    spread[0, 0] += xx
    spread[0, 1] += xy
    spread[0, 2] += xz
    spread[1, 1] += yy
    spread[1, 2] += yz
    spread[2, 2] += zz
    return total


@jit_summing
def _second_in_space(points: Any, i: int, low: int, high: int, mass: Any, drift: Any, spread: Any) -> float:
    """The same in any dimension."""
    for a in range(points.shape[0]):
        X, x = points[a, low:high], points[a, i]
        for b in range(a, points.shape[0]):
            Y, y, product = points[b, low:high], points[b, i], 0.0
            for k in range(X.shape[0]):
                product += mass[k] * (X[k] - x) * (Y[k] - y)
            spread[a, b] += product
    return _first_in_space(points, i, low, high, mass, drift)


@jit
def add_first(points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    """Add first moments of the positions low…high relative to point i; returns their mass."""
    if points.shape[0] == 2:
        return _first_in_plane(points, i, low, high, mass, drift)
    if points.shape[0] == 3:
        return _first_in_solid(points, i, low, high, mass, drift)
    return _first_in_space(points, i, low, high, mass, drift)


@jit
def add_second(points: Any, i: int, low: int, high: int, mass: Any, drift: Any, spread: Any) -> float:
    """Add first and second moments."""
    if points.shape[0] == 2:
        return _second_in_plane(points, i, low, high, mass, drift, spread)
    if points.shape[0] == 3:
        return _second_in_solid(points, i, low, high, mass, drift, spread)
    return _second_in_space(points, i, low, high, mass, drift, spread)


def weigh(
    profile: Flat | Smooth, geometry: Any, i: int, low: int, high: int, limit: float, weights: Any, mass: Any
) -> None:
    """mass[k] = weight times profile of position low + k seen from i, within the limit, else 0."""
    _WEIGH_BY_PROFILE[type(profile)](profile, geometry, i, low, high, limit, weights, mass)


@jit
def _weigh_flat(
    profile: Any, geometry: Any, i: int, low: int, high: int, limit: float, weights: Any, mass: Any
) -> None:
    geometries.within(geometry, i, low, high, limit, weights, mass)


@jit
def _weigh_smooth(
    profile: Any, geometry: Any, i: int, low: int, high: int, limit: float, weights: Any, mass: Any
) -> None:
    geometries.squares(geometry, i, low, high, limit, mass)
    candidates = weights[low:high]
    for k in range(candidates.shape[0]):
        mass[k] = candidates[k] * profile_value(profile.code, mass[k] * profile.scale) if mass[k] <= limit else 0.0


_WEIGH_BY_PROFILE: dict[type, Callable[..., None]] = {Flat: _weigh_flat, Smooth: _weigh_smooth}


@compiled_as(weigh)
def _weigh(profile: Any, geometry: Any, i: Any, low: Any, high: Any, limit: Any, weights: Any, mass: Any) -> Any:
    return plain(_WEIGH_BY_PROFILE[profile.instance_class])


@jit
def sum_moments(
    geometry: Any, cells: Any, rows: Any, weights: Any, points: Any, profile: Any, limit: float, scratch: Any,
    mass: Any, means: Any, covs: Any, stop: Any,
) -> None:  # fmt: skip
    """Mass and mean of the localized measure of each row, and the covariance of `points` unless `covs` is empty.

    Means and covariances are divided by the mass; a row without mass keeps its point and gets the covariance 0.
    """
    second = covs.shape[0] > 0
    for row in range(rows.shape[0]):
        i = rows[row]
        means[row] = 0.0
        if second:
            covs[row] = 0.0
        total = 0.0
        for r in range(cells.runs.shape[1]):
            if stop[0] != 0:
                return
            low, high = cells.runs[cells.cell[i], r]
            weigh(profile, geometry, i, low, high, limit, weights, scratch)
            if second:
                total += add_second(points, i, low, high, scratch, means[row], covs[row])
            else:
                total += add_first(points, i, low, high, scratch, means[row])
        mass[row] = total
        if second and total > 0.0:
            center(covs[row], means[row], total)
        finish_mean(points, i, total, means[row])


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
def finish_mean(points: Any, i: int, total: float, drift: Any) -> None:
    """Turn Σ mass · (y − x) into the mean."""
    for a in range(points.shape[0]):
        drift[a] = points[a, i] + drift[a] / total if total != 0.0 else points[a, i]


@jit
def mean_rows(points: Any, indptr: Any, indices: Any, masses: Any, totals: Any, means: Any) -> None:
    """Means of the rows of `points` under measures in compressed rows, one for each row of `means`.

    Sums are relative to the first point of each measure: they round less, and equal points have exactly their mean.
    """
    m = points.shape[1]
    for i in range(means.shape[0]):
        origin, mean = points[indices[indptr[i]]], means[i]
        mean[:] = 0.0
        for place in range(indptr[i] + 1, indptr[i + 1]):
            mass, point = masses[place], points[indices[place]]
            for a in range(m):
                mean[a] += mass * (point[a] - origin[a])
        for a in range(m):
            mean[a] = origin[a] + mean[a] / totals[i]
