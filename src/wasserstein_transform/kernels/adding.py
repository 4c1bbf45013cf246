"""Add a run of weighted points to the moments about a point; points have a row for each coordinate."""

from __future__ import annotations

from typing import Any

from .compile import compiled_as, jit, jit_summing, plain
from .geometry import GaussianPlane, Geometry


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
def _add_first_in_plane(geometry: Any, points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    return _first_in_plane(points, i, low, high, mass, drift)


@jit
def _add_first_anywhere(geometry: Any, points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    if points.shape[0] == 2:
        return _first_in_plane(points, i, low, high, mass, drift)
    if points.shape[0] == 3:
        return _first_in_solid(points, i, low, high, mass, drift)
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
    if points.shape[0] == 2:
        return _second_in_plane(points, i, low, high, mass, drift, spread)
    if points.shape[0] == 3:
        return _second_in_solid(points, i, low, high, mass, drift, spread)
    return _second_in_space(points, i, low, high, mass, drift, spread)


def add_first(geometry: Geometry, points: Any, i: int, low: int, high: int, mass: Any, drift: Any) -> float:
    """Add first moments; for Gaussians in the plane, only the loops for two dimensions are compiled."""
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
