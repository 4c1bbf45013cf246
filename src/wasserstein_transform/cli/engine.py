"""The engine that a command computes with: threads, memory, GPU, store of finished work, cluster."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from .options import Computation

_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_PATIENCE = 10  # seconds to wait for a cluster


@contextmanager
def engine_settings(given: Computation) -> Iterator[dict[str, Any]]:
    """Yield the settings of the engine; stores and connections are closed at the end."""
    settings: dict[str, Any] = {} if given.jobs is None else {"n_jobs": given.jobs}
    if given.memory is not None:
        settings["memory"] = parse_bytes(given.memory)
    if given.device is not None:
        from ..cuda import device_name
        from ..engine import Engine

        device_name(Engine(device=given.device))  # raises now if there is no GPU
        settings["device"] = given.device
    with ExitStack() as stack:
        if given.store is not None:
            from ..engine import Store

            settings["store"] = stack.enter_context(Store(given.store))
        if given.scheduler is not None:
            settings["client"] = stack.enter_context(connect(given.scheduler))
        yield settings


def parse_bytes(text: str) -> float:
    """Parse a number of bytes: 4GB → 4e9; 4GiB → 4·2³⁰."""
    found = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", text, re.IGNORECASE)
    try:
        number = float(found[1]) if found is not None else -1.0
    except ValueError:
        number = -1.0
    if found is None or number <= 0:
        raise ValueError(f"--memory must be a number of bytes, such as 4GB or 500MiB, got {text!r}")
    unit = _UNITS[found[2].upper()]
    return number * (1024.0 ** round(math.log(unit, 1000)) if found[3] else unit)


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """A Dask client for the cluster at an address."""
    try:
        import distributed

        make: Any = distributed.Client
    except ImportError:
        raise ImportError('a cluster needs Dask: pip install "wasserstein-transform[dask]"') from None
    try:
        client = make(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise OSError(f"no scheduler answers at {address} ({error}); start one with: dask scheduler") from None
    try:
        yield client
    finally:
        client.close()
