"""Nuclear norms (sums of singular values): Householder bidiagonalization, then singular values by shifted qd.

Absolute accuracy is enough: each value is accurate to about the rounding error of the largest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit, jit_summing

_NEGLIGIBLE_SQUARE = 1e-32  # square of the rounding error for a largest value of 1

_MIN_DIVISOR = 1e-300  # keeps divisors positive, and distinguishes an entry 0 from the mark of a split


@jit_summing
def dot(x: Any, y: Any, n: int) -> float:
    """Σ x_k y_k over the first n entries."""
    total = 0.0
    for k in range(n):
        total += x[k] * y[k]
    return total


@jit_summing
def _dots(a: Any, b: Any, c: Any, d: Any, x: Any, y: Any, n: int) -> Any:
    """Products of four rows with two."""
    ax, ay, bx, by, cx, cy, dx, dy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        s, t = x[k], y[k]
        ax += a[k] * s
        ay += a[k] * t
        bx += b[k] * s
        by += b[k] * t
        cx += c[k] * s
        cy += c[k] * t
        dx += d[k] * s
        dy += d[k] * t
    return ax, ay, bx, by, cx, cy, dx, dy


@jit
def products(rows: Any, p: int, cols: Any, q: int, G: Any) -> None:
    """G[l, k] = rows_l · cols_k for the first p and q of them."""
    n = rows.shape[1]
    for l in range(0, p - 3, 4):
        for k in range(0, q - 1, 2):
            values = _dots(rows[l], rows[l + 1], rows[l + 2], rows[l + 3], cols[k], cols[k + 1], n)
            G[l, k], G[l, k + 1] = values[0], values[1]
            G[l + 1, k], G[l + 1, k + 1] = values[2], values[3]
            G[l + 2, k], G[l + 2, k + 1] = values[4], values[5]
            G[l + 3, k], G[l + 3, k + 1] = values[6], values[7]
    for l in range(p):
        for k in range(q - q % 2 if l < p - p % 4 else 0, q):
            G[l, k] = dot(rows[l], cols[k], n)


@jit
def nuclear_norm(G: Any, p: int, q: int, scratch: Any, spare: Any) -> float:
    """‖G‖_* of the first p ≤ q rows and columns of G, which is destroyed; −1 on failure.

    `scratch` and `spare` are working memory of three and two rows of length q.
    """
    size = _sum_of_magnitudes(G, p, q)
    if size == 0.0:
        return 0.0
    unit = 1.0
    if not 1e-60 < size < 1e60:  # squares would overflow or underflow
        unit = size
        for l in range(p):
            for k in range(q):
                G[l, k] /= unit
    diagonal, superdiagonal = spare[0], spare[1]
    _bidiagonalize(G, p, q, diagonal, superdiagonal, scratch[0], scratch[1], scratch[2])
    return unit * _sum_of_values(diagonal, superdiagonal, p, scratch[0], scratch[1])


@jit_summing
def _sum_of_magnitudes(G: Any, p: int, q: int) -> float:
    total = 0.0
    for l in range(p):
        row = G[l]
        for k in range(q):
            total += abs(row[k])
    return total


@jit_summing
def _update(g: Any, y: Any, v: Any, a: float, b: float, n: int) -> None:
    """g − ay − bv in place."""
    for k in range(n):
        g[k] -= a * y[k] + b * v[k]


@jit_summing
def _update_two(g: Any, h: Any, y: Any, v: Any, a: float, b: float, c: float, d: float, w: Any, n: int) -> Any:
    """g − ay − bv and h − cy − dv in place, and their products with w."""
    gw, hw = 0.0, 0.0
    for k in range(n):
        s, t = y[k], v[k]
        new_g = g[k] - (a * s + b * t)
        new_h = h[k] - (c * s + d * t)
        g[k], h[k] = new_g, new_h
        gw += new_g * w[k]
        hw += new_h * w[k]
    return gw, hw


@jit_summing
def _add_two(y: Any, g: Any, h: Any, a: float, b: float, n: int) -> None:
    """y + ag + bh in place."""
    for k in range(n):
        y[k] += a * g[k] + b * h[k]


@jit
def _householder(x: Any, n: int) -> Any:
    """The norm of x, and τ; x becomes a vector v such that I − τvvᵀ maps the old x to a multiple of the last axis."""
    norm = np.sqrt(dot(x, x, n))
    if norm < 1e-100:
        return norm, 0.0
    last = x[n - 1]
    x[n - 1] = last + norm if last >= 0.0 else last - norm
    return norm, 1.0 / (norm * (norm + abs(last)))


@jit
def _bidiagonalize(G: Any, p: int, q: int, diagonal: Any, superdiagonal: Any, u: Any, x: Any, y: Any) -> None:
    """Norms of the entries of a bidiagonal matrix with the singular values of G; p ≤ q. G and u, x, y are overwritten.

    It proceeds from the last row and column to the first, so that all loops start at 0. The update G − uyᵀ − xvᵀ is
    deferred to the next step, which reads each row twice: once to update it and multiply it with the next v, which is
    stored in the row just finished, and once for the next y.
    """
    for l in range(p):
        u[l], x[l] = 0.0, 0.0
    for k in range(q):
        y[k] = 0.0
    previous_v = y
    for step in range(p):
        rows, width = p - 1 - step, q - step
        v = G[rows]
        _update(v, y, previous_v, u[rows], x[rows], width)
        diagonal[step], tau = _householder(v, width)
        if rows == 0:
            return
        _multiply_right(G, rows, width, v, tau, previous_v, u, x, y)
        width -= 1
        for l in range(rows):
            u[l] = G[l, width] - x[l] * v[width]
        superdiagonal[step], tau = _householder(u, rows)
        _multiply_left(G, rows, width, v, tau, u, x, y)
        previous_v = v


@jit
def _multiply_right(G: Any, rows: int, width: int, v: Any, tau: float, previous_v: Any, u: Any, x: Any, y: Any) -> None:
    """Apply the deferred update, and compute x = τGv."""
    for l in range(0, rows - 1, 2):
        a, b = _update_two(G[l], G[l + 1], y, previous_v, u[l], x[l], u[l + 1], x[l + 1], v, width)
        x[l], x[l + 1] = tau * a, tau * b
    if rows % 2 == 1:
        l = rows - 1
        _update(G[l], y, previous_v, u[l], x[l], width)
        x[l] = tau * dot(G[l], v, width)


@jit
def _multiply_left(G: Any, rows: int, width: int, v: Any, tau: float, u: Any, x: Any, y: Any) -> None:
    """y = τ(G − xvᵀ)ᵀu."""
    share = -tau * dot(u, x, rows)
    last = G[rows - 1]
    weight = tau * u[rows - 1] if rows % 2 == 1 else 0.0
    for k in range(width):
        y[k] = share * v[k] + weight * last[k]
    for l in range(0, rows - 1, 2):
        _add_two(y, G[l], G[l + 1], tau * u[l], tau * u[l + 1], width)


@jit
def _sum_of_values(q: Any, e: Any, n: int, next_q: Any, next_e: Any) -> float:
    """Sum of the singular values of a bidiagonal matrix with diagonal q and superdiagonal e (destroyed); −1: failed.

    Shifted qd (Fernando and Parlett): q and e become squares; each pass subtracts a shift from all squared values and
    reduces the last entries, until values at the end are isolated. A shift above the smallest value gives a negative
    pivot, and the pass is repeated with a smaller one. Blocks between negligible e are processed from the last; the
    shift of the part before a block is stored, negated, in the entry that splits them.
    """
    size = 0.0
    for k in range(n):
        size = max(size, q[k], e[k] if k < n - 1 else 0.0)
    if size == 0.0:
        return 0.0
    for k in range(n):
        q[k] = (q[k] / size) ** 2
    for k in range(n - 1):
        e[k] = (e[k] / size) ** 2 + _MIN_DIVISOR
    total, shift = 0.0, 0.0
    min_pivot, min_other_pivot = 0.0, 0.0  # smallest pivots of the last pass, with and without the last one
    passes = 30 * n + 100  # it takes 2 to 4 for each value
    first, last = 0, n - 1
    while last >= 0:
        first = last
        while first > 0 and e[first - 1] > _NEGLIGIBLE_SQUARE:
            first -= 1
        if first > 0 and e[first - 1] > 0.0:
            e[first - 1] = -shift
        if first == last or _is_separate(q, e, last, shift):
            total += np.sqrt(q[last] + shift)
            n_done = 1
        elif first == last - 1 or _is_separate(q, e, last - 1, shift):
            total += _sum_of_two(q[last - 1], e[last - 1], q[last], shift)
            n_done = 2
        else:
            taken, min_other_pivot, pivot, passes = _dqds_sweep(q, e, first, last, min_pivot, next_q, next_e, passes)
            if passes < 0:
                return -1.0
            if first == 0:
                q, e, next_q, next_e = next_q, next_e, q, e
            else:
                for k in range(first, last):
                    q[k], e[k] = next_q[k], next_e[k]
                q[last] = next_q[last]
            shift += taken
            min_pivot = min(min_other_pivot, pivot)
            continue
        last -= n_done
        min_pivot = min_other_pivot
        if last < first:
            min_pivot, min_other_pivot = 0.0, 0.0
            if last >= 0:
                shift = -e[last]
    return size * total


@jit
def _is_separate(q: Any, e: Any, k: int, shift: float) -> bool:
    """Whether e before entry k can be neglected: a value σ = √(shift + λ) then changes by at most (e + √(qe)) / 2σ."""
    return (q[k] + e[k - 1]) * e[k - 1] <= _NEGLIGIBLE_SQUARE * shift


@jit
def _sum_of_two(a: float, b: float, c: float, shift: float) -> float:
    """√(λ + shift) + √(μ + shift) where λ + μ = a + b + c and λμ = ac."""
    trace = a + b + c
    return np.sqrt(trace + 2.0 * shift + 2.0 * np.sqrt(a * c + shift * (trace + shift)))


@jit
def _dqds_sweep(q: Any, e: Any, first: int, last: int, min_pivot: float, next_q: Any, next_e: Any, passes: int) -> Any:
    """One pass over a block: its shift, the smallest pivot except the last, the last pivot, and the passes left."""
    tau = _choose_shift(q, e, last, min_pivot)
    for attempt in range(4):
        passes -= 1
        end, pivot, min_other_pivot = _try_shift(q, e, first, last, tau, next_q, next_e)
        if pivot >= 0.0:
            break
        # the shift was too large: if only the last pivot is negative, by about the size of that pivot
        late = end == last and tau + pivot > 0.0
        tau = 0.0 if attempt == 2 else (tau + pivot) * (1.0 - 4e-16) if late else 0.25 * tau
    return tau, min_other_pivot, pivot, passes


@jit
def _choose_shift(q: Any, e: Any, last: int, min_pivot: float) -> float:
    """An estimate of the smallest squared value, probably from below.

    The end of the matrix has the value q − qe/gap to second order; the smallest pivot is an upper bound.
    """
    last_q = q[last]
    gap = q[last - 1] + e[last - 1] - last_q - np.sqrt(q[last - 1] * e[last - 2])
    tau = 0.25 * min(min_pivot, last_q)
    if gap > 0.0:
        tau = max(tau, min(last_q - last_q * e[last - 1] / gap, min_pivot))
    return tau


@jit
def _try_shift(q: Any, e: Any, first: int, last: int, tau: float, next_q: Any, next_e: Any) -> Any:
    """The pass itself: its end, the pivot there, and the smallest pivot before. It ends at a negative pivot.

    Two steps share a division to reduce latency: the pivot between them is x/y.
    """
    pivot = q[first] - tau
    min_pivot = np.inf
    k = first
    while k + 1 < last and pivot >= 0.0:
        y = pivot + e[k]
        x = pivot * q[k + 1] - tau * y
        if x < 0.0:
            break
        z = x + y * e[k + 1]
        over_y, over_z = 1.0 / y, 1.0 / z
        min_pivot = min(min_pivot, pivot, x * over_y)
        next_q[k], next_q[k + 1] = y, z * over_y
        next_e[k] = e[k] * (q[k + 1] * over_y) + _MIN_DIVISOR
        next_e[k + 1] = e[k + 1] * (q[k + 2] * (y * over_z)) + _MIN_DIVISOR
        pivot = (x * q[k + 2] - tau * z) * over_z
        k += 2
    while k < last and pivot >= 0.0:
        min_pivot = min(min_pivot, pivot)
        next_q[k] = pivot + e[k]
        ratio = q[k + 1] / next_q[k]
        next_e[k] = e[k] * ratio + _MIN_DIVISOR
        pivot = pivot * ratio - tau
        k += 1
    next_q[k] = pivot
    return k, pivot, min_pivot
