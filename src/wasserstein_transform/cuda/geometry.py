"""Metrics on the device, as `geometry.h` reads them, made once for each form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compute.metrics.gaussians import unit_of_size
from ..engine import Engine, stored_array
from .device import Array, Device, is_on_device, iterate_slices

if TYPE_CHECKING:
    from ..spaces import Metric

MAX_DIM = 64  # most coordinates; for more the CPU computes
MIN_DISTANCES = 3e4  # for fewer distances the CPU is faster
CLOUD, LINE, PLANE, SPACE, SOLID = range(5)  # as in geometry.h
_MAX_LAUNCH_MATRICES = 1 << 14  # eigenvector problems per launch: a tenth of a second
_MIN_TRACE = 1e-60  # smaller traces, relative to the largest covariance, would underflow in the formulas for the plane


@dataclass(frozen=True)
class GpuGeometry:
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

    def sorted(self, order: Array) -> GpuGeometry:
        """The metric of the points in another order, or of some of them."""
        return replace(self, rows=self.rows[order])


def is_small(metric: Metric, n_distances: float, least: float | None = None) -> bool:
    """Whether there are few distances and the points are on the host, so that the CPU computes."""
    return n_distances < (MIN_DISTANCES if least is None else least) and not is_on_device(metric.coordinates)


def geometry_of(metric: Metric, device: Device, single: bool = False) -> GpuGeometry | None:
    """The metric on the device, in single precision if `single`; None if the CPU should compute."""
    if metric.coordinates is None or metric.coordinates.shape[1] > MAX_DIM:
        return None
    key = "geometry", device.name, single
    if key not in metric.derived.on_devices:
        metric.derived.on_devices[key] = _make(metric, device, single)
    made: GpuGeometry = metric.derived.on_devices[key]
    return made


def geometry_for(metric: Metric, n_distances: float, device: Device, engine: Engine) -> GpuGeometry | None:
    """The metric on the device, for this number of distances; None if the CPU should compute them."""
    return None if is_small(metric, n_distances) else geometry_of(metric, device, engine.precision == "float32")


def _make(metric: Metric, device: Device, single: bool) -> GpuGeometry:
    means = device.put(metric.coordinates)
    if single and len(means):
        single = _is_moderate(float((means.max(axis=0) / 2 - means.min(axis=0) / 2).max()))
    if metric.lam == 0:
        return of_points(means, device, single)
    covs = device.put(stored_array(metric, "covs"))
    return of_gaussians(means, covs, metric.lam, *unit_and_planar(covs, device), device, single)


def of_points(points: Array, device: Device, single: bool = False) -> GpuGeometry:
    """Points on the device with the Euclidean distance."""
    if single:
        points = (points - _center(points, device)).astype(np.float32)
    return GpuGeometry(_constants(CLOUD, points.shape[1], single), points)


def of_gaussians(
    means: Array, covs: Array, lam: float, unit: float, planar: bool, device: Device, single: bool = False
) -> GpuGeometry:
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
    constants, row_length = _constants(kind, m, single), (m, 3, 8, 14, 1 + m * (2 + m))[kind]
    rows = xp.empty((n, row_length), np.float32 if single else np.float64)
    if kind == SOLID:
        _fill_solid(means, covs, center, unit, rows, constants, device)
    else:
        args = means, covs, center, n, unit, lifted, rows
        device.launch("gaussians.cu", "fill_rows", n, args, **constants)
    return GpuGeometry(constants, rows, lifted)


def threads_of_matrix(m: int) -> int:
    """Threads of a block that rotates the rows of a matrix: as in jacobi.h."""
    return 32 if m < 16 else 128


def _fill_solid(
    means: Array, covs: Array, center: Array, unit: float, rows: Array, constants: dict[str, Any], device: Device
) -> None:
    m = constants["M"]
    for start in range(0, len(rows), _MAX_LAUNCH_MATRICES):
        part = slice(start, start + _MAX_LAUNCH_MATRICES)
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
    top, bottom = device.fetch(xp.stack([largest, least]))
    unit = unit_of_size(float(top))
    return unit, not bottom / unit < _MIN_TRACE


def _constants(kind: int, m: int, single: bool) -> dict[str, Any]:
    return {"METRIC": kind, "M": m, "REAL": "float"} if single else {"METRIC": kind, "M": m}


def _is_moderate(size: float) -> bool:
    """Whether fourth powers are well within the range of single precision."""
    return 1e-8 < size < 1e8


def _center(points: Array, device: Device) -> Array:
    """The center of the bounding box: relative to it, single precision loses least."""
    if len(points) == 0:
        return device.xp.zeros(points.shape[1])
    return points.min(axis=0) / 2 + points.max(axis=0) / 2


def joined_geometry(
    one: Metric, other: Metric | None, device: Device, least: float | None = None
) -> tuple[GpuGeometry, Array] | None:
    """The metric of the points of two metrics of the same kind, or of one, and coordinates; None for the CPU.

    Euclidean distances of the coordinates are lower bounds of the distances.
    """
    if is_small(one, float(one.n) * (one if other is None else other).n, least):
        return None
    geometry = geometry_of(one, device)
    if geometry is None:
        return None
    if other is None:
        return geometry, device.put(one.coordinates)
    return join_metrics(one, other, device) if type(one) is type(other) else None


def join_metrics(one: Metric, other: Metric, device: Device) -> tuple[GpuGeometry, Array]:
    """The metric of the points of two metrics of the same kind, and their coordinates."""
    places = device.xp.concatenate([device.put(metric.coordinates) for metric in (one, other)])
    if other.lam == 0:
        return of_points(places, device), places
    covs = device.xp.concatenate([device.put(stored_array(metric, "covs")) for metric in (one, other)])
    return of_gaussians(places, covs, other.lam, *unit_and_planar(covs, device), device), places


MAX_LAUNCH_PAIRS = 1 << 16  # pairs per launch: at most a tenth of a second
_MAX_NEAR_PAIRS = 1 << 13  # the same for Jacobi's method


def fill_pairs(geometry: GpuGeometry, rows: Array, cols: Array, out: Array, device: Device, engine: Engine) -> None:
    """out[k] = distance between rows[k] and cols[k], all on the device, for a solid geometry.

    Singular values come from bidiagonalization; from Jacobi's method for near pairs and if the former fails.
    """
    m, xp, constants = geometry.constants["M"], device.xp, geometry.constants
    matrix, block = 8 * m * (m | 1), threads_of_matrix(m)
    for part in iterate_slices(len(rows), MAX_LAUNCH_PAIRS, "distances", device, engine):
        ends, n = (rows[part], cols[part]), part.stop - part.start
        values, diagonals = xp.empty(n), xp.empty((2 * m, n))
        args = *geometry.arguments, *ends, n, diagonals
        device.launch("solid.cu", "fold_pairs", 32 * n, args, block=32, shared=matrix + 8 * m, **constants)
        device.launch("solid.cu", "add_values", n, (*args, values), **constants)
        near = xp.nonzero(values < 0)[0]
        for start in range(0, len(near), _MAX_NEAR_PAIRS):
            few = near[start : start + _MAX_NEAR_PAIRS]
            args = *geometry.arguments, *ends, few, values
            device.launch("solid.cu", "turn_pairs", block * len(few), args, block=block, shared=2 * matrix, **constants)
            device.wait()
        out[part] = values


def pairs_at(n: int, part: slice, device: Device, geometry: GpuGeometry) -> tuple[Array, Array]:
    """The pairs i < j at these positions of the condensed vector of n points."""
    count = part.stop - part.start
    rows, cols = device.xp.empty(count, np.int64), device.xp.empty(count, np.int64)
    device.launch("solid.cu", "list_pairs", count, (n, part.start, count, rows, cols), **geometry.constants)
    return rows, cols
