"""BLAS on one thread, for as long as anybody needs it so: on small matrices its threads only wait for each other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class _Limit:
    """The number of BLAS threads belongs to the process: the first who enters sets it, the last who leaves restores it.

    Each on its own would remember the other's 1 as what there was before, and leave that behind.
    """

    def __init__(self) -> None:
        self._lock, self._users = Lock(), 0
        self._before: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._before is None:
                self._before = ThreadpoolController().select(user_api="blas").limit(limits=1)
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users = max(0, self._users - 1)
            if self._users == 0 and self._before is not None:
                self._before.restore_original_limits()
                self._before = None

    def forked(self) -> None:
        """Users of other threads are not in this process, nor is who holds the lock; the next to leave restores."""
        self._lock, self._users = Lock(), 0


_LIMIT = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LIMIT.forked)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS runs on one thread within the block, in the whole process."""
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()
