"""The decorators of all compiled functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

# contract: fused multiply-add; never nnan/ninf, kernels rely on inf as "too far"
OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"contract"}, "error_model": "numpy"}

_njit: Any = numba.njit  # its stubs know neither `_nrt` nor a dictionary of options


def _compiled(function: F, **options: Any) -> F:
    """Cached on disk; where nothing can be written, compiled anew in every process, and said so once."""
    try:
        return cast(F, _njit(cache=True, **options)(function))
    except RuntimeError as error:
        if "cannot cache function" not in str(error):
            raise
        _warn_uncached()
        return cast(F, _njit(**options)(function))


@cache
def _warn_uncached() -> None:
    warnings.warn(
        "compiled code cannot be kept beside the package, which is read-only: it is compiled again in every process, "
        "which "
        "takes a minute or two; set NUMBA_CACHE_DIR to a folder that can be written",
        stacklevel=2,
    )


def jit(function: F) -> F:
    """Compile without Python, without the GIL, cached on disk, without reference counts.

    Such a function allocates nothing: the caller owns every array. Counting references to the arrays of a named
    tuple at each inner call made the network simplex 3.5 times slower.
    """
    return _compiled(function, _nrt=False, **OPTIONS)


def jit_strict(function: F) -> F:
    """The same without fused multiply-adds, which a loop and a single call may place differently."""
    return _compiled(function, _nrt=False, **{**OPTIONS, "fastmath": False})


def jit_summing(function: F) -> F:
    """The same for loops whose sums may be taken in any order: several terms at a time, always the same way."""
    options = {**OPTIONS, "fastmath": {"contract", "reassoc"}}
    return _compiled(function, _nrt=False, **options)


def jit_allocating(function: F) -> F:
    """The same for functions that make arrays of their own."""
    return _compiled(function, **OPTIONS)
