"""Double-double arithmetic: a float and its rounding error (Dekker, Knuth).

Without fused multiply-adds, which would change the rounding.
"""

from __future__ import annotations

from .compile import jit_strict

_HALF = 134217729.0  # 2²⁷ + 1 splits a float into two halves


@jit_strict
def add(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """The sum of two double-doubles."""
    total = a + b
    part = total - a
    low = (a - (total - part)) + (b - part) + (a_low + b_low)
    high = total + low
    return high, low - (high - total)


@jit_strict
def times(a: float, b: float, b_low: float) -> tuple[float, float]:
    """The product of a float and a double-double."""
    high = a * b
    c, d = _HALF * a, _HALF * b
    a_high, b_high = c - (c - a), d - (d - b)
    a_rest, b_rest = a - a_high, b - b_high
    low = ((a_high * b_high - high) + a_high * b_rest + a_rest * b_high) + a_rest * b_rest + a * b_low
    total = high + low
    return total, low - (total - high)


@jit_strict
def excess(a: float, b: float, c: float, d: float) -> float:
    """a·b − c·d, rounded once."""
    x, x_low = times(a, b, 0.0)
    y, y_low = times(-c, d, 0.0)
    return add(x, x_low, y, y_low)[0]
