"""The one decorator of all compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])

# contract: fused multiply-add; never nnan/ninf, kernels rely on inf as "too far"
OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"contract"}, "error_model": "numpy"}


def jit(function: F) -> F:
    """Compile without Python, without the GIL, cached on disk, without reference counts.

    Such a function allocates nothing: the caller owns every array. Counting references to the arrays of a named
    tuple at each inner call made the network simplex 3.5 times slower.
    """
    compiled: F = numba.njit(cache=True, _nrt=False, **OPTIONS)(function)
    return compiled


def jit_allocating(function: F) -> F:
    """The same for functions that make arrays of their own."""
    compiled: F = numba.njit(cache=True, **OPTIONS)(function)
    return compiled
