"""Arrays of the emulated device: as strict as CuPy's about who they are mixed with, and never zero by luck."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

_FROM_HOST = {"asarray", "array", "ascontiguousarray"}
_UNFILLED = {"empty", "empty_like"}
_SHAPELESS = np.ndarray | np.generic


class OnEmulated(np.ndarray):
    """An array of the device. All that is computed of it is one, single numbers too; arrays of the host are refused."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        given = {} if out is None else {"out": tuple(map(_plain, out))}
        result = getattr(ufunc, method)(*map(_plain, inputs), **given, **{k: _plain(v) for k, v in options.items()})
        return _there(result) if out is None else out[0] if len(out) == 1 else out

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return _there(function(*_plain(args), **{name: _plain(value) for name, value in options.items()}))

    def __getitem__(self, key: Any) -> Any:
        return _there(super().__getitem__(key))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    if isinstance(value, OnEmulated):
        return value.view(np.ndarray)
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("an array of the host among arrays of the device")
    return value


def _there(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_there, value)) if type(value) in (list, tuple) else type(value)(*map(_there, value))
    return np.asarray(value).view(OnEmulated) if isinstance(value, _SHAPELESS) else value


class functions:  # noqa: N801  # stands where a module would
    """The functions of a module, for arrays of the device; memory that nobody filled holds garbage."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            return functions(found)
        return found if isinstance(found, type) or not callable(found) else self._there(name, found)

    def _there(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **options: Any) -> Any:
            if name in _FROM_HOST and not isinstance(args[0], OnEmulated):
                return _there(np.array(function(*args, **options)))  # a device has its own memory
            result = _there(function(*_plain(args), **{key: _plain(value) for key, value in options.items()}))
            if name in _UNFILLED:
                result.view(np.ndarray).reshape(-1).view(np.uint8)[...] = 1 if result.dtype == np.bool_ else 0xAB
            return result

        return called


@contextmanager
def guarded(args: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Arguments of a kernel with each array in memory of its own, right before a page that nobody may touch."""
    bases = {_base(value).ctypes.data: _base(value) for value in args if isinstance(value, np.ndarray)}
    pages = {at: _Pages(base) for at, base in bases.items()}
    yield tuple(
        pages[_base(value).ctypes.data].place(value) if isinstance(value, np.ndarray) else value for value in args
    )
    for at, base in bases.items():
        pages[at].take_back(base)


def _base(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.view(np.ndarray)


class _Pages:
    """A copy of an array that ends, to 16 bytes, where its memory does."""

    def __init__(self, base: np.ndarray) -> None:
        page, size = mmap.PAGESIZE, -(-base.nbytes // 16) * 16
        n_bytes = -(-max(size, 1) // page) * page
        self._memory = mmap.mmap(-1, n_bytes + page)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        assert libc.mprotect(start + n_bytes, page, 0) == 0
        self._at, self._from = start + n_bytes - size, base.ctypes.data
        ctypes.memmove(self._at, self._from, base.nbytes)

    def place(self, array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(self._at + array.ctypes.data - self._from)

    def take_back(self, base: np.ndarray) -> None:
        ctypes.memmove(base.ctypes.data, self._at, base.nbytes)
