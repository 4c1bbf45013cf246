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
        self._known: tuple[int, Any] = (0, None)

    def enter(self) -> Any:
        """Set the limit; return what to restore in this thread alone."""
        if self._known[0] != len(sys.modules):  # searched again only after imports: the search takes milliseconds
            self._known = len(sys.modules), ThreadpoolController().select(user_api="blas")
        libraries = self._known[1]
        with self._lock:
            if self._before is None:
                shared = [
                    library.filepath
                    for library in libraries.lib_controllers
                    if getattr(library, "threading_layer", None) != "openmp"
                ]
                self._shared = libraries.select(filepath=shared)
                self._before = self._shared.limit(limits=1)
            self._users += 1
        return libraries.select(threading_layer="openmp").limit(limits=1)

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
        for library in self._shared.lib_controllers:
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread(force=True)

    def reset_after_fork(self) -> None:
        """Reset the lock and the count in a forked process: threads of the parent do not exist here."""
        self._lock, self._users = Lock(), 0


_LIMIT = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LIMIT.reset_after_fork)


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
