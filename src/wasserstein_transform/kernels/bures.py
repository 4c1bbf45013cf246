"""Squared Bures distances dcov²(A, B) without cancellation (the closed form of W2 between centred Gaussians).

The trace formula tr A + tr B − 2 tr(A^½ B A^½)^½ loses half the digits when A ≈ B, so every function here forms
differences first. Equal inputs give exactly 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit

# Above this share of tr A + tr B the trace formula keeps at least 10 digits, and it is cheaper.
_FAR = 1e-5


@jit
def gap_line(a: float, root_a: float, b: float, root_b: float) -> float:
    """m = 1: (√a − √b)² as ((a − b) / (√a + √b))²."""
    total = root_a + root_b
    if total == 0.0:
        return 0.0
    gap = (a - b) / total
    return gap * gap


@jit
def gap_plane(A: Any, root_det_a: float, B: Any, root_det_b: float) -> float:
    """m = 2: A = (a, b, c), B = (p, q, r) with the roots of their determinants."""
    a, b, c = A[0], A[1], A[2]
    p, q, r = B[0], B[1], B[2]
    dets = root_det_a * root_det_b
    traces = a + c + p + r
    fidelity = np.sqrt(max(a * p + 2.0 * b * q + c * r + 2.0 * dets, 0.0))
    plain = traces - 2.0 * fidelity
    if plain > _FAR * traces:
        return plain
    da, db, dc = p - a, q - b, r - c
    if da == 0.0 and db == 0.0 and dc == 0.0:
        return 0.0
    roots = root_det_a + root_det_b
    change = 0.0
    if roots > 0.0:
        change = (a * dc + c * da + da * dc - 2.0 * b * db - db * db) / roots
    x = a * dc - c * da
    y = a * db - b * da
    z = c * db - b * dc
    mixed = a * r + p * c - 2.0 * b * q + 2.0 * dets
    twist = 0.0
    if mixed > 0.0:
        twist = max(x * x + 4.0 * y * z, 0.0) / mixed
    return (da * da + dc * dc + 2.0 * db * db + 2.0 * change * change + 2.0 * twist) / (traces + 2.0 * fidelity)


@jit
def _equal(A: Any, B: Any) -> bool:
    for k in range(A.shape[0]):
        for l in range(A.shape[0]):
            if A[k, l] != B[k, l]:
                return False
    return True


@jit
def _rotate(x: Any, y: Any, c: float, s: float) -> None:
    for k in range(x.shape[0]):
        a, b = x[k], y[k]
        x[k] = c * a - s * b
        y[k] = s * a + c * b


@jit
def _dot(x: Any, y: Any) -> float:
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * y[k]
    return total


@jit
def _orthogonalize(G: Any, X: Any) -> None:
    """One-sided Jacobi: turn the rows of G until they are orthogonal, and those of X with them.

    By hand because it needs no memory of its own and, below some twenty dimensions, beats a call into LAPACK.
    """
    m = G.shape[0]
    tolerance = 4e-16 * m
    for _ in range(40):  # it takes 5 to 10 sweeps
        quiet = True
        for p in range(m - 1):
            for q in range(p + 1, m):
                alpha, beta, gamma = _dot(G[p], G[p]), _dot(G[q], G[q]), _dot(G[p], G[q])
                if abs(gamma) <= tolerance * np.sqrt(alpha) * np.sqrt(beta):
                    continue
                quiet = False
                zeta = (beta - alpha) / (2.0 * gamma)
                t = 1.0 / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
                if zeta < 0.0:
                    t = -t
                c = 1.0 / np.sqrt(1.0 + t * t)
                _rotate(G[p], G[q], c, c * t)
                _rotate(X[p], X[q], c, c * t)
        if quiet:
            return


@jit
def gap_general(A: Any, root_a: Any, B: Any, root_b: Any, scratch: Any) -> float:
    """m ≥ 3: tr A + tr B − 2‖B^½A^½‖_*, and for near matrices the Procrustes form ‖A^½ − B^½Q‖², Q the polar factor.

    The second form is a norm of a difference: its error is that of the roots, however close A and B are.
    `scratch` is (2, m, m).
    """
    if _equal(A, B):
        return 0.0
    m = A.shape[0]
    G, X = scratch[0], scratch[1]
    traces = 0.0
    for k in range(m):
        traces += A[k, k] + B[k, k]
        for l in range(m):
            G[k, l] = _dot(root_a[k], root_b[l])
            X[k, l] = root_a[k, l]
    _orthogonalize(G, X)  # with SVD B^½A^½ = U S Vᵀ, row k of G is now s_k u_k and row k of X is A^½ v_k
    nuclear = 0.0
    largest = 0.0
    for k in range(m):
        s = np.sqrt(_dot(G[k], G[k]))
        nuclear += s
        largest = max(largest, s)
    plain = traces - 2.0 * nuclear
    if plain > _FAR * traces:
        return plain
    total = 0.0
    unmatched = 0.0  # what of B lies off the directions that B^½A^½ knows
    for k in range(m):
        unmatched += B[k, k]
    singular = False
    for k in range(m):
        s = np.sqrt(_dot(G[k], G[k]))
        known = s > 1e-15 * m * largest
        singular = singular or not known
        for l in range(m):
            image = _dot(root_b[l], G[k]) / s if known else 0.0
            off = X[k, l] - image
            total += off * off
            unmatched -= image * image
    return total + max(unmatched, 0.0) if singular else total
