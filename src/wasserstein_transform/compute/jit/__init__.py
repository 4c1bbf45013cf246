"""Compilation by Numba: decorators, the disk cache of compiled code, and a message while code is compiled.

All uses of private parts of Numba are in numba_private.py. Double-double numbers, sums and minima: arithmetic_jit.py.
"""

from .decorators import (
    JIT_DISABLED as JIT_DISABLED,
    compiled_as as compiled_as,
    jit as jit,
    jit_inline as jit_inline,
    jit_inline_strict as jit_inline_strict,
    jit_strict as jit_strict,
    jit_summing as jit_summing,
    plain as plain,
)
