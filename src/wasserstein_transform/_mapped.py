"""Arrays in files that are filled through memory."""

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

from ._files import Draft, PathLike, check_target, writing

_ZEROS = 1 << 20  # bytes written at a time where room cannot be asked for


def write_mapped(
    path: PathLike, dtype: Any, shape: tuple[int, ...], fill: Callable[[Any], None], what: str,
    unfinished: Path | None = None,
) -> Any:  # fmt: skip
    """An array in a file of NumPy's format, written by `fill` through memory, and mapped for reading.

    All of its room on the disk is taken before: a disk that fills up under a map would end the process. The array is
    what was filled here, whoever else wrote a file of that name meanwhile. Given a name for it while it is unfinished,
    what is filled stays under that name if the work is ended, and is there again the next time.
    """
    if unfinished is not None:
        return _write_named(Path(path), dtype, shape, fill, what, unfinished)
    with Draft(path) as draft:
        if draft.is_stream:
            raise OSError(errno.EINVAL, f"{what} must go to a file, which is mapped; {path} is a device or a pipe")
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
    """Write the header of an array and take its room; returns where its numbers begin."""
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
    with unfinished.open("r+b" if unfinished.exists() else "w+b") as stream:
        if stream.read(begin) != head.getvalue() or unfinished.stat().st_size != begin + n_bytes:
            stream.truncate(0)
            stream.seek(0)
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
        with unfinished.open("rb") as source, writing(target) as copy:  # on another disk
            shutil.copyfileobj(source, copy, 1 << 24)
        unfinished.unlink()
    found: Any = np.memmap(target, dtype, "r", begin, shape)
    return found


def read_map(path: Path) -> np.ndarray:
    """An array in a file of NumPy's format, mapped for reading; whatever else it is, is one error."""
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # headers are read as Python, which raises what it likes
        raise ValueError(
            f"{path} is no .npy file of numbers, or it is cut off or damaged ({error!s:.200}); fetch it again"
        ) from None
    if not isinstance(found, np.ndarray):
        found.close()
        raise ValueError(f"{path} is no .npy file of numbers, but an archive")
    return found


def scratch_map(folder: Path, dtype: Any, shape: tuple[int, ...], what: str) -> Any:
    """An array to work in that lies in a file without a name, zeros at first: the file is gone when the array is."""
    dtype = np.dtype(dtype)
    with tempfile.TemporaryFile(dir=folder) as stream:
        n_bytes = dtype.itemsize * int(np.prod(shape, dtype=object))
        _allocate(stream, max(n_bytes, 1), folder, what)
        return np.asarray(np.memmap(stream, dtype, "r+", 0, shape))


def is_mapped(array: np.ndarray) -> bool:
    """Whether the numbers of an array lie in a file that is mapped."""
    base: Any = array
    while base is not None:
        if isinstance(base, np.memmap | mmap.mmap):
            return True
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return False


class _Lent:
    """An array as one that may be written to; holds it."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def as_writable(array: np.ndarray) -> np.ndarray:
    """The same numbers for loops that only read: compiled code for arrays that may not be written is other code.

    Whoever writes to it, and the file may not be written, ends the process.
    """
    return array if array.flags.writeable else np.asarray(_Lent(array))


@contextmanager
def writing_folder(path: PathLike, may_replace: Callable[[Path], bool], what: str) -> Iterator[Path]:
    """A folder to write to that takes the name `path` when the block ends, and is gone if that ends by an error.

    What stands there is replaced if `may_replace` says so. What killed processes left of folders of this name goes.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} to; make it first")
    if target.exists() and not may_replace(target):
        raise FileExistsError(f"{path} is there already and holds something else than {what}; give another name")
    mark = f".{hashlib.sha256(target.name.encode()).hexdigest()[:8]}-"
    _sweep(target.parent, mark)
    part = target.parent / f"{mark}{uuid.uuid4().hex[:16]}.part"
    try:
        part.mkdir()
    except PermissionError:
        raise PermissionError(f"the folder {target.parent} may not be written to; give another") from None
    held = _hold(part)
    try:
        yield part
        _take_place(part, target, mark)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if held is not None:
            os.close(held)


def _take_place(part: Path, target: Path, mark: str) -> None:
    """Rename a folder; one of that name is moved away first, and back if it cannot be replaced."""
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
    """Lock a folder for as long as this process lives; None if somebody else has it, or there are no such locks."""
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
    """Remove folders that no process holds."""
    for left in folder.glob(f"{mark}*.part"):
        held = _hold(left)
        if held is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(held)


def check_room(n_bytes: float, folder: Path, what: str) -> None:
    """Refuse what a disk has no room for."""
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise OSError(errno.ENOSPC, _no_room(n_bytes, free, folder, what, os.strerror(errno.ENOSPC)))


def _no_room(n_bytes: float, free: float, folder: Path, what: str, reason: str | None) -> str:
    said = f"{what} needs {n_bytes:.3g} bytes on disk, and {free:.3g} are free in {folder} ({reason})"
    return f"{said}; give a file in another folder"


def _allocate(stream: IO[bytes], n_bytes: int, folder: Path, what: str) -> None:
    """Take room for a file of that size, or say that there is none."""
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
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # a file system that knows no such thing
                raise
    left = n_bytes - stream.seek(0, os.SEEK_END)
    while left > 0:
        left -= stream.write(bytes(min(left, _ZEROS)))
    stream.flush()
