"""Transport on the real line: the monotone plan is optimal for every p. `stop[0]` ≠ 0 interrupts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit

FAINT = 8.0 * 2.0**-52  # share of the mass that may be rounding error


class Climbs(NamedTuple):
    """Distribution functions: that of row r is `levels[k]` at `places[k]`, k in indptr[r]…indptr[r+1], ascending.

    The last level is the total. To compare two rows, each level is multiplied by the other's total instead of divided
    by its own: ties of integer masses stay exact, and both end at the same number.
    """

    indptr: np.ndarray
    places: np.ndarray
    levels: np.ndarray


@jit
def accumulate(indptr: Any, masses: Any, levels: Any) -> None:
    """Cumulative masses of each row, accurate to the last digit (Neumaier's sum)."""
    for r in range(indptr.shape[0] - 1):
        level = 0.0
        lost = 0.0
        for k in range(indptr[r], indptr[r + 1]):
            mass = masses[k]
            raised = level + mass
            lost += (level - raised) + mass if level >= mass else (mass - raised) + level
            level = raised
            levels[k] = level + lost


@jit
def _cost(A: Any, i: int, B: Any, j: int, p: float, unit: float) -> float:
    """Mean of (displacement/unit)^p over the pieces on which both quantile functions are constant.

    A tiny piece is joined with the next one, so that ties broken by rounding do not move mass far.
    """
    s, t = A.indptr[i], B.indptr[j]
    s_last, t_last = A.indptr[i + 1] - 1, B.indptr[j + 1] - 1
    total_a, total_b = A.levels[s_last], B.levels[t_last]
    total = total_a * total_b
    moved = 0.0
    cost = 0.0
    while True:
        level_a, level_b = A.levels[s] * total_b, B.levels[t] * total_a
        level = min(level_a, level_b)
        if level - moved > FAINT * total:
            share = abs(A.places[s] - B.places[t]) / unit
            cost += (level - moved) * (share if p == 1.0 else share * share if p == 2.0 else share**p)
            moved = level
        if level == total:
            return cost / total
        s += level_a == level
        t += level_b == level


@jit
def _forward(A: Any, i: int, B: Any, j: int) -> float:
    """The largest upward move of mass of A_i: y − x such that A_i has more mass up to x than B_j has below y."""
    t, t_last = B.indptr[j], B.indptr[j + 1] - 1
    total_a, total_b = A.levels[A.indptr[i + 1] - 1], B.levels[t_last]
    faint = FAINT * (total_a * total_b)
    below = 0.0
    farthest = 0.0
    for s in range(A.indptr[i], A.indptr[i + 1]):
        level = A.levels[s] * total_b
        while level - B.levels[t] * total_a > faint:  # always ends at t_last, which has the total
            below = B.levels[t] * total_a
            t += 1
        if level - below > faint:
            farthest = max(farthest, B.places[t] - A.places[s])
    return farthest


@jit
def line_distance(A: Any, i: int, B: Any, j: int, p: float) -> float:
    """W_p of the rows A_i and B_j; powers are taken relative to the largest move."""
    if p == np.inf:
        return max(_forward(A, i, B, j), _forward(B, j, A, i))
    if p == 1.0:
        return _cost(A, i, B, j, p, 1.0)
    top = max(_forward(A, i, B, j), _forward(B, j, A, i))
    if top == 0.0:
        return 0.0
    cost = _cost(A, i, B, j, p, top)
    return top * (np.sqrt(cost) if p == 2.0 else cost ** (1.0 / p))


@jit
def fill_line_square(A: Any, p: float, start: int, end: int, upper: Any, lower: Any, stop: Any) -> None:
    """Rows start…end of the full matrix from column `start` on: each pair once, mirrored unless `lower` is empty."""
    for i in range(start, end):
        upper[i - start, i - start] = 0.0
        for k in range(i - start + 1, upper.shape[1]):
            if stop[0] != 0:
                return
            d = line_distance(A, i, A, start + k, p)
            upper[i - start, k] = d
            if lower.shape[0] > 0:
                lower[k, i - start] = d


@jit
def fill_line_block(A: Any, B: Any, p: float, start: int, end: int, out: Any, stop: Any) -> None:
    """Rows start…end of the rectangle of distances from A to B."""
    for i in range(start, end):
        for j in range(out.shape[1]):
            if stop[0] != 0:
                return
            out[i - start, j] = line_distance(A, i, B, j, p)
