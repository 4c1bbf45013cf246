"""Room for large results: in memory while that lasts, else in the folder of the engine's store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from .._mapped import scratch_map
from .core import Engine


def disk_of(engine: Engine) -> Path | None:
    """Where results go that memory does not hold; None if nobody named a folder."""
    store = getattr(engine, "store", None)
    return None if store is None else Path(store.folder)


def room_for(
    shape: tuple[int, ...], what: str, engine: Engine, instead: str, dtype: DTypeLike = np.float64, beside: float = 0.0
) -> np.ndarray:
    """Zeros to write a result to: in memory if it fits, with the bytes needed `beside` it, else in the store's folder.

    Without a store, what does not fit is refused; `instead` says what else to do.
    """
    kind = np.dtype(dtype)
    n_bytes = float(kind.itemsize * np.prod(shape, dtype=np.float64))
    folder = disk_of(engine)
    if folder is None or engine.fits(n_bytes + beside):
        engine.reserve(n_bytes + beside, what, f"{instead}, or Engine(store=folder), which takes it to disk")
        return np.zeros(shape, kind)
    engine.reserve(beside, f"what {what} needs beside it", instead)
    engine.announce(n_bytes, f"{what}, on disk")
    return np.asarray(scratch_map(folder, kind, shape, what))
