"""Limits of patience: repeated failures of an errand, no workers, no scheduler."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from .crew import Crew
from .errands import Copy, Errand

_LOSSES = 6  # workers that may die of one errand, or fail it
_TRIES = 50  # messages with one errand
_GRACE = 3.0  # seconds for a client to reconnect to its scheduler

_log = logging.getLogger("wasserstein_transform")


class Losses:
    """Raises errors when limits are exceeded; `finished` tells in words what is done, `waiting` is called when idle."""

    def __init__(self, patience: float, finished: Callable[[], str], waiting: Callable[[], None]) -> None:
        self._patience, self._finished, self._waiting = patience, finished, waiting
        self._heard = time.monotonic()
        self._connected = self._heard
        self._threads: dict[str, int] = {}
        self._said = False

    def hear(self) -> None:
        """Record an answer."""
        self._heard, self._said = time.monotonic(), False

    def check(self, client: Any, crew: Crew, under_way: bool) -> None:
        """Raise an error if the scheduler is lost, or there were no workers for too long."""
        now = time.monotonic()
        self._threads |= crew.threads
        if client.status == "running":
            self._connected = now
        elif client.status in ("closed", "closing") or now - self._connected > _GRACE:
            raise ConnectionError(f"the connection to the scheduler was lost; {self._finished()}")
        if under_way:
            self._heard = now
        elif now - self._heard > self._patience:
            raise TimeoutError(
                f"no worker of the cluster could be given work for {self._patience:.0f} seconds; {self._finished()}; "
                "check that workers run, or wait longer: Engine(client=wt.engine.Cluster(client, patience=SECONDS))"
            )
        elif crew.is_empty and now - self._heard > 1.0:
            if not self._said:
                _log.warning("the cluster has no workers: waiting for some, up to %.0f seconds", self._patience)
                self._said = True
            self._waiting()

    def threads_of(self, address: str) -> int:
        """Return how many errands a lost worker may have been working on."""
        return self._threads.get(address, 1)

    def count(self, errand: Errand, address: str) -> None:
        """Count a message; raise an error if there were too many with this errand."""
        errand.tries += 1
        if errand.tries > _TRIES:
            raise RuntimeError(f"{errand.name} was sent {_TRIES} times, and no answer came; {self._finished()}")

    def is_last(self, errand: Errand) -> bool:
        """Tell whether the next failure of an errand is final."""
        return errand.losses + 1 >= _LOSSES

    def note(self, copy: Copy, reason: str, *, lost: bool) -> None:
        """Record a failed copy of an errand; `lost` if the errand itself may be the cause."""
        errand = copy.errand
        errand.avoid.add(copy.address)
        errand.losses += lost
        if errand.losses >= _LOSSES:
            raise RuntimeError(
                f"{errand.name} failed {_LOSSES} times, the last time on {copy.address}: {reason}; workers that die of "
                f"the same work often have too little memory; {self._finished()}"
            )
