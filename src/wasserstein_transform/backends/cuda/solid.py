"""Distances of Gaussians in more than three dimensions: a warp for each listed pair."""

from __future__ import annotations

import numpy as np

from ...engine import Engine
from .device import Array, Device
from .geometry import Geometry, threads_of_matrix
from .pieces import in_pieces

PAIRS = 1 << 16  # pairs per launch: at most a tenth of a second
NEAR = 1 << 13  # the same for Jacobi's method


def fill_listed(geometry: Geometry, rows: Array, cols: Array, out: Array, device: Device, engine: Engine) -> None:
    """out[k] = distance between rows[k] and cols[k], all on the device."""
    for part in in_pieces(len(rows), PAIRS, "distances", device, engine):
        _fill_few(geometry, rows[part], cols[part], out[part], device)


def _fill_few(geometry: Geometry, rows: Array, cols: Array, out: Array, device: Device) -> None:
    """Singular values by bidiagonalization; by Jacobi's method for near pairs and if the former fails."""
    m, n, xp = geometry.constants["M"], len(rows), device.xp
    matrix = 8 * m * (m | 1)
    found = out if out.dtype == np.float64 else xp.empty(n)
    diagonals = xp.empty((2 * m, n))
    args = *geometry.arguments, rows, cols, n, diagonals
    device.launch("solid.cu", "fold_pairs", 32 * n, args, block=32, shared=matrix + 8 * m, **geometry.constants)
    device.launch("solid.cu", "add_values", n, (*args, found), **geometry.constants)
    near = xp.nonzero(found < 0)[0]
    for start in range(0, len(near), NEAR):
        few = near[start : start + NEAR]
        args = *geometry.arguments, rows, cols, few, found
        n_threads, block = threads_of_matrix(m) * len(few), threads_of_matrix(m)
        device.launch("solid.cu", "turn_pairs", n_threads, args, block=block, shared=2 * matrix, **geometry.constants)
        device.wait()
    if found is not out:
        out[...] = found


def numbered(n: int, part: slice, device: Device, geometry: Geometry) -> tuple[Array, Array]:
    """The pairs i < j at these positions of the condensed vector of n points."""
    count = part.stop - part.start
    rows, cols = device.xp.empty(count, np.int64), device.xp.empty(count, np.int64)
    device.launch("solid.cu", "list_pairs", count, (n, part.start, count, rows, cols), **geometry.constants)
    return rows, cols
