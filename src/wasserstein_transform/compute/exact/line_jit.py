"""Transport on the real line: the monotone plan is optimal for every p. `stop[0]` ≠ 0 interrupts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import arithmetic_jit as arithmetic, jit

_MIN_TOTAL_DIFFERENCE = 1e-20  # a smaller difference of totals, relative to them, has lost digits


class Sorted(NamedTuple):
    """Measures on the line: row r has `masses[k]` at `points[k]`, k in indptr[r]…indptr[r+1], ascending.

    To compare two rows, each mass is multiplied by the other's total instead of divided by its own: ties of integer
    masses stay exact. Totals have their rounding errors beside them.
    """

    indptr: np.ndarray
    points: np.ndarray
    masses: np.ndarray
    totals: np.ndarray  # (n, 2)


class Pieces(NamedTuple):
    """Pieces of the monotone plan, in order: source, target and mass. Memory for as many as both rows have masses."""

    sources: np.ndarray
    targets: np.ndarray
    masses: np.ndarray


@jit
def add_up(indptr: Any, masses: Any, totals: Any) -> None:
    """The total of each row, as a double-double."""
    for r in range(indptr.shape[0] - 1):
        totals[r, 0], totals[r, 1] = arithmetic.total(masses[indptr[r] :], indptr[r + 1] - indptr[r])


@jit
def _longer(A: Any, i: int, B: Any, j: int) -> float:
    """By how much the total of B_j exceeds that of A_i: equal masses at one place cancel before they are added."""
    s, t, s_end, t_end = A.indptr[i], B.indptr[j], A.indptr[i + 1], B.indptr[j + 1]
    more, low, rounded = 0.0, 0.0, 0.0
    while s < s_end or t < t_end:
        from_a = t == t_end or (s < s_end and A.points[s] <= B.points[t])
        from_b = s == s_end or (t < t_end and B.points[t] <= A.points[s])
        if not (from_a and from_b and A.masses[s] == B.masses[t]):
            taken, given = (B.masses[t] if from_b else 0.0), (A.masses[s] if from_a else 0.0)
            more, low = arithmetic.add(more, low, taken, 0.0)
            more, low = arithmetic.add(more, low, -given, 0.0)
            rounded += taken + given
        s += from_a
        t += from_b
    return more if abs(more) > arithmetic.ROUNDED * rounded else 0.0


@jit
def cut_pieces(A: Any, i: int, B: Any, j: int, out: Pieces) -> int:
    """The pieces on which both quantile functions are constant; returns their number.

    `rest` + `apart` is by how much the masses taken from A_i exceed those from B_j. It is 0 if the rounding of these
    masses explains it, so that broken ties do not move mass far. The largest mass is kept apart: if an equal one comes
    from the other side, they cancel exactly.
    """
    s, t = A.indptr[i] - 1, B.indptr[j] - 1
    s_end, t_end = A.indptr[i + 1] - 1, B.indptr[j + 1] - 1
    total_a, low_a, total_b, low_b = A.totals[i, 0], A.totals[i, 1], B.totals[j, 0], B.totals[j, 1]
    longer = arithmetic.add(total_b, low_b, -total_a, -low_a)[0]
    if abs(longer) <= _MIN_TOTAL_DIFFERENCE * total_b:
        longer = _longer(A, i, B, j) if low_a != 0.0 or low_b != 0.0 else 0.0
    rest, low, apart, apart_low, largest, loose, count = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    while s < s_end or t < t_end:
        ahead = rest + apart
        from_a, from_b = t == t_end or (ahead <= 0.0 and s < s_end), s == s_end or (ahead >= 0.0 and t < t_end)
        piece = np.inf if ahead == 0.0 or s == s_end or t == t_end else abs(ahead)
        s += from_a
        t += from_b
        for side in range(2):
            if not (from_a if side == 0 else from_b):
                continue
            mass = A.masses[s] if side == 0 else B.masses[t]
            if mass == largest and (apart < 0.0 if side == 0 else apart > 0.0):
                rest, low = arithmetic.add(rest, low, mass * longer, 0.0)
                loose += abs(mass * longer)
                apart, apart_low = 0.0, 0.0
            else:
                high, rounding = (
                    arithmetic.times(mass, total_b, low_b) if side == 0 else arithmetic.times(-mass, total_a, low_a)
                )
                if abs(high) > abs(apart):  # the larger one stays apart
                    high, rounding, apart, apart_low, largest = apart, apart_low, high, rounding, mass
                rest, low = arithmetic.add(rest, low, high, rounding)
                loose += abs(high)
            piece = min(piece, mass * (total_b if side == 0 else total_a))
        out.sources[count] = s
        out.targets[count] = t
        out.masses[count] = piece
        count += 1
        if abs(rest + apart) <= arithmetic.ROUNDED * (loose + abs(apart)):
            rest, low, apart, apart_low, loose = 0.0, 0.0, 0.0, 0.0, 0.0
    return count


@jit
def line_distance(A: Any, i: int, B: Any, j: int, p: float, pieces: Pieces) -> float:
    """W_p of the rows A_i and B_j; powers are taken relative to the largest move."""
    count = cut_pieces(A, i, B, j, pieces)
    top = 0.0
    for k in range(count):
        top = max(top, abs(A.points[pieces.sources[k]] - B.points[pieces.targets[k]]))
    if p == np.inf or top == 0.0:
        return top
    cost = 0.0
    for k in range(count):
        share = abs(A.points[pieces.sources[k]] - B.points[pieces.targets[k]]) / top
        cost += pieces.masses[k] * (share if p == 1.0 else share * share if p == 2.0 else share**p)
    cost /= A.totals[i, 0] * B.totals[j, 0]
    return top * (cost if p == 1.0 else np.sqrt(cost) if p == 2.0 else cost ** (1.0 / p))


@jit
def fill_line_square(A: Any, p: float, start: int, end: int, upper: Any, lower: Any, pieces: Pieces, stop: Any) -> None:
    """Rows start…end of the full matrix from column `start` on: each pair once, mirrored unless `lower` is empty."""
    for i in range(start, end):
        upper[i - start, i - start] = 0.0
        for k in range(i - start + 1, upper.shape[1]):
            if stop[0] != 0:
                return
            d = line_distance(A, i, A, start + k, p, pieces)
            upper[i - start, k] = d
            if lower.shape[0] > 0:
                lower[k, i - start] = d


@jit
def fill_line_block(A: Any, B: Any, p: float, start: int, end: int, out: Any, pieces: Pieces, stop: Any) -> None:
    """Rows start…end of the rectangle of distances from A to B."""
    for i in range(start, end):
        for j in range(out.shape[1]):
            if stop[0] != 0:
                return
            out[i - start, j] = line_distance(A, i, B, j, p, pieces)
