"""Texts: a growing hash table of words, counting of windows, and means of contexts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit, jit_or, jit_summing

DONE, FULL = 0, 1


# FNV-1a; 64-bit constants, otherwise Numba would use floats for the products
_BASIS = np.uint64(14695981039346656037)

_PRIME = np.uint64(1099511628211)

BORDER = -2  # mark between documents, which windows do not cross

END = -1  # mark at the end of a document, among word indices

STRANGE = -1  # mark of a word without a vector, which keeps its position in the window


class Table(NamedTuple):
    """Words by index, found by the hash of their bytes.

    `slots` contain indices + 1, or 0 if free; their number is a power of 2. `sizes` are the number of words, the number
    of bytes in `pool`, and the start of the first unprocessed word in the text.
    """

    slots: Any
    hashes: Any
    begins: Any
    counts: Any
    pool: Any
    sizes: Any


def _plain_mix(hashed: Any, byte: int) -> Any:
    """The same with Python integers, which do not wrap around."""
    return np.uint64((int(hashed) ^ int(byte)) * int(_PRIME) % 2**64)


@jit_or(_plain_mix)
def _mix(hashed: Any, byte: int) -> Any:
    """The hash of a word with one more byte."""
    return (hashed ^ np.uint64(byte)) * _PRIME


@jit
def intern(text: Any, n: int, table: Table, numbers: Any, n_numbers: Any) -> int:
    """Indices of the words of a text, and END for each byte 0.

    The text may end with a partial word; processing stops if the table is full. `sizes[2]` is the position to continue
    from, after the table was enlarged or with the next part of the text.
    """
    slots, _, begins, counts, pool, sizes = table
    mask = len(slots) - 1
    i = sizes[2]
    while True:
        while i < n and text[i] <= 32:
            if text[i] == 0:
                numbers[n_numbers[0]] = END
                n_numbers[0] += 1
            i += 1
        start, hashed = i, _BASIS
        while i < n and text[i] > 32:
            hashed = _mix(hashed, text[i])
            i += 1
        sizes[2] = start
        if i == n:
            return DONE
        at = np.intp(hashed >> np.uint64(20)) & mask
        while slots[at] != 0 and not _is(table, slots[at] - 1, hashed, text, start, i - start):
            at = (at + 1) & mask
        if slots[at] == 0:
            if 2 * (sizes[0] + 1) > len(slots) or sizes[0] + 1 >= len(begins) or sizes[1] + i - start > len(pool):
                return FULL
            slots[at] = sizes[0] + 1
            _add(table, hashed, text, start, i)
        counts[slots[at] - 1] += 1
        numbers[n_numbers[0]] = slots[at] - 1
        n_numbers[0] += 1


@jit
def _is(table: Table, word: int, hashed: Any, text: Any, start: int, length: int) -> bool:
    begin = table.begins[word]
    if table.hashes[word] != hashed or table.begins[word + 1] - begin != length:
        return False
    k = 0
    while k < length and table.pool[begin + k] == text[start + k]:
        k += 1
    return k == length


@jit
def _add(table: Table, hashed: Any, text: Any, start: int, stop: int) -> None:
    word, used = table.sizes[0], table.sizes[1]
    table.hashes[word] = hashed
    for k in range(start, stop):
        table.pool[used + k - start] = text[k]
    table.begins[word + 1] = used + stop - start
    table.sizes[0] += 1
    table.sizes[1] += stop - start


@jit
def fill_slots(slots: Any, hashes: Any, n: int) -> None:
    """Put the first n words into empty slots."""
    mask = len(slots) - 1
    for word in range(n):
        at = np.intp(hashes[word] >> np.uint64(20)) & mask
        while slots[at] != 0:
            at = (at + 1) & mask
        slots[at] = word + 1


@jit
def keep(numbers: Any, rows: Any, chances: Any, draws: Any, kept: Any) -> int:
    """Keep a sample of a text: rows of vectors, STRANGE for words without one, BORDER between documents; their number.

    A word is kept if its random draw is below its probability.
    """
    n = 0
    for k in range(len(numbers)):
        word = numbers[k]
        if word < 0:
            kept[n] = BORDER
            n += 1
        elif draws[k] < chances[word]:
            kept[n] = rows[word]
            n += 1
    return n


@jit
def count_places(kept: Any, first: int, last: int, begins: Any) -> None:
    """begins[r + 1] becomes the count of r among kept[first:last]."""
    for i in range(first, last):
        if kept[i] >= 0:
            begins[kept[i] + 1] += 1


@jit
def list_places(kept: Any, first: int, last: int, free: Any, places: Any) -> None:
    """Positions of each word, word by word; `free` is the next free entry of each word, and is advanced."""
    for i in range(first, last):
        row = kept[i]
        if row >= 0:
            places[free[row]] = i
            free[row] += 1


@jit
def gather(kept: Any, places: Any, weights: Any, totals: Any, seen: Any, n_seen: int) -> int:
    """Add the contexts of one word to `totals`; `seen` lists the words whose total was 0. Returns their number."""
    window, n = len(weights), len(kept)
    for p in range(len(places)):
        i = places[p]
        for step in (-1, 1):
            for d in range(1, window + 1):
                j = i + step * d
                if j < 0 or j >= n or kept[j] == BORDER:
                    break
                other = kept[j]
                if other >= 0:
                    if totals[other] == 0.0:
                        seen[n_seen] = other
                        n_seen += 1
                    totals[other] += weights[d - 1]
    return n_seen


@jit
def count_contexts(
    kept: Any, begins: Any, places: Any, start: int, stop: int, weights: Any, totals: Any, seen: Any, sizes: Any,
    flag: Any,
) -> None:  # fmt: skip
    """Number of different contexts of each of the words start…stop. `totals` are 0 before and after."""
    for row in range(start, stop):
        if flag[0] != 0:
            return
        n = gather(kept, places[begins[row] : begins[row + 1]], weights, totals, seen, 0)
        for k in range(n):
            totals[seen[k]] = 0.0
        sizes[row - start] = n


@jit
def fill_contexts(
    kept: Any, begins: Any, places: Any, start: int, stop: int, weights: Any, totals: Any, seen: Any, starts: Any,
    indices: Any, values: Any, flag: Any,
) -> None:  # fmt: skip
    """Contexts of the words start…stop and their weights, word by word, at `starts`."""
    for row in range(start, stop):
        if flag[0] != 0:
            return
        n = gather(kept, places[begins[row] : begins[row + 1]], weights, totals, seen, 0)
        at = starts[row] - starts[start]
        for k in range(n):
            indices[at + k] = seen[k]
            values[at + k] = totals[seen[k]]
            totals[seen[k]] = 0.0


@jit_summing
def _add_four(a: float, x: Any, b: float, y: Any, c: float, z: Any, d: float, t: Any, sums: Any) -> None:
    """Add four weighted rows at once, so that sums are read and written a quarter as often."""
    for l in range(len(sums)):
        sums[l] += (a * np.float64(x[l]) + b * np.float64(y[l])) + (c * np.float64(z[l]) + d * np.float64(t[l]))


@jit
def means(
    indptr: Any, indices: Any, weights: Any, points: Any, start: int, stop: int, sums: Any, out: Any, flag: Any
) -> None:
    """Weighted means of the contexts of the words from start to stop; 0 without contexts."""
    for i in range(start, stop):
        if flag[0] != 0:
            return
        for l in range(len(sums)):
            sums[l] = 0.0
        total, first, end = 0.0, indptr[i], indptr[i + 1]
        for k in range(first, end):
            total += weights[k]
        for k in range(first, end, 4):
            # past the end: the last one again, with weight 0
            q, r, s = min(k + 1, end - 1), min(k + 2, end - 1), min(k + 3, end - 1)
            b = weights[q] if q == k + 1 else 0.0
            c = weights[r] if r == k + 2 else 0.0
            d = weights[s] if s == k + 3 else 0.0
            x, y, z, t = points[indices[k]], points[indices[q]], points[indices[r]], points[indices[s]]
            _add_four(weights[k], x, b, y, c, z, d, t, sums)
        over = 1.0 / total if total > 0.0 else 0.0
        for l in range(len(sums)):
            out[i - start, l] = sums[l] * over
