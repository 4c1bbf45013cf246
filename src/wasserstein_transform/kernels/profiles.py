"""Values of the named kernel profiles at t = d²/ε²."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compile import jit

FLAT, GAUSSIAN, EPANECHNIKOV, TRIANGLE = range(4)
FAINTEST = 1400.0  # beyond, a gaussian weight is no normal number any more


class Flat(NamedTuple):
    """The flat profile; 1/ε², which it does not need."""

    scale: float


class Smooth(NamedTuple):
    """One of the others, and 1/ε². A type of its own: loops over flat balls need none of its formulas."""

    code: int
    scale: float


def profile_of(code: int, eps: float) -> Flat | Smooth:
    """A profile as loops take it."""
    scale = 1.0 / (eps * eps)
    return Flat(scale) if code == FLAT else Smooth(code, scale)


@jit
def profile_value(profile: int, t: float) -> float:
    """Weight of a neighbor at squared relative distance t; whether it is in the closed ball is the caller's test."""
    if profile == FLAT:
        return 1.0
    if profile == GAUSSIAN:
        return np.exp(-0.5 * t) if t < FAINTEST else 0.0
    if profile == EPANECHNIKOV:
        return max(1.0 - t, 0.0)
    return max(1.0 - np.sqrt(t), 0.0)
