"""Read arrays from a file of `np.savez` safely, even if it is damaged or malicious."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Callable
from functools import partial
from math import prod
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

_READERS: dict[tuple[int, int], Any] = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}

_SIDES = 8  # numbers of a shape in messages
_LONGEST = 200  # characters of other messages in ours


class DamagedError(ValueError):
    """A file that is damaged or not of the expected format."""


def read_arrays(path: str | os.PathLike[str], room: Callable[[float], None]) -> dict[str, np.ndarray]:
    """Read all arrays of a file, by name. They take no more memory than the file has bytes.

    `room` is called with the size first and may raise an error. A damaged file raises `DamagedError`, a missing file
    OSError.
    """
    with open(path, "rb") as stream:  # noqa: PTH123 the path may be a string
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise DamagedError("it is a device or a pipe")
        members = _tried(partial(zipfile.ZipFile, stream))
        with members:
            listed = members.infolist()
            room(float(sum(member.file_size for member in listed)))
            _check_members(listed, os.fstat(stream.fileno()).st_size)
            return dict(_tried(partial(_named, members, member)) for member in listed)


def _tried(read: Callable[[], Any]) -> Any:
    """Turn any exception of a reader, which damaged files can cause, into a DamagedError."""
    try:
        return read()
    except DamagedError:
        raise
    except Exception as error:
        words = str(error)[:_LONGEST]
        raise DamagedError(f"{type(error).__name__}: {words}" if words else type(error).__name__) from None


def _check_members(listed: list[zipfile.ZipInfo], n_bytes: int) -> None:
    """Reject compressed and repeated members, since a small file could then fill the memory."""
    if any(member.compress_type != zipfile.ZIP_STORED for member in listed):
        raise DamagedError("it is compressed, but save() does not compress")
    if len({member.filename for member in listed}) < len(listed):
        raise DamagedError("it holds two arrays with the same name")
    if sum(member.file_size for member in listed) > n_bytes:
        raise DamagedError(f"it announces more than its {n_bytes} bytes")


def _named(members: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[str, np.ndarray]:
    with members.open(member) as stream:
        _check_header(stream, member.file_size)
    with members.open(member) as stream:
        return member.filename.removesuffix(".npy"), np.asarray(npy.read_array(stream, allow_pickle=False))


def _check_header(stream: IO[bytes], n_bytes: int) -> None:
    """Check that the size in the header is the size of the data, since NumPy allocates memory by the header."""
    shape, dtype = read_header(stream)
    if dtype.hasobject:
        raise DamagedError("it holds Python objects")
    if min(shape, default=0) < 0 or prod(shape) * dtype.itemsize != n_bytes - stream.tell():
        raise DamagedError(
            f"it announces an array of shape {in_few(shape)} and has {n_bytes - stream.tell()} bytes for it"
        )


def read_header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Read the shape and type of an array from its header in NumPy format."""
    reader = _READERS.get(_tried(partial(npy.read_magic, stream)))
    if reader is None:
        raise DamagedError("it holds an array in an unknown version of the NumPy format")
    shape, _, dtype = _tried(partial(reader, stream))
    if dtype.itemsize == 0:  # any number of them would take no bytes
        raise DamagedError(f"it holds values without content ({dtype})")
    return shape, dtype


def in_few(shape: tuple[int, ...]) -> str:
    """Format a shape for messages, shortened, since a damaged file may have any number of axes."""
    sides = [f"{side:.3g}" if abs(side) > 10**15 else str(side) for side in shape[:_SIDES]]
    return f"({', '.join([*sides, '…'] if len(shape) > _SIDES else sides)}{',' * (len(shape) == 1)})"
