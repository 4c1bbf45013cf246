"""Exact W1 along the edges of a graph with edges of equal length, where distances are 0, 1, 2 or 3 edges.

Both measures are supported within one edge of their homes, and the homes are neighbors. Then three prices are enough:
as much mass as possible moves one edge; of the rest as much as possible moves two edges, where earlier flow may be
rerouted; the remaining mass moves three.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit
from .fill import BITS
from .paths import Adjacency
from .prices import Hops, solve_at_prices
from .twofold import excess

GAP = 1e-12  # largest accepted primal–dual gap, relative to the largest cost of the problem
_ROUNDED = 1e-4  # differences below this, relative to the mass, have lost digits


@jit
def _place(node: int, count: int, n_words: int, room: Hops) -> int:
    """Give a node a slot; returns the number of used slots."""
    if room.place[node] > 0:
        return count
    count += 1
    room.place[node] = count
    room.nodes[count] = node
    room.known[count] = False
    for w in range(n_words):
        room.one[count * n_words + w] = 0
    return count


@jit
def _see(adjacency: Adjacency, rows: Any, i: int, n_words: int, room: Hops) -> int:
    """For the nodes around, find the points of row i within one edge; returns the number of nodes."""
    count = 0
    for w in range(n_words):
        room.one[w] = 0
    for s in range(rows.indptr[i + 1] - rows.indptr[i]):
        x = rows.indices[rows.indptr[i] + s]
        w, bit = s // BITS, np.int64(1) << (s % BITS)
        count = _place(x, count, n_words, room)
        room.one[room.place[x] * n_words + w] |= bit
        for e in range(adjacency.indptr[x], adjacency.indptr[x + 1]):
            y = adjacency.indices[e]
            count = _place(y, count, n_words, room)
            room.one[room.place[y] * n_words + w] |= bit
    return count


@jit
def _see_farther(adjacency: Adjacency, y: int, full: Any, n_words: int, room: Hops) -> None:
    """Find the points of the row within two edges of y; `full` is the mask of all points, if it is one word."""
    at = room.place[y]
    room.known[at] = True
    if n_words == 1:
        mask = room.one[at]
        for e in range(adjacency.indptr[y], adjacency.indptr[y + 1]):
            mask |= room.one[room.place[adjacency.indices[e]]]
            if mask == full:
                break
        room.two[at] = mask
        return
    for w in range(n_words):
        room.two[at * n_words + w] = room.one[at * n_words + w]
    for e in range(adjacency.indptr[y], adjacency.indptr[y + 1]):
        z = room.place[adjacency.indices[e]]
        for w in range(n_words):
            room.two[at * n_words + w] |= room.one[z * n_words + w]


@jit
def _pose(rows: Any, i: int, j: int, room: Hops) -> int:
    """Put excess masses of row i into `supply` and those of row j, packed, into `demand`; returns their number."""
    indices, masses = rows.indices, rows.masses
    s, s_end, t, t_end = rows.indptr[i], rows.indptr[i + 1], rows.indptr[j], rows.indptr[j + 1]
    first, count = s, 0
    while s < s_end or t < t_end:
        x = indices[s] if s < s_end else indices[t] + 1
        y = indices[t] if t < t_end else x + 1
        over = masses[s] * rows.totals[j] if x <= y else 0.0
        if y <= x:
            whole, over = over, over - masses[t] * rows.totals[i]
            if 0.0 < abs(over) < _ROUNDED * whole:
                over = excess(masses[s], rows.totals[j], masses[t], rows.totals[i])
            if over < 0.0:
                room.demand[count] = -over
                room.own[count] = y
                count += 1
        if x <= y:
            room.supply[s - first] = max(over, 0.0)
        s += x <= y
        t += y <= x
    return count


@jit
def _row(adjacency: Adjacency, rows: Any, i: int, targets: Any, out: Any, report: Any, room: Hops, stop: Any) -> int:
    """Distances of row i to its targets; returns −1, or a target that failed."""
    na = rows.indptr[i + 1] - rows.indptr[i]
    n_words = (na + BITS - 1) // BITS
    full = (np.int64(1) << na) - 1 if na <= BITS else np.int64(0)
    n_met = _see(adjacency, rows, i, n_words, room)
    failed = -1
    for k in range(targets.shape[0]):
        j = targets[k]
        nb = _pose(rows, i, j, room)
        for t in range(nb):
            y = room.own[t]
            n_met = _place(y, n_met, n_words, room)
            if not room.known[room.place[y]]:
                _see_farther(adjacency, y, full, n_words, room)
            room.own[t] = room.place[y]
        total = rows.totals[i] * rows.totals[j]
        cost, gap = solve_at_prices(na, nb, n_words, room, stop)
        if not abs(gap) <= 3.0 * GAP * total or stop[0] != 0:
            failed = j
            break
        out[k] = adjacency.least * (cost / total)
        report[0] = max(report[0], abs(gap) / (3.0 * total))
    for k in range(1, n_met + 1):
        room.place[room.nodes[k]] = 0
    return failed


@jit
def hops_rows(
    adjacency: Adjacency, rows: Any, start: int, end: int, indptr: Any, targets: Any, out: Any, reports: Any,
    room: Hops, stop: Any,
) -> tuple[int, int]:  # fmt: skip
    """W1 of the rows start…end and their targets, row by row; returns a pair that failed, or −1. `reports`: gaps."""
    first = indptr[start]
    for i in range(start, end):
        low, high = indptr[i], indptr[i + 1]
        if low == high:
            continue
        failed = _row(
            adjacency, rows, i, targets[low:high], out[low - first : high - first], reports[i - start], room, stop
        )
        if failed >= 0:
            return i, failed
    return -1, -1
