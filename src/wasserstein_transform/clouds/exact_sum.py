"""Exact sums of floats in parts: only the total is rounded, so the result does not depend on order or parts."""

from __future__ import annotations

import numpy as np

from .._types import Floats

_DIGITS, _HALF = 53, 26  # bits of a float's mantissa, and those summed separately to fit in 64-bit integers
_SHIFT = 1127  # power of two that makes the smallest float an integer


def exact_sum(values: Floats) -> int:
    """Return the exact sum of at most 2³⁶ finite numbers ≥ 0, times 2^_SHIFT, as an integer."""
    fractions, exponents = np.frexp(values)
    whole = (fractions * 2.0**_DIGITS).astype(np.int64)
    total = 0
    for exponent in np.unique(exponents).tolist():
        these = whole[exponents == exponent]
        high, low = int((these >> _HALF).sum()), int((these & ((1 << _HALF) - 1)).sum())
        total += ((high << _HALF) + low) << (exponent - _DIGITS + _SHIFT)
    return total


def rounded(total: int) -> float:
    """Return the float nearest to an exact sum."""
    return total / (1 << _SHIFT)
