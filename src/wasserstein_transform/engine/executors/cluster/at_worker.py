"""What runs on a worker."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...memory import available
from ...places import Record
from ...task import Compute, Flag, Shapes, computed
from ...tiles import Tile

_SHARE = 0.8  # of a worker's memory for its jobs: beyond, Dask pauses it
_REMEMBERED = 10_000  # tickets of work that was ended
_UNDER_WAY: dict[str, Flag] = {}
_ENDED: dict[str, None] = {}


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of a task, one value to Dask."""

    value: Any
    nbytes: int


@dataclass(frozen=True)
class Group:
    """Some tiles of a task, on their way to a worker."""

    ticket: str
    compute: Compute
    tiles: tuple[Tile, ...]
    shapes: tuple[Shapes, ...]


@dataclass(frozen=True)
class Job:
    """A job on its way to a worker: function(job, make(…)), where `make` makes the engine of a machine."""

    ticket: str
    function: Callable[[Any, Any], Any]
    job: Any
    make: Callable[..., Any]
    device: Any


@dataclass(frozen=True, eq=False)
class Answer:
    """What came out: a value, or the error of the work itself, which is no fault of the worker."""

    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0
    nbytes: int = 0


def solve(inputs: Inputs, message: bytes) -> Answer:
    """The records of a group of tiles."""
    begun, records = time.perf_counter(), list[Record]()
    try:
        group: Group = pickle.loads(message)
        with _flag(group.ticket) as stop:
            for tile, shapes in zip(group.tiles, group.shapes, strict=True):
                records.append(computed(group.compute, inputs.value, tile, shapes, stop))
                if stop[0]:
                    return Answer(error=InterruptedError("stopped"))
    except Exception as error:
        return Answer(error=_portable(error))
    n_bytes = sum(array.nbytes for record in records for array in record)
    return Answer(records, seconds=time.perf_counter() - begun, nbytes=n_bytes)


def do(message: bytes) -> Answer:
    """What a job gives, on one thread and with a fair part of the worker's memory."""
    begun = time.perf_counter()
    try:
        sent: Job = pickle.loads(message)
        with _flag(sent.ticket) as stop:
            engine = sent.make(n_jobs=1, memory=fair_memory(), device=sent.device, flag=stop)
            value = sent.function(sent.job, engine)
    except Exception as error:
        return Answer(error=_portable(error))
    return Answer(value, seconds=time.perf_counter() - begun)


def stop(tickets: list[str]) -> None:
    """End work that nobody waits for. Kernels look at their flag; what is about to begin is remembered."""
    for ticket in tickets:
        _ENDED[ticket] = None
        flag = _UNDER_WAY.get(ticket)
        if flag is not None:
            flag[0] = 1
    for ticket in list(_ENDED)[:-_REMEMBERED]:
        _ENDED.pop(ticket, None)


def fair_memory(dask_worker: Any = None) -> float:
    """Bytes that one thread of this worker may take."""
    worker = dask_worker or sys.modules["distributed"].get_worker()
    limit = worker.memory_manager.memory_limit or available()
    return _SHARE * float(limit) / float(worker.state.nthreads)


@contextmanager
def _flag(ticket: str) -> Iterator[Flag]:
    """The flag that `stop` sets."""
    flag = _UNDER_WAY[ticket] = np.zeros(1, np.uint8)
    if ticket in _ENDED:
        flag[0] = 1
    try:
        yield flag
    finally:
        _UNDER_WAY.pop(ticket, None)


def _portable(error: BaseException) -> BaseException:
    """The error, without what cannot travel."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
