"""Convert pixel values to the features by which they are compared, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats
from ...engine import Engine
from ..colors import TO_XYZ, WHITE
from ..images import Features, Picture, full, nobody
from .device import Array, Device
from .pixels import mask_on

_DEPTHS = {np.dtype(np.uint8): 1, np.dtype(np.uint16): 2, np.dtype(np.float32): 4, np.dtype(np.float64): 8}
_SPACES = {None: 0, "rgb": 1, "luv": 2, "lab": 3}


def can_change(picture: Picture, device: Device) -> bool:
    """Whether the device can do this."""
    n, channels = picture.flat.shape
    return picture.flat.dtype in _DEPTHS and device.fits(24.0 * n * channels)


def range_features(picture: Picture, device: Device, engine: Engine) -> Features:
    """The range features, which stay on the device until they are read."""
    engine.check()
    flat, xp = device.put(picture.flat), device.xp
    if picture.space is None:
        values = xp.ascontiguousarray(flat.T.astype(picture.precision))
    else:
        values = xp.empty((3, len(flat)), picture.precision)
        args = flat, *flat.shape, full(flat.dtype), _numbers(device), values
        device.launch("colors.cu", "to_features", len(flat), args, **_constants(picture))
    if picture.mask is None:
        return Features(device.handed_out(values), *_ends(values))
    mask = device.put(picture.mask)
    low, high = _ends(values[:, mask])
    return Features(device.handed_out(xp.where(mask, values, values.dtype.type(nobody(values.dtype)))), low, high)


def _ends(values: Array) -> tuple[float, float]:
    return float(values.min().item()), float(values.max().item())


def painted(picture: Picture, modes: Floats, device: Device, engine: Engine) -> NDArray[Any]:
    """The image with other range features, on the host."""
    engine.check()
    flat, seen, mask = device.put(picture.flat), device.put(modes), mask_on(picture.mask, device)
    out = flat.copy()
    args = seen, seen.shape[1], mask, picture.mask is not None, *flat.shape, full(flat.dtype), _numbers(device), out
    device.launch("colors.cu", "paint", len(flat), args, **_constants(picture))
    return device.fetch(out)


def _constants(picture: Picture) -> dict[str, Any]:
    kind = "float" if picture.precision == np.float32 else "double"
    return {"DEPTH": _DEPTHS[picture.flat.dtype], "SPACE": _SPACES[picture.space], "VALUE": kind}


def _numbers(device: Device) -> Array:
    return device.put(np.concatenate([WHITE, TO_XYZ.ravel(), np.linalg.inv(TO_XYZ).ravel()]))
