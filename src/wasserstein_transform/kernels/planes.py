"""Gaussians in the plane: the columns of `GaussianPlane` from means and covariances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .compile import jit_strict

_TINY = 1e-60  # smaller traces, relative to the largest entry, would underflow in the formulas
_PIECE = 512  # rows whose columns stay in the first-level cache between loops
_BIAS, _DIGITS = 1023, 52  # exponent bias and mantissa bits of a float


@jit_strict
def fill_plane(
    means: Any, covs: Any, rows: Any, unit: float, lam: float, x: Any, y: Any, a: Any, b: Any, c: Any, rootdets: Any,
    sizes: Any, lifts: Any,
) -> bool:  # fmt: skip
    """Columns of Gaussians with covariances covs[rows] / unit; returns whether none is too small for the formulas."""
    good = True
    for start in range(0, rows.shape[0], _PIECE):
        end = min(start + _PIECE, rows.shape[0])
        here, A, B, C = rows[start:end], a[start:end], b[start:end], c[start:end]
        for k in range(here.shape[0]):  # a separate loop, because access to covariances is random
            cov = covs[here[k]]
            A[k], B[k], C[k] = cov[0, 0], cov[0, 1], cov[1, 1]
        for k in range(here.shape[0]):
            raw = (A[k] + C[k]) / unit
            good &= not 0.0 < raw < _TINY
            A[k], B[k], C[k] = A[k] / unit, B[k] / unit, C[k] / unit
            x[start + k], y[start + k] = means[start + k, 0], means[start + k, 1]
        S, L = sizes[start:end], lifts[start:end]
        for k in range(S.shape[0]):
            S[k] = A[k] + C[k]
        fill_root_determinants(A, B, C, S, L, rootdets[start:end])
        for k in range(S.shape[0]):
            L[k] = lam * S[k]
            S[k] = np.sqrt(S[k])
    return good


@jit_strict
def fill_root_determinants(a: Any, b: Any, c: Any, traces: Any, scales: Any, out: Any) -> None:
    """out = √(a·c − b²), accurate to the last digits; `scales` is scratch.

    Each matrix is scaled to about 1 by a power of two, so that tiny ones have a determinant as well. The power is read
    from the bits of the trace; special cases are handled by `root_determinant`.
    """
    bits, scale_bits = traces.view(np.int64), scales.view(np.int64)
    odd = 0
    for k in range(out.shape[0]):
        exponent = bits[k] >> _DIGITS
        odd += 1 if exponent < 1 or exponent > 2 * _BIAS - 2 else 0
        scale_bits[k] = (2 * _BIAS - 1 - exponent) << _DIGITS
    for k in range(out.shape[0]):
        scale = scales[k]
        out[k] = _root(a[k] * scale, b[k] * scale, c[k] * scale)
    for k in range(out.shape[0]):
        scale_bits[k] = ((bits[k] >> _DIGITS) + 1) << _DIGITS
    for k in range(out.shape[0]):
        out[k] *= scales[k]
    if odd > 0:
        for k in range(out.shape[0]):
            exponent = bits[k] >> _DIGITS
            if exponent < 1 or exponent > 2 * _BIAS - 2:
                out[k] = root_determinant(a[k], b[k], c[k])


@jit_strict
def root_determinant(a: float, b: float, c: float) -> float:
    """√(a·c − b²) of one matrix, of any size."""
    exponent = math.frexp(a + c)[1]
    root = _root(math.ldexp(a, -exponent), math.ldexp(b, -exponent), math.ldexp(c, -exponent))
    return math.ldexp(root, exponent)


@jit_strict
def _root(a: float, b: float, c: float) -> float:
    """√(a·c − b²) of a matrix near 1."""
    ac, bb = a * c, b * b
    det = (ac - bb) + (_lost(a, c, ac) - _lost(b, b, bb))
    return np.sqrt(det if det > 0.0 else 0.0)  # ≥ 0 in theory; rounding of the entries can make it negative


@jit_strict
def _lost(x: float, y: float, product: float) -> float:
    """The rounding error of a product (Dekker)."""
    x_high, y_high = _upper_half(x), _upper_half(y)
    x_low, y_low = x - x_high, y - y_high
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


@jit_strict
def _upper_half(x: float) -> float:
    """The upper half of the digits."""
    big = 134217729.0 * x
    return big - (big - x)
