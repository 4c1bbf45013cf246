"""The interface of a device: arrays, and kernels that run on them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..compute.neighbors.moments_jit import PROFILES
from ..engine import DeviceArray, Engine, memory as mem

Array = Any
"""An array of the device: of CuPy, or one that can do the same."""


class GpuArray(DeviceArray):
    """An array on a GPU, as it is passed to the rest of the library."""

    def __init__(self, array: Array, device: Device) -> None:
        self.array, self.device = array, device
        self.shape, self.dtype = array.shape, np.dtype(array.dtype)

    def _fetch(self) -> np.ndarray:
        return self.device.fetch(self.array)

    def write(self, values: np.ndarray) -> None:
        vars(self).pop("host", None)
        self.array[...] = self.device.put(values)

    @property
    def is_in_a_row(self) -> bool:
        """Whether it is C-contiguous."""
        return bool(self.array.flags.c_contiguous)

    def bounds(self) -> tuple[list[float], list[float]]:
        """The smallest and the largest entry of each column."""
        low, high = (self.device.fetch(side(axis=0)).tolist() for side in (self.array.min, self.array.max))
        return low, high

    def min(self, initial: float = np.inf) -> float:
        """The smallest entry, computed on the device."""
        return min(initial, self.array.min().item()) if self.size else initial


def is_on_device(values: Any) -> bool:
    """Whether an array is on a device."""
    return isinstance(values, GpuArray)


class Device(ABC):
    """A device that holds arrays and runs kernels.

    Attributes
    ----------
    name : str
        Name in errors and logs.
    xp : module
        NumPy's functions for arrays on the device.
    shared_bytes : int
        Largest shared memory of a block in bytes.
    """

    name: str
    xp: Any
    shared_bytes: int = 232448

    @abstractmethod
    def fetch(self, array: Array) -> np.ndarray:
        """A copy on the host."""

    def fetch_into(self, out: np.ndarray, array: Array) -> None:
        """Copy to an array on the host, which may be a memory-mapped file."""
        out[...] = self.fetch(array)

    @abstractmethod
    def free_bytes(self) -> float:
        """Free memory on the device."""

    def use(self) -> None:  # noqa: B027  # most machines have only one
        """Make this device the current one of this thread, for later allocations."""

    @abstractmethod
    def wait(self) -> None:
        """Wait until all launched kernels have ended."""

    @abstractmethod
    def launch(
        self, file: str, kernel: str, n_threads: int, args: tuple[Any, ...], *, block: int = 128, shared: int = 0,
        **constants: Any,
    ) -> None:  # fmt: skip
        """Run a kernel of a file in `source` with at least `n_threads` threads, in blocks.

        Arguments are arrays on the device, integers (`long long` in CUDA) and floats (`double`). `constants` are macros
        for compiling the file; `shared` is the shared memory of a block in bytes.
        """

    def put(self, values: Any) -> Array:
        """An array on the device; one that is there already is not copied."""
        if isinstance(values, GpuArray) and values.device is self:
            return values.array
        return self.xp.asarray(np.ascontiguousarray(values))

    def wrap(self, array: Array) -> Any:
        """Wrap an array on the device; it is copied to the host when it is read."""
        return GpuArray(array, self)

    def fits(self, n_bytes: float) -> bool:
        """Whether this much memory is free on the device."""
        return n_bytes <= self.free_bytes()

    def reserve(self, n_bytes: float, what: str, instead: str) -> None:
        """Raise a MemoryError before memory is taken that does not fit."""
        free = self.free_bytes()
        if n_bytes > free:
            raise MemoryError(
                f"{what} needs {mem.in_words(n_bytes)} on {self.name}, and {mem.in_words(free)} are free there; "
                f"{instead}"
            )


FOLDER = Path(__file__).parent / "source"
OPTIONS = ("--std=c++17", "--fmad=false")
"""Of NVIDIA's compilers. Sums and products are rounded one by one, as on the CPU; together where sources say fma."""
_INCLUDE = re.compile(r'^#include "([\w./]+)"\n', re.MULTILINE)


@cache
def source_of(file: str) -> str:
    """The text of a file, with included files inserted once; "profiles.h" has the codes of the kernel profiles."""
    included = set[str]()

    def text(name: str) -> str:
        if name in included:
            return ""
        included.add(name)
        if name == "profiles.h":
            return "".join(f"#define {profile.upper()} {PROFILES[profile].code}\n" for profile in PROFILES)
        return _INCLUDE.sub(lambda include: text(include[1]), (FOLDER / name).read_text(encoding="utf-8"))

    return text(file)


def iterate_slices(total: int, size: int, stage: str, device: Device, engine: Engine) -> Iterator[slice]:
    """Slices of 0…total of this size; each piece has ended before the next one begins."""
    with engine.progress_scope() as watched:
        for start in range(0, total, size):
            watched.check()
            yield slice(start, min(start + size, total))
            if total > size:
                device.wait()
                watched.report(stage, min(start + size, total), total)
