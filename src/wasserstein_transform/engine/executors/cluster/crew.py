"""The workers there are."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from .connection import soon
from .session import Session
from .versions import versions

_LOOK = 0.5  # seconds between two questions who is there
_UNANSWERED = 30.0  # seconds after which a question is asked again

_log = logging.getLogger("wasserstein_transform")


class Question:
    """Something asked of the cluster; no answer for long is one, too."""

    def __init__(self, client: Any, ask: Callable[[], Any], then: Callable[[], None]) -> None:
        self._asked, self._future = time.monotonic(), soon(client, ask, then)

    @property
    def is_over(self) -> bool:
        """Whether the answer is there, or comes no more."""
        return self._future.done() or time.monotonic() - self._asked > _UNANSWERED

    @property
    def answer(self) -> Any:
        """What was said, or the error that came of it; None if nothing was."""
        if not self._future.done():
            self.cancel()
        if self._future.cancelled():
            return None
        return self._future.exception() or self._future.result()

    def cancel(self) -> None:
        """Ask no longer."""
        self._future.cancel()


class Crew:
    """Workers that have said what they run, and how many threads each has; looked for again and again."""

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
        """Threads of all workers together."""
        return sum(self.threads.values())

    @property
    def is_empty(self) -> bool:
        """Whether there is nobody, not even somebody who was asked and has not answered yet."""
        return not self.threads and not self._meetings

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
            return  # it left, or the connection to it: it is asked again
        self._session.meet(address, found)
        self.threads[address] = self._there[address]

    def close(self) -> None:
        """Wait for no answers anymore."""
        for question in (self._listing, *self._meetings.values()):
            if question is not None:
                question.cancel()
