"""The smallest of many differences, at the speed of vector units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .compile import jit

_intrinsic = cast(Callable[[Any], Any], intrinsic)  # its stubs count the typing context among the arguments


@_intrinsic
def _lesser(typing: Any, a: Any, b: Any) -> Any:
    """The lesser of two floats that are numbers. A comparison written out keeps the loop from being vectorized."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        double = ir.DoubleType()
        minimum = builder.module.declare_intrinsic("llvm.minnum", [double], ir.FunctionType(double, [double, double]))
        return builder.call(minimum, args, fastmath=("nnan", "nsz"))

    return types.float64(types.float64, types.float64), emit


@jit
def lowest(cost: Any, start: int, prices: Any, n: int) -> float:
    """The least of cost[start + i] − prices[i] over i < n."""
    row = cost[start : start + n]
    price = prices[:n]
    least = np.inf
    for i in range(row.shape[0]):
        least = _lesser(least, row[i] - price[i])
    return least
