"""Measures seen from a few landmarks: coordinates that are near where the measures are."""

from __future__ import annotations

import numpy as np

from .._types import Floats
from ..measures import Discrete
from ..spaces import Metric

N_LANDMARKS = 8


def landmark_rows(ground: Metric, k: int = N_LANDMARKS) -> Floats:
    """Distances of all points to k landmarks, each the farthest from those before; fewer if no point is left over."""
    everything = np.arange(ground.n)
    rows = [ground.block(np.array([0]), everything)[0]]
    rows[0] = ground.block(rows[0].argmax()[None], everything)[0]
    nearest = rows[0]
    while len(rows) < k and nearest.max() > 0:
        rows.append(ground.block(nearest.argmax()[None], everything)[0])
        nearest = np.minimum(nearest, rows[-1])
    return np.stack(rows)


def seen_from(measures: Discrete, rows: Floats) -> Floats:
    """∫ d(·, z) dα for every measure α and landmark z; by the triangle inequality these differ by at most W1."""
    return np.asarray(measures.matrix() @ rows.T)
