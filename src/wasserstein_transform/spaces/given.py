"""Points as they are given: arrays and lists on the host, arrays of a GPU."""

from __future__ import annotations

from typing import Any

from .. import _check as check
from .._types import Floats
from ..backends import on_gpu


def as_points(values: Any) -> Floats:
    """An n × m array of coordinates, a copy: on the host, or where they lie on a GPU."""
    there = on_gpu(values)
    if there is None:
        return check.points(values)
    check.shape_of_points(there.shape)
    low, high = there.bounds()
    if not all(map(_is_finite, (*low, *high))):
        raise ValueError("points must be finite, and some of these, on a GPU, are NaN or infinite")
    largest = max(*map(abs, low), *map(abs, high))
    check.extent(largest, max(b - a for a, b in zip(low, high, strict=True)))
    points: Any = there
    return points  # type: ignore[no-any-return]


def _is_finite(number: float) -> bool:
    return abs(number) < float("inf")
