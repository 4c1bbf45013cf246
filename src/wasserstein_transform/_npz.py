"""Arrays from a file that `np.savez` wrote, whatever has become of it."""

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

_SIDES = 8  # of a shape, in messages
_LONGEST = 200  # letters of what others say


class DamagedError(ValueError):
    """A file that cannot be read as what it should be."""


def read_arrays(path: str | os.PathLike[str], room: Callable[[float], None]) -> dict[str, np.ndarray]:
    """All arrays of a file, by name. They take no more memory than the file has bytes; `room` may refuse even that.

    Raises `DamagedError` for whatever is wrong inside, and OSError if there is no such file.
    """
    with open(path, "rb") as stream:  # noqa: PTH123 a path of any kind
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise DamagedError("it is a device or a pipe")
        members = _tried(partial(zipfile.ZipFile, stream))
        with members:
            listed = members.infolist()
            room(float(sum(member.file_size for member in listed)))
            _check_members(listed, os.fstat(stream.fileno()).st_size)
            return dict(_tried(partial(_named, members, member)) for member in listed)


def _tried(read: Callable[[], Any]) -> Any:
    """What is damaged makes readers raise what they like."""
    try:
        return read()
    except DamagedError:
        raise
    except Exception as error:
        words = str(error)[:_LONGEST]
        raise DamagedError(f"{type(error).__name__}: {words}" if words else type(error).__name__) from None


def _check_members(listed: list[zipfile.ZipInfo], n_bytes: int) -> None:
    """A few bytes could stand for more than all memory: what is packed, or listed many times, is not read."""
    if any(member.compress_type != zipfile.ZIP_STORED for member in listed):
        raise DamagedError("it is compressed, and save() compresses nothing")
    if len({member.filename for member in listed}) < len(listed):
        raise DamagedError("it holds two arrays of one name")
    if sum(member.file_size for member in listed) > n_bytes:
        raise DamagedError(f"it announces more than its {n_bytes} bytes")


def _named(members: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[str, np.ndarray]:
    with members.open(member) as stream:
        _check_header(stream, member.file_size)
    with members.open(member) as stream:
        return member.filename.removesuffix(".npy"), np.asarray(npy.read_array(stream, allow_pickle=False))


def _check_header(stream: IO[bytes], n_bytes: int) -> None:
    """The array must be as large as what follows: NumPy takes memory by what is announced."""
    shape, dtype = read_header(stream)
    if dtype.hasobject:
        raise DamagedError("it holds Python objects")
    if min(shape, default=0) < 0 or prod(shape) * dtype.itemsize != n_bytes - stream.tell():
        raise DamagedError(
            f"it announces an array of shape {in_few(shape)} and has {n_bytes - stream.tell()} bytes for it"
        )


def read_header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and kind of the array that a stream in NumPy's format announces."""
    reader = _READERS.get(_tried(partial(npy.read_magic, stream)))
    if reader is None:
        raise DamagedError("it holds an array in an unknown version of NumPy's format")
    shape, _, dtype = _tried(partial(reader, stream))
    if dtype.itemsize == 0:  # as many as one likes would take no bytes
        raise DamagedError(f"it holds values without content ({dtype})")
    return shape, dtype


def in_few(shape: tuple[int, ...]) -> str:
    """A shape for messages: files may announce any number of sides."""
    sides = [f"{side:.3g}" if abs(side) > 10**15 else str(side) for side in shape[:_SIDES]]
    return f"({', '.join([*sides, '…'] if len(shape) > _SIDES else sides)}{',' * (len(shape) == 1)})"
