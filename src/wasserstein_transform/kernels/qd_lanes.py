"""Sums of the singular values of many bidiagonal matrices in SIMD lanes: shifted qd, as in `nuclear.py`.

Every lane has its own end, where its next value is found. A lane whose shift was too large keeps its matrix and tries a
smaller one. The last three values have a closed form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit
from .space import sum_of_three

LANES = 32  # enough to amortize the start of a loop
_L = LANES
_NEGLIGIBLE = 1e-32  # square of the rounding error for a largest value of 1
_LEAST = 1e-300  # keeps divisors positive

# the state of a lane: of the pass, of its end (the last two entries and those beside them), and of the sum
_TAU, _PIVOT, _OTHERS, _MOVES, _RETRY, _TRIES = 0, _L, 2 * _L, 3 * _L, 4 * _L, 5 * _L
_ABOVE, _BEFORE, _BESIDE, _END, _LAST = 6 * _L, 7 * _L, 8 * _L, 9 * _L, 10 * _L
_LEAST_PIVOT, _LAST_OTHERS, _SHIFT, _TOTAL, _SIZE = 11 * _L, 12 * _L, 13 * _L, 14 * _L, 15 * _L
N_STATES = 16


@jit
def sum_of_values(values: Any, m: int, scratch: Any, out: Any, n: int) -> None:
    """Sums of the singular values, given diagonal and superdiagonal alternating, m ≥ 4; −1 on failure."""
    following, state = scratch[: 2 * m * _L], scratch[2 * m * _L : (2 * m + N_STATES) * _L]
    _start(values, m, state, n)
    for _ in range(8 * m + 40):  # it takes 3 to 5 for each value
        top = _look(values, state, n)
        while _deflate(state, n) > 0:
            top = _look(values, state, n)
        if top == 2:
            break
        _shift(values, state, n)
        _pass(values, following, top, state, n)
        _accept(state, n)
        _keep(values, following, top, state, n)
    _last_three(values, state, out, n)


@jit
def _start(values: Any, m: int, s: Any, n: int) -> None:
    """Squares of entries, relative to the largest."""
    for w in range(n):
        s[_SIZE + w], s[_LEAST_PIVOT + w], s[_LAST_OTHERS + w] = 0.0, 0.0, 0.0
        s[_SHIFT + w], s[_TOTAL + w], s[_LAST + w] = 0.0, 0.0, m - 1.0
        s[_RETRY + w], s[_TRIES + w] = -1.0, 0.0
    for k in range(2 * m - 1):
        v = values[k * _L :]
        for w in range(n):
            s[_SIZE + w] = v[w] if v[w] > s[_SIZE + w] else s[_SIZE + w]
    for k in range(2 * m - 1):
        v = values[k * _L :]
        least = _LEAST if k % 2 == 1 else 0.0
        for w in range(n):
            part = v[w] / (s[_SIZE + w] if s[_SIZE + w] > 0.0 else 1.0)
            v[w] = part * part + least


@jit
def _look(values: Any, s: Any, n: int) -> int:
    """Load the numbers at the end of each lane; returns the farthest end."""
    top = 2
    for w in range(n):
        last = int(s[_LAST + w])
        top = max(top, last)
        v = values[2 * (last - 2) * _L :]
        s[_ABOVE + w], s[_BEFORE + w], s[_BESIDE + w] = v[_L + w], v[2 * _L + w], v[3 * _L + w]
        s[_END + w] = v[4 * _L + w]
    return top


@jit
def _deflate(s: Any, n: int) -> int:
    """Add isolated values (`_apart` of `nuclear.py`) and move the ends of their lanes; returns their number."""
    count = 0
    for w in range(n):
        beside, end, shift, last = s[_BESIDE + w], s[_END + w], s[_SHIFT + w], s[_LAST + w]
        apart = ((end + beside) * beside <= _NEGLIGIBLE * shift) | (beside <= _NEGLIGIBLE)
        apart &= last > 2.0
        root = np.sqrt(end + shift)
        count += 1 if apart else 0
        s[_TOTAL + w] += root if apart else 0.0
        s[_LAST + w] = last - 1.0 if apart else last
        s[_LEAST_PIVOT + w] = s[_LAST_OTHERS + w] if apart else s[_LEAST_PIVOT + w]
        s[_RETRY + w] = -1.0 if apart else s[_RETRY + w]
        s[_TRIES + w] = 0.0 if apart else s[_TRIES + w]
    return count


@jit
def _shift(values: Any, s: Any, n: int) -> None:
    """The next shift of each lane, as in `_guess` of `nuclear.py`."""
    for w in range(n):
        before, beside, end, least, retry = (
            s[_BEFORE + w], s[_BESIDE + w], s[_END + w], s[_LEAST_PIVOT + w], s[_RETRY + w],
        )  # fmt: skip
        gap = before + beside - end - np.sqrt(before * s[_ABOVE + w])
        low = 0.25 * (least if least < end else end)
        guess = end - end * beside / (gap if gap > 0.0 else 1.0)
        guess = guess if guess < least else least
        guess = guess if (gap > 0.0) & (guess > low) else low
        tau = retry if retry >= 0.0 else guess
        s[_MOVES + w] = 1.0 if s[_LAST + w] > 2.0 else 0.0
        s[_TAU + w], s[_PIVOT + w], s[_OTHERS + w] = tau, values[w] - tau, np.inf


@jit
def _pass(values: Any, following: Any, top: int, s: Any, n: int) -> None:
    """One pass: entries q, e of a place and q of the next, as far as the end of a lane."""
    for k in range(top + 1):
        v, out, place = values[2 * k * _L :], following[2 * k * _L :], float(k)
        for w in range(n):
            pivot, others, e, inside = s[_PIVOT + w], s[_OTHERS + w], v[_L + w], place < s[_LAST + w]
            new = pivot + e
            ratio = v[2 * _L + w] / new
            out[w], out[_L + w] = (new if inside else pivot), e * ratio + _LEAST
            s[_OTHERS + w] = pivot if inside & (pivot < others) else others
            s[_PIVOT + w] = pivot * ratio - s[_TAU + w] if inside else pivot


@jit
def _accept(s: Any, n: int) -> None:
    """Which lanes move: all pivots ≥ 0; others get the shift they try next."""
    for w in range(n):
        pivot, others, tau, tries, moves = (
            s[_PIVOT + w], s[_OTHERS + w], s[_TAU + w], s[_TRIES + w], s[_MOVES + w] > 0.0
        )  # fmt: skip
        good = (pivot >= 0.0) & (others >= 0.0)
        late = (others >= 0.0) & (
            tau + pivot > 0.0
        )  # only the last pivot is negative: reduce the shift by about its size
        smaller = (tau + pivot) * (1.0 - 4e-16) if late else 0.25 * tau
        s[_RETRY + w] = -1.0 if good else 0.0 if tries >= 2.0 else smaller
        s[_TRIES + w] = 0.0 if good else tries + 1.0
        moved = good & moves
        least, last_least, last_others = pivot if pivot < others else others, s[_LEAST_PIVOT + w], s[_LAST_OTHERS + w]
        s[_SHIFT + w] += tau if moved else 0.0
        s[_LEAST_PIVOT + w], s[_LAST_OTHERS + w] = (least if moved else last_least), (others if moved else last_others)
        s[_MOVES + w] = 1.0 if moved else 0.0


@jit
def _keep(values: Any, following: Any, top: int, s: Any, n: int) -> None:
    """Take the new numbers where lanes move."""
    for k in range(top + 1):
        v, new = values[2 * k * _L :], following[2 * k * _L :]
        for w in range(n):
            q, e, next_q, next_e, moves = v[w], v[_L + w], new[w], new[_L + w], s[_MOVES + w] > 0.0
            v[w], v[_L + w] = (next_q if moves else q), (next_e if moves else e)


@jit
def _last_three(v: Any, s: Any, out: Any, n: int) -> None:
    """The sum of roots of three values and a shift, from the coefficients of their polynomial, all of them sums."""
    for w in range(n):
        a, b, c, d, e = v[w], v[_L + w], v[2 * _L + w], v[3 * _L + w], v[4 * _L + w]
        t = s[_SHIFT + w]
        first, second = a + b + c + d + e, a * c + a * d + b * d + a * e + b * e + c * e
        third = a * c * e + t * (second + t * (first + t))
        three = sum_of_three(first + 3.0 * t, second + t * (2.0 * first + 3.0 * t), np.sqrt(third))
        total = s[_SIZE + w] * (s[_TOTAL + w] + three)
        out[w] = total if (total >= 0.0) & (s[_LAST + w] == 2.0) else -1.0
