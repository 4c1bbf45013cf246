"""The backend on a GPU: what it is good at; everything else is left to the CPU."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ..._types import Floats, Ints
from ...engine import Engine
from ..base import Ground
from ..cpu import Cpu
from ..forms import Form
from ..memory import Memory
from ..records import Report, Rows
from ..ridges import off_leading_axes
from . import distances
from .device import Device, OnDevice, lies_there
from .exact import batch as exact
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
