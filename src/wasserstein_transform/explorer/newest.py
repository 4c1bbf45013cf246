"""Compute only the newest request; older ones are dropped or cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from threading import Timer
from typing import Any

from ..engine import Cancelled, Engine, using

SECONDS_BEFORE_CANCEL = 0.1
"""Seconds after which outdated work is cancelled; faster work finishes, so that a dragged slider shows updates."""


class Newest:
    """A thread that computes the newest request.

    Parameters
    ----------
    work : callable
        Called in the thread with a request and the engine to use; may raise.
    failed : callable
        Called in the thread with the request and the exception that `work` raised, unless the work was cancelled.
    """

    def __init__(self, work: Callable[[Any, Engine], None], failed: Callable[[Any, BaseException], None]) -> None:
        self._work, self._failed = work, failed
        self._thread = ThreadPoolExecutor(1, "newest")
        self._last: tuple[Future[None], Engine, float] | None = None

    def ask(self, request: Any) -> Future[None]:
        """Compute this request next. A waiting request is dropped; a running one is cancelled unless it ends soon."""
        self._drop(SECONDS_BEFORE_CANCEL)
        with using() as engine:
            future = self._thread.submit(copy_context().run, self._compute, request, engine)
        self._last = future, engine, time.monotonic()
        return future

    def close(self) -> None:
        """Cancel the running request, drop the waiting one, and end the thread."""
        self._drop(0.0)
        self._thread.shutdown(wait=False)

    def _drop(self, seconds: float) -> None:
        if self._last is not None and not self._last[0].cancel():  # it runs, or has ended
            _, engine, since = self._last
            Timer(max(0.0, since + seconds - time.monotonic()), engine.cancel).start()

    def _compute(self, request: Any, engine: Engine) -> None:
        try:
            self._work(request, engine)
        except Cancelled:
            pass
        except BaseException as error:  # shown on the page
            self._failed(request, error)
