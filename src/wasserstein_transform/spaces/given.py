"""Check points given as arrays or lists on the host, or as arrays on a GPU."""

from __future__ import annotations

from typing import Any

from .. import _check as check
from .._types import Floats
from ..backends import on_gpu


def as_points(values: Any) -> Floats:
    """Return a checked copy of the coordinates, shape (n, m), on the host or on the GPU they are on."""
    there = on_gpu(values)
    if there is None:
        return check.points(values)
    check.shape_of_points(there.shape)
    low, high = there.bounds()
    if not all(map(_is_finite, (*low, *high))):
        raise ValueError("points must be finite, but some of these, on a GPU, are NaN or infinite; drop or fill them")
    largest = max(*map(abs, low), *map(abs, high))
    check.extent(largest, max(b - a for a, b in zip(low, high, strict=True)))
    points: Any = there
    return points  # type: ignore[no-any-return]


def _is_finite(number: float) -> bool:
    return abs(number) < float("inf")
