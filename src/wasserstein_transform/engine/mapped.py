"""Arrays in memory-mapped files."""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np

from .._files import Draft, PathLike

_BLOCK_BYTES = 1 << 20  # bytes written at a time if the system cannot allocate a file


def write_mapped(path: PathLike, dtype: Any, shape: tuple[int, ...], fill: Callable[[Any], None], what: str) -> Any:
    """Let `fill` write an array to a `.npy` file through a memory map, and return it mapped for reading.

    The disk space is allocated first, since a disk that gets full under a map would kill the process. The returned
    array is the one that was filled here, even if another process wrote a file of that name in the meantime.
    """
    with Draft(path) as draft:
        if draft.is_stream:
            raise OSError(errno.EINVAL, f"{what} needs a file that can be mapped, but {path} is a device or a pipe")
        fields = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(draft.stream, fields)
        begin = draft.stream.tell()
        _allocate(draft.stream, begin + _size(dtype, shape), draft.target.parent, what)
        array: Any = np.memmap(draft.stream, dtype, "r+", begin, shape)
        fill(array)
        array.flush()
        del array
        with draft.publish() as stream:
            mapped: Any = np.memmap(stream, dtype, "r", begin, shape)
        mapped.filename = draft.target
        return mapped


def _size(dtype: Any, shape: tuple[int, ...]) -> int:
    return int(dtype.itemsize * int(np.prod(shape, dtype=object)))


def read_map(path: Path) -> np.ndarray:
    """Map a `.npy` file for reading; raise a ValueError for any other file."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # NumPy parses headers as Python, which may raise anything
        raise ValueError(
            f"{path} is not a .npy file of numbers, or it is cut off or damaged ({error!s:.200}); download it again"
        ) from None
    if not isinstance(array, np.ndarray):
        array.close()
        raise ValueError(f"{path} is not a .npy file of numbers but an archive; save one array with np.save")
    return array


def scratch_map(folder: Path, dtype: Any, shape: tuple[int, ...], what: str) -> Any:
    """Make an array of zeros in a temporary file without a name; the file is removed with the array."""
    dtype = np.dtype(dtype)
    with tempfile.TemporaryFile(dir=folder) as stream:
        _allocate(stream, max(_size(dtype, shape), 1), folder, what)
        return np.asarray(np.memmap(stream, dtype, "r+", 0, shape))


def is_mapped(array: np.ndarray) -> bool:
    """Whether an array is in a memory-mapped file."""
    base: Any = array
    while base is not None:
        if isinstance(base, np.memmap | mmap.mmap):
            return True
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return False


class _Writable:
    """Exposes a read-only array as writable, and keeps it alive."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def as_writable(array: np.ndarray) -> np.ndarray:
    """Return the same array marked as writable, for compiled loops that only read it.

    Compiled code for read-only arrays would be a second version. Writing to the result of a read-only file kills the
    process.
    """
    return array if array.flags.writeable else np.asarray(_Writable(array))


def _allocate(stream: IO[bytes], n_bytes: int, folder: Path, what: str) -> None:
    """Allocate disk space for a file, or raise an error."""
    stream.flush()
    free = shutil.disk_usage(folder).free
    try:
        if n_bytes > free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        _fill_space(stream, n_bytes)
    except OSError as error:
        said = f"{what} needs {n_bytes:.3g} bytes on disk, and {free:.3g} are free in {folder} ({error.strerror})"
        raise OSError(error.errno, f"{said}; choose a file in another folder") from None


def _fill_space(stream: IO[bytes], n_bytes: int) -> None:
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(stream.fileno(), 0, n_bytes)
            return
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # not supported by the file system
                raise
    left = n_bytes - stream.seek(0, os.SEEK_END)
    while left > 0:
        left -= stream.write(bytes(min(left, _BLOCK_BYTES)))
    stream.flush()
