"""The backend on a GPU: what it is good at; everything else is left to the CPU."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine
from ..cpu import Cpu
from ..forms import Form
from ..records import Nearest
from . import distances, nearest
from .device import Device
from .geometry import Geometry, geometry_of, joined_geometry

_NAME = re.compile(r"cuda(?::(\d+))?")


class Cuda(Cpu):
    """Operations on a device where it is faster, on the host otherwise."""

    name = "cuda"
    single = False  # whether distances that are stored in single precision are computed in it

    def __init__(self, device: Device) -> None:
        self.device = device

    def block(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        geometry = geometry_of(form, self.device)
        if geometry is None:
            return super().block(form, rows, cols, engine)
        return distances.block(geometry, rows, cols, self.device, engine)

    def pairs(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        geometry = geometry_of(form, self.device)
        if geometry is None:
            return super().pairs(form, rows, cols, engine)
        return distances.pairs(geometry, rows, cols, self.device, engine)

    def dense(self, form: Form, out: Any, engine: Engine) -> None:
        geometry = self._fits(form, out)
        if geometry is None:
            super().dense(form, out, engine)
        else:
            distances.dense(geometry, out, self.device, engine)

    def condensed(self, form: Form, out: Any, engine: Engine) -> None:
        geometry = self._fits(form, out)
        if geometry is None:
            super().condensed(form, out, engine)
        else:
            distances.condensed(geometry, out, self.device, engine)

    def nearest(self, form: Form, k: int, of: Form | None, engine: Engine) -> Nearest:
        found = joined_geometry(form, of, self.device) if k <= nearest.MOST else None
        if found is None:
            return super().nearest(form, k, of, engine)
        return nearest.nearest(*found, form.n, k, self.device, engine)

    def _fits(self, form: Form, out: Any) -> Geometry | None:
        """The metric on the device, if it can fill that array."""
        if not isinstance(out, np.ndarray) and distances.on_device(out, self.device) is None:
            return None
        found = geometry_of(form, self.device, self.single and out.dtype == np.float32)
        return found if found is None or distances.can_fill(found, out, self.device) else None


@cache
def named(name: str) -> Cuda | None:
    """The backend of "cuda" or "cuda:1"; None if that is no name of a GPU."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    from .with_cupy import gpu  # noqa: PLC0415  # nothing of it is imported by those who do not ask

    return Cuda(gpu(int(found[1] or 0)))
