"""Distribute errands to workers, and handle lost and late answers."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any
from uuid import uuid4

from ...tasks import Overseer
from .at_worker import Answer, stop
from .connection import soon
from .crew import Crew
from .errands import Copy, Errand, Source, Waiting
from .fetching import Fetching
from .lateness import Lateness
from .losses import Losses

_NAP = 0.05  # seconds between two checks for Ctrl-C, cancellation and workers
_SLOTS = 2  # messages per thread of a worker: one in work, one waiting
_FAREWELL = 0.5  # seconds for the final cancellation messages

_log = logging.getLogger("wasserstein_transform")


class Dispatch:
    """Sends errands to workers, few at a time, repeats lost and late ones, and yields each answer once.

    Every message is for one worker, so a hanging worker delays only what it was given.
    """

    def __init__(
        self,
        client: Any,
        crew: Crew,
        source: Source,
        events: SimpleQueue[Copy | None],
        losses: Losses,
        engine: Overseer,
    ) -> None:
        self._client, self._crew, self._source, self._events = client, crew, source, events
        self._losses, self._engine = losses, engine
        self._copies: dict[str, list[Copy]] = {}
        self._again, self._late = Waiting(), Lateness(source.late)
        self._fetching = Fetching(client, events)

    def answers(self) -> Iterator[tuple[Errand, Answer]]:
        """Yield errands with their answers as they arrive; closing the generator stops the work on the cluster."""
        try:
            while len(self._source) or len(self._again) or self._under_way:
                self._losses.check(self._client, self._crew, bool(self._under_way))
                self._tend()
                copy = self._heard()
                self._engine.check()
                answer = None if copy is None else self._answer(copy)
                if copy is not None and answer is not None:
                    self._losses.hear()
                    yield copy.errand, answer
        finally:
            self._leave()

    @property
    def _under_way(self) -> list[Copy]:
        return [copy for copies in self._copies.values() for copy in copies]

    def _heard(self) -> Copy | None:
        with suppress(Empty):
            return self._events.get(timeout=_NAP)
        return None

    def _tend(self) -> None:
        for address in self._crew.look():
            self._source.forget(address)
            self._drop_worker(address)
        for copy in self._fetching.overdue():
            self._give_up([copy])
            self._fail(copy, "its answer could not be fetched", lost=False)
        if self._late.is_silent(self._under_way):
            _log.info("no worker has answered for a while: everything in flight is sent again")
            self._source.renew()
            silent = self._under_way
            self._give_up(silent)
            for copy in silent:
                self._fail(copy, "no worker answered", lost=False)
        self._fill()
        if not len(self._source) and not len(self._again):
            self._resend_late()

    def _fill(self) -> None:
        """Send one message to each free worker in turn, least loaded first, while there are free slots."""
        while len(self._source) or len(self._again):
            free = sorted(filter(self._is_free, self._crew.threads), key=self._load)
            if not free:
                return
            for address in free:
                errand = self._again.take(address, free) or self._source.next(address, self._crew.n_threads)
                if errand is not None and not self._send(errand, address):
                    return

    def _load(self, address: str) -> float:
        return len(self._copies.get(address, ())) / self._crew.threads[address]

    def _is_free(self, address: str) -> bool:
        return self._crew.is_there(address) and self._load(address) < _SLOTS and self._source.is_ready(address)

    def _resend_late(self) -> None:
        for copy in filter(self._late.is_late, self._under_way):
            has = {other.address for other in copy.errand.copies}
            free = [address for address in self._crew.threads if address not in has and self._is_free(address)]
            if free:
                _log.info("%s is late at %s: sent to another worker, too", copy.errand.name, copy.address)
                self._send(copy.errand, min(free, key=self._load))

    def _send(self, errand: Errand, address: str) -> bool:
        self._losses.count(errand, address)
        ticket = f"wt-message-{uuid4().hex}"
        try:
            future = self._source.send(errand, address, ticket)
        except Exception as error:
            if self._client.status == "running":
                raise
            _log.info("a message could not be sent: %s", error)  # the connection was just lost
            self._again.add(errand)
            return False
        copy = Copy(errand, address, ticket, future)
        errand.copies.append(copy)
        self._copies.setdefault(address, []).append(copy)
        future.add_done_callback(lambda _: self._events.put(copy))
        return True

    def _answer(self, copy: Copy) -> Answer | None:
        """Return the answer of an errand if this copy is the first to have it."""
        if copy not in copy.errand.copies:
            return None  # another copy was faster
        if copy.fetching is None:
            if copy.future.status == "finished":
                self._fetching.add(copy)
            elif copy.future.status == "error":
                self._fail(copy, repr(copy.future.exception()), lost=True)
            elif copy.future.status in ("cancelled", "lost"):
                self._crew.doubt(copy.address)
                self._fail(copy, "it was lost with a worker", lost=self._is_begun(copy))
            return None
        if not copy.fetching.done():
            return None
        answer, error = self._fetching.take(copy)
        if answer is None:
            self._fail(copy, repr(error), lost=False)
            return None
        if answer.error is not None:
            self._failed(copy, answer.error)
            return None
        self._late.learn(copy)
        self._source.learn(copy, answer)
        self._forget([copy])
        self._give_up(copy.errand.copies)
        return answer

    def _failed(self, copy: Copy, error: BaseException) -> None:
        """Raise an error of the work itself; retry if another worker may have enough memory."""
        if not isinstance(error, MemoryError | InterruptedError) or self._losses.is_last(copy.errand):
            raise error
        self._fail(copy, repr(error), lost=True)

    def _fail(self, copy: Copy, reason: str, *, lost: bool) -> None:
        """Send an errand again unless another copy is in flight; in smaller parts if it may have killed a worker."""
        _log.info("%s at %s: %s", copy.errand.name, copy.address, reason)
        self._forget([copy])
        self._losses.note(copy, reason, lost=lost)
        if not copy.errand.copies:
            for errand in self._source.parts(copy.errand) if lost else [copy.errand]:
                self._again.add(errand)

    def _drop_worker(self, address: str) -> None:
        copies = self._copies.get(address, [])
        for copy, begun in [(copy, self._is_begun(copy)) for copy in copies]:
            self._fail(copy, "the worker left", lost=begun)
        self._copies.pop(address, None)

    def _is_begun(self, copy: Copy) -> bool:
        """Tell whether its worker may have started it: a worker starts with the oldest, one per thread."""
        return self._copies[copy.address].index(copy) < self._losses.threads_of(copy.address)

    def _forget(self, copies: list[Copy]) -> None:
        for copy in list(copies):
            if copy in copy.errand.copies:
                copy.errand.copies.remove(copy)
                self._copies[copy.address].remove(copy)
                self._fetching.drop(copy)
                copy.let_go()

    def _give_up(self, copies: list[Copy]) -> Any:
        """Cancel copies that are no longer needed, at the scheduler and at the workers."""
        if not copies:
            return None
        client, futures, tickets = self._client, [copy.future for copy in copies], [copy.ticket for copy in copies]
        addresses = sorted({copy.address for copy in copies} & set(self._crew.threads))
        self._forget(copies)

        async def tell() -> None:
            await client.cancel(futures)
            if addresses:
                await client.run(stop, tickets, workers=addresses, on_error="ignore")

        with suppress(Exception):  # the connection may be lost
            return soon(client, tell, lambda: None)
        return None

    def _leave(self) -> None:
        self._crew.close()
        told = self._give_up(self._under_way)
        if told is not None:
            with suppress(Exception):
                told.result(timeout=_FAREWELL)
