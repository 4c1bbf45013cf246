"""Room for large results: in memory while that lasts, else in the folder of the engine's store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from .._mapped import scratch_map
from .core import Engine

AT_A_TIME = 4
"""Matrices that a step of a flow holds: the one before, the one after, that of different measures, a spare."""


def disk_of(engine: Engine) -> Path | None:
    """Where results go that memory does not hold; None if nobody named a folder."""
    store = getattr(engine, "store", None)
    return None if store is None else Path(store.folder)


def goes_to_disk(n_bytes: float, engine: Engine, at_a_time: int = 1) -> bool:
    """Whether a result is too large for memory, with as many others of its size, and there is a folder for it."""
    return disk_of(engine) is not None and not engine.fits(at_a_time * n_bytes)


def room_for(
    shape: tuple[int, ...],
    what: str,
    engine: Engine,
    instead: str,
    dtype: DTypeLike = np.float64,
    at_a_time: int = 1,
) -> np.ndarray:
    """Zeros to write a result to: in memory if it fits, else in a file without a name in the store's folder.

    Without a store, what does not fit is refused; `instead` says what else to do.
    """
    kind = np.dtype(dtype)
    n_bytes = float(kind.itemsize * np.prod(shape, dtype=np.float64))
    folder = disk_of(engine)
    if folder is None or not goes_to_disk(n_bytes, engine, at_a_time):
        engine.reserve(n_bytes, what, f"{instead}, or Engine(store=folder), which takes it to disk")
        return np.zeros(shape, kind)
    engine.announce(n_bytes, f"{what}, on disk")
    return np.asarray(scratch_map(folder, kind, shape, what))
