"""What is sent: groups of tiles, or jobs; in either case a message to one worker, and its answer."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from .at_worker import Answer


@dataclass(eq=False)
class Copy:
    """One message with an errand: to whom, since when, and who brings the answer."""

    errand: Errand
    address: str
    ticket: str
    future: Any
    sent: float = field(default_factory=time.monotonic)
    fetching: Future[Answer] | None = None
    fetched_from: float = 0.0

    def let_go(self) -> None:
        """Hold the answer no longer, here and on the worker."""
        self.future = self.fetching = None


@dataclass(eq=False)
class Errand:
    """A piece of work that one message carries; more than one while a worker is late."""

    what: Any
    name: str
    copies: list[Copy] = field(default_factory=list)
    avoid: set[str] = field(default_factory=set)
    losses: int = 0
    tries: int = 0


class Source(Protocol):
    """Where errands come from and how they are sent."""

    late: float | None
    """Seconds without any answer after which all is sent again; None if work may take as long as it likes."""

    def __len__(self) -> int:
        """How many pieces, tiles or jobs, are not yet in any errand."""

    def next(self, address: str, n_threads: int) -> Errand | None:
        """The next errand for a worker, one of so many threads; None if all are on their way."""

    def parts(self, errand: Errand) -> list[Errand]:
        """An errand that a worker may have died of, in smaller parts, so that as little as possible dies again."""

    def is_ready(self, address: str) -> bool:
        """Whether the worker can be sent errands; if not, what it takes is on its way."""

    def send(self, errand: Errand, address: str, ticket: str) -> Any:
        """A future of Dask for the errand on that worker."""

    def learn(self, copy: Copy, answer: Answer) -> None:
        """Note how long an errand took."""

    def forget(self, address: str) -> None:
        """A worker left."""

    def renew(self) -> None:
        """Answers stay out: whatever workers may wait for is sent again."""


class Waiting:
    """Errands that are to be sent again, each to a worker that has not failed it, if one is free."""

    def __init__(self) -> None:
        self._errands = deque[Errand]()

    def __len__(self) -> int:
        return len(self._errands)

    def add(self, errand: Errand) -> None:
        """One more; the last to fail goes first, so that what fails always is soon known."""
        if errand not in self._errands:
            self._errands.appendleft(errand)

    def take(self, address: str, free: Sequence[str]) -> Errand | None:
        """One for this worker, which is one of those that are free."""
        for errand in self._errands:
            if address not in errand.avoid or errand.avoid.issuperset(free):
                self._errands.remove(errand)
                return errand
        return None


Then = Callable[[], None]
