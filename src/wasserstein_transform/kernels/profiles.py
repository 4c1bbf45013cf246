"""Values of the named kernel profiles at t = d²/ε²."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compile import jit

FLAT, GAUSSIAN, EPANECHNIKOV, TRIANGLE = range(4)
FAINTEST = 1400.0  # for larger t, a gaussian weight is denormal


class Flat(NamedTuple):
    """The flat profile, with 1/ε², which is not used."""

    scale: float


class Smooth(NamedTuple):
    """Another profile, with 1/ε². It is a separate type so that loops over flat balls do not compile its formulas."""

    code: int
    scale: float


def profile_of(code: int, eps: float) -> Flat | Smooth:
    """A profile as kernels take it."""
    scale = 1.0 / (eps * eps)
    return Flat(scale) if code == FLAT else Smooth(code, scale)


@jit
def profile_value(profile: int, t: float) -> float:
    """Weight of a neighbor at squared relative distance t; the caller tests whether it is in the closed ball."""
    if profile == FLAT:
        return 1.0
    if profile == GAUSSIAN:
        return np.exp(-0.5 * t) if t < FAINTEST else 0.0
    if profile == EPANECHNIKOV:
        return max(1.0 - t, 0.0)
    return max(1.0 - np.sqrt(t), 0.0)
