"""The ground of discrete measures on the device, as `exact_costs.h` reads it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ...._elsewhere import where_it_lies
from ....engine import Engine
from ....kernels.transport import STEEP
from ...base import Ground
from ...cpu.exact.batch import largest
from ...forms import Cloud, Form, GaussianCloud, Matrix
from ..device import Array, Device

_MOST = 64  # most coordinates; for more the CPU computes


class OnDevice(Protocol):
    """The part of the backend that is needed here: a device, and all distances on it."""

    device: Device

    def dense(self, form: Form, out: Any, engine: Engine) -> None: ...


_MANY = 2  # all distances are computed if the number of entries times this exceeds the number of pairs


@dataclass(frozen=True)
class GroundOnDevice:
    """Coordinates or distances on the device, the unit, p, and whether common mass is cancelled."""

    array: Array
    n: int
    constants: dict[str, Any]
    unit: float
    p: float
    cancel: bool


def on_device(ground: Ground, n_entries: float, backend: OnDevice, engine: Engine) -> GroundOnDevice | None:
    """The ground for problems with this total number of costs; None if the CPU should solve them."""
    form, device = ground.form, backend.device
    if ground.p >= STEEP:
        return None
    if isinstance(form, Cloud) and where_it_lies(form, "points").shape[1] <= _MOST:
        array, metric = form.kept(f"places on {device.name}", lambda: device.put(where_it_lies(form, "points"))), 0
    elif isinstance(form, Matrix) or (isinstance(form, GaussianCloud) and _MANY * n_entries >= float(form.n) ** 2):
        if not device.fits(8.0 * float(form.n) ** 2):
            return None
        array, metric = form.kept(f"distances on {device.name}", lambda: _distances(form, backend, engine)), 1
    else:
        return None
    constants = {"METRIC": metric, "M": array.shape[1] if metric == 0 else 1, "POWER": _power(ground.p)}
    return GroundOnDevice(
        array, form.n, constants, _unit(form, engine), float(ground.p), bool(ground.p == 1 and ground.triangle)
    )


def _power(p: float) -> int:
    return int(p) if p in (1, 2) else 0


def _distances(form: Form, backend: OnDevice, engine: Engine) -> Array:
    device = backend.device
    if isinstance(form, Matrix):
        return device.put(np.asarray(form.matrix, np.float64))
    matrix = device.xp.empty((form.n, form.n))
    backend.dense(form, device.handed_out(matrix), replace(engine, precision="float64"))
    return matrix


def _unit(form: Form, engine: Engine) -> float:
    """A power of two that scales the largest distance to about 1."""
    top = largest(form, engine)
    return float(np.ldexp(1.0, -int(np.clip(np.frexp(top)[1], -1000, 1000)))) if top > 0 else 1.0
