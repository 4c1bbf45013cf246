"""Exact transport problems that were solved before with other distances, started from the old solution.

Of a solved problem, the arcs with reduced cost 0 are stored as trees. When it is solved again, the potentials are
chosen such that these arcs have reduced cost 0 under the new costs; after small changes they are nearly optimal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .basis import Work
from .compile import jit
from .minimum import lowest
from .posing import Costs, Rule, begin, pose
from .pricing import OPTIMAL
from .transport import GAP, transport

_TIGHT = 1e-12  # reduced costs up to this, relative to the largest cost, count as 0


class Trees(NamedTuple):
    """The stored trees of problem k, from `starts[k]` on: nodes from roots to leaves, and their parents.

    Sources are 0…na−1, sinks follow; −1 is the parent of a root. Nothing is stored if the first node is −1.
    """

    starts: np.ndarray
    nodes: np.ndarray
    above: np.ndarray
    potentials: np.ndarray  # potentials of the nodes, by index


class Recall(NamedTuple):
    """Workspace of one thread."""

    price: np.ndarray  # (2cap,)
    left: np.ndarray  # (2, cap) sources and sinks not yet in a tree


def recall(cap: int) -> Recall:
    """Workspace for measures of up to `cap` points."""
    return Recall(np.zeros(2 * cap), np.zeros((2, cap), np.intp))


@jit
def _recall(na: int, nb: int, at: int, old: Trees, table: Any, row: Any, price: Any) -> None:
    """Potentials from the stored trees under the current costs."""
    for k in range(at, at + na + nb):
        node, up = old.nodes[k], old.above[k]
        if up < 0:
            price[node] = old.potentials[at + node]
        else:
            s, t = (node, up - na) if node < na else (up, node - na)
            price[node] = table[row[t] + s] - price[up]


@jit
def _hang(node: int, up: int, k: int, new: Trees) -> int:
    """Store a node and its parent; returns the number of stored nodes."""
    new.nodes[k] = node
    new.above[k] = up
    return k + 1


@jit
def _remember(na: int, nb: int, at: int, slack: float, new: Trees, table: Any, row: Any, room: Recall) -> None:
    """Store the trees of arcs with reduced cost 0, breadth first, from the potentials of the sources in `price`."""
    price, left = room.price, room.left
    for s in range(na):
        left[0, s] = s
    for t in range(nb):
        price[na + t] = lowest(table, row[t], price, na)
        left[1, t] = t
    for node in range(na + nb):
        new.potentials[at + node] = price[node]
    sources, sinks, count, done = na, nb, at, at
    while count < at + na + nb:
        if done == count and sources > 0:
            sources -= 1
            count = _hang(left[0, sources], -1, count, new)
        elif done == count:
            sinks -= 1
            count = _hang(na + left[1, sinks], -1, count, new)
        node = new.nodes[done]
        done += 1
        kept = 0
        if node < na:
            for k in range(sinks):
                t = left[1, k]
                if table[row[t] + node] - price[node] - price[na + t] <= slack:
                    count = _hang(na + t, node, count, new)
                else:
                    left[1, kept] = t
                    kept += 1
            sinks = kept
        else:
            start = row[node - na]
            for k in range(sources):
                s = left[0, k]
                if table[start + s] - price[s] - price[node] <= slack:
                    count = _hang(s, node, count, new)
                else:
                    left[0, kept] = s
                    kept += 1
            sources = kept


@jit
def recalling_row(
    rows: Any, i: int, targets: Any, problem: int, first: int, geometry: Any, rule: Rule, scratch: Costs, work: Work,
    old: Trees, new: Trees, room: Recall, out: Any, report: Any,
) -> int:  # fmt: skip
    """out[k] = W1 of rows i and j, the k-th target; returns −1, or the j that failed. `report`: gap, safe solves.

    The k-th target is problem number `problem` + k in `old`; `new` begins with number `first`.
    """
    begin(scratch)
    na = rows.indptr[i + 1] - rows.indptr[i]
    for s in range(na):
        work.dual[s] = 0.0
    for k in range(targets.shape[0]):
        j, at = targets[k], old.starts[problem + k]
        nb = rows.indptr[j + 1] - rows.indptr[j]
        top = pose(rows, i, rows, j, geometry, rule, scratch, work)[0]
        if old.nodes[at] >= 0:
            _recall(na, nb, at, old, scratch.table, work.row, room.price)
            for s in range(na):
                work.dual[s] = room.price[s]
        value, gap, status, _, safe = transport(rows, i, rows, j, geometry, rule, 0.0, scratch, work)
        if not (status == OPTIMAL and abs(gap) <= GAP and value < np.inf):
            return j
        out[k] = value
        report[0] = max(report[0], abs(gap))
        report[1] += safe
        pose(
            rows, i, rows, j, geometry, rule, scratch, work
        )  # sets the cost table again, which a solution may have moved
        for s in range(na):
            room.price[s] = work.dual[s]
        _remember(na, nb, at - old.starts[first], _TIGHT * top, new, scratch.table, work.row, room)
    return -1
