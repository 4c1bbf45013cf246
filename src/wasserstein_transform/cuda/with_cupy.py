"""A GPU used through CuPy; the only module that imports CuPy."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from .device import OPTIONS, Array, Device, source_of

_INSTALL = 'pip install "wasserstein-transform[cuda12]" or "[cuda13]", by the driver, brings it'


class CupyDevice(Device):
    """One GPU of this machine."""

    def __init__(self, number: int) -> None:
        import cupy  # noqa: PLC0415  # needed only if a GPU is used

        self.xp: Any = cupy
        self._number = number
        about = cupy.cuda.runtime.getDeviceProperties(number)
        self.name = f"GPU {number} ({about['name'].decode()})"
        self.shared_bytes = int(about["sharedMemPerBlockOptin"])

    def __reduce__(self) -> tuple[Any, ...]:
        return gpu, (self._number,)

    def fetch(self, array: Array) -> np.ndarray:
        return np.asarray(self.xp.asnumpy(array))

    def fetch_into(self, out: np.ndarray, array: Array) -> None:
        in_rows = out.flags.c_contiguous and array.flags.c_contiguous
        if not in_rows or out.dtype != array.dtype or isinstance(out, np.memmap):
            out[...] = self.xp.asnumpy(array)
        else:
            array.get(out=out)

    def free_bytes(self) -> float:
        free, _ = self.xp.cuda.runtime.memGetInfo()
        return float(free + self.xp.get_default_memory_pool().free_bytes())

    def use(self) -> None:
        self.xp.cuda.Device(self._number).use()

    def wait(self) -> None:
        self.xp.cuda.get_current_stream().synchronize()

    def launch(
        self, file: str, kernel: str, n_threads: int, args: tuple[Any, ...], *, block: int = 128, shared: int = 0,
        **constants: Any,
    ) -> None:  # fmt: skip
        if n_threads == 0:
            return
        function = self._kernel(file, kernel, tuple(sorted(constants.items())))
        function((-(-n_threads // block),), (block,), tuple(map(_argument, args)), shared_mem=shared)

    @cache  # noqa: B019  # there is one object per GPU, which is never freed
    def _kernel(self, file: str, kernel: str, constants: tuple[tuple[str, Any], ...]) -> Any:
        function = self._module(file, constants).get_function(kernel)
        # more than 48 KB must be requested: all that remains besides the static shared memory of the kernel
        function.max_dynamic_shared_size_bytes = self.shared_bytes - function.shared_size_bytes
        return function

    @cache  # noqa: B019
    def _module(self, file: str, constants: tuple[tuple[str, Any], ...]) -> Any:
        options = (*OPTIONS, *(f"-D{name}={value}" for name, value in constants))
        return self.xp.RawModule(code=source_of(file), options=options)


def _argument(value: Any) -> Any:
    if isinstance(value, bool | int | np.integer):
        return np.int64(value)
    return np.float64(value) if isinstance(value, float) else value


def as_cupy(values: Any) -> tuple[Array, CupyDevice]:
    """A GPU array of another library as an array of CuPy, and its GPU."""
    _check_cupy("an array on a GPU")
    import cupy  # noqa: PLC0415

    array = cupy.asarray(values)
    return array, gpu(int(array.device.id))


def _check_cupy(what: str) -> None:
    if find_spec("cupy") is None:
        raise ImportError(f"{what} needs CuPy; {_INSTALL}")


@cache
def gpu(number: int) -> CupyDevice:
    """The GPU with this number; raises a one-line error if there is none."""
    _check_cupy("device='cuda'")
    try:
        import cupy  # noqa: PLC0415

        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # drivers, runtimes and CuPy raise different exceptions
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise RuntimeError(f"device='cuda' finds no GPU that can be used ({reason}); use device='cpu'") from None
    if number >= count:
        raise ValueError(f"device='cuda:{number}' was requested, but there are {count} GPUs, counted from 0")
    return CupyDevice(number)
