"""The client: what is accepted, whether it is connected, and questions that do not block."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from importlib.util import find_spec
from typing import Any

_HOW = "dask.distributed.Client() starts workers on this machine, Client(ADDRESS) finds those of a scheduler"


def check_client(client: Any) -> None:
    """Refuse what is no synchronous client of Dask. Who has one has imported `distributed`, so nothing is imported."""
    if "distributed" not in sys.modules and find_spec("distributed") is None:
        raise ImportError('a client needs Dask; pip install "wasserstein-transform[scale]" brings it')
    known = getattr(sys.modules.get("distributed"), "Client", None)
    if known is None or not isinstance(client, known):
        raise TypeError(f"client must be a dask.distributed.Client, got {client!r:.80}; {_HOW}")
    if client.asynchronous or getattr(client, "_asynchronous", False):
        raise ValueError(
            "client is an asynchronous one, and this library waits for its results; make it with asynchronous=False, "
            "and call the library from a thread of its own if there is an event loop"
        )


def check_open(client: Any) -> None:
    """Refuse a client that was closed."""
    if client.status in ("closed", "closing"):
        raise ConnectionError(f"the client is {client.status}: nothing can be sent with it; {_HOW}")


def soon(client: Any, ask: Callable[[], Awaitable[Any]], then: Callable[[], None]) -> Future[Any]:
    """What `ask` gives in the client's event loop; `then` is called when it is there. Does not wait.

    In their event loop the methods of a client do not block, so a worker or scheduler that does not answer keeps
    nobody here from listening to Ctrl-C.
    """

    async def asked() -> Any:
        return await ask()

    coroutine = asked()
    try:
        future = asyncio.run_coroutine_threadsafe(coroutine, client.loop.asyncio_loop)
    except BaseException:
        coroutine.close()
        raise
    future.add_done_callback(lambda _: then())
    return future
