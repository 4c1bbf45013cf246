"""`PYTHONPATH=tests pytest -p poison` fills new arrays that the package has not written yet with NaN and large numbers.

What `np.empty` returns is often zeros, so code that reads before it writes passes its tests, and fails later. Arrays of
other libraries are left alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numba  # noqa: F401  # knows np.empty by its identity: it must see the original
import numpy as np
import pytest

_PACKAGE = "wasserstein_transform"


def spoiled(make: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """`np.empty` or `np.empty_like` with bad content, if the package calls it."""

    def call(*args: Any, **options: Any) -> np.ndarray:
        array = make(*args, **options)
        if sys._getframe(1).f_globals.get("__name__", "").startswith(_PACKAGE):
            spoil(array)
        return array

    return call


def spoil(array: np.ndarray) -> None:
    """Fill an array with NaN, the lowest integer, or True; of records, every field."""
    for name in array.dtype.names or ():
        spoil(array[name])
    if array.dtype.kind in "fc":
        array[...] = np.nan
    elif array.dtype.kind in "iu":
        lowest, highest = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
        array[...] = lowest or highest
    elif array.dtype.kind == "b":
        array[...] = True


def spoil_new_arrays(patch: pytest.MonkeyPatch) -> None:
    """Replace `np.empty` and `np.empty_like`."""
    for name in ("empty", "empty_like"):
        patch.setattr(np, name, spoiled(getattr(np, name)))


def pytest_sessionstart() -> None:
    spoil_new_arrays(pytest.MonkeyPatch())
