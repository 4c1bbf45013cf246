"""Metrics on the device, as `geometry.h` reads them, made once for each form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._elsewhere import where_it_lies
from ..forms import Cloud, Form, GaussianCloud
from ..frame import unit_of_size
from .device import Array, Device, lies_there

MOST = 64  # most coordinates; for more the CPU computes
SMALL = 3e4  # for fewer distances the CPU is faster
CLOUD, LINE, PLANE, SPACE, SOLID = range(5)  # as in geometry.h
_MATRICES = 1 << 14  # eigenvector problems per launch: a tenth of a second
_TINY = 1e-60  # smaller traces, relative to the largest covariance, would underflow in the formulas for the plane


@dataclass(frozen=True)
class Geometry:
    """A metric on the device: the constants for compiling a file, and a row of numbers for each point.

    The first arguments of kernels are `rows` and `lam`. If it is `solid`, each distance takes a warp, and the function
    `squared` does not exist.
    """

    constants: dict[str, Any]
    rows: Array
    lam: float = 0.0

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The first arguments of kernels."""
        return self.rows, self.lam

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.rows)

    @property
    def solid(self) -> bool:
        """Whether points are Gaussians in more than three dimensions, or of sizes outside the range of the formulas."""
        return bool(self.constants["METRIC"] == SOLID)

    def sorted(self, order: Array) -> Geometry:
        """The metric of the points in another order, or of some of them."""
        return replace(self, rows=self.rows[order])


def is_small(form: Form, n_distances: float, least: float | None = None) -> bool:
    """Whether there are few distances and the points are on the host, so that the CPU computes."""
    there = isinstance(form, Cloud | GaussianCloud) and lies_there(_places(form))
    return n_distances < (SMALL if least is None else least) and not there


def geometry_of(form: Form, device: Device, single: bool = False) -> Geometry | None:
    """The metric on the device, in single precision if `single`; None if the CPU should compute."""
    if isinstance(form, Cloud):
        points, known = where_it_lies(form, "points"), "points"
    elif isinstance(form, GaussianCloud):
        points, known = where_it_lies(form, "means"), "Gaussians"
    else:
        return None
    if points.shape[1] > MOST:
        return None
    name = f"{known} on {device.name}" + " in single precision" * single
    return form.kept(name, lambda: _made(form, points, device, single))


def _made(form: Cloud | GaussianCloud, points: Any, device: Device, single: bool) -> Geometry:
    means = device.put(points)
    single = single and _is_moderate(_extent(means, device))
    if isinstance(form, Cloud) or form.lam == 0:
        return of_points(means, device, single)
    covs, frame = device.put(where_it_lies(form, "covs")), form.frame
    unit, planar = (frame.unit, frame.planar) if frame is not None else unit_and_planar(covs, device)
    return of_gaussians(means, covs, form.lam, unit, planar, device, single)


def of_points(points: Array, device: Device, single: bool = False) -> Geometry:
    """Points on the device with the Euclidean distance."""
    if single:
        points = (points - _center(points, device)).astype(np.float32)
    return Geometry(_constants(CLOUD, points.shape[1], single), points)


def of_gaussians(
    means: Array, covs: Array, lam: float, unit: float, planar: bool, device: Device, single: bool = False
) -> Geometry:
    """Gaussians on the device, with covariances divided by `unit`; `planar` selects the formulas for the plane."""
    n, m = means.shape
    lifted = lam * unit
    if not np.isfinite(2 * m * lifted):
        raise ValueError(
            f"lam={lam:g} times covariances around {unit:.3g} leaves the range of floats; "
            "use coordinates in a larger unit, or a smaller lam"
        )
    kind = LINE if m == 1 else PLANE if m == 2 and planar else SPACE if m == 3 else SOLID
    single = single and kind != SOLID and _is_moderate(lifted)
    xp = device.xp
    center = _center(means, device) if single else xp.zeros(m)
    constants = _constants(kind, m, single)
    rows = xp.empty((n, _length(kind, m)), np.float32 if single else np.float64)
    if kind == SOLID:
        _fill_solid(means, covs, center, unit, rows, constants, device)
    else:
        args = means, covs, center, n, unit, lifted, rows
        device.launch("gaussians.cu", "fill_rows", n, args, **constants)
    return Geometry(constants, rows, lifted)


