"""Group the tiles of a task into messages of about half a second of work, smaller ones toward the end."""

from __future__ import annotations

import pickle
from collections import deque
from dataclasses import replace
from typing import Any

from ...tasks import Record, Task, Tile
from .at_worker import Answer, Group, Inputs, solve
from .errands import Copy, Errand, Then
from .parcels import Parcel, scattered
from .session import Traffic

_SECONDS = 0.5  # of work in a message, at most: Dask needs some milliseconds per message
_EACH = 0.01  # more seconds per thread: with many threads, messages would arrive faster than they can be handled
_LEAST = 0.05
_SHARES = 3.0  # the remaining work is distributed in this many rounds, so that all workers finish together
_PARTS = 8  # parts of a group that may have killed a worker
_BYTES = 3.2e7  # of records in a message, at most
_MEMORY = 0.5  # weight of the previous pace when a new one is measured


class Groups:
    """The remaining tiles of a task, as errands."""

    late: float | None = 60.0

    def __init__(
        self, client: Any, task: Task, out: Record, todo: deque[Tile], parcel: Parcel, pace: float, traffic: Traffic,
        then: Then,
    ) -> None:  # fmt: skip
        self._client, self._task, self._out, self._todo, self._traffic = client, task, out, todo, traffic
        self._parcel, self._then = parcel, then
        self._inputs = Inputs(task.inputs, parcel.n_bytes)
        self._pace, self._paces = pace, dict[str, float]()

    def __len__(self) -> int:
        return len(self._todo)

    def next(self, address: str, n_threads: int) -> Errand | None:
        if not self._todo:
            return None
        pace = self._paces.get(address, self._pace)
        left = len(self._todo) * self._pace / n_threads
        seconds = min(max(_SECONDS, _EACH * n_threads), max(_LEAST, left / _SHARES))
        size = max(1, int(seconds / max(pace, 1e-9)))
        tiles, n_bytes = list[Tile](), 0.0
        while self._todo and len(tiles) < size and (not tiles or n_bytes < _BYTES):
            tiles.append(self._todo.popleft())
            n_bytes += record_bytes(self._task, self._out, tiles[-1])
        return self._errand(tuple(tiles))

    def _errand(self, tiles: tuple[Tile, ...]) -> Errand:
        return Errand(tiles, f"rows {tiles[0].start}…{tiles[-1].stop} of {self._task.name}")

    def parts(self, errand: Errand) -> list[Errand]:
        tiles, size = errand.what, -(-len(errand.what) // _PARTS)
        parts = [self._errand(tiles[k : k + size]) for k in range(0, len(tiles), size)]
        return [replace(part, avoid=set(errand.avoid), losses=errand.losses, tries=errand.tries) for part in parts]

    def is_ready(self, address: str) -> bool:
        return self._parcel.at(address, lambda key: self._upload(key, address))

    def _upload(self, key: str, address: str) -> Any:
        self._traffic.sent += self._parcel.n_bytes
        return scattered(self._client, self._inputs, key, address, self._then)

    def send(self, errand: Errand, address: str, ticket: str) -> Any:
        shapes = tuple(self._task.shapes(self._out, tile) for tile in errand.what)
        message = pickle.dumps(Group(ticket, self._task.compute, errand.what, shapes))
        self._traffic.messages += 1
        self._traffic.sent += len(message)
        return self._client.submit(
            solve, self._parcel.future, message, workers=[address], allow_other_workers=False, key=ticket, pure=False
        )

    def learn(self, copy: Copy, answer: Answer) -> None:
        self._traffic.received += answer.nbytes
        self._traffic.worked += answer.seconds
        found = answer.seconds / len(copy.errand.what)
        known = self._paces.get(copy.address, found)
        self._paces[copy.address] = self._pace = _MEMORY * known + (1 - _MEMORY) * found

    def forget(self, address: str) -> None:
        self._parcel.forget(address)

    def renew(self) -> None:
        self._parcel.renew()


def record_bytes(task: Task, out: Record, tile: Tile) -> float:
    """Return the bytes of the record of a tile."""
    return float(sum(array.nbytes for array in task.place.blank(out, tile)))
