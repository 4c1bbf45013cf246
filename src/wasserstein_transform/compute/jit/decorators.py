"""The decorators of all compiled functions."""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import numba
from numba.core import config as numba_config, event as numba_event, options as numba_options
from numba.extending import overload

from .cache import warn_uncached

F = TypeVar("F", bound=Callable[..., Any])
OnCompile = Callable[[str, float | None], None]

# contract: fused multiply-add; never nnan/ninf, kernels rely on inf as "too far"
OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"contract"}, "error_model": "numpy"}
TESTED = ((0, 61), (0, 68))  # the first and the last tested version of Numba

_LOG = logging.getLogger("wasserstein_transform")
_njit: Any = numba.njit  # its type stubs do not allow a dictionary of options
_event: Any = numba_event  # not in the type stubs
_config: Any = numba_config


def _find_private() -> Any:
    """The module that uses private parts of Numba; None for untested versions; `WT_NUMBA` (public, private) decides."""
    choice = os.environ.get("WT_NUMBA")
    if choice == "public":
        return None
    if choice == "private" or TESTED[0] <= tuple(map(int, numba.__version__.split(".")[:2])) <= TESTED[1]:
        from . import numba_private  # noqa: PLC0415 - other versions may lack what it imports

        return numba_private
    first, last = (".".join(map(str, version)) for version in TESTED)
    warnings.warn(
        f"numba {numba.__version__} is none of the tested versions {first} to {last}: results are the same, but first "
        f'calls compile for two or three minutes; pip install "numba>={first},<={last}.99"',
        stacklevel=2,
    )
    return None


JIT_DISABLED = bool(_config.DISABLE_JIT)
PRIVATE = None if JIT_DISABLED else _find_private()
# without reference counts; the option has no public name, and without it exact transport takes three times as long
_UNCOUNTED: dict[str, Any] = {"_nrt": False} if hasattr(numba_options.DefaultOptions, "_nrt") else {}


def _compiled(function: F, **options: Any) -> F:
    """Compile with a disk cache keyed by the sources; with Numba's own cache per file if its internals are unknown."""
    if JIT_DISABLED:
        return function
    if PRIVATE is not None:
        return cast(F, PRIVATE.Kernel(function, options))
    try:
        return cast(F, _njit(cache=True, **options)(function))
    except RuntimeError as error:
        if "cannot cache function" not in str(error):
            raise
        warn_uncached()
        return cast(F, _njit(**options)(function))


def jit(function: F) -> F:
    """Compile in nopython mode, without the GIL, with a disk cache, without reference counts.

    Such a function allocates nothing: the caller owns every array. Reference counts of the arrays of named tuples at
    each inner call made the network simplex 3.5 times slower.
    """
    return _compiled(function, **OPTIONS, **_UNCOUNTED)


def jit_strict(function: F) -> F:
    """The same without fused multiply-adds, which may be placed differently in a loop and in a single call."""
    return _compiled(function, **{**OPTIONS, "fastmath": False}, **_UNCOUNTED)


def jit_summing(function: F) -> F:
    """The same for loops whose sums may be reordered for vectorization, always in the same way."""
    return _compiled(function, **{**OPTIONS, "fastmath": {"contract", "reassoc"}}, **_UNCOUNTED)


def jit_inline(function: F) -> F:
    """The same for long formulas, always inlined into the calling loop, which is not vectorized otherwise."""
    return _compiled(function, **OPTIONS, forceinline=True, **_UNCOUNTED)


def jit_inline_strict(function: F) -> F:
    """Always inlined, without fused multiply-adds."""
    return _compiled(function, **{**OPTIONS, "fastmath": False}, forceinline=True, **_UNCOUNTED)


def compiled_as(question: Callable[..., Any]) -> Callable[[F], F]:
    """Register an implementation for compiled code: the decorated function selects it by the types of the arguments."""
    options = dict(OPTIONS)
    if PRIVATE is not None:
        options |= {"pipeline_class": PRIVATE.PartCompiler, "no_cfunc_wrapper": True}
    return cast(Callable[[F], F], overload(question, jit_options=cast(Any, options), strict=False))


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The Python function of a compiled one, as `compiled_as` needs it."""
    return cast(Callable[..., Any], getattr(function, "py_func", function))


class _Listener(numba_event.Listener):
    """Receives compilation events of all threads, one at a time, because Numba has a global lock."""

    def __init__(self) -> None:
        self.callbacks: list[OnCompile] = []
        self.depth = 0
        self.since = 0.0
        self.said = False

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth > 1 or not _is_ours(event):
            return
        name = event.data["dispatcher"].py_func.__name__
        self.since = time.perf_counter()
        _LOG.log(logging.DEBUG if self.said else logging.INFO, "compiling %s, once; `wt warmup` does it ahead", name)
        self.said = True
        self.tell(name, None)

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth > 0 or not _is_ours(event):
            return
        self.tell(event.data["dispatcher"].py_func.__name__, time.perf_counter() - self.since)

    def tell(self, name: str, seconds: float | None) -> None:
        for callback in tuple(self.callbacks):
            callback(name, seconds)


def _is_ours(event: Any) -> bool:
    return str(event.data["dispatcher"].py_func.__module__).startswith(__name__.rpartition(".jit.")[0])


_LISTENER = _Listener()
_event.register("numba:compile", _LISTENER)


def on_compile(callback: OnCompile) -> Callable[[], None]:
    """Call a function before a kernel is compiled, with its name and None, and after it, with the seconds it took.

    It is not called for kernels loaded from disk. It runs in the compiling thread while others wait, so it must be fast
    and must not raise. Returns a function that unregisters it.
    """
    _LISTENER.callbacks.append(callback)

    def end() -> None:
        with suppress(ValueError):
            _LISTENER.callbacks.remove(callback)

    return end
