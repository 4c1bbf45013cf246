"""Computing on a GPU: functions in place of those for the CPU. `functions.py` is the table of them.

Nothing of it is imported as long as no GPU is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from .._check import shown
from ..engine import Engine

if TYPE_CHECKING:
    from .device import GpuArray
    from .functions import Gpu

_NAME = re.compile(r"cuda(?::(\d+))?")

P = ParamSpec("P")
R = TypeVar("R")


def on(engine: Engine, function: Callable[P, R]) -> Callable[P, R]:
    """The version of a function for the engine's device: on the CPU, the function itself."""
    if engine.device == "cpu":
        return function
    version: Callable[P, R] = device_of(engine).version_of(function)
    return version


def device_of(engine: Engine) -> Any:
    """The device of an engine that does not compute on the CPU; it has `name`, `n_cores` and `version_of(function)`."""
    device = engine.device
    if hasattr(device, "version_of"):
        return device
    gpu = _gpu(device) if isinstance(device, str) else None
    if gpu is None:
        raise ValueError(f"device must be 'cpu', 'cuda' or 'cuda:1', got {shown(device)}")
    gpu.device.use()
    return gpu


@cache
def _gpu(name: str) -> Gpu | None:
    number = _NAME.fullmatch(name)
    if number is None:
        return None
    from .functions import Gpu  # noqa: PLC0415  # imported only if a GPU is used
    from .with_cupy import gpu  # noqa: PLC0415

    return Gpu(gpu(int(number[1] or 0)))


def device_name(engine: Engine) -> str:
    """What computes: "cpu" or "cuda"."""
    return "cpu" if engine.device == "cpu" else str(device_of(engine).name)


def n_cores(engine: Engine) -> float:
    """Approximate speed of an engine in CPU cores, for estimates of running time."""
    return engine.n_threads if engine.device == "cpu" else float(device_of(engine).n_cores)


def on_gpu(values: Any, copy: bool = True) -> GpuArray | None:
    """An array on a GPU, copied to contiguous float64 unless copy=False; None if `values` is not on a GPU."""
    if not hasattr(values, "__cuda_array_interface__") and type(values).__name__ != "GpuArray":
        return None
    from .device import GpuArray  # noqa: PLC0415
    from .with_cupy import as_cupy  # noqa: PLC0415  # raises a clear error without CuPy

    if isinstance(values, GpuArray):
        return values
    array, device = as_cupy(values)
    return GpuArray(device.xp.array(array, "float64", order="C") if copy else array, device)
