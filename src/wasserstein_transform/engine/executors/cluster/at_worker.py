"""Functions that run on a worker."""

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
from ...tasks import Compute, Flag, Record, Shapes, Tile, compute_record as computed

_SHARE = 0.8  # of a worker's memory for its jobs: above that, Dask pauses the worker
_REMEMBERED = 10_000  # tickets of stopped work that are remembered
_UNDER_WAY: dict[str, Flag] = {}
_ENDED: dict[str, None] = {}


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of a task, as one value for Dask."""

    value: Any
    nbytes: int


@dataclass(frozen=True)
class Group:
    """A message with some tiles of a task."""

    ticket: str
    compute: Compute
    tiles: tuple[Tile, ...]
    shapes: tuple[Shapes, ...]


@dataclass(frozen=True)
class Job:
    """A message with a job: the worker calls function(job, engine), where `make` creates the engine."""

    ticket: str
    function: Callable[[Any, Any], Any]
    job: Any
    make: Callable[..., Any]
    device: Any


@dataclass(frozen=True, eq=False)
class Answer:
    """The result of a message: a value, or an error of the work itself, for which the worker is not to blame."""

    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0
    nbytes: int = 0


def solve(inputs: Inputs, message: bytes) -> Answer:
    """Compute the records of a group of tiles."""
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
    """Run a job on one thread, with a fair share of the worker's memory."""
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
    """Stop work whose result is no longer needed; kernels check their flag, and later starts are remembered."""
    for ticket in tickets:
        _ENDED[ticket] = None
        flag = _UNDER_WAY.get(ticket)
        if flag is not None:
            flag[0] = 1
    for ticket in list(_ENDED)[:-_REMEMBERED]:
        _ENDED.pop(ticket, None)


def fair_memory(dask_worker: Any = None) -> float:
    """Return the bytes that one thread of this worker may take."""
    worker = dask_worker or sys.modules["distributed"].get_worker()
    limit = worker.memory_manager.memory_limit or available()
    return _SHARE * float(limit) / float(worker.state.nthreads)


@contextmanager
def _flag(ticket: str) -> Iterator[Flag]:
    """Provide the flag that `stop` sets."""
    flag = _UNDER_WAY[ticket] = np.zeros(1, np.uint8)
    if ticket in _ENDED:
        flag[0] = 1
    try:
        yield flag
    finally:
        _UNDER_WAY.pop(ticket, None)


def _portable(error: BaseException) -> BaseException:
    """Return the error, or a RuntimeError with its text if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
