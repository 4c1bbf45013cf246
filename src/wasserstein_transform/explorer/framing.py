"""Frames of a scene: 2-D positions of the points in each state of a trajectory, and their Gaussians."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from ..spaces import GaussianMetric, Space
from .planes import Plane, compact, is_moderate, places
from .scene import Scene

_SHAPED = 20_000  # Gaussians are drawn for at most this many points


def framed(states: Sequence[Space], plane: Plane, names: tuple[str, ...] = ()) -> Scene:
    """A scene with a frame for each state; the caller adds title, rows, radius and everything else."""
    first, metrics = states[0], [state.metric for state in states]
    frames = np.stack([places(plane, state.points) for state in states])
    shaped = first.n <= _SHAPED and first.points is not None and is_moderate(np.square(frames))
    covs = [metric.covs for metric in metrics if isinstance(metric, GaussianMetric)]
    gaussian = len(covs) == len(states)
    told = isinstance(metrics[0], GaussianMetric) or metrics[0].is_euclidean
    return Scene(
        "", plane.names(names), single(frames), np.arange(first.n), float("nan"),
        lam=float(metrics[0].lam) if gaussian and isinstance(metrics[0], GaussianMetric) else 0.0,
        covariances=_shapes(plane, covs) if gaussian and shaped else None,
        planar=plane.whole and told and (not gaussian or shaped), notes=plane.notes,
    )  # fmt: skip


def single(frames: Floats) -> Any:
    """Frames in single precision if it is enough: not for small point clouds far from the origin."""
    extent, far = float(np.ptp(frames, axis=(0, 1)).max(initial=0.0)), float(np.abs(frames).max(initial=0.0))
    return compact(frames) if far * 2.0**-24 <= 1e-5 * extent else frames


def _shapes(plane: Plane, covs: list[Floats]) -> NDArray[np.float32]:
    """Covariances projected onto the two directions, shape (T + 1, n, 3): xx, xy, yy."""
    u, v = plane.directions.T
    along = [[np.einsum("i,nij,j->n", a, c, b) for a, b in ((u, u), (u, v), (v, v))] for c in covs]
    return np.moveaxis(np.array(along), 1, 2).astype(np.float32)
