"""Arrays in files that are filled through memory."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np

from ._files import Draft, PathLike

_ZEROS = 1 << 20  # bytes written at a time where room cannot be asked for


def write_mapped(path: PathLike, dtype: Any, shape: tuple[int, ...], fill: Callable[[Any], None], what: str) -> Any:
    """An array in a file of NumPy's format, written by `fill` through memory, and mapped for reading.

    All of its room on the disk is taken before: a disk that fills up under a map would end the process. The array is
    what was filled here, whoever else wrote a file of that name meanwhile.
    """
    with Draft(path) as draft:
        if draft.is_stream:
            raise OSError(errno.EINVAL, f"{what} must go to a file, which is mapped; {path} is a device or a pipe")
        header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(draft.stream, header)
        begin = draft.stream.tell()
        _allocate(draft.stream, begin + dtype.itemsize * int(np.prod(shape, dtype=object)), draft.target.parent, what)
        array = np.memmap(draft.stream, dtype, "r+", begin, shape)
        fill(array)
        array.flush()
        del array
        with draft.publish() as stream:
            found: Any = np.memmap(stream, dtype, "r", begin, shape)
        found.filename = draft.target
        return found


def _allocate(stream: IO[bytes], n_bytes: int, folder: Path, what: str) -> None:
    """Take room for a file of that size, or say that there is none."""
    stream.flush()
    free = shutil.disk_usage(folder).free
    try:
        if n_bytes > free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        _take(stream, n_bytes)
    except OSError as error:
        said = f"{what} needs {n_bytes:.3g} bytes on disk, and {free:.3g} are free in {folder} ({error.strerror})"
        raise OSError(error.errno, f"{said}; give a file in another folder") from None


def _take(stream: IO[bytes], n_bytes: int) -> None:
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(stream.fileno(), 0, n_bytes)
            return
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # a file system that knows no such thing
                raise
    left = n_bytes - stream.seek(0, os.SEEK_END)
    while left > 0:
        left -= stream.write(bytes(min(left, _ZEROS)))
    stream.flush()
