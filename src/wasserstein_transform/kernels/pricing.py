"""How a simplex ends, and when an arc pays."""

from __future__ import annotations

from .compile import jit

OPTIMAL, STALLED, INTERRUPTED = range(3)

_NOISE = 2.0**-50  # of the terms of a reduced cost: their rounding


@jit
def pays(cost: float, u: float, v: float, tolerance: float) -> bool:
    """Whether a reduced cost is negative beyond the tolerance and the rounding of what it is made of."""
    return cost - u - v < -tolerance - _NOISE * (abs(cost) + abs(u) + abs(v))
