"""Tasks on the workers of a Dask client.

Dask places the work, computes again what is lost with a worker, and fetches the results. This module groups tiles,
keeps few groups in flight, and checks that workers run the same versions.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from .._check import shown
from .._display import counted
from .tasks import Record, Task
from .tiles import Tile
from .versions import code

if TYPE_CHECKING:
    from .core import Engine

dask: Any
distributed: Any
try:
    dask, distributed = import_module("dask"), import_module("distributed")
except ImportError:
    dask = distributed = None

_TILE_SECONDS = 0.05  # that a tile of exact transport takes, about
_MIN_SECONDS_TO_SEND = 0.2  # of work here: less is done sooner than sent
_MAX_GROUP_TILES = 8  # in a message: about half a second, and Dask needs some milliseconds per message
_MAX_GROUP_BYTES = 3.2e7  # of the records of a message
_GROUPS_PER_THREAD = 4  # in flight: more than two, else Dask prefers the worker that has the inputs
_SECONDS_BETWEEN_RESULTS = 0.01  # between two looks at the results
_SECONDS_BETWEEN_COUNTS = 1.0  # between two requests for the list of workers


def check_client(client: Any) -> None:
    """Reject anything but a synchronous Dask client."""
    if distributed is None:
        raise ImportError('a client needs Dask; pip install "wasserstein-transform[dask]"')
    if not isinstance(client, distributed.Client) or client.asynchronous:
        raise TypeError(
            f"client must be a synchronous dask.distributed.Client, got {shown(client)}; Client() starts workers on "
            "this machine, Client(ADDRESS) finds those of a scheduler"
        )


def is_worth_sending(task: Task, engine: Engine) -> bool:
    """Tell whether a task takes longer here than on the way, and has work for all workers."""
    if engine.client.status != "running":
        raise ConnectionError(f"the client is {engine.client.status}: nothing can be sent with it")
    n_tiles = len(task.tiles)
    is_long = n_tiles * _TILE_SECONDS > _MIN_SECONDS_TO_SEND * engine.n_threads
    return is_long and n_tiles > 2 * sum(engine.client.nthreads().values())


def send(task: Task, out: Record, engine: Engine) -> None:
    """Compute a task on the workers and write its records to `out`.

    Without workers it waits for some. After an error, Ctrl-C or a cancellation, workers end the groups that they
    compute, and begin no others.
    """
    client, dumps = engine.client, distributed.protocol.pickle.dumps  # pickles functions of scripts by value
    todo, groups, n_done = deque(task.tiles), dict[Any, list[Tile]](), 0
    n_bytes = sum(array.nbytes for array in task.layout.allocate(out, todo[len(todo) // 2]))
    group_size = max(1, min(_MAX_GROUP_TILES, int(_MAX_GROUP_BYTES / max(n_bytes, 1))))
    results = distributed.as_completed(loop=client.loop, with_results=True, raise_errors=False)
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):
        inputs = client.submit(pickle.loads, dumps(task.inputs), pure=False)  # as a task: Dask can compute it again
    last_count = -float("inf")
    try:
        while todo or groups:
            if time.monotonic() - last_count > _SECONDS_BETWEEN_COUNTS:
                n_threads, last_count = client.nthreads(), time.monotonic()
                n_slots = _GROUPS_PER_THREAD * max(1, sum(n_threads.values()))
                where = f" on {counted(len(n_threads), 'worker')}" if n_threads else ", waiting for workers"
                engine.report(f"{task.name}{where}", n_done, len(task.tiles))
            while todo and len(groups) < n_slots:
                size = min(group_size, max(1, len(todo) // n_slots))  # small at the end: all workers end together
                group = [todo.popleft() for _ in range(size)]
                message = dumps((code(), task.compute, [(tile, task.shapes(out, tile)) for tile in group]))
                future = client.submit(_compute_group, message, inputs, pure=False)
                groups[future] = group
                results.add(future)
            for future, result in results.next_batch(block=False):
                if future.status == "error":
                    _, error, trace = result
                    raise error.with_traceback(trace)
                if future.status != "finished":
                    raise ConnectionError(
                        f"the connection to the scheduler was lost; {n_done} of {len(task.tiles)} tiles of {task.name} "
                        "were done"
                    )
                group = groups.pop(future)
                for tile, record in zip(group, result, strict=True):
                    task.store(out, tile, record)
                n_done += len(group)
                engine.report(f"{task.name}{where}", n_done, len(task.tiles))
            engine.check()
            time.sleep(_SECONDS_BETWEEN_RESULTS)
    finally:
        for future in (inputs, *groups):
            future.release()


def _compute_group(message: bytes, inputs: Any) -> list[Record]:
    """Compute the tiles of a message on a worker; refuse to do so with other versions."""
    versions, compute, tiles = pickle.loads(message)
    here, libraries = code(), versions.keys() - {"processor", "features"}
    if others := sorted(name for name in libraries if here[name] != versions[name]):
        its, sent = (", ".join(f"{name} {known[name]}" for name in others) for known in (here, versions))
        raise RuntimeError(
            f"the worker {distributed.get_worker().address} has {its}, and the client {sent}: results would depend on "
            "the machine; install the same versions on all machines"
        )
    records = list[Record]()
    for tile, shapes in tiles:
        record = tuple(np.zeros(shape, dtype) for shape, dtype in shapes)
        compute(inputs, tile, np.zeros(1, np.uint8), record)
        records.append(record)
    return records
