"""One process at a time: a lock that ends with the process that took it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import IO

_SHOWN = 64  # bytes of the file that are read: the number of a process is shorter


class InUseError(OSError):
    """Another process works with the folder."""


class Lock:
    """A file that this process has locked; the system lets go of it when the process ends, however that comes about.

    A forked process does not have the lock of its parent.
    """

    def __init__(self, path: Path, what: str) -> None:
        self._file: IO[bytes] | None = path.open("a+b")
        self.owner = os.getpid()
        try:
            _take(self._file)
        except OSError:
            self._file.seek(0)
            by = self._file.read(_SHOWN).decode("ascii", "replace").strip()
            self._file.close()
            who = f"process {by}" if by.isdigit() else "another process"
            raise InUseError(f"{what} is in use by {who}; wait until it ends, or give another folder") from None
        with suppress(OSError):  # of a full disk: the number is for the error above alone
            self._file.truncate(0)
            self._file.write(str(self.owner).encode())
            self._file.flush()

    def release(self) -> None:
        """Let others have it."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None


if os.name == "nt":
    import msvcrt

    def _take(stream: IO[bytes]) -> None:
        stream.seek(1 << 30)  # beyond what is written there: locked bytes cannot be read by others
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:
    import fcntl

    def _take(stream: IO[bytes]) -> None:
        fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
