"""Values of the named kernel profiles at t = d²/ε²."""

from __future__ import annotations

import numpy as np

from .compile import jit

FLAT, GAUSSIAN, EPANECHNIKOV, TRIANGLE = range(4)
FAINTEST = 1400.0  # beyond, a gaussian weight is no normal number any more


@jit
def profile_value(profile: int, t: float) -> float:
    """Weight of a neighbour at squared relative distance t; whether it is in the closed ball is the caller's test."""
    if profile == FLAT:
        return 1.0
    if profile == GAUSSIAN:
        return np.exp(-0.5 * t) if t < FAINTEST else 0.0
    if profile == EPANECHNIKOV:
        return max(1.0 - t, 0.0)
    return max(1.0 - np.sqrt(t), 0.0)
