"""The movement of points between two states."""

from __future__ import annotations

import numpy as np

from ..._elsewhere import where_it_lies
from ...engine import Engine
from ..forms import Cloud, Form, GaussianCloud
from .cells import given_places, is_small, places_of
from .device import Device
from .distances import listed
from .geometry import MOST, Geometry, of_gaussians, of_points, unit_and_planar

_BLOCKS = 512  # thread blocks: enough to fill a device, few results to copy


def movement(before: Form, after: Form, device: Device, engine: Engine) -> float | None:
    """The largest distance between the same point before and after; None if the CPU should do it."""
    if not isinstance(before, Cloud | GaussianCloud) or not isinstance(after, Cloud | GaussianCloud):
        return None
    if given_places(after).shape[1] > MOST or is_small(after):
        return None
    geometry, n = _joined(before, after, device), after.n
    if geometry.solid:
        rows = device.xp.arange(n)
        return float(listed(geometry, rows, rows + n, device, engine).max().item())
    n_blocks = min(_BLOCKS, -(-n // 256))
    out = device.xp.empty(n_blocks)
    args = *geometry.arguments, n, out
    device.launch("movement.cu", "find_movement", 256 * n_blocks, args, block=256, **geometry.constants)
    return float(np.sqrt(device.fetch(out).max()))


def _joined(before: Cloud | GaussianCloud, after: Cloud | GaussianCloud, device: Device) -> Geometry:
    """The points before, followed by the points after."""
    places = device.xp.concatenate([places_of(before, device), places_of(after, device)])
    if not isinstance(after, GaussianCloud) or after.lam == 0:
        return of_points(places, device)
    covs = device.xp.concatenate([device.put(where_it_lies(form, "covs")) for form in (before, after)])
    return of_gaussians(places, covs, after.lam, *unit_and_planar(covs, device), device)
