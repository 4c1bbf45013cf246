"""The decorators of all compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

# contract: fused multiply-add; never nnan/ninf, kernels rely on inf as "too far"
OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"contract"}, "error_model": "numpy"}

_njit: Any = numba.njit  # its stubs know neither `_nrt` nor a dictionary of options


def jit(function: F) -> F:
    """Compile without Python, without the GIL, cached on disk, without reference counts.

    Such a function allocates nothing: the caller owns every array. Counting references to the arrays of a named
    tuple at each inner call made the network simplex 3.5 times slower.
    """
    return cast(F, _njit(cache=True, _nrt=False, **OPTIONS)(function))


def jit_strict(function: F) -> F:
    """The same without fused multiply-adds, which a loop and a single call may place differently."""
    return cast(F, _njit(cache=True, _nrt=False, **{**OPTIONS, "fastmath": False})(function))


def jit_summing(function: F) -> F:
    """The same for loops whose sums may be taken in any order: several terms at a time, always the same way."""
    options = {**OPTIONS, "fastmath": {"contract", "reassoc"}}
    return cast(F, _njit(cache=True, _nrt=False, **options)(function))


def jit_allocating(function: F) -> F:
    """The same for functions that make arrays of their own."""
    return cast(F, _njit(cache=True, **OPTIONS)(function))
