"""Keys of cells on the device, row by row, so that adjacent cells of a row have consecutive keys.

As on the CPU, empty intervals along an axis are shortened to just out of reach if keys would not fit otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ..frame import Frame
from .device import Array, Device

_MOST = 2.0**62  # keys are 64-bit integers


class Keys(NamedTuple):
    """The key of the cell of each point, and the strides of keys along each axis."""

    values: Array
    strides: Ints

    @property
    def kind(self) -> str:
        """Name of the type in kernels."""
        return "int" if self.values.dtype == np.int32 else "Index"


def keys_of(places: Array, frame: Frame, low: Floats, high: Floats, device: Device) -> Keys:
    """Keys of points between these corners."""
    axes = list(frame.axes)
    if frame.side > 0:
        first, last = (np.floor((edge[axes] - np.array(frame.origin)) / frame.side) for edge in (low, high))
        shape = last - first + 2 * frame.per_reach + 1
        if np.prod(shape) <= _MOST:
            return _plain(places, frame, first, shape, device)
    numbers = _compressed(places, frame, device.xp)
    strides = _strides(_sizes(numbers, frame))
    return Keys(sum(along * stride for along, stride in zip(numbers, strides.tolist(), strict=True)), strides)


def cells_along(places: Array, frame: Frame, device: Device) -> Floats:
    """Numbers of cells along each axis, with shortened empty intervals."""
    return _sizes(_compressed(places, frame, device.xp), frame)


def _plain(places: Array, frame: Frame, first: Floats, shape: Floats, device: Device) -> Keys:
    """Keys that count all cells from `first` on."""
    strides = _strides(shape)
    # 32-bit keys are sorted in half the time
    values = device.xp.empty(len(places), np.int32 if np.prod(shape) < 2**31 else np.int64)
    keys = Keys(values, strides)
    cuts = list(zip(frame.axes, map(float, frame.origin), first.tolist(), strides.tolist(), strict=True))
    cuts += [(0, 0.0, 0.0, 0)] * (3 - len(cuts))
    args = places, *places.shape, float(frame.side), frame.per_reach, *(part for cut in cuts for part in cut), values
    device.launch("cells.cu", "find_keys", len(places), args, KEY=keys.kind)
    return keys


def _compressed(places: Array, frame: Frame, xp: Any) -> list[Array]:
    """The number of the cell of each point along each axis, with empty intervals shortened to just out of reach."""
    found, far = [], frame.per_reach + 1
    for axis, origin in zip(frame.axes, frame.origin, strict=True):
        along = places[:, axis]
        steps = xp.floor((along - origin) / frame.side) if frame.side > 0 else along + 0.0
        rising = xp.sort(steps)
        gaps = rising[1:] - rising[:-1]
        numbers = xp.zeros(len(rising), np.int64)
        numbers[1:] = (xp.minimum(gaps, far) if frame.side > 0 else xp.where(gaps > 0, far, 0)).astype(np.int64)
        found.append(xp.cumsum(numbers)[xp.searchsorted(rising, steps)] + frame.per_reach)
    return found


def _sizes(numbers: list[Array], frame: Frame) -> Floats:
    """The number of cell numbers along each axis, including a margin after the last."""
    return np.array([float(along.max().item()) + frame.per_reach + 1 for along in numbers])


def _strides(shape: Floats) -> Ints:
    return np.append(np.cumprod(shape[:0:-1].astype(np.int64))[::-1], 1).astype(np.int64)
