"""Distances in bulk: blocks, lists, full and condensed matrices."""

from __future__ import annotations

import numpy as np

from ..._types import Floats, Ints
from .device import Device
from .geometry import Geometry


def pairs(geometry: Geometry, rows: Ints, cols: Ints, device: Device) -> Floats:
    """Distances of the points rows[k] and cols[k]."""
    out = device.xp.empty(len(rows))
    args = *geometry.arguments, device.put(rows), device.put(cols), len(rows), out
    device.launch("distances.cu", "fill_pairs", len(rows), args, **geometry.constants)
    return np.asarray(device.fetch(out))
