"""Gaussians in 3-D: the closed form of dcov² for 3 × 3 matrices, written so that loops over it are vectorized.

A matrix is given by its symmetric root H, six numbers (xx, xy, xz, yy, yz, zz). The singular values of N = H_A H_B add
up to tr(A^½BA^½)^½, and its polar factor is the rotation that aligns the roots of near matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit_inline, jit_inline_strict

_KNOWN = 1e-12  # below this, relative to (Σσ)³, N has numerical rank 1, and the rotation about its axis is undetermined


@jit_inline
def product(a: Any, b: Any) -> Any:
    """The rows of N = H_A H_B."""
    return (
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
        a[0] * b[1] + a[1] * b[3] + a[2] * b[4],
        a[0] * b[2] + a[1] * b[4] + a[2] * b[5],
        a[1] * b[0] + a[3] * b[1] + a[4] * b[2],
        a[1] * b[1] + a[3] * b[3] + a[4] * b[4],
        a[1] * b[2] + a[3] * b[4] + a[4] * b[5],
        a[2] * b[0] + a[4] * b[1] + a[5] * b[2],
        a[2] * b[1] + a[4] * b[3] + a[5] * b[4],
        a[2] * b[2] + a[4] * b[4] + a[5] * b[5],
    )


@jit_inline_strict
def squares_of(n: Any) -> float:
    """Σσ², the sum of the squared entries of a matrix, with the same bits for its transpose (A and B exchanged)."""
    return (
        (n[0] * n[0] + n[4] * n[4] + n[8] * n[8])
        + (n[1] * n[1] + n[3] * n[3])
        + (n[2] * n[2] + n[6] * n[6])
        + (n[5] * n[5] + n[7] * n[7])
    )


@jit_inline
def squared_minors(n: Any) -> float:
    """Σσ²σ'², the sum of the squared minors of a matrix given by its rows."""
    a, b, c = n[4] * n[8] - n[5] * n[7], n[3] * n[8] - n[5] * n[6], n[3] * n[7] - n[4] * n[6]
    d, e, f = n[1] * n[8] - n[2] * n[7], n[0] * n[8] - n[2] * n[6], n[0] * n[7] - n[1] * n[6]
    g, h, i = n[1] * n[5] - n[2] * n[4], n[0] * n[5] - n[2] * n[3], n[0] * n[4] - n[1] * n[3]
    return squares_of((a, b, c, d, e, f, g, h, i))


@jit_inline
def sum_of_three(first: float, second: float, third: float) -> float:
    """s = Σσ of three numbers ≥ 0, given Σσ², Σσ²σ'² and Πσ: the root of s² = Σσ² + 2√(Σσ²σ'² + 2sΠσ).

    Newton's method from above: its error is 0.7, 1e-3, 1e-8 and then rounding, whatever the three are. The slope of the
    right side's root, Πσ / pq, is at most 1/9 at the solution, and 0 where one of the three is.
    """
    s = np.sqrt(3.0 * first)
    for _ in range(3):
        p = np.sqrt(second + 2.0 * third * s)
        q = np.sqrt(first + 2.0 * p)
        pq = p * q
        rest = pq - third
        step = (s - q) * pq / (rest if rest > 0.0 else 1.0)
        s = s - step if rest > 0.0 else q
    return s


@jit_inline
def turned_gap(a: Any, b: Any, n: Any, s: float) -> float:
    """dcov² of near matrices: ‖H_AQ − H_B‖² with the rotation Q nearest to N, whose σ add up to s; −1 if undetermined.

    With t = tr N and k the axis of N − Nᵀ, Q has the quaternion (1, v), (s + t)v − (N + Nᵀ)v = k (Horn): the
    eigenvector of a symmetric 4 × 4 matrix to the eigenvalue s. An error of v counts squared. H_A and H_B commute up to
    their difference, and k is made of it: equal matrices have distance 0.
    """
    d0, d1, d2, d3, d4, d5 = b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3], b[4] - a[4], b[5] - a[5]
    # the axis of H_AΔ − ΔH_A
    x = (a[2] * d1 - d2 * a[1]) + (a[4] * d3 - d4 * a[3]) + (a[5] * d4 - d5 * a[4])
    y = (a[0] * d2 - d0 * a[2]) + (a[1] * d4 - d1 * a[4]) + (a[2] * d5 - d2 * a[5])
    z = (a[1] * d0 - d1 * a[0]) + (a[3] * d1 - d3 * a[1]) + (a[4] * d2 - d4 * a[2])
    grown = s + (n[0] + n[4] + n[8])
    m0, m3, m5 = grown - 2.0 * n[0], grown - 2.0 * n[4], grown - 2.0 * n[8]
    m1, m2, m4 = -(n[1] + n[3]), -(n[2] + n[6]), -(n[5] + n[7])
    c0, c1, c2 = m3 * m5 - m4 * m4, m2 * m4 - m1 * m5, m1 * m4 - m2 * m3
    c3, c4, c5 = m0 * m5 - m2 * m2, m1 * m2 - m0 * m4, m0 * m3 - m1 * m1
    det = m0 * c0 + m1 * c1 + m2 * c2
    same = abs(d0) + abs(d1) + abs(d2) + abs(d3) + abs(d4) + abs(d5) == 0.0
    known = (det > _KNOWN * s * s * s) | same
    over = 1.0 / (det if known and not same else 1.0)
    u, v, w = (c0 * x + c1 * y + c2 * z) * over, (c1 * x + c3 * y + c4 * z) * over, (c2 * x + c4 * y + c5 * z) * over
    twice = 2.0 / (1.0 + u * u + v * v + w * w)
    # Q − I = twice · ([v] + [v]²), row by row
    x, y, z = twice * u, twice * v, twice * w
    turn = (
        -(y * v + z * w), x * v - z, x * w + y,
        x * v + z, -(x * u + z * w), y * w - x,
        x * w - y, y * w + x, -(x * u + y * v),
    )  # fmt: skip
    rows = _off(a[0], a[1], a[2], d0, d1, d2, turn) + _off(a[1], a[3], a[4], d1, d3, d4, turn)
    return rows + _off(a[2], a[4], a[5], d2, d4, d5, turn) if known else -1.0


@jit_inline
def _off(x: float, y: float, z: float, dx: float, dy: float, dz: float, turn: Any) -> float:
    """‖row of H_A(Q − I) − row of the difference‖²."""
    u = x * turn[0] + y * turn[3] + z * turn[6] - dx
    v = x * turn[1] + y * turn[4] + z * turn[7] - dy
    w = x * turn[2] + y * turn[5] + z * turn[8] - dz
    return u * u + v * v + w * w
