"""The minimum of many differences, vectorized."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import PRIVATE, jit


def _plain_lesser(a: float, b: float) -> float:
    return a if a < b else b


_lesser: Any = jit(_plain_lesser) if PRIVATE is None else PRIVATE.lesser


@jit
def lowest(cost: Any, start: int, prices: Any, n: int) -> float:
    """The minimum of cost[start + i] − prices[i] over i < n."""
    row = cost[start : start + n]
    price = prices[:n]
    least = np.inf
    for i in range(row.shape[0]):
        least = _lesser(least, row[i] - price[i])
    return least
