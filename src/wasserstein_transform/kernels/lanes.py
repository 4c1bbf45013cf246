"""Nuclear norms of many small matrices in SIMD lanes: the algorithm of `nuclear.py` with a matrix in each lane.

The same entry of all matrices is stored contiguously, `LANES` numbers, and every inner loop runs over them. Rows and
columns are padded with zeros to a multiple of four, for unrolled loops. Lanes do not affect each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit
from .qd_lanes import LANES, N_STATES, sum_of_values

_L = LANES


def scratch_size(m: int) -> int:
    """Length of the scratch for matrices of order m and their vectors."""
    wide = -(-m // 4) * 4
    return LANES * (2 * wide**2 + 8 * wide + 8 + N_STATES) + wide**2


@jit
def fill(x: Any, value: float) -> None:
    """Fill with a number."""
    for k in range(x.shape[0]):
        x[k] = value


@jit
def pack(factors: Any, who: Any, out: Any) -> None:
    """Pack factors into lanes."""
    m = factors.shape[1]
    wide = (m + 3) // 4 * 4
    for k in range(m):
        for r in range(m):
            row = out[(k * wide + r) * _L :]
            for w in range(who.shape[0]):
                row[w] = factors[who[w], k, r]


@jit
def _two_products(a: Any, b: Any, cols: Any, count: int, g: Any, h: Any, n: int) -> None:
    """Products of rows a and b with a row in lanes."""
    for r in range(0, count, 4):
        a0, a1, a2, a3, b0, b1, b2, b3 = a[r], a[r + 1], a[r + 2], a[r + 3], b[r], b[r + 1], b[r + 2], b[r + 3]
        k = r * _L
        for w in range(n):
            x, y, z, t = cols[k + w], cols[k + _L + w], cols[k + 2 * _L + w], cols[k + 3 * _L + w]
            g[w] += a0 * x + a1 * y + a2 * z + a3 * t
            h[w] += b0 * x + b1 * y + b2 * z + b3 * t


@jit
def multiply(own: Any, factors: Any, m: int, flipped: bool, G: Any, n: int) -> None:
    """G[l, k] = own_l · factor_k in each lane, or its transpose."""
    wide = (m + 3) // 4 * 4
    fill(G, 0.0)
    down, right = (1, wide) if flipped else (wide, 1)
    for k in range(m):
        cols = factors[k * wide * _L :]
        for l in range(0, m, 2):
            at = l * down + k * right
            g, h = G[at * _L :], G[(at + down) * _L :]
            _two_products(own[l * wide :], own[(l + 1) * wide :], cols, m, g, h, n)


@jit
def nuclear_norms(G: Any, m: int, scratch: Any, out: Any, n: int) -> None:
    """The nuclear norm of each lane, m ≥ 4; −1 on failure. G is destroyed; n is `LANES`.

    n is passed as an argument so that the compiler does not unroll loops over lanes.
    """
    wide = (m + 3) // 4 * 4
    values, scale = scratch[: 2 * wide * _L], scratch[2 * wide * _L : (2 * wide + 4) * _L]
    _normalize(G, scale, n)
    _bidiagonalize(G, m, wide, values, scratch[(2 * wide + 4) * _L :], n)
    sum_of_values(values, m, scratch[(2 * wide + 4) * _L :], out, n)
    for w in range(n):
        out[w] = out[w] / scale[w] if out[w] >= 0.0 else -1.0


@jit
def _add_sizes(g: Any, out: Any, n: int) -> None:
    for w in range(n):
        out[w] += abs(g[w]) + abs(g[_L + w]) + abs(g[2 * _L + w]) + abs(g[3 * _L + w])


@jit
def _normalize(G: Any, scale: Any, n: int) -> None:
    """Scale matrices whose squares would overflow or underflow to size 1; `scale` gets the factors."""
    fill(scale, 0.0)
    for k in range(0, G.shape[0], 4 * _L):
        _add_sizes(G[k:], scale, n)
    odd = 0
    for w in range(n):
        size = scale[w]
        usual = (size == 0.0) | ((size > 1e-60) & (size < 1e60))
        odd += 0 if usual else 1
        scale[w] = 1.0 if usual else 1.0 / size
    if odd > 0:
        for k in range(0, G.shape[0], _L):
            g = G[k:]
            for w in range(n):
                g[w] *= scale[w]


@jit
def _update(g: Any, y: Any, b: Any, v: Any, up: int, c: Any, n: int) -> None:
    """g − uy − xb in place, and its contribution to g · v; c has u, x and this sum."""
    for k in range(0, up * _L, 4 * _L):
        gk, yk, bk, vk = g[k:], y[k:], b[k:], v[k:]
        for w in range(n):
            u, x = c[w], c[_L + w]
            g0 = gk[w] - (u * yk[w] + x * bk[w])
            g1 = gk[_L + w] - (u * yk[_L + w] + x * bk[_L + w])
            g2 = gk[2 * _L + w] - (u * yk[2 * _L + w] + x * bk[2 * _L + w])
            g3 = gk[3 * _L + w] - (u * yk[3 * _L + w] + x * bk[3 * _L + w])
            gk[w], gk[_L + w], gk[2 * _L + w], gk[3 * _L + w] = g0, g1, g2, g3
            c[2 * _L + w] += g0 * vk[w] + g1 * vk[_L + w] + g2 * vk[2 * _L + w] + g3 * vk[3 * _L + w]


@jit
def _settle(c: Any, tau: Any, g: Any, v: Any, n: int) -> None:
    """x = τ · sum, and u = g − xv in the last column."""
    for w in range(n):
        x = tau[w] * c[2 * _L + w]
        c[w], c[_L + w], c[2 * _L + w] = g[w] - x * v[w], x, 0.0


@jit
def _left(g: Any, wide: int, up: int, c: Any, y: Any, n: int) -> None:
    """y + Σ ug of four rows, two columns at a time, in place."""
    h, i, j = g[wide * _L :], g[2 * wide * _L :], g[3 * wide * _L :]
    for k in range(0, up * _L, 2 * _L):
        gk, hk, ik, jk, yk = g[k:], h[k:], i[k:], j[k:], y[k:]
        for w in range(n):
            p, q, r, s = c[w], c[3 * _L + w], c[6 * _L + w], c[9 * _L + w]
            yk[w] += p * gk[w] + q * hk[w] + r * ik[w] + s * jk[w]
            yk[_L + w] += p * gk[_L + w] + q * hk[_L + w] + r * ik[_L + w] + s * jk[_L + w]


@jit
def _add_products(x: Any, y: Any, stride: int, count: int, out: Any, n: int) -> None:
    """Σ xy over `count` entries, a multiple of four."""
    for k in range(0, count, 4):
        a, b, c, d = x[k * stride :], x[(k + 1) * stride :], x[(k + 2) * stride :], x[(k + 3) * stride :]
        e, f, g, h = y[k * stride :], y[(k + 1) * stride :], y[(k + 2) * stride :], y[(k + 3) * stride :]
        for w in range(n):
            out[w] += a[w] * e[w] + b[w] * f[w] + c[w] * g[w] + d[w] * h[w]


@jit
def _reflect(x: Any, square: Any, norm: Any, tau: Any, n: int) -> None:
    """Norms and τ of vectors with that square, whose last entry x becomes that of a reflection, as in `nuclear.py`."""
    for w in range(n):
        size, last = np.sqrt(square[w]), x[w]
        none = size < 1e-100
        far = last + size if last >= 0.0 else last - size
        both = size * (size + abs(last))
        x[w] = last if none else far
        tau[w] = 0.0 if none else 1.0 / (1.0 if none else both)
        norm[w] = size


@jit
def _finish(y: Any, v: Any, up: int, share: Any, tau: Any, n: int) -> None:
    """y = τ(y − share · v)."""
    for k in range(0, up * _L, 2 * _L):
        yk, vk = y[k:], v[k:]
        for w in range(n):
            a, t = share[w], tau[w]
            yk[w] = t * (yk[w] - a * vk[w])
            yk[_L + w] = t * (yk[_L + w] - a * vk[_L + w])


@jit
def _bidiagonalize(G: Any, m: int, wide: int, values: Any, scratch: Any, n: int) -> None:
    """The entries of bidiagonal matrices, diagonal and superdiagonal alternating, as in `nuclear.py`."""
    y, c = scratch[: wide * _L], scratch[wide * _L : 4 * wide * _L]
    square, tau = scratch[4 * wide * _L : (4 * wide + 1) * _L], scratch[(4 * wide + 1) * _L : (4 * wide + 2) * _L]
    fill(y, 0.0)
    fill(c, 0.0)
    before = y
    for step in range(m):
        rows, width = m - 1 - step, m - step
        up = (width + 3) // 4 * 4
        v = G[rows * wide * _L : (rows + 1) * wide * _L]
        _update(v, y, before, y, up, c[3 * rows * _L :], n)
        fill(v[width * _L : up * _L], 0.0)
        fill(square, 0.0)
        _add_products(v, v, _L, up, square, n)
        _reflect(v[(width - 1) * _L :], square, values[2 * step * _L :], tau, n)
        if rows == 0:
            return
        width -= 1
        for l in range(rows):
            own, g = c[3 * l * _L : 3 * (l + 1) * _L], G[l * wide * _L : (l + 1) * wide * _L]
            fill(own[2 * _L :], 0.0)
            _update(g, y, before, v, up, own, n)
            _settle(own, tau, g[width * _L :], v[width * _L :], n)
        high = (rows + 3) // 4 * 4
        fill(c[3 * rows * _L : 3 * high * _L], 0.0)
        fill(square, 0.0)
        _add_products(c, c, 3 * _L, high, square, n)
        _reflect(c[3 * (rows - 1) * _L :], square, values[(2 * step + 1) * _L :], tau, n)
        up = (width + 3) // 4 * 4
        fill(y, 0.0)
        fill(square, 0.0)
        _add_products(c, c[_L:], 3 * _L, high, square, n)
        for l in range(0, high, 4):
            _left(G[l * wide * _L :], wide, up, c[3 * l * _L :], y, n)
        _finish(y, v, up, square, tau, n)
        fill(y[width * _L : up * _L], 0.0)
        before = v
