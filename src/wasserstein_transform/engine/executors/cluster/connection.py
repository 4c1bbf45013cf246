"""The Dask client: checks, and requests that do not block."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from importlib.util import find_spec
from typing import Any

_HOW = "dask.distributed.Client() starts workers on this machine, Client(ADDRESS) finds those of a scheduler"


def check_client(client: Any) -> None:
    """Reject anything but a synchronous Dask client; nothing is imported, since a client implies `distributed`."""
    if "distributed" not in sys.modules and find_spec("distributed") is None:
        raise ImportError('a client needs Dask; pip install "wasserstein-transform[scale]"')
    known = getattr(sys.modules.get("distributed"), "Client", None)
    if known is None or not isinstance(client, known):
        raise TypeError(f"client must be a dask.distributed.Client, got {client!r:.80}; {_HOW}")
    if client.asynchronous or getattr(client, "_asynchronous", False):
        raise ValueError(
            "client is an asynchronous one, but this library waits for its results; create it with asynchronous=False, "
            "and call the library from a thread of its own if there is an event loop"
        )


def check_open(client: Any) -> None:
    """Reject a closed client."""
    if client.status in ("closed", "closing"):
        raise ConnectionError(f"the client is {client.status}: nothing can be sent with it; {_HOW}")


def soon(client: Any, ask: Callable[[], Awaitable[Any]], then: Callable[[], None]) -> Future[Any]:
    """Schedule `ask` in the client's event loop, without waiting; `then` is called when the result is available.

    Methods of a client do not block in its event loop, so a worker or scheduler that does not answer does not delay the
    handling of Ctrl-C.
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
