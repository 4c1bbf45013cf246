"""Arithmetic of transport: double-double numbers (Dekker, Knuth), exact sums of masses, vectorized minima.

A double-double is a float and its rounding error. No fused multiply-adds are used, which would change the rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .decorators import JIT_DISABLED, jit, jit_strict

SPLITTER = 134217729.0  # 2²⁷ + 1 splits a float into two halves
ROUNDED = 8.0 * 2.0**-52  # an excess up to this, relative to the masses that make it, is rounding


def _plain_lesser(a: float, b: float) -> float:
    return a if a < b else b


def _lesser(typing: Any, a: Any, b: Any) -> Any:
    """The minimum of two floats that are not NaN. An explicit comparison would prevent vectorization."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        double = ir.DoubleType()
        minimum = builder.module.declare_intrinsic("llvm.minnum", [double], ir.FunctionType(double, [double, double]))
        return builder.call(minimum, args, fastmath=("nnan", "nsz"))

    return types.float64(types.float64, types.float64), emit


lesser: Any = _plain_lesser if JIT_DISABLED else intrinsic(_lesser)


@jit
def lowest(cost: Any, start: int, prices: Any, n: int) -> float:
    """The minimum of cost[start + i] − prices[i] over i < n."""
    row = cost[start : start + n]
    price = prices[:n]
    least = np.inf
    for i in range(row.shape[0]):
        least = lesser(least, row[i] - price[i])
    return least


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
    c, d = SPLITTER * a, SPLITTER * b
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


@jit
def total(masses: Any, n: int) -> tuple[float, float]:
    """The sum of n masses as a double-double."""
    high, low = 0.0, 0.0
    for k in range(n):
        high, low = add(high, low, masses[k], 0.0)
    return high, low
