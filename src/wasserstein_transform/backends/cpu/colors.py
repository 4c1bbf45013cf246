"""Convert pixel values to the features by which they are compared, and back, in blocks to save memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats
from ...engine import Engine
from ..colors import SPACES
from ..images import Features, Picture, full, nobody

_BLOCK = 2**16  # pixels converted at a time


def range_features(picture: Picture, engine: Engine) -> Features:
    """The range features, computed in blocks because a conversion needs ten times the memory of its result."""
    flat, mask, space, precision = picture
    flat = flat if space is None else flat[:, :3]
    values = np.empty(flat.shape[::-1], precision)
    for block in _blocks(len(flat)):
        engine.check()
        came = flat[block]
        values[:, block] = (came if space is None else SPACES[space].there(_shares(came))).T
    seen = values if mask is None else values[:, mask]
    low, high = float(seen.min()), float(seen.max())
    if mask is not None:
        values[:, ~mask] = nobody(values.dtype)
    return Features(values, low, high)


def painted(picture: Picture, modes: Floats, engine: Engine) -> NDArray[Any]:
    """The image with other range features."""
    flat, mask, space, _ = picture
    out, channels = flat.copy(), flat.shape[1] if space is None else 3
    values = modes[:, modes.shape[1] - channels :]
    for block in _blocks(len(flat)):
        engine.check()
        kept = np.arange(block.start, block.stop) if mask is None else block.start + np.flatnonzero(mask[block])
        colors = values[kept] if space is None else SPACES[space].back(values[kept]) * full(flat.dtype)
        out[kept, :channels] = _of_type(colors, flat.dtype)
    return out


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK))


def _shares(colors: NDArray[Any]) -> Floats:
    """Colors as shares of full intensity, in double precision."""
    return np.asarray(colors.astype(np.float64) / full(colors.dtype))


def _of_type(values: Floats, dtype: np.dtype[Any]) -> NDArray[Any]:
    if dtype.kind == "b":
        return values > 0.5
    return (np.rint(values) if dtype.kind in "ui" else values).astype(dtype)