def threads_of_matrix(m: int) -> int:
    """Threads of a block that rotates the rows of a matrix: as in jacobi.h."""
    return 32 if m < 16 else 128


def _fill_solid(
    means: Array, covs: Array, center: Array, unit: float, rows: Array, constants: dict[str, Any], device: Device
) -> None:
    m = constants["M"]
    for start in range(0, len(rows), _MATRICES):
        part = slice(start, start + _MATRICES)
        args = means[part], covs[part], center, unit, rows[part]
        block, shared = threads_of_matrix(m), 8 * m * ((m | 1) + 1)
        n_threads = block * len(rows[part])
        device.launch("solid.cu", "fill_solid_rows", n_threads, args, block=block, shared=shared, **constants)
        device.wait()


def unit_and_planar(covs: Array, device: Device) -> tuple[float, bool]:
    """A power of two of the order of the largest covariance, and whether the formulas for the plane are accurate."""
    xp = device.xp
    if covs.size == 0:
        return 1.0, covs.shape[1] == 2
    largest = abs(covs).max()
    if covs.shape[1] != 2:
        return unit_of_size(float(largest)), False
    traces = covs[:, 0, 0] + covs[:, 1, 1]
    least = xp.where(traces > 0, traces, np.inf).min()
    found = device.fetch(xp.stack([largest, least]))
    unit = unit_of_size(float(found[0]))
    return unit, not found[1] / unit < _TINY


def _constants(kind: int, m: int, single: bool) -> dict[str, Any]:
    return {"METRIC": kind, "M": m, "REAL": "float"} if single else {"METRIC": kind, "M": m}


def _length(kind: int, m: int) -> int:
    """Number of entries in a row."""
    return (m, 3, 8, 14, 1 + m * (2 + m))[kind]


def _is_moderate(size: float) -> bool:
    """Whether fourth powers are well within the range of single precision."""
    return 1e-8 < size < 1e8


def _extent(points: Array, device: Device) -> float:
    """Half of the largest extent of the coordinates."""
    return float((points.max(axis=0) / 2 - points.min(axis=0) / 2).max()) if len(points) else 1.0


def _center(points: Array, device: Device) -> Array:
    """The center of the bounding box: relative to it, single precision loses least."""
    if len(points) == 0:
        return device.xp.zeros(points.shape[1])
    return points.min(axis=0) / 2 + points.max(axis=0) / 2


def joined_geometry(
    one: Form, other: Form | None, device: Device, least: float | None = None
) -> tuple[Geometry, Array] | None:
    """The metric of the points of two forms of the same type, or of one, and coordinates; None for the CPU.

    Euclidean distances of the coordinates are lower bounds of the distances.
    """
    if is_small(one, float(one.n) * (one if other is None else other).n, least):
        return None
    if other is None:
        found = geometry_of(one, device)
        return None if found is None else (found, device.put(_places(one)))
    if geometry_of(one, device) is None or type(one) is not type(other):
        return None
    places = device.xp.concatenate([device.put(_places(form)) for form in (one, other)])
    if not isinstance(other, GaussianCloud) or other.lam == 0:
        return of_points(places, device), places
    covs = device.xp.concatenate([device.put(where_it_lies(form, "covs")) for form in (one, other)])
    return of_gaussians(places, covs, other.lam, *unit_and_planar(covs, device), device), places


def _places(form: Form) -> Any:
    return where_it_lies(form, "points" if isinstance(form, Cloud) else "means")
