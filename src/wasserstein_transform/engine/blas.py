"""BLAS on one thread, for as long as anybody needs it so: on small matrices its threads only wait for each other."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class _Limit:
    """The number of BLAS threads belongs to the process: the first who enters sets it, the last who leaves restores it.

    Each on its own would remember the other's 1 as what there was before, and leave that behind. Where OpenMP runs the
    threads of BLAS the number belongs to the thread that sets it, and each sets and restores its own.
    """

    def __init__(self) -> None:
        self._lock, self._users = Lock(), 0
        self._shared: Any = None
        self._before: Any = None
        self._found: tuple[int, Any] = (0, None)

    def enter(self) -> Any:
        """Limit BLAS; returns what to restore in this thread alone."""
        found = self._libraries()
        with self._lock:
            if self._before is None:
                files = [one.filepath for one in found.lib_controllers if not _is_per_thread(one)]
                self._shared = found.select(filepath=files)
                self._before = self._shared.limit(limits=1)
            self._users += 1
        return found.select(threading_layer="openmp").limit(limits=1)

    def _libraries(self) -> Any:
        """Looked for again once modules were imported, which may bring a library: it takes milliseconds."""
        count, found = self._found
        if count != len(sys.modules):
            found = ThreadpoolController().select(user_api="blas")
            self._found = len(sys.modules), found
        return found

    def leave(self, own: Any) -> None:
        """Restore what `enter` set, if nobody else needs it."""
        own.restore_original_limits()
        with self._lock:
            self._users = max(0, self._users - 1)
            if self._users == 0 and self._before is not None:
                self._release()
                self._before.restore_original_limits()
                self._release()
                self._before = None

    def _release(self) -> None:
        """Newer versions of threadpoolctl heed only the thread that set a limit, until they hear that it is done."""
        for one in self._shared.lib_controllers:
            if hasattr(one, "clear_controlling_thread"):
                one.clear_controlling_thread(force=True)

    def forked(self) -> None:
        """Users of other threads are not in this process, nor is who holds the lock; the next to leave restores."""
        self._lock, self._users = Lock(), 0


def _is_per_thread(library: Any) -> bool:
    return getattr(library, "threading_layer", None) == "openmp"


_LIMIT = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LIMIT.forked)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS runs on one thread within the block, in the whole process."""
    own = _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave(own)
