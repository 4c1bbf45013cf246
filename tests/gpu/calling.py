"""Functions called by name, on the CPU and on a device: `CPU.block(metric, …)`, `cuda.block(metric, …)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wasserstein_transform.compute import (
    colors,
    distances,
    exact,
    line,
    nearby,
    neighborhoods,
    pixels,
    trees,
)
from wasserstein_transform.cuda.functions import FUNCTIONS, Gpu

_MODULES = colors, distances, exact, line, nearby, neighborhoods, pixels, trees


class _Functions:
    """The functions for the CPU that have a name in FUNCTIONS."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in FUNCTIONS:
            raise AttributeError(name)
        (found,) = {id(f): f for f in (getattr(module, name, None) for module in _MODULES) if callable(f)}.values()
        return found


CPU = _Functions()


class Cuda(Gpu):
    """A device whose versions of functions are attributes."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return self.version_of(getattr(CPU, name))
