"""Write all distances to memory, to a given array, or to a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from .._mapped import write_mapped
from .._types import Floats
from ..backends import on_gpu
from ..engine import Engine, room_for
from .zarrs import write_zarr

Out: TypeAlias = Any
"""An array to write to, on the host or on a GPU; the path of a new file; or None."""


def read_only(array: Floats) -> Floats:
    """A read-only view of an array that other objects share."""
    view = array.view()
    view.flags.writeable = False
    return view


def written(
    shape: tuple[int, ...], what: str, engine: Engine, dtype: DTypeLike | None, out: Out, fill: Callable[[Any], None]
) -> Any:
    """Let `fill` write into new memory, into the array `out`, or into the file `out`; return the array."""
    there = on_gpu(out, copy=False)
    kind = out.dtype if dtype is None and hasattr(out, "dtype") else np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise ValueError(f"distances are stored as float32 or float64, got dtype={kind}")
    n_bytes = float(kind.itemsize * np.prod(shape, dtype=np.float64))
    if out is None:
        instead = "use dtype='float32', out='distances.npy' for a file on disk, fewer points, or block()"
        array = room_for(shape, what, engine, instead, kind)
        fill(array)
        return array
    if isinstance(out, np.ndarray):
        if out.shape != shape or out.dtype != kind or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError(
                f"out must be a writable, C-contiguous array of shape {shape} and dtype {kind}, got shape {out.shape}, "
                f"dtype {out.dtype}, C-contiguous: {out.flags.c_contiguous}, writable: {out.flags.writeable}"
            )
        fill(out)
        return out
    if there is not None:
        if engine.device == "cpu":
            raise ValueError("out is on a GPU, but the engine computes on the CPU; use wt.using(device='cuda')")
        if there.shape != shape or there.dtype != kind or not there.is_in_a_row:
            raise ValueError(
                f"out must be a C-contiguous array of shape {shape} and dtype {kind}, got shape {there.shape}, "
                f"dtype {there.dtype}, C-contiguous: {there.is_in_a_row}"
            )
        fill(there)
        return out
    engine.announce(n_bytes, f"{what}, on disk")
    if Path(out).suffix == ".zarr":
        return write_zarr(out, kind, shape, fill, what)
    store: Any = engine.store
    unfinished = None if store is None else store.unfinished(out, kind.str, shape)
    return np.asanyarray(write_mapped(out, kind, shape, fill, what, unfinished))
