"""Noise points of clusters: those in much sparser surroundings than the rest of their cluster."""

from __future__ import annotations

import numpy as np

from ..._types import Bools, Floats, Ints
from .ground import Ground

_SPREADS = 3.0  # standard deviations of log distances above the median of the cluster
_LEAST = np.log(1.7)  # and at least this much: even clusters have hardly any spread


def thin_places(ground: Ground, labels: Ints) -> Bools:
    """Return the places whose log distance to the tenth neighbor is far above the median of their cluster."""
    tenth = np.log(np.maximum(ground.distances[:, min(10, ground.distances.shape[1]) - 1], 1e-12 * ground.unit))
    thin = np.zeros(ground.n, bool)
    for c in range(int(labels.max()) + 1):
        own = labels == c
        middle, spread = _middle(tenth[own])
        thin[own] = tenth[own] > middle + max(_SPREADS * spread, _LEAST)
    return thin


def _middle(values: Floats) -> tuple[float, float]:
    """Return the median, and the standard deviation estimated from the lower half: noise is in the upper half."""
    middle = float(np.median(values))
    low = values[values <= middle]
    return middle, 1.4826 * float(np.median(middle - low))
