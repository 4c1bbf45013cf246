"""Which points of clusters are noise: those in much thinner surroundings than the rest of their cluster."""

from __future__ import annotations

import numpy as np

from ..._types import Bools, Floats, Ints
from .ground import Ground

_SPREADS = 3.0  # of the logarithms within a cluster, beyond their median
_LEAST = np.log(1.7)  # and at least that much: even clusters have hardly any spread


def thin_places(ground: Ground, labels: Ints) -> Bools:
    """Places whose log distance to the tenth neighbor is far above the median of their cluster."""
    tenth = np.log(np.maximum(ground.distances[:, min(10, ground.distances.shape[1]) - 1], 1e-12 * ground.unit))
    thin = np.zeros(ground.n, bool)
    for c in range(int(labels.max()) + 1):
        own = labels == c
        middle, spread = _middle(tenth[own])
        thin[own] = tenth[own] > middle + max(_SPREADS * spread, _LEAST)
    return thin


def _middle(values: Floats) -> tuple[float, float]:
    """The median, and the spread of the lower half around it, as a standard deviation: noise is in the upper."""
    middle = float(np.median(values))
    low = values[values <= middle]
    return middle, 1.4826 * float(np.median(middle - low))
