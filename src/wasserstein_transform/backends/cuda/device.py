"""What the backend asks of a device: arrays, and kernels that run on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ..._elsewhere import Elsewhere
from ...engine import memory as mem

Array = Any
"""An array of the device: of CuPy, or one that can do the same."""


class OnDevice(Elsewhere):
    """An array of a device, as the rest of the library gets it."""

    def __init__(self, array: Array, device: Device) -> None:
        self.array, self.device = array, device
        self.shape, self.dtype = array.shape, np.dtype(array.dtype)

    def _fetch(self) -> np.ndarray:
        return self.device.fetch(self.array)

    @property
    def is_in_a_row(self) -> bool:
        """Whether it is C-contiguous."""
        return bool(self.array.flags.c_contiguous)

    def bounds(self) -> tuple[list[float], list[float]]:
        """The least and the largest entry of each column."""
        low, high = (self.device.fetch(side(axis=0)).tolist() for side in (self.array.min, self.array.max))
        return low, high

    def min(self, initial: float = np.inf) -> float:
        """The least entry, found on the device."""
        return min(initial, self.array.min().item()) if self.size else initial


def lies_there(values: Any) -> bool:
    """Whether an array is one of a device."""
    return isinstance(values, OnDevice)


class Device(ABC):
    """A device: where arrays lie and kernels run.

    Attributes
    ----------
    name : str
        What errors and logs call it.
    xp : module
        NumPy's functions on arrays of the device.
    shared_bytes : int
        Shared memory that a block may have.
    """

    name: str
    xp: Any
    shared_bytes: int = 232448

    @abstractmethod
    def fetch(self, array: Array) -> np.ndarray:
        """A copy on the host."""

    def fetch_into(self, out: np.ndarray, array: Array) -> None:
        """Copy to an array of the host, perhaps of a file."""
        out[...] = self.fetch(array)

    @abstractmethod
    def free_bytes(self) -> float:
        """Memory that can be taken there."""

    def use(self) -> None:  # noqa: B027  # most are the only one
        """Take the memory of what follows, in this thread, from this device."""

    @abstractmethod
    def wait(self) -> None:
        """Until all that was launched has ended."""

    @abstractmethod
    def launch(
        self, file: str, kernel: str, n_threads: int, args: tuple[Any, ...], *, block: int = 128, shared: int = 0,
        **constants: Any,
    ) -> None:  # fmt: skip
        """Run a kernel of a file in `source` on at least so many threads, in blocks.

        Arguments are arrays of the device, integers (`long long` there) and floats (`double`). `constants` are macros
        that the file is compiled with; `shared` is the shared memory of a block, in bytes.
        """

    def put(self, values: Any) -> Array:
        """An array of the device; what lies there already is not copied."""
        if isinstance(values, OnDevice) and values.device is self:
            return values.array
        return self.xp.asarray(np.ascontiguousarray(values))

    def handed_out(self, array: Array) -> Any:
        """An array of the device as one that comes to the host when it is read."""
        return OnDevice(array, self)

    def fits(self, n_bytes: float) -> bool:
        """Whether so much memory can be taken there."""
        return n_bytes <= self.free_bytes()

    def reserve(self, n_bytes: float, what: str, instead: str) -> None:
        """Refuse what does not fit before it is taken."""
        free = self.free_bytes()
        if n_bytes > free:
            raise MemoryError(
                f"{what} needs {mem.in_words(n_bytes)} on {self.name}, and {mem.in_words(free)} are free there; "
                f"{instead}"
            )
