"""Arrays that are not in host memory, such as on a GPU, and are copied to the host on first use."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .._types import cached_property

C = TypeVar("C", bound=type)


class DeviceArray(NDArrayOperatorsMixin):
    """An array outside host memory: its shape is known, and its values are copied to the host once, on first use."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @abstractmethod
    def _fetch(self) -> np.ndarray:
        """Copy the array to the host."""

    def write(self, values: np.ndarray) -> None:
        """Replace all values by those of an array on the host."""
        raise TypeError(f"{self!r} can only be read")

    @cached_property
    def host(self) -> np.ndarray:
        """The array on the host, copied on first use."""
        return self._fetch()

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(np.prod(self.shape))

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of shape {self.shape}, {self.dtype}>"

    def __getitem__(self, key: Any) -> Any:
        return self if isinstance(key, slice) and key == slice(0, None) else self.host[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.host, dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(to_host, inputs), **options)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        return function(*_on_host(inputs), **{name: _on_host(value) for name, value in options.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.host, name)

    def __reduce__(self) -> Any:
        return np.asarray, (self.host,)


def _on_host(value: Any) -> Any:
    """Copy all arrays to the host, also those in nested lists and tuples."""
    if isinstance(value, list | tuple):
        return type(value)(map(_on_host, value))
    return to_host(value)


def to_host(value: Any) -> Any:
    """Copy a `DeviceArray` to the host; return any other value unchanged."""
    return value.host if isinstance(value, DeviceArray) else value


@contextmanager
def host_copy(out: Any) -> Iterator[Any]:
    """An array on the host to be filled: `out` itself, or one that is copied to the device in the end."""
    if not isinstance(out, DeviceArray):
        yield out
        return
    host = np.empty(out.shape, out.dtype)
    yield host
    out.write(host)


def contiguous(values: Any) -> Any:
    """Return a contiguous float64 array, copied if needed; a `DeviceArray` stays where it is."""
    return values if isinstance(values, DeviceArray) else np.ascontiguousarray(values, np.float64)


def on_host(*names: str) -> Callable[[C], C]:
    """Class decorator: the named fields may be `DeviceArray`s, and reading them gives arrays on the host."""

    def decorate(kind: C) -> C:
        for name in names:
            setattr(kind, name, _HostField(name + _SUFFIX))
        return kind

    return decorate


_SUFFIX = " as stored"  # no attribute of a class can have this name


class _HostField:
    """A field that is stored unchanged under another name, and read on the host."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __set__(self, instance: object, value: Any) -> None:
        vars(instance)[self._name] = value

    def __get__(self, instance: object | None, owner: type) -> Any:
        return self if instance is None else to_host(vars(instance)[self._name])


def stored_array(instance: object, name: str) -> Any:
    """The array of such a field without a copy: on the host, or a `DeviceArray`."""
    return vars(instance)[name + _SUFFIX]
