"""The workers there are."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

from .connection import soon
from .session import Session
from .versions import versions

_LOOK = 0.5  # seconds between two questions who is there

_log = logging.getLogger("wasserstein_transform")


class Crew:
    """Workers that have said what they run, and how many threads each has; looked for again and again."""

    def __init__(self, client: Any, session: Session, then: Callable[[], None]) -> None:
        self.threads: dict[str, int] = {}
        self._client, self._session, self._then = client, session, then
        self._listing: Future[Any] | None = None
        self._listed = -float("inf")
        self._doubted = set[str]()
        self._meetings: dict[str, tuple[int, Future[Any]]] = {}

    @property
    def n_threads(self) -> int:
        """Threads of all workers together."""
        return sum(self.threads.values())

    def doubt(self, address: str) -> None:
        """A worker seems to have left: nothing is sent to it before that is known."""
        self._doubted.add(address)
        self._listed = -float("inf")

    def is_there(self, address: str) -> bool:
        """Whether a worker is there, as far as is known."""
        return address in self.threads and address not in self._doubted

    def look(self) -> list[str]:
        """Who left since the last look; does not wait. New workers are asked what they run: other code is an error."""
        left: list[str] = []
        if self._listing is None and time.monotonic() - self._listed > _LOOK:
            self._listing = soon(self._client, self._client_threads, self._then)
        elif self._listing is not None and self._listing.done():
            listing, self._listing, self._listed = self._listing, None, time.monotonic()
            if not listing.cancelled() and listing.exception() is None:
                left = self._compare(listing.result())
        for address in [address for address, (_, asked) in self._meetings.items() if asked.done()]:
            self._met(address, *self._meetings.pop(address))
        return left

    def _client_threads(self) -> Any:
        return self._client.nthreads()

    def _compare(self, there: dict[str, int]) -> list[str]:
        self._doubted.clear()
        left = [address for address in self.threads if address not in there]
        for address in left:
            del self.threads[address]
            self._session.met.discard(address)
            _log.info("the worker %s left", address)
        for address, n_threads in there.items():
            if address in self._session.met:
                self.threads[address] = n_threads
            elif address not in self._meetings:
                self._meetings[address] = n_threads, soon(self._client, self._question(address), self._then)
        return left

    def _question(self, address: str) -> Callable[[], Any]:
        return lambda: self._client.run(versions, workers=[address], on_error="return")

    def _met(self, address: str, n_threads: int, asked: Future[Any]) -> None:
        error = None if asked.cancelled() else asked.exception()
        found = error or (None if asked.cancelled() else asked.result().get(address))
        if found is None or isinstance(found, OSError):
            return  # it left, or the connection to it: it is asked again
        self._session.meet(address, found)
        self.threads[address] = n_threads

    def close(self) -> None:
        """Wait for no answers anymore."""
        for question in self._questions():
            question.cancel()

    def _questions(self) -> Iterator[Future[Any]]:
        if self._listing is not None:
            yield self._listing
        yield from (asked for _, asked in self._meetings.values())
