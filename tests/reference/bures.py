"""The Bures distance by its definition, in arithmetic of 50 digits."""

from __future__ import annotations

import mpmath
import numpy as np
from numpy.typing import NDArray

DIGITS = 50


def bures(A: NDArray[np.float64], B: NDArray[np.float64]) -> float:
    """√(tr A + tr B − 2 tr(A^½ B A^½)^½), of the very doubles that come in.

    Singular and zero matrices are fine: what rounding made of an eigenvalue 0 counts as 0 if it is negative.
    """
    with mpmath.workdps(DIGITS):
        a, b = _matrix(A), _matrix(B)
        root = _root(a)
        inner = root * b * root
        fidelity = mpmath.fsum(mpmath.sqrt(max(x, 0)) for x in _spectrum((inner + inner.T) / 2)[0])
        traces = mpmath.fsum(a[k, k] + b[k, k] for k in range(a.rows))
        return float(mpmath.sqrt(max(traces - 2 * fidelity, 0)))


def _matrix(A: NDArray[np.float64]) -> mpmath.matrix:
    return mpmath.matrix([[mpmath.mpf(float(x)) for x in row] for row in A])


def _root(A: mpmath.matrix) -> mpmath.matrix:
    values, vectors = _spectrum(A)
    return vectors * mpmath.diag([mpmath.sqrt(max(x, 0)) for x in values]) * vectors.T


def _spectrum(A: mpmath.matrix) -> tuple[mpmath.matrix, mpmath.matrix]:
    """Eigenvalues and eigenvectors; the size is taken out first, for the iteration stops at an absolute threshold."""
    size = max(abs(x) for x in A)
    if size == 0:
        return mpmath.zeros(A.rows, 1), mpmath.eye(A.rows)
    values, vectors = mpmath.eigsy(A / size)
    return values * size, vectors
