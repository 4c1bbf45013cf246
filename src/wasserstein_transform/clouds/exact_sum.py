"""Sums without rounding, of parts: the total of all is rounded once, in whatever order and parts it was taken."""

from __future__ import annotations

import numpy as np

from .._types import Floats

_DIGITS, _HALF = 53, 26  # of a float, and those that are summed apart so that an integer holds the sum
_SHIFT = 1127  # brings the least float to a whole number


def exact_sum(values: Floats) -> int:
    """The sum of at most 2³⁶ finite numbers ≥ 0, times a power of two that makes it whole."""
    fractions, exponents = np.frexp(values)
    whole = (fractions * 2.0**_DIGITS).astype(np.int64)
    total = 0
    for exponent in np.unique(exponents).tolist():
        these = whole[exponents == exponent]
        high, low = int((these >> _HALF).sum()), int((these & ((1 << _HALF) - 1)).sum())
        total += ((high << _HALF) + low) << (exponent - _DIGITS + _SHIFT)
    return total


def rounded(total: int) -> float:
    """The float nearest to an exact sum."""
    return total / (1 << _SHIFT)
