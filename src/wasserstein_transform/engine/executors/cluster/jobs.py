"""Jobs as errands: functions that read and write files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from .at_worker import Answer, Job, do
from .errands import Copy, Errand
from .session import Traffic


class Jobs:
    """The remaining jobs, as errands."""

    late: float | None = None

    def __init__(
        self, client: Any, function: Callable[..., Any], jobs: Sequence[Any], name: str, engine: Any, traffic: Traffic
    ) -> None:
        self._client, self._function, self._jobs, self._name = client, function, jobs, name
        self._engine, self._traffic = engine, traffic
        self._begun = 0

    def __len__(self) -> int:
        return len(self._jobs) - self._begun

    def next(self, address: str, n_threads: int) -> Errand | None:
        if not len(self):
            return None
        self._begun += 1
        return Errand(self._begun - 1, f"job {self._begun} of {len(self._jobs)} of {self._name}")

    def parts(self, errand: Errand) -> list[Errand]:
        return [errand]

    def is_ready(self, address: str) -> bool:
        return True

    def send(self, errand: Errand, address: str, ticket: str) -> Any:
        job = Job(ticket, self._function, self._jobs[errand.what], type(self._engine), self._engine.device)
        message: bytes = sys.modules["distributed"].protocol.pickle.dumps(job)  # pickles functions of scripts by value
        self._traffic.messages += 1
        self._traffic.sent += len(message)
        return self._client.submit(do, message, workers=[address], allow_other_workers=False, key=ticket, pure=False)

    def learn(self, copy: Copy, answer: Answer) -> None:
        self._traffic.worked += answer.seconds

    def forget(self, address: str) -> None:
        pass

    def renew(self) -> None:
        pass
