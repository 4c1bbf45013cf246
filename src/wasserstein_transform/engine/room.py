"""Memory for large results: in RAM if they fit, else in a file in the folder of the engine's store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from .._mapped import scratch_map
from .core import Engine

AT_A_TIME = 4
"""Number of matrices that a step of a flow holds: before, after, of different measures, and a spare."""


def disk_of(engine: Engine) -> Path | None:
    """Return the folder for results that do not fit in memory: that of the engine's store.

    Parameters
    ----------
    engine : Engine
        The engine.

    Returns
    -------
    Path or None
        None if the engine has no store.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.engine.disk_of(wt.Engine()) is None
    True
    """
    store = getattr(engine, "store", None)
    return None if store is None else Path(store.folder)


def goes_to_disk(n_bytes: float, engine: Engine, at_a_time: int = 1) -> bool:
    """Tell whether a result goes to disk: it does not fit in memory, and the engine has a store.

    Parameters
    ----------
    n_bytes : float
        Size of the result.
    engine : Engine
        Its memory limit and its store decide.
    at_a_time : int, default 1
        How many results of this size must fit in memory together.

    Returns
    -------
    bool

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.engine.goes_to_disk(1e9, wt.Engine(memory=1e6))  # without a store it cannot
    False
    """
    return disk_of(engine) is not None and not engine.fits(at_a_time * n_bytes)


def room_for(
    shape: tuple[int, ...],
    what: str,
    engine: Engine,
    instead: str,
    dtype: DTypeLike = np.float64,
    at_a_time: int = 1,
) -> np.ndarray:
    """Allocate zeros for a result: in memory if it fits, else in an unnamed file in the folder of the engine's store.

    Parameters
    ----------
    shape : tuple of int
        Shape of the array.
    what : str
        Name of the result, for the log and for messages.
    engine : Engine
        Its memory limit and its store decide.
    instead : str
        What the user can do if it does not fit; part of the error message.
    dtype : dtype, default float64
        Type of the numbers.
    at_a_time : int, default 1
        How many results of this size must fit in memory together.

    Returns
    -------
    array of the given shape
        In memory or memory-mapped. Without a store, MemoryError if it does not fit.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.engine.room_for((2, 2), "distances", wt.Engine(), "use fewer points")
    array([[0., 0.],
           [0., 0.]])
    """
    kind = np.dtype(dtype)
    n_bytes = float(kind.itemsize * np.prod(shape, dtype=np.float64))
    folder = disk_of(engine)
    if folder is None or not goes_to_disk(n_bytes, engine, at_a_time):
        engine.reserve(n_bytes, what, f"{instead}, or use Engine(store=folder) to put it on disk")
        return np.zeros(shape, kind)
    engine.announce(n_bytes, f"{what}, on disk")
    return np.asarray(scratch_map(folder, kind, shape, what))
