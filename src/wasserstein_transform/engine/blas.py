"""Limit BLAS to one thread while it is needed: on small matrices its threads only wait for each other."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class _Limit:
    """The limit on BLAS threads of this process: the first user sets it, the last one restores the previous number.

    If each user restored separately, one would remember the other's limit of 1 as the original. Where BLAS uses OpenMP,
    the number belongs to the calling thread, and each thread sets and restores its own.
    """

    def __init__(self) -> None:
        self._lock, self._users = Lock(), 0
        self._shared: Any = None
        self._before: Any = None
        self._found: tuple[int, Any] = (0, None)

    def enter(self) -> Any:
        """Set the limit; return what to restore in this thread alone."""
        found = self._libraries()
        with self._lock:
            if self._before is None:
                files = [one.filepath for one in found.lib_controllers if not _is_per_thread(one)]
                self._shared = found.select(filepath=files)
                self._before = self._shared.limit(limits=1)
            self._users += 1
        return found.select(threading_layer="openmp").limit(limits=1)

    def _libraries(self) -> Any:
        """The BLAS libraries, searched again only if modules were imported since: the search takes milliseconds."""
        count, found = self._found
        if count != len(sys.modules):
            found = ThreadpoolController().select(user_api="blas")
            self._found = len(sys.modules), found
        return found

    def leave(self, own: Any) -> None:
        """Restore what `enter` set, if there is no other user."""
        own.restore_original_limits()
        with self._lock:
            self._users = max(0, self._users - 1)
            if self._users == 0 and self._before is not None:
                self._release()
                self._before.restore_original_limits()
                self._release()
                self._before = None

    def _release(self) -> None:
        """Release the control: newer versions of threadpoolctl obey only the thread that set a limit, until then."""
        for one in self._shared.lib_controllers:
            if hasattr(one, "clear_controlling_thread"):
                one.clear_controlling_thread(force=True)

    def forked(self) -> None:
        """Reset the lock and the count in a forked process: threads of the parent do not exist here."""
        self._lock, self._users = Lock(), 0


def _is_per_thread(library: Any) -> bool:
    return getattr(library, "threading_layer", None) == "openmp"


_LIMIT = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LIMIT.forked)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread within a `with` block, in the whole process.

    The number of threads before is restored when the last such block ends. Results of BLAS then have the same bits for
    any number of cores.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> with wt.engine.one_blas_thread():
    ...     print(np.linalg.eigvalsh(np.array([[2.0, 0.0], [0.0, 1.0]])))
    [1. 2.]
    """
    own = _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave(own)
