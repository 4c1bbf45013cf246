"""The GPU backend. Operations that are not faster there run on the CPU."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Any

import numpy as np

from ..._elsewhere import to_host
from ..._types import Floats, Ints
from ...engine import Engine
from ...kernels.patches import Window
from ..base import Ground
from ..forms import Form, Matrix
from ..images import Features, Grid, Image, Links, Motion, Moved, Picture
from ..memory import Memory
from ..records import Balls, Nearest, Neighborhoods, ReachTree, Report, Rows
from ..ridges import off_leading_axes
from . import balls, colors, distances, merging, moments, movement as movements, nearest, pixels, regions, trees
from .device import Device, OnDevice, lies_there
from .exact import batch as exact
from .geometry import Geometry, geometry_of, is_small, joined_geometry
from .leaving import OnCpu
from .neighborhoods import Asked

_CORES = 150.0  # approximate speed of a GPU in CPU cores
_NAME = re.compile(r"cuda(?::(\d+))?")


class Cuda(OnCpu):
    """Operations on a device if that is faster, on the host otherwise."""

    name = "cuda"

    def __init__(self, device: Device) -> None:
        self.device = device

    def n_cores(self, engine: Engine) -> float:
        return _CORES

    def block(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        geometry = self._metric(form, float(len(rows)) * len(cols), engine)
        if geometry is None:
            return super().block(form, rows, cols, engine)
        return distances.block(geometry, rows, cols, self.device, engine)

    def n_within(self, form: Form, rows: Ints, radius: float, engine: Engine) -> Ints:
        geometry = self._metric(form, float(len(rows)) * form.n, engine)
        if geometry is None:
            return super().n_within(form, rows, radius, engine)
        return distances.n_within(geometry, rows, radius, self.device, engine)

    def pairs(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        geometry = self._metric(form, len(rows), engine)
        if geometry is None:
            return super().pairs(form, rows, cols, engine)
        return distances.pairs(geometry, rows, cols, self.device, engine)

    def dense(self, form: Form, out: Any, engine: Engine) -> None:
        geometry = self._filling(form, out, engine)
        if geometry is not None:
            distances.dense(geometry, out, self.device, engine)
            return
        with distances.on_host(out, self.device) as host:
            super().dense(form, host, engine)

    def condensed(self, form: Form, out: Any, engine: Engine) -> None:
        geometry = self._filling(form, out, engine)
        if geometry is not None:
            distances.condensed(geometry, out, self.device, engine)
            return
        with distances.on_host(out, self.device) as host:
            super().condensed(form, host, engine)

    def nearest(self, form: Form, k: int, of: Form | None, engine: Engine) -> Nearest:
        found = joined_geometry(form, of, self.device) if nearest.can_find(k, self.device) else None
        if found is None:
            return super().nearest(form, k, of, engine)
        return nearest.nearest(*found, form.n, k, self.device, engine)

    def spanning_tree(self, form: Form, engine: Engine) -> tuple[Ints, Floats]:
        found = joined_geometry(form, None, self.device, trees.SMALL)
        if found is None:
            return super().spanning_tree(form, engine)
        if found[0].solid:
            return super().spanning_tree(self._stored(form, engine), engine)
        edges, heights, _ = trees.spanning_tree(*found, None, self.device, engine)
        return edges, heights

    def reach_tree(self, form: Form, cores: Floats, engine: Engine) -> ReachTree:
        found = joined_geometry(form, None, self.device, trees.SMALL)
        if found is None:
            return super().reach_tree(form, cores, engine)
        if found[0].solid:
            return super().reach_tree(self._stored(form, engine), cores, engine)
        return trees.spanning_tree(*found, self.device.put(cores), self.device, engine)

    def _stored(self, form: Form, engine: Engine) -> Form:
        """All distances as a Matrix if they fit into memory, because expensive ones should be computed only once."""
        n_bytes = 8.0 * form.n**2
        if not engine.fits(n_bytes) or not self.device.fits(2 * n_bytes):
            return form
        out = np.empty((form.n, form.n))
        self.dense(form, out, engine)
        return Matrix(out)

    def _metric(self, form: Form, n_distances: float, engine: Engine) -> Geometry | None:
        """The metric on the device, for this number of distances; None if the CPU should compute them."""
        if is_small(form, n_distances):
            return None
        return geometry_of(form, self.device, engine.precision == "float32")

    def _filling(self, form: Form, out: Any, engine: Engine) -> Geometry | None:
        """The metric on the device if it can fill this array, else None."""
        on_host = isinstance(out, np.ndarray)
        if not on_host and distances.on_device(out, self.device) is None:
            return None
        found = self._metric(form, float(form.n) ** 2 if on_host else np.inf, engine)
        return found if found is None or distances.can_fill(found, out, self.device) else None

    def neighborhoods(
        self, form: Form, weights: Floats, profile: int, eps: float, reach: float, engine: Engine, first: int = 0
    ) -> Neighborhoods:
        on_host = partial(super().neighborhoods, form, weights, profile, eps, reach, engine, first)
        asked = Asked(weights, profile, float(eps), float(reach), first, on_host, self.device, engine)
        return moments.neighborhoods(form, asked)

    def movement(self, before: Form, after: Form, engine: Engine) -> float:
        found = movements.movement(before, after, self.device, engine)
        return super().movement(before, after, engine) if found is None else found

    def balls(self, form: Form, radius: float, engine: Engine) -> Balls:
        found = balls.balls(form, radius, self.device, engine)
        return super().balls(form, radius, engine) if found is None else found

    def leaders(self, form: Form, weights: Floats, tol: float, engine: Engine) -> Ints:
        found = merging.leaders(form, weights, tol, self.device, engine)
        return super().leaders(form, weights, tol, engine) if found is None else found

    def range_features(self, picture: Picture, engine: Engine) -> Features:
        if not colors.can_change(picture, self.device):
            return super().range_features(picture, engine)
        return colors.range_features(picture, self.device, engine)

    def painted(self, picture: Picture, modes: Floats, engine: Engine) -> np.ndarray:
        if not colors.can_change(picture, self.device):
            return super().painted(picture, to_host(modes), engine)
        return colors.painted(picture, modes, self.device, engine)

    def shift_pixels(self, image: Image, window: Window, motion: Motion, engine: Engine) -> Moved:
        if not pixels.can_shift(image, window, motion, self.device):
            image = image._replace(values=to_host(image.values))
            return super().shift_pixels(image, window, motion, engine)
        return pixels.shift_pixels(image, window, motion, self.device, engine)

    def link_touching(self, modes: Floats, grid: Grid, links: Links, engine: Engine) -> tuple[Ints, int]:
        if not regions.can_link(modes, self.device):
            return super().link_touching(to_host(modes), grid, links, engine)
        return regions.link_touching(modes, grid, links, self.device, engine)

    def region_sums(self, labels: Ints, values: Floats, first: int, engine: Engine) -> tuple[Floats, Ints]:
        if not regions.can_sum(labels, values, self.device):
            return super().region_sums(labels, to_host(values), first, engine)
        return regions.region_sums(labels, values, first, self.device, engine)

    def touching(self, labels: Ints, engine: Engine) -> Ints:
        if not regions.can_compare(labels, self.device):
            return super().touching(labels, engine)
        return regions.touching(labels, self.device, engine)

    def ridge_step(self, points: Floats, means: Floats, covs: Floats, dim: int, engine: Engine) -> Floats:
        if not lies_there(means):
            return super().ridge_step(points, means, covs, dim, engine)
        here, there, spread = map(self.device.put, (points, means, covs))
        moved = here + off_leading_axes(self.device.xp, there - here, spread, dim)
        result: Floats = self.device.handed_out(moved)
        return result

    def exact_among(self, ground: Ground, measures: Rows, engine: Engine) -> tuple[Floats, Report]:
        found = exact.among(ground, measures, self, engine)
        return super().exact_among(ground, measures, engine) if found is None else found

    def exact_between(self, ground: Ground, A: Rows, B: Rows, engine: Engine) -> tuple[Floats, Report]:
        found = exact.between(ground, A, B, self, engine)
        return super().exact_between(ground, A, B, engine) if found is None else found

    def exact_listed(
        self, ground: Ground, A: Rows, B: Rows, indptr: Ints, targets: Ints, engine: Engine,
        rank: Ints | None = None, homes: Ints | None = None, memory: Memory | None = None,
    ) -> tuple[Floats, Report]:  # fmt: skip
        found = exact.listed(ground, A, B, indptr, targets, self, engine)
        if found is None:
            return super().exact_listed(ground, A, B, indptr, targets, engine, rank, homes, memory)
        return found


def on_gpu(values: Any, copy: bool = True) -> OnDevice | None:
    """An array on a GPU, copied to contiguous float64 unless copy=False; None if `values` is not on a GPU."""
    if isinstance(values, OnDevice):
        return values
    if not hasattr(values, "__cuda_array_interface__"):
        return None
    from .with_cupy import found_on  # noqa: PLC0415  # raises a clear error without CuPy

    array, device = found_on(values)
    return OnDevice(device.xp.array(array, "float64", order="C") if copy else array, device)


def named(name: str) -> Cuda | None:
    """The backend "cuda" or "cuda:1", with its device set for this thread; None if the name is not one of a GPU."""
    found = _backend(name)
    if found is not None:
        found.device.use()
    return found


@cache
def _backend(name: str) -> Cuda | None:
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    from .with_cupy import gpu  # noqa: PLC0415  # imported only if a GPU is used

    return Cuda(gpu(int(found[1] or 0)))
