"""Read NumPy files that may be damaged or malicious: sizes are compared with the file before memory is taken."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_MAX_SHOWN_SIDES = 8  # numbers of a shape in messages


class DamagedError(ValueError):
    """A file that is damaged or not of the expected format."""


def read_arrays(path: str | os.PathLike[str], reserve: Callable[[float], None]) -> dict[str, np.ndarray]:
    """Read all arrays of a file, by name. They take no more memory than the file has bytes.

    `reserve` is called with the size first and may raise an error. A damaged file raises `DamagedError`, a missing file
    OSError.
    """
    with Path(path).open("rb") as stream:
        with _any_error_is_damage():
            members = zipfile.ZipFile(stream)
        listed = members.infolist()
        n_bytes = sum(member.file_size for member in listed)
        reserve(float(n_bytes))
        if any(member.compress_type != zipfile.ZIP_STORED for member in listed):
            raise DamagedError("it is compressed, but save() does not compress")  # a small file could fill the memory
        if len({member.filename for member in listed}) < len(listed) or n_bytes > stream.seek(0, 2):
            raise DamagedError("its directory lists an array twice, or more bytes than the file has")
        with _any_error_is_damage():
            return {
                member.filename.removesuffix(".npy"): read_array(members.open(member), member.file_size)
                for member in listed
            }


@contextmanager
def _any_error_is_damage() -> Iterator[None]:
    try:
        yield
    except DamagedError:
        raise
    except Exception as error:  # zipfile and NumPy raise many kinds for damaged files
        raise DamagedError(f"{type(error).__name__}: {error!s:.200}".removesuffix(": ")) from None


def read_array(stream: IO[bytes], n_bytes: int) -> np.ndarray:
    """Read an array of `n_bytes` with its header; NumPy alone would allocate whatever the header announces."""
    shape, dtype = read_header(stream)
    there = n_bytes - stream.tell()
    if dtype.hasobject:
        raise DamagedError("it holds Python objects, which are never read; save numbers or strings")
    if min(shape, default=0) < 0 or prod(shape) * dtype.itemsize != there:
        raise DamagedError(f"it should hold an array of shape {show_shape(shape)}, but has {there} bytes for it")
    stream.seek(0)
    with _any_error_is_damage():
        return np.asarray(npy.read_array(stream, allow_pickle=False))


def read_header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Read the shape and type of an array from its header in NumPy format."""
    with _any_error_is_damage():
        reader: Any = _HEADERS.get(npy.read_magic(stream))
        if reader is None:
            raise DamagedError("it holds an array in an unknown version of the NumPy format")
        shape, _, dtype = reader(stream)
    if dtype.itemsize == 0:  # any number of them would take no bytes
        raise DamagedError(f"it holds values without content ({dtype})")
    return shape, dtype


def show_shape(shape: tuple[int, ...]) -> str:
    """Format a shape for messages, shortened, since a damaged file may have any number of axes."""
    sides = [f"{side:.3g}" if abs(side) > 10**15 else str(side) for side in shape[:_MAX_SHOWN_SIDES]]
    return f"({', '.join([*sides, '…'] if len(shape) > _MAX_SHOWN_SIDES else sides)}{',' * (len(shape) == 1)})"
