"""Errands: groups of tiles, or jobs. Each is a message to one worker, with an answer."""

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
    """One message with an errand: its worker, when it was sent, and the future of its answer."""

    errand: Errand
    address: str
    ticket: str
    future: Any
    sent: float = field(default_factory=time.monotonic)
    fetching: Future[Answer] | None = None
    fetched_from: float = 0.0

    def let_go(self) -> None:
        """Release the answer, here and on the worker."""
        self.future = self.fetching = None


@dataclass(eq=False)
class Errand:
    """A piece of work for one message; there are several copies of it while a worker is late."""

    what: Any
    name: str
    copies: list[Copy] = field(default_factory=list)
    avoid: set[str] = field(default_factory=set)
    losses: int = 0
    tries: int = 0


class Source(Protocol):
    """Protocol: creates errands and sends them."""

    late: float | None
    """Seconds without any answer after which everything is sent again; None if work may take any time."""

    def __len__(self) -> int:
        """Return the number of pieces, tiles or jobs, that are not yet in an errand."""

    def next(self, address: str, n_threads: int) -> Errand | None:
        """Return the next errand for a worker; `n_threads` is that of all workers. None if there is none left."""

    def parts(self, errand: Errand) -> list[Errand]:
        """Split an errand that may have killed a worker, so that less is lost the next time."""

    def is_ready(self, address: str) -> bool:
        """Tell whether errands can be sent to the worker; if not, start sending what it needs."""

    def send(self, errand: Errand, address: str, ticket: str) -> Any:
        """Submit the errand to that worker; return the Dask future."""

    def learn(self, copy: Copy, answer: Answer) -> None:
        """Record how long an errand took."""

    def forget(self, address: str) -> None:
        """Forget a worker that left."""

    def renew(self) -> None:
        """Send everything again that workers may be waiting for, since no answers arrive."""


class Waiting:
    """Errands to be sent again, preferably to a worker that has not failed them."""

    def __init__(self) -> None:
        self._errands = deque[Errand]()

    def __len__(self) -> int:
        return len(self._errands)

    def add(self, errand: Errand) -> None:
        """Add an errand; the last to fail is sent first, so that a permanent failure shows early."""
        if errand not in self._errands:
            self._errands.appendleft(errand)

    def take(self, address: str, free: Sequence[str]) -> Errand | None:
        """Return an errand for this worker, one of the free workers; None if there is none."""
        for errand in self._errands:
            if address not in errand.avoid or errand.avoid.issuperset(free):
                self._errands.remove(errand)
                return errand
        return None


Then = Callable[[], None]
