"""Functions called by name, on the CPU and on a device: `CPU.block(metric, …)`, `cuda.block(metric, …)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wasserstein_transform.cuda.functions import FUNCTIONS, Gpu


class _Functions:
    """The functions for the CPU that a device may have as well; `movement` is that of points."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        for function in FUNCTIONS:
            if function.__name__ == name:
                return function
        raise AttributeError(name)


CPU = _Functions()


class Cuda(Gpu):
    """A device whose versions of functions are attributes."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return self.version_of(getattr(CPU, name))
