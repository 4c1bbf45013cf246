"""Arrays in memory-mapped files."""

from __future__ import annotations

import errno
import hashlib
import importlib
import io
import mmap
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from ._files import Draft, PathLike, check_target, open_in_place, writing

_ZEROS = 1 << 20  # bytes written at a time if the system cannot allocate a file


def write_mapped(
    path: PathLike, dtype: Any, shape: tuple[int, ...], fill: Callable[[Any], None], what: str,
    unfinished: Path | None = None,
) -> Any:  # fmt: skip
    """Let `fill` write an array to a `.npy` file through a memory map, and return it mapped for reading.

    The disk space is allocated first, since a disk that gets full under a map would kill the process. The returned
    array is the one that was filled here, even if another process wrote a file of that name in the meantime. With
    `unfinished`, a partly filled array stays in that file if the work is interrupted, and is used again the next time.
    """
    if unfinished is not None:
        return _write_named(Path(path), dtype, shape, fill, what, unfinished)
    with Draft(path) as draft:
        if draft.is_stream:
            raise OSError(errno.EINVAL, f"{what} needs a file that can be mapped, but {path} is a device or a pipe")
        begin = _begun(draft.stream, dtype, shape, draft.target.parent, what)
        array = np.memmap(draft.stream, dtype, "r+", begin, shape)
        fill(array)
        array.flush()
        del array
        with draft.publish() as stream:
            found: Any = np.memmap(stream, dtype, "r", begin, shape)
        found.filename = draft.target
        return found


def _begun(stream: IO[bytes], dtype: Any, shape: tuple[int, ...], folder: Path, what: str) -> int:
    """Write the header of an array and allocate its space; return the offset of the data."""
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    begin = stream.tell()
    _allocate(stream, begin + dtype.itemsize * int(np.prod(shape, dtype=object)), folder, what)
    return begin


def _write_named(
    path: Path, dtype: Any, shape: tuple[int, ...], fill: Callable[[Any], None], what: str, unfinished: Path
) -> Any:
    target = check_target(path)
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    )
    begin, n_bytes = len(head.getvalue()), dtype.itemsize * int(np.prod(shape, dtype=object))
    with open_in_place(unfinished) as stream:
        stream.seek(0)
        if stream.read(begin) != head.getvalue() or unfinished.stat().st_size != begin + n_bytes:
            stream.truncate(0)
            _begun(stream, dtype, shape, unfinished.parent, what)
    array = np.memmap(unfinished, dtype, "r+", begin, shape)
    fill(array)
    array.flush()
    del array
    try:
        unfinished.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with unfinished.open("rb") as source, writing(target) as copy:  # the target is on another disk
            shutil.copyfileobj(source, copy, 1 << 24)
        unfinished.unlink()
    found: Any = np.memmap(target, dtype, "r", begin, shape)
    return found


def read_map(path: Path) -> np.ndarray:
    """Map a `.npy` file for reading; raise a ValueError for any other file."""
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # NumPy parses headers as Python, which may raise anything
        raise ValueError(
            f"{path} is not a .npy file of numbers, or it is cut off or damaged ({error!s:.200}); get it again"
        ) from None
    if not isinstance(found, np.ndarray):
        found.close()
        raise ValueError(f"{path} is not a .npy file of numbers but an archive; save one array with np.save")
    return found


def scratch_map(folder: Path, dtype: Any, shape: tuple[int, ...], what: str) -> Any:
    """Make an array of zeros in a temporary file without a name; the file is removed with the array."""
    dtype = np.dtype(dtype)
    with tempfile.TemporaryFile(dir=folder) as stream:
        n_bytes = dtype.itemsize * int(np.prod(shape, dtype=object))
        _allocate(stream, max(n_bytes, 1), folder, what)
        return np.asarray(np.memmap(stream, dtype, "r+", 0, shape))


