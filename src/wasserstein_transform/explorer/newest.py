"""Compute only the newest request; older ones are dropped or cancelled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from ..engine import Cancelled, Engine, using

R = TypeVar("R")

SECONDS_BEFORE_CANCEL = 0.1
"""Seconds after which outdated work is cancelled; faster work finishes, so that a dragged slider shows updates."""


class Newest(Generic[R]):
    """A thread that computes the newest request.

    Parameters
    ----------
    work : callable
        Called in the thread with a request and the engine to use; may raise.
    failed : callable
        Called in the thread with the request and the exception that `work` raised, unless the work was cancelled.

    Attributes
    ----------
    n_started, n_finished : int
        Number of requests whose work began, and ended.
    """

    def __init__(self, work: Callable[[R, Engine], None], failed: Callable[[R, BaseException], None]) -> None:
        self._work, self._failed = work, failed
        self._changed = threading.Condition()
        self._waiting: list[R] = []
        self._running: Engine | None = None
        self._began = 0.0
        self._closed = False
        self.n_started = self.n_finished = 0
        threading.Thread(target=self._serve, name="newest", daemon=True).start()
        threading.Thread(target=self._cancel, name="newest-cancel", daemon=True).start()

    def ask(self, request: R) -> None:
        """Compute this request next. A waiting request is dropped; a running one is cancelled unless it ends soon."""
        with self._changed:
            self._waiting = [request]
            self._changed.notify_all()

    def close(self) -> None:
        """Cancel the running request, drop the waiting one, and end the threads."""
        with self._changed:
            self._closed, self._waiting = True, []
            if self._running is not None:
                self._running.cancel()
            self._changed.notify_all()

    @property
    def is_idle(self) -> bool:
        """Whether no request is running or waiting."""
        with self._changed:
            return self.n_started == self.n_finished and not self._waiting

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                request = self._waiting.pop()
                self.n_started += 1
            with using() as engine:
                self._compute(request, engine)
            with self._changed:
                self._running = None
                self.n_finished += 1
                self._changed.notify_all()

    def _compute(self, request: R, engine: Engine) -> None:
        with self._changed:
            self._running, self._began = engine, time.monotonic()
            if self._closed:
                return
            self._changed.notify_all()
        try:
            self._work(request, engine)
        except Cancelled:
            pass
        except BaseException as error:  # shown on the page
            self._failed(request, error)

    def _is_over(self, engine: Engine) -> bool:
        return self._closed or self._running is not engine

    def _cancel(self) -> None:
        """Cancel the running request when a newer one waits and SECONDS_BEFORE_CANCEL has passed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or (self._running is not None and self._waiting))
                if self._closed:
                    return
                engine, left = self._running, self._began + SECONDS_BEFORE_CANCEL - time.monotonic()
                if left <= 0 and engine is not None:
                    engine.cancel()
                    self._changed.wait_for(partial(self._is_over, engine))
                else:
                    self._changed.wait(left)
