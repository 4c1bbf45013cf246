"""A file lock that is released when its process ends.

The library filelock makes the same system calls, but names no owner, and a forked process would keep the lock.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import IO
from weakref import WeakSet

from .._files import open_in_place

_SHOWN = 64  # bytes read from the file: a process number is shorter


class InUseError(OSError):
    """Error: the folder is in use by another process, or by another run in this one.

    Examples
    --------
    >>> import pathlib, tempfile, numpy as np, wasserstein_transform as wt
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.save(folder / "points.npy", [[0.0], [1.0]])
    >>> def run(_=None):
    ...     wt.clouds.iterate(wt.mean_shift(1.0), folder / "points.npy", folder=folder / "run", n_iter=1)
    >>> try:
    ...     with wt.using(progress=run):  # starts a second run in the same folder during the first one
    ...         run()
    ... except wt.engine.InUseError as error:
    ...     print(str(error).partition(" is ")[2])
    in use by this process; wait until it ends, or give another folder
    """


class Lock:
    """A file locked by this process; the system releases it when the process ends in any way.

    A second lock of the file is refused also in the same process. A forked process does not inherit the lock of its
    parent.

    Parameters
    ----------
    path : Path
        The file to lock; it is created if needed.
    what : str
        Name of the locked thing, for the message of `InUseError`.

    Examples
    --------
    >>> import os, pathlib, tempfile, wasserstein_transform as wt
    >>> lock = wt.engine.Lock(pathlib.Path(tempfile.mkdtemp(), "lock"), "my folder")
    >>> lock.owner == os.getpid()
    True
    >>> lock.release()
    """

    def __init__(self, path: Path, what: str) -> None:
        self._file, self.owner = open_in_place(path), os.getpid()
        try:
            _take(self._file)
        except OSError as error:
            self._file.seek(0)
            by = self._file.read(_SHOWN).decode("ascii", "replace").strip()
            self._file.close()
            if not isinstance(error, BlockingIOError | PermissionError):  # Windows answers the latter
                reason = f"files cannot be locked on this file system: {error.strerror}"
                raise OSError(error.errno, reason, str(path)) from None
            who = "this process" if by == str(self.owner) else f"process {by}" if by.isdigit() else "another process"
            raise InUseError(f"{what} is in use by {who}; wait until it ends, or give another folder") from None
        with suppress(OSError):  # a full disk: the number only serves the error message above
            self._file.truncate(0)
            self._file.write(str(self.owner).encode())
        _HELD.add(self)

    def release(self) -> None:
        """Release the lock."""
        with suppress(OSError):
            self._file.close()


_HELD: WeakSet[Lock] = WeakSet()


if os.name == "nt":
    import msvcrt

    def _take(stream: IO[bytes]) -> None:
        stream.seek(1 << 30)  # beyond the written bytes: others cannot read locked bytes
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:
    import fcntl

    def _take(stream: IO[bytes]) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)  # lockf ends when any descriptor of the file is closed

    def _let_go() -> None:
        """Close what a forked process inherits: the lock would outlive its owner. It stays locked by the parent."""
        for lock in list(_HELD):
            lock.release()

    os.register_at_fork(after_in_child=_let_go)
