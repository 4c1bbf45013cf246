"""Steps orthogonal to the leading axes of covariances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._elsewhere import to_host
from ..._types import Floats
from ...engine import Engine, Flag, Record, Rows, Task, Tile, evenly, one_blas_thread
from ..ridges import off_leading_axes


class _Asked(NamedTuple):
    points: Floats
    means: Floats
    covs: Floats
    dim: int


def ridge_step(points: Floats, means: Floats, covs: Floats, dim: int, engine: Engine) -> Floats:
    """Positions after moving toward the means, orthogonally to the `dim` leading axes of the covariances."""
    n, m = points.shape
    moved, asked = np.empty((n, m)), _Asked(to_host(points), to_host(means), to_host(covs), dim)
    with one_blas_thread():
        engine.run(Task("ridges", _step, asked, evenly(n, 10.0 * m**3), Rows()), (moved,))
    return moved


def _step(asked: _Asked, tile: Tile, stop: Flag, record: Record) -> None:
    points, means, covs = (array[tile.start : tile.stop] for array in asked[:3])
    record[0][:] = points + off_leading_axes(np, means - points, covs, asked.dim)