def is_mapped(array: np.ndarray) -> bool:
    """Whether an array is in a memory-mapped file."""
    base: Any = array
    while base is not None:
        if isinstance(base, np.memmap | mmap.mmap):
            return True
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return False


class _Lent:
    """Exposes a read-only array as writable, and keeps it alive."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def as_writable(array: np.ndarray) -> np.ndarray:
    """Return the same array marked as writable, for compiled loops that only read it.

    Compiled code for read-only arrays would be a second version. Writing to the result of a read-only file kills the
    process.
    """
    return array if array.flags.writeable else np.asarray(_Lent(array))


@contextmanager
def writing_folder(path: PathLike, may_replace: Callable[[Path], bool], what: str) -> Iterator[Path]:
    """Make a folder that gets the name `path` at the end of the block, and is removed after an error.

    An existing folder is replaced if `may_replace` returns True. Leftovers of killed processes are removed.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} to; make it first")
    if target.exists() and not may_replace(target):
        raise FileExistsError(f"{path} exists already and holds something else than {what}; choose another name")
    mark = f".{hashlib.sha256(target.name.encode()).hexdigest()[:8]}-"
    _sweep(target.parent, mark)
    part = target.parent / f"{mark}{uuid.uuid4().hex[:16]}.part"
    try:
        part.mkdir()
    except PermissionError:
        raise PermissionError(f"the folder {target.parent} may not be written to; choose another folder") from None
    held = _hold(part)
    try:
        yield part
        _take_place(part, target, mark)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if held is not None:
            os.close(held)


def _take_place(part: Path, target: Path, mark: str) -> None:
    """Rename a folder; an existing one is moved away first, and back if the rename fails."""
    old = target.parent / f"{mark}{uuid.uuid4().hex[:16]}.part"
    there = target.exists()
    if there:
        target.rename(old)
    try:
        part.rename(target)
    except OSError:
        if there:
            old.rename(target)
        raise
    if old.is_file():
        old.unlink()
    shutil.rmtree(old, ignore_errors=True)


def _hold(folder: Path) -> int | None:
    """Lock a folder for the life of this process; None if it is locked already or locks are not supported."""
    with suppress(ImportError, OSError):
        locks = importlib.import_module("fcntl")
        handle = os.open(folder, os.O_RDONLY)
        try:
            locks.flock(handle, locks.LOCK_EX | locks.LOCK_NB)
        except OSError:
            os.close(handle)
            return None
        return handle
    return None


def _sweep(folder: Path, mark: str) -> None:
    """Remove folders that no process has locked."""
    for left in folder.glob(f"{mark}*.part"):
        held = _hold(left)
        if held is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(held)


def check_room(n_bytes: float, folder: Path, what: str) -> None:
    """Raise an error if a disk has too little free space."""
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise OSError(errno.ENOSPC, _no_room(n_bytes, free, folder, what, os.strerror(errno.ENOSPC)))


def _no_room(n_bytes: float, free: float, folder: Path, what: str, reason: str | None) -> str:
    said = f"{what} needs {n_bytes:.3g} bytes on disk, and {free:.3g} are free in {folder} ({reason})"
    return f"{said}; choose a file in another folder"


def _allocate(stream: IO[bytes], n_bytes: int, folder: Path, what: str) -> None:
    """Allocate disk space for a file, or raise an error."""
    stream.flush()
    free = shutil.disk_usage(folder).free
    try:
        if n_bytes > free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        _take(stream, n_bytes)
    except OSError as error:
        raise OSError(error.errno, _no_room(n_bytes, free, folder, what, error.strerror)) from None


def _take(stream: IO[bytes], n_bytes: int) -> None:
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(stream.fileno(), 0, n_bytes)
            return
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # not supported by the file system
                raise
    left = n_bytes - stream.seek(0, os.SEEK_END)
    while left > 0:
        left -= stream.write(bytes(min(left, _ZEROS)))
    stream.flush()
