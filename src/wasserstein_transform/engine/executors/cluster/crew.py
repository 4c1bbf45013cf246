"""The workers of a cluster."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from .connection import soon
from .session import Session
from .versions import versions

_LOOK = 0.5  # seconds between two requests for the list of workers
_UNANSWERED = 30.0  # seconds after which a request is repeated

_log = logging.getLogger("wasserstein_transform")


class Question:
    """A request to the cluster; a missing answer counts as an answer after some time."""

    def __init__(self, client: Any, ask: Callable[[], Any], then: Callable[[], None]) -> None:
        self._asked, self._future = time.monotonic(), soon(client, ask, then)

    @property
    def is_over(self) -> bool:
        """Whether the answer has arrived, or is no longer expected."""
        return self._future.done() or time.monotonic() - self._asked > _UNANSWERED

    @property
    def answer(self) -> Any:
        """The answer, or the error; None if there was none."""
        if not self._future.done():
            self.cancel()
        if self._future.cancelled():
            return None
        return self._future.exception() or self._future.result()

    def cancel(self) -> None:
        """Cancel the request."""
        self._future.cancel()


class Crew:
    """Workers whose versions were checked, with their numbers of threads; the list is refreshed regularly."""

    def __init__(self, client: Any, session: Session, then: Callable[[], None]) -> None:
        self.threads: dict[str, int] = {}
        self._client, self._session, self._then = client, session, then
        self._there: dict[str, int] = {}
        self._listing: Question | None = None
        self._listed = -float("inf")
        self._doubted = set[str]()
        self._meetings: dict[str, Question] = {}

    @property
    def n_threads(self) -> int:
        """Number of threads of all workers."""
        return sum(self.threads.values())

    @property
    def is_empty(self) -> bool:
        """Whether there are no workers, not even one whose versions are being checked."""
        return not self.threads and not self._meetings

    def doubt(self, address: str) -> None:
        """Mark a worker that seems to have left: nothing is sent to it until the next list of workers."""
        self._doubted.add(address)
        self._listed = -float("inf")

    def is_there(self, address: str) -> bool:
        """Tell whether a worker is there, as far as is known."""
        return address in self.threads and address not in self._doubted

    def look(self) -> list[str]:
        """Return the workers that left since the last call, without waiting; check the versions of new workers."""
        left: list[str] = []
        if self._listing is None and time.monotonic() - self._listed > _LOOK:
            self._listing = Question(self._client, self._client_threads, self._then)
        elif self._listing is not None and self._listing.is_over:
            found, self._listing, self._listed = self._listing.answer, None, time.monotonic()
            if isinstance(found, dict):
                left = self._compare(found)
        for address in [address for address, question in self._meetings.items() if question.is_over]:
            self._met(address, self._meetings.pop(address).answer)
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
            self._there[address] = n_threads
            if address in self._session.met:
                self.threads[address] = n_threads
            elif address not in self._meetings:
                self._meetings[address] = Question(self._client, self._meeting(address), self._then)
        return left

    def _meeting(self, address: str) -> Callable[[], Any]:
        return lambda: self._client.run(versions, workers=[address], on_error="return")

    def _met(self, address: str, answer: Any) -> None:
        found = answer.get(address) if isinstance(answer, dict) else answer
        if found is None or isinstance(found, OSError):
            return  # the worker or its connection was lost: it is asked again
        self._session.meet(address, found)
        self.threads[address] = self._there[address]

    def close(self) -> None:
        """Cancel all requests."""
        for question in (self._listing, *self._meetings.values()):
            if question is not None:
                question.cancel()
