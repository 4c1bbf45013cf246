"""The backend on a GPU: what it is good at; everything else is left to the CPU."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np

from ..._elsewhere import to_host
from ..._types import Floats, Ints
from ...engine import Engine
from ...kernels.patches import Window
from ..cpu import Cpu
from ..forms import Form
from ..images import Features, Grid, Image, Links, Motion, Moved, Picture
from ..ridges import off_leading_axes
from . import colors, distances, pixels, regions
from .device import Device, OnDevice, lies_there
from .geometry import geometry_of

_CORES = 200.0  # of a CPU, about, that a GPU is worth
_NAME = re.compile(r"cuda(?::(\d+))?")


class Cuda(Cpu):
    """Operations on a device where it is faster, on the host otherwise."""

    name = "cuda"

    def __init__(self, device: Device) -> None:
        self.device = device

    def n_cores(self, engine: Engine) -> float:
        return _CORES

    def pairs(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        geometry = geometry_of(form, self.device)
        if geometry is None:
            return super().pairs(form, rows, cols, engine)
        return distances.pairs(geometry, rows, cols, self.device)

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


def on_gpu(values: Any, copy: bool = True) -> OnDevice | None:
    """An array of a GPU, of floats in a row if it is copied; None for what does not lie there."""
    if isinstance(values, OnDevice):
        return values
    if not hasattr(values, "__cuda_array_interface__"):
        return None
    from .with_cupy import found_on  # noqa: PLC0415  # whoever has such an array has CuPy, or gets told

    array, device = found_on(values)
    return OnDevice(device.xp.array(array, "float64", order="C") if copy else array, device)


@cache
def named(name: str) -> Cuda | None:
    """The backend of "cuda" or "cuda:1"; None if that is no name of a GPU."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    from .with_cupy import gpu  # noqa: PLC0415  # nothing of it is imported by those who do not ask

    return Cuda(gpu(int(found[1] or 0)))
