"""Fetch answers, few at a time: records may be large, and Dask fetches at most five at once."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from queue import SimpleQueue
from typing import Any

from .at_worker import Answer
from .connection import soon
from .errands import Copy

_AT_ONCE = 4
_SECONDS = 20.0  # longest time for one answer: a hanging worker would delay the others


class Fetching:
    """Copies whose answers are ready on their workers."""

    def __init__(self, client: Any, events: SimpleQueue[Copy | None]) -> None:
        self._client, self._events = client, events
        self._ready, self._under_way = deque[Copy](), list[Copy]()

    def add(self, copy: Copy) -> None:
        """Add a copy whose answer is ready."""
        self._ready.append(copy)
        self._go_on()

    def _go_on(self) -> None:
        while self._ready and len(self._under_way) < _AT_ONCE:
            copy = self._ready.popleft()
            copy.fetched_from = time.monotonic()
            copy.fetching = self._begin(copy)
            self._under_way.append(copy)

    def _begin(self, copy: Copy) -> Any:
        # shielded: Dask fetches several answers in one request, and would fetch nothing more after one is canceled
        return soon(
            self._client, lambda: asyncio.shield(self._client.gather(copy.future)), lambda: self._events.put(copy)
        )

    def take(self, copy: Copy) -> tuple[Answer | None, BaseException | None]:
        """Return the fetched answer, or the error."""
        assert copy.fetching is not None
        fetched = copy.fetching
        self.drop(copy)
        if fetched.cancelled():
            return None, InterruptedError("fetching it was interrupted")
        error = fetched.exception()
        return (None, error) if error is not None else (fetched.result(), None)

    def overdue(self) -> list[Copy]:
        """Return the copies whose fetching takes too long."""
        now = time.monotonic()
        return [copy for copy in self._under_way if now - copy.fetched_from > _SECONDS]

    def drop(self, copy: Copy) -> None:
        """Stop fetching a copy."""
        if copy in self._ready:
            self._ready.remove(copy)
        if copy in self._under_way:
            self._under_way.remove(copy)
            assert copy.fetching is not None
            copy.fetching.cancel()
            self._go_on()
