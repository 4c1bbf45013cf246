"""Inputs of tasks on the cluster: sent once, and reused while they are there."""

from __future__ import annotations

import pickle
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Any
from uuid import uuid4

from ...tasks import Task
from .at_worker import Inputs
from .connection import soon

_SEEDS = 4  # workers that get inputs from this process; the others get them from these
_AGAIN = 1.0  # seconds until inputs are sent again to a worker that did not receive them
_KEPT = 8  # parcels, and bytes on a worker (next line), that are kept for later tasks
_KEPT_BYTES = 2.5e8


class Parcel:
    """The inputs of one task on some workers under one key; the inputs themselves are held by the running task."""

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes
        self._lock = Lock()
        self._begin()

    def _begin(self) -> None:
        self._key = f"wt-inputs-{uuid4().hex}"
        self._future: Any = None
        self._holders, self._uploads = set[str](), dict[str, Future[Any]]()
        self._failed = dict[str, float]()

    @property
    def future(self) -> Any:
        """The Dask future that messages refer to."""
        return self._future

    def at(self, address: str, upload: Callable[[str], Future[Any]]) -> bool:
        """Tell whether the worker has the inputs or can get them from others; if not, `upload(key)` sends them."""
        with self._lock:
            if self._future is not None and self._future.status != "finished":
                self._begin()
            under_way = self._uploads.get(address)
            if under_way is not None and under_way.done():
                del self._uploads[address]
                if under_way.cancelled() or under_way.exception() is not None:
                    self._failed[address] = time.monotonic()
                    return False
                self._future = under_way.result()[self._key]
                self._holders.add(address)
            if address in self._holders or len(self._holders) >= _SEEDS:
                return True
            if address not in self._uploads and time.monotonic() - self._failed.get(address, -_AGAIN) >= _AGAIN:
                self._uploads[address] = upload(self._key)
            return False

    def forget(self, address: str) -> None:
        """Forget a worker that left, with its copy."""
        with self._lock:
            self._holders.discard(address)
            self._uploads.pop(address, None)

    def renew(self) -> None:
        """Send the inputs again under another key: workers may be waiting for a copy that never arrives."""
        with self._lock:
            self._begin()


class Parcels:
    """The most recent parcels, by the fingerprints of their tasks."""

    def __init__(self) -> None:
        self._lock, self._kept = Lock(), OrderedDict[str, Parcel]()

    def of(self, task: Task, n_bytes: int) -> Parcel:
        """Return the parcel of a task; the oldest ones are dropped, and Dask frees them when no message needs them."""
        name = _name_of(task)
        with self._lock:
            parcel = self._kept.pop(name, None) or Parcel(n_bytes)
            self._kept[name] = parcel
            while len(self._kept) > 1 and (len(self._kept) > _KEPT or self._n_bytes() > _KEPT_BYTES):
                self._kept.popitem(last=False)
            return parcel

    def _n_bytes(self) -> int:
        return sum(parcel.n_bytes for parcel in self._kept.values())


def scattered(client: Any, inputs: Inputs, key: str, address: str, then: Callable[[], None]) -> Future[Any]:
    """Send inputs to a worker; return the future."""
    return soon(client, lambda: client.scatter({key: inputs}, workers=[address], hash=False), then)


def size_of(inputs: Any) -> int:
    """Return the bytes of pickled inputs, without copying arrays."""
    buffers = list[pickle.PickleBuffer]()
    rest = pickle.dumps(inputs, protocol=5, buffer_callback=buffers.append)
    return len(rest) + sum(buffer.raw().nbytes for buffer in buffers)


def _name_of(task: Task) -> str:
    try:
        return task.fingerprint
    except TypeError:  # inputs of a custom type
        return uuid4().hex
