"""Cluster: the executor that sends tasks and jobs to Dask workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from ...memory import available
from ...tasks import Overseer, Record, Task, Tile
from .at_worker import fair_memory
from .connection import check_client, check_open
from .crew import Crew
from .dispatch import Dispatch
from .errands import Copy
from .groups import Groups, record_bytes
from .here import Here
from .jobs import Jobs
from .losses import Losses
from .parcels import size_of
from .session import session_of

_BANDWIDTH = 2e8  # bytes per second, about, to and from all workers together
_UPLOADS = 2  # how many times inputs are sent from this process, about


@dataclass(frozen=True)
class Cluster:
    """The workers of a `dask.distributed.Client`, with options; for `Engine(client=…)`.

    Parameters
    ----------
    client : dask.distributed.Client
        A synchronous client.
    patience : float, default 300
        Seconds to wait for workers while there are none.
    small : float, default 0.2
        Work that takes at most this many seconds is done in this process; 0 sends everything.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> try:
    ...     wt.engine.Cluster("tcp://scheduler:8786")
    ... except (TypeError, ImportError):
    ...     print("a client is needed, not an address")
    a client is needed, not an address
    >>> from dask.distributed import Client  # doctest: +SKIP
    >>> cluster = wt.engine.Cluster(Client("tcp://scheduler:8786"), patience=600)  # doctest: +SKIP
    >>> with wt.using(client=cluster):  # doctest: +SKIP
    ...     distances = wt.LocalTruncation(eps=1.0).fit(X).distances_
    """

    client: Any
    patience: float = 300.0
    small: float = 0.2

    def __post_init__(self) -> None:
        check_client(self.client)
        for name in ("patience", "small"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not value >= 0:
                raise ValueError(f"{name} must be a number of seconds, got {value!r}")

    @property
    def n_threads(self) -> int:
        """Number of threads of all workers; 1 if there are none yet."""
        check_open(self.client)
        return max(1, int(sum(self.client.nthreads().values())))

    def fair_memory(self) -> float:
        """Return the bytes that a job may take on any worker."""
        check_open(self.client)
        return float(min(self.client.run(fair_memory).values(), default=available()))

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        """Compute a task on the workers and write its records to `out`; small tasks run in this process."""
        check_open(self.client)
        todo = deque(task.tiles)
        with Here(task, out, todo, engine) as here:
            if self.small > 0:
                here.work(self.small)
            if todo and self._is_worth_sending(task, out, todo, here):
                self._send(task, out, todo, here, engine)
            elif todo:
                here.work(float("inf"))
            here.finish()

    def _is_worth_sending(self, task: Task, out: Record, todo: deque[Tile], here: Here) -> bool:
        """Tell whether the remaining work takes longer here than sending its inputs and records."""
        if self.small == 0 or here.n_done == 0:
            return True
        seconds = len(todo) * here.pace / here.n_threads
        n_bytes = _UPLOADS * size_of(task.inputs) + len(todo) * record_bytes(task, out, todo[len(todo) // 2])
        return seconds > max(self.small, n_bytes / _BANDWIDTH)

    def _send(self, task: Task, out: Record, todo: deque[Tile], here: Here, engine: Overseer) -> None:
        client, session, events = self.client, session_of(self.client), SimpleQueue[Copy | None]()
        total, n_done = len(task.tiles), 0
        parcel = session.parcels.of(task, size_of(task.inputs))

        def wake() -> None:
            events.put(None)

        def report(where: str) -> None:
            engine.report(f"{task.name}{where}", n_done + here.n_done, total)

        pace = here.pace if here.n_done else max(self.small, 0.02)
        crew = Crew(client, session, wake)
        groups = Groups(client, task, out, todo, parcel, pace, session.traffic, wake)
        losses = Losses(
            self.patience,
            lambda: f"{n_done + here.n_done} of {total} tiles of {task.name} were done",
            lambda: report(", waiting for workers"),
        )
        for errand, answer in Dispatch(client, crew, groups, events, losses, engine).answers():
            for tile, record in zip(errand.what, answer.value, strict=True):
                task.place.put(out, tile, record)
            n_done += len(errand.what)
            here.hear()
            report(_on(crew))

    def each(
        self, function: Callable[..., Any], jobs: Sequence[Any], name: str, engine: Overseer
    ) -> Iterator[tuple[int, Any]]:
        """Run jobs on the workers; yield (number, result) as they end.

        A job runs on one thread with its share of the worker's memory. It may run again, even twice at the same time,
        if its worker dies or is late: files must be written atomically, with the same content each time.
        """
        check_open(self.client)
        client, session, events = self.client, session_of(self.client), SimpleQueue[Copy | None]()
        n_done = 0
        crew = Crew(client, session, lambda: events.put(None))
        losses = Losses(
            self.patience,
            lambda: f"{n_done} of {len(jobs)} jobs of {name} were done",
            lambda: engine.report(f"{name}, waiting for workers", n_done, len(jobs)),
        )
        engine.report(name, 0, len(jobs))
        source = Jobs(client, function, jobs, name, engine, session.traffic)
        for errand, answer in Dispatch(client, crew, source, events, losses, engine).answers():
            n_done += 1
            yield errand.what, answer.value
            engine.report(f"{name}{_on(crew)}", n_done, len(jobs))


def _on(crew: Crew) -> str:
    n_workers = len(crew.threads)
    return f" on {n_workers} worker{'s' * (n_workers != 1)}"


def cluster_of(client: Any) -> Cluster:
    """Return the cluster of a client; a Cluster is returned unchanged."""
    return client if isinstance(client, Cluster) else Cluster(client)
