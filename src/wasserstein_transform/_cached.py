"""Attributes that are computed when first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801 as functools calls it
    """Like that of functools, without a lock: Python 3.11 has one for all instances of a class.

    A process that is forked while another thread computes would wait for it forever. Threads that ask at once may
    compute twice; all get what was kept first.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__
        self._name = compute.__name__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        found: T = vars(instance).setdefault(self._name, self._compute(instance))
        return found
