"""Cluster: the executor that sends tasks to the workers of a Dask client.

Dask places the work, repeats what is lost with a worker, and fetches the results. This module sends the inputs of a
task once, groups its tiles, keeps few groups in flight, and checks that workers compute the same bits.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import pickle
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from .._check import shown, warn
from .tasks import Record, Shapes, Task, Threads, compute_record
from .threads import RunControl, as_finished
from .tiles import Flag, Tile
from .versions import code

distributed: Any
try:
    distributed, sizeof = import_module("distributed"), import_module("dask.sizeof").sizeof
except ImportError:
    distributed = None

_TILE_SECONDS = 0.05  # that a tile takes, about: 0.02 for distances, 0.1 for exact transport
_BANDWIDTH = 2e8  # bytes per second, about, to and from all workers together
_GROUP = 8  # tiles in a message, at most: about half a second, and Dask needs some milliseconds per message
_GROUP_BYTES = 3.2e7  # of records in a message, at most
_IN_FLIGHT = 4  # messages for each thread: more than two, else Dask prefers the worker that has the inputs
_MAX_LOSSES = 6  # workers that may die of a tile
_NAP = 0.01  # seconds between two looks at the results
_LOOK = 1.0  # seconds between two requests for the list of workers
_FAREWELL = 0.5  # seconds for the cancellation of what is in flight
_HOW = "dask.distributed.Client() starts workers on this machine, Client(ADDRESS) finds those of a scheduler"
_OTHER = "results would depend on the machine; install the same versions on all machines"

_PROCESSORS: WeakKeyDictionary[Any, dict[str, str]] = WeakKeyDictionary()  # of the checked workers of each client
_FLAGS: WeakValueDictionary[str, Flag] = WeakValueDictionary()  # on a worker: of the work that it is computing
_STOPPED = deque[Flag](maxlen=1000)  # on a worker: flags that are kept

_log = logging.getLogger("wasserstein_transform")


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
        Work that takes at most about this many seconds is done in this process; 0 sends everything.

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
        _check_client(self.client)
        for name in ("patience", "small"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not value >= 0:
                raise ValueError(f"{name} must be a number of seconds, got {shown(value)}")

    @property
    def n_threads(self) -> int:
        """Number of threads of all workers; 1 if there are none yet."""
        _check_open(self.client)
        return max(1, int(sum(self.client.nthreads().values())))

    def run(self, task: Task, out: Record, engine: RunControl) -> None:
        """Compute a task on the workers and write its records to `out`; small tasks run in this process."""
        _check_open(self.client)
        n_bytes = max(1, _size_of(task.shapes(out, task.tiles[len(task.tiles) // 2])))
        if self.small > 0 and not self._is_worth_sending(task, n_bytes, engine):
            Threads().run(task, out, engine)
            return
        group_size = max(1, min(_GROUP, int(_GROUP_BYTES / n_bytes)))
        for tiles, records in _Run(self.client, task, out, group_size, engine).results(self.patience):
            for tile, record in zip(tiles, records, strict=True):
                task.layout.store(out, tile, record)

    def _is_worth_sending(self, task: Task, n_bytes: int, engine: RunControl) -> bool:
        """Tell whether a task takes longer here than sending its inputs and records, and has work for all workers."""
        n_tiles = len(task.tiles)
        seconds = n_tiles * _TILE_SECONDS / engine.n_threads
        n_sent = sizeof(task.inputs) + n_tiles * n_bytes
        return seconds > max(self.small, n_sent / _BANDWIDTH) and n_tiles > 2 * self.n_threads


def cluster_of(client: Any) -> Cluster:
    """Return the cluster of a client; a Cluster is returned unchanged."""
    return client if isinstance(client, Cluster) else Cluster(client)


class _Run:
    """A task that is under way on a cluster."""

    def __init__(self, client: Any, task: Task, out: Record, group_size: int, engine: RunControl) -> None:
        self._client, self._task, self._out, self._engine = client, task, out, engine
        self._name, self._count = f"wt_{uuid4().hex[:12]}", itertools.count()
        self._todo, self._n_done, self._group_size = deque(task.tiles), 0, group_size
        self._groups: dict[Any, tuple[list[Tile], Any]] = {}  # tiles in flight by their future, with that of the inputs
        self._losses = Counter[Tile]()  # of each tile
        self._inputs: Any = None
        self._threads = {"": 0}  # of each worker; not asked yet
        self._looked = -float("inf")
        self._ended = distributed.as_completed(loop=client.loop, with_results=True, raise_errors=False)

    def results(self, patience: float) -> Iterator[tuple[list[Tile], list[Record]]]:
        """Yield tiles with their records as they arrive; closing the generator stops the work on the cluster."""
        self._report("")
        busy = time.monotonic()
        try:
            while self._todo or self._groups:
                self._look()
                self._send()
                if self._groups and self._threads:
                    busy = time.monotonic()
                elif time.monotonic() - busy > patience:
                    raise TimeoutError(
                        f"no worker of the cluster could be given work for {patience:.0f} seconds; {self._progress()}; "
                        "check that workers run, or wait longer: "
                        "Engine(client=wt.engine.Cluster(client, patience=SECONDS))"
                    )
                for future, result in self._ended.next_batch(block=False):
                    if (tiles := self._receive(future, result)) is not None:
                        yield tiles, result
                        self._n_done += len(tiles)
                        self._report(f" on {len(self._threads)} worker{'s' * (len(self._threads) != 1)}")
                self._engine.check()
                time.sleep(_NAP)
        except Exception as error:
            if self._client.status == "running":
                raise
            raise ConnectionError(f"the connection to the scheduler was lost; {self._progress()}") from error
        finally:
            if self._n_done < len(self._task.tiles):
                self._stop()

    def _look(self) -> None:
        """Update the list of workers once in a while, and check new ones."""
        if self._client.status != "running":
            raise ConnectionError("the client is not connected")
        if time.monotonic() - self._looked < _LOOK:
            return
        before, self._threads = self._threads, self._ask(self._client.nthreads)
        if not self._threads:
            self._report(", waiting for workers")
            if before:
                _log.warning("the cluster has no workers: waiting for some")
        known = _PROCESSORS.setdefault(self._client, {})
        new = [address for address in self._threads if address not in known]
        answers = self._ask(partial(self._client.run, code, workers=new, on_error="return")) if new else {}
        for address, answer in answers.items():
            if not isinstance(answer, OSError):  # else it has left
                known[address] = _check_worker(address, answer, known.values())
        self._looked = time.monotonic()

    def _send(self) -> None:
        """Send groups of tiles while there is room, smaller ones toward the end, so that all workers end together."""
        n_slots = _IN_FLIGHT * sum(self._threads.values())
        if not self._todo or len(self._groups) >= n_slots:
            return
        if self._inputs is None and self._task.inputs is not None:
            key = f"inputs_{self._name}_{next(self._count)}"
            try:
                self._inputs = self._ask(partial(self._client.scatter, {key: self._task.inputs}))[key]
            except OSError:
                return  # the worker that was to have them has left: again in a moment
        groups = list[list[Tile]]()
        while self._todo and len(groups) + len(self._groups) < n_slots:
            size = max(1, min(self._group_size, len(self._todo) // n_slots))
            groups.append([self._todo.popleft() for _ in range(size)])
        head, shapes = (self._name, code()["source"], self._task.compute), self._task.shapes
        dumps = distributed.protocol.pickle.dumps  # pickles functions of scripts by value
        messages = [dumps((*head, [(tile, shapes(self._out, tile)) for tile in group])) for group in groups]
        keys = [f"{self._name}-{next(self._count)}" for _ in groups]
        futures = self._client.map(_compute_group, messages, [self._inputs] * len(keys), key=keys, pure=False)
        self._groups |= {future: (group, self._inputs) for future, group in zip(futures, groups, strict=True)}
        self._ended.update(futures)

    def _receive(self, future: Any, result: Any) -> list[Tile] | None:
        """Return the tiles whose records have arrived; None if they were lost, and then they are sent again."""
        tiles, inputs = self._groups.pop(future)
        if future.status == "finished":
            return tiles
        n_lost = 1  # with the only worker that had the inputs
        if future.status == "error":
            _, error, trace = result
            if not isinstance(error, distributed.KilledWorker):
                raise error.with_traceback(trace)
            n_lost = error.allowed_failures + 1
        elif inputs is self._inputs:
            self._inputs = None
        self._losses.update(dict.fromkeys(tiles, n_lost))
        most_lost = max(self._losses[tile] for tile in tiles)
        if most_lost >= _MAX_LOSSES and len(tiles) == 1:
            raise RuntimeError(
                f"rows {tiles[0].start}…{tiles[0].stop} of {self._task.name} failed {most_lost} times, each time with "
                f"its worker; workers that die of the same work often have too little memory; {self._progress()}"
            )
        if most_lost >= _MAX_LOSSES / 2:
            self._group_size = 1  # to find the tile that kills workers
        self._todo.extendleft(reversed(tiles))
        return None

    def _stop(self) -> None:
        """Cancel what is in flight, at the scheduler and in the middle of a tile on the workers."""
        client, name = self._client, self._name
        futures = [*self._groups, *([] if self._inputs is None else [self._inputs])]

        async def cancel() -> None:
            await client.cancel(futures)
            await client.run(_stop_computing, name, on_error="ignore")

        with suppress(Exception):  # the connection may be lost
            asyncio.run_coroutine_threadsafe(cancel(), client.loop.asyncio_loop).result(_FAREWELL)

    def _ask(self, method: Callable[[], Any]) -> Any:
        """Call a method of the client in its event loop, and check for Ctrl-C and cancellation meanwhile."""

        async def call() -> Any:
            return await method()

        answer = asyncio.run_coroutine_threadsafe(call(), self._client.loop.asyncio_loop)
        return next(as_finished([answer], self._engine)).result()

    def _report(self, where: str) -> None:
        self._engine.report(f"{self._task.name}{where}", self._n_done, len(self._task.tiles))

    def _progress(self) -> str:
        return f"{self._n_done} of {len(self._task.tiles)} tiles of {self._task.name} were done"


def _compute_group(message: bytes, inputs: Any) -> list[Record]:
    """Compute the tiles of a message on a worker."""
    run, source, compute, tiles = pickle.loads(message)
    if source != code()["source"]:
        raise RuntimeError(f"a worker has source {code()['source']}, and this process source {source}: {_OTHER}")
    stop, results = _FLAGS.setdefault(run, np.zeros(1, np.uint8)), list[Record]()
    for tile, shapes in tiles:
        if stop[0]:
            break
        results.append(compute_record(compute, inputs, tile, shapes, stop))
    return results


def _stop_computing(run: str) -> None:
    """Stop work on a worker; what begins later, because its cancellation has not arrived yet, stops at once."""
    flag = _FLAGS.setdefault(run, np.zeros(1, np.uint8))
    flag[0] = 1
    _STOPPED.append(flag)


def _size_of(shapes: Shapes) -> int:
    return sum(int(np.prod(shape)) * np.dtype(dtype).itemsize for shape, dtype in shapes)


def _check_client(client: Any) -> None:
    """Reject anything but a synchronous Dask client."""
    if distributed is None:
        raise ImportError('a client needs Dask; pip install "wasserstein-transform[dask]"')
    if not isinstance(client, distributed.Client):
        raise TypeError(f"client must be a dask.distributed.Client, got {shown(client)}; {_HOW}")
    if client.asynchronous or getattr(client, "_asynchronous", False):
        raise ValueError(
            "client is an asynchronous one, but this library waits for its results; create it with asynchronous=False, "
            "and call the library from a thread of its own if there is an event loop"
        )


def _check_open(client: Any) -> None:
    if client.status in ("closed", "closing"):
        raise ConnectionError(f"the client is {client.status}: nothing can be sent with it; {_HOW}")


def _check_worker(address: str, theirs: Any, processors: Collection[str]) -> str:
    """Return the processor of a worker, given what `code` answers there; warn if it is new, reject other versions."""
    ours = code()
    if isinstance(theirs, ModuleNotFoundError):
        raise RuntimeError(
            f"the worker {address} cannot import a module it needs ({theirs}); install wasserstein-transform there"
        )
    if isinstance(theirs, BaseException):
        raise RuntimeError(f"the worker {address} could not report its versions: {theirs!r}") from theirs
    other = [name for name in ours if name not in ("processor", "features") and ours[name] != theirs.get(name)]
    if other:
        its, mine = (", ".join(f"{name} {known.get(name)}" for name in other) for known in (theirs, ours))
        raise RuntimeError(f"the worker {address} has {its}, and this process {mine}: {_OTHER}")
    its, mine = (f"{known['processor']} {known['features'][:8]}" for known in (theirs, ours))
    if its not in (mine, *processors):
        warn(
            f"the worker {address} has another processor ({its}) than this machine ({mine}): the last bits of results "
            "may depend on the machine"
        )
    return its
