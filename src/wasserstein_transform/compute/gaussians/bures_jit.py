"""Squared Bures distances dcov²(A, B) without cancellation (the closed form of W2 between centered Gaussians).

The trace formula tr A + tr B − 2 tr(A^½ B A^½)^½ loses half the digits when A ≈ B, so every function here forms
differences first where matrices are near. Equal inputs give exactly 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit
from .nuclear_jit import dot, nuclear_norm, products

# Above this share of tr A + tr B the trace formula keeps at least 10 digits, and it is cheaper.
_MIN_TRACE_SHARE = 1e-5


# From this many rows on bidiagonalization is faster than one-sided Jacobi.
_MIN_BIDIAGONAL_RANK = 5


@jit
def gap_line(a: float, root_a: float, b: float, root_b: float) -> float:
    """m = 1: (√a − √b)² as ((a − b) / (√a + √b))²."""
    total = root_a + root_b
    if total == 0.0:
        return 0.0
    gap = (a - b) / total
    return gap * gap


@jit
def overlap_plane(a: float, b: float, c: float, root_a: float, p: float, q: float, r: float, root_b: float) -> float:
    """m = 2: the square of tr(A^½BA^½)^½ for A = (a, b; b, c), B = (p, q; q, r) and the roots of their determinants."""
    overlap = a * p + 2.0 * b * q + c * r + 2.0 * root_a * root_b
    return overlap if overlap > 0.0 else 0.0


@jit
def is_far(plain: float, traces: float, overlap: float) -> bool:
    """Whether tr A + tr B − 2 tr(A^½BA^½)^½ keeps enough digits, and no product overflowed or underflowed."""
    return (plain > _MIN_TRACE_SHARE * traces) & (overlap > 1e-290)


@jit
def unit_of(size: float) -> float:
    """A power of 2 that scales matrices of this size so that fourth powers neither overflow nor underflow."""
    unit = 2.0**860 if size < 1e-220 else 2.0**600
    unit = unit if size < 1e-140 else 2.0**330
    return unit if size < 1e-60 else 1.0


@jit
def near_plane(
    a: float, b: float, c: float, root_a: float, p: float, q: float, r: float, root_b: float, overlap: float
) -> float:
    """m = 2: dcov² from differences, for near matrices. It has no branches, so that loops are vectorized."""
    da, db, dc = p - a, q - b, r - c
    dets = root_a * root_b
    traces = (a + c) + (p + r)
    roots = root_a + root_b
    change = (a * dc + c * da + da * dc - 2.0 * b * db - db * db) / (roots if roots > 0.0 else 1.0)
    change = change if roots > 0.0 else 0.0
    x = a * dc - c * da
    y = a * db - b * da
    z = c * db - b * dc
    mixed = roots * roots - (da * dc - db * db)
    entries = a * r + p * c - 2.0 * b * q + 2.0 * dets
    # singular up to rounding: use only the entries
    mixed = entries if roots * roots < 1e-14 * traces * traces else mixed
    twist = x * x + 4.0 * y * z
    twist = (twist if twist > 0.0 and mixed > 0.0 else 0.0) / (mixed if mixed > 0.0 else 1.0)
    total = traces + 2.0 * np.sqrt(overlap)
    squares = da * da + dc * dc + 2.0 * db * db + 2.0 * change * change + 2.0 * twist
    return squares / (total if total > 0.0 else 1.0)


@jit
def gap_plane(a: float, b: float, c: float, root_a: float, p: float, q: float, r: float, root_b: float) -> float:
    """m = 2: dcov² of A = (a, b; b, c) and B = (p, q; q, r), given the roots of their determinants."""
    overlap = overlap_plane(a, b, c, root_a, p, q, r, root_b)
    traces = (a + c) + (p + r)
    plain = traces - 2.0 * np.sqrt(overlap)
    if is_far(plain, traces, overlap):
        return plain
    return near_plane(a, b, c, root_a, p, q, r, root_b, overlap)


@jit
def _minors(a: Any) -> tuple[float, float, float, float, float, float]:
    """Cofactors of a symmetric matrix given as (zz, zy, zx, yy, yx, xx)."""
    return (
        a[3] * a[5] - a[4] * a[4],
        a[2] * a[4] - a[1] * a[5],
        a[1] * a[4] - a[2] * a[3],
        a[0] * a[5] - a[2] * a[2],
        a[1] * a[2] - a[0] * a[4],
        a[0] * a[3] - a[1] * a[1],
    )


@jit
def gap_space(a: Any, b: Any) -> float:
    """m = 3: dcov² of matrices given as (zz, zy, zx, yy, yx, xx, root of the determinant); 0 if they are equal.

    With σ² the spectrum of AB, s = Σσ is the root of s² = Σσ² + 2√(Σσ²σ'² + 2sΠσ), in which Σσ² = tr AB, Σσ²σ'² is
    the trace of the product of cofactors, and Πσ that of the roots of the determinants. Newton's method from above
    takes 3 to 5 steps. Only for comparisons with radii: for near matrices the error is relative to their size, not to
    their distance.
    """
    same = True
    for k in range(6):
        same &= a[k] == b[k]
    if same:
        return 0.0
    u, v = _minors(a), _minors(b)
    first = max(a[0] * b[0] + a[3] * b[3] + a[5] * b[5] + 2.0 * (a[1] * b[1] + a[2] * b[2] + a[4] * b[4]), 0.0)
    second = max(u[0] * v[0] + u[3] * v[3] + u[5] * v[5] + 2.0 * (u[1] * v[1] + u[2] * v[2] + u[4] * v[4]), 0.0)
    third = 2.0 * a[6] * b[6]
    s = np.sqrt(3.0 * first)
    for _ in range(20):
        p = np.sqrt(second + third * s)
        q = np.sqrt(first + 2.0 * p)
        if p == 0.0 or q == 0.0:
            s = q
            break
        slope = third / (2.0 * p * q)  # at most 1/9 at the root
        step = (s - q) / (1.0 - slope)
        s -= step
        if abs(step) <= 4e-16 * s:
            break
    return max(a[0] + a[3] + a[5] + b[0] + b[3] + b[5] - 2.0 * s, 0.0)


@jit
def equal(A: Any, B: Any) -> bool:
    """Whether two matrices are equal, bit by bit."""
    for k in range(A.shape[0]):
        for l in range(A.shape[0]):
            if A[k, l] != B[k, l]:
                return False
    return True


@jit
def _rotate(x: Any, y: Any, n: int, c: float, s: float) -> None:
    for k in range(n):
        a, b = x[k], y[k]
        x[k] = c * a - s * b
        y[k] = s * a + c * b


@jit
def orthogonalize(G: Any, n: int, width: int, X: Any, x_width: int, norms: Any) -> None:
    """One-sided Jacobi: rotate the first n rows of G until they are orthogonal, and those of X with them.

    `norms` is scratch for the squared lengths of the rows, which are updated by a formula.

    It is used instead of LAPACK because it needs no memory and is fast for factors of near matrices, whose product is
    nearly diagonal.
    """
    tolerance = 4e-16 * width
    for _ in range(60):  # it takes 3 to 10 sweeps
        quiet = True
        for p in range(n):
            norms[p] = dot(G[p], G[p], width)
        for p in range(n - 1):
            for q in range(p + 1, n):
                gamma = dot(G[p], G[q], width)
                # a length spoiled by cancellation, which may be ≤ 0, is corrected in the next sweep
                if abs(gamma) <= tolerance * np.sqrt(max(norms[p], 0.0)) * np.sqrt(max(norms[q], 0.0)):
                    continue
                quiet = False
                zeta = (norms[q] - norms[p]) / (2.0 * gamma)
                t = 1.0 / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
                if zeta < 0.0:
                    t = -t
                c = 1.0 / np.sqrt(1.0 + t * t)
                _rotate(G[p], G[q], width, c, c * t)
                _rotate(X[p], X[q], x_width, c, c * t)
                norms[p] -= t * gamma
                norms[q] += t * gamma
        if quiet:
            return


@jit
def gap_general(A: Any, factor_a: Any, rank_a: int, B: Any, factor_b: Any, rank_b: int, scratch: Any) -> float:
    """m ≥ 3: tr A + tr B − 2‖L_BᵀL_A‖_*, and for near matrices the Procrustes form ‖L_A − L_BQ‖², Q the polar factor.

    The second form is the norm of a difference: its error is that of the factors, however close A and B are. Factors
    are thin, with as many rows as the rank; `scratch` is (3, m, m).
    """
    if equal(A, B):
        return 0.0
    m = A.shape[0]
    traces = 0.0
    for k in range(m):
        traces += A[k, k] + B[k, k]
    nuclear = 0.0
    if rank_a <= rank_b:
        nuclear = nuclear_norm_of_factors(factor_a, rank_a, factor_b, rank_b, unit_of(traces), scratch)
    else:
        nuclear = nuclear_norm_of_factors(factor_b, rank_b, factor_a, rank_a, unit_of(traces), scratch)
    plain = traces - 2.0 * nuclear
    if plain > _MIN_TRACE_SHARE * traces:
        return plain
    return procrustes(factor_a, rank_a, factor_b, rank_b, unit_of(traces), scratch)


@jit
def nuclear_norm_of_factors(factor_a: Any, rank_a: int, factor_b: Any, rank_b: int, unit: float, scratch: Any) -> float:
    """‖L_BᵀL_A‖_*, with A = L_A L_Aᵀ and the columns of L_A in the rows of its factor; rank_a ≤ rank_b."""
    G = scratch[0]
    products(factor_a, rank_a, factor_b, rank_b, G)
    if rank_a >= _MIN_BIDIAGONAL_RANK:
        norm = nuclear_norm(G, rank_a, rank_b, scratch[1], scratch[2])
        if norm >= 0.0:
            return norm
        products(factor_a, rank_a, factor_b, rank_b, G)
    for l in range(rank_a):
        for k in range(rank_b):
            G[l, k] *= unit
    orthogonalize(G, rank_a, rank_b, scratch[1], 0, scratch[2, 0])
    total = 0.0
    for l in range(rank_a):
        total += np.sqrt(dot(G[l], G[l], rank_b))
    return total / unit


@jit
def procrustes(factor_a: Any, rank_a: int, factor_b: Any, rank_b: int, unit: float, scratch: Any) -> float:
    """The minimum of ‖L_A − L_BQ‖² over orthogonal Q, with factors multiplied by √unit."""
    m = factor_a.shape[1]
    G, X = scratch[0], scratch[1]
    root = np.sqrt(unit)
    products(factor_a, rank_a, factor_b, rank_b, G)
    for l in range(rank_a):
        for k in range(rank_b):
            G[l, k] *= unit
        for k in range(m):
            X[l, k] = factor_a[l, k] * root
    # L_BᵀL_A = U S Vᵀ: row l of G becomes s_l u_l, row l of X becomes L_A v_l
    orthogonalize(G, rank_a, rank_b, X, m, scratch[2, 0])
    largest = 0.0
    for l in range(rank_a):
        largest = max(largest, dot(G[l], G[l], rank_b))
    total = 0.0
    unmatched = 0.0  # the part of B orthogonal to the range of L_BᵀL_A
    for k in range(rank_b):
        unmatched += dot(factor_b[k], factor_b[k], m) * unit
    n_known = 0
    for l in range(rank_a):
        s = np.sqrt(dot(G[l], G[l], rank_b))
        is_known = s > 1e-15 * m * np.sqrt(largest)
        n_known += is_known
        for k in range(m):
            image = 0.0
            if is_known:
                for r in range(rank_b):
                    image += factor_b[r, k] * root * G[l, r]
                image /= s
            off = X[l, k] - image
            total += off * off
            unmatched -= image * image
    return (total if n_known == rank_b else total + max(unmatched, 0.0)) / unit
