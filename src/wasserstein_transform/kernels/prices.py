"""A transport problem with costs 1, 2 or 3: as much as possible at each price, with potentials as a certificate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit
from .fill import BITS, Fill, fill, fill_room, lowest_bit


class Hops(NamedTuple):
    """Workspace of one thread. Masks of near points of the measure have n_words words for each node."""

    place: np.ndarray  # (nodes,) slot of a visited node, 0 if it is not visited
    nodes: np.ndarray  # visited nodes, from slot 1 on
    one: np.ndarray  # points within one edge of the node; empty in slot 0
    two: np.ndarray  # points within two edges, for nodes that are `known`
    known: np.ndarray
    own: np.ndarray  # (cap,) slots of the sinks
    supply: np.ndarray  # (width,) and (cap,) initial masses
    demand: np.ndarray
    lift: np.ndarray  # (width,) and (cap,) potentials
    height: np.ndarray
    fill: Fill


def hops_room(n: int, width: int, cap: int, n_met: int) -> Hops:
    """Workspace for measures of up to `width` points on n nodes with up to `n_met` visited nodes and `cap` sinks."""
    n_words = -(-width // BITS)
    one, two = np.zeros((2, (n_met + 1) * n_words), np.int64)
    return Hops(
        np.zeros(n, np.int32),
        np.zeros(n_met + 1, np.int32),
        one,
        two,
        np.zeros(n_met + 1, np.bool_),
        np.zeros(cap, np.intp),
        np.zeros(width),
        np.zeros(cap),
        np.zeros(width),
        np.zeros(cap),
        fill_room(width, n_words, cap),
    )


def n_bytes(n: int, width: int, cap: int, n_met: int) -> float:
    """Bytes of this workspace."""
    n_words = -(-width // BITS)
    return 4.0 * n + (n_met + 1) * (5 + 16 * n_words) + 8.0 * (cap * (width + 2 * n_words + 6) + width * (n_words + 7))


@jit
def _begin(na: int, nb: int, n_words: int, room: Hops) -> None:
    """Start without flow: arcs of one edge are open, and potentials are those of that price."""
    for s in range(na):
        room.fill.supply[s] = room.supply[s]
        room.lift[s] = 0.0
    for t in range(nb):
        room.fill.demand[t] = room.demand[t]
        room.height[t] = 1.0
        for w in range(n_words):
            room.fill.held[t * n_words + w] = 0
            room.fill.open[t * n_words + w] = room.one[room.own[t] * n_words + w]


@jit
def _raise(na: int, nb: int, room: Hops) -> None:
    """Raise the potentials of unreached nodes by one edge."""
    for s in range(na):
        room.lift[s] += (room.fill.seen[s // BITS] >> (s % BITS)) & 1 == 0
    for t in range(nb):
        room.height[t] += room.fill.round[t] < 0


@jit
def _open_two(nb: int, n_words: int, room: Hops) -> None:
    """Open the arcs whose cost equals the difference of the potentials, after prices were raised once."""
    seen = room.fill.seen
    for t in range(nb):
        for w in range(n_words):
            at = room.own[t] * n_words + w
            one = room.one[at]
            if room.height[t] == 1.0:
                room.fill.open[t * n_words + w] = one & seen[w]
            else:
                room.fill.open[t * n_words + w] = (room.two[at] & ~one & seen[w]) | (one & ~seen[w])


@jit
def _plan_cost(na: int, nb: int, n_words: int, need: float, room: Hops) -> float:
    """Cost of the plan in edges; the mass `need` moves three edges."""
    cost = 3.0 * need
    for t in range(nb):
        for w in range(n_words):
            mask, one = room.fill.held[t * n_words + w], room.one[room.own[t] * n_words + w]
            while mask != 0:
                bit = mask & -mask
                mask ^= bit
                cost += room.fill.flow[t * na + w * BITS + lowest_bit(bit)] * (1.0 if one & bit else 2.0)
    return cost


@jit
def _bound(na: int, nb: int, n_words: int, room: Hops) -> float:
    """The dual value of the potentials; NaN if they are not feasible."""
    low, middle = room.fill.layers[0], room.fill.seen
    for w in range(n_words):
        low[w] = 0
        middle[w] = 0
    bound = 0.0
    for s in range(na):
        if room.supply[s] > 0.0:
            bit = np.int64(1) << (s % BITS)
            low[s // BITS] |= bit if room.lift[s] == 0.0 else 0
            middle[s // BITS] |= bit if room.lift[s] == 1.0 else 0
            bound -= room.supply[s] * room.lift[s]
    for t in range(nb):
        bad = np.int64(0)
        for w in range(n_words):
            at = room.own[t] * n_words + w
            if room.height[t] >= 2.0:
                bad |= room.one[at] & low[w]
            if room.height[t] >= 3.0:
                bad |= (room.two[at] & low[w]) | (room.one[at] & middle[w])
        if bad != 0 or room.height[t] > 3.0:
            return np.nan
        bound += room.demand[t] * room.height[t]
    return bound


@jit
def solve_at_prices(na: int, nb: int, n_words: int, room: Hops, stop: Any) -> tuple[float, float]:
    """Cost and primal–dual gap, in edges.

    Potentials after cancelling common mass are valid for the whole problem, because graph distances are a metric.
    """
    _begin(na, nb, n_words, room)
    need = fill(nb, na, n_words, room.fill, stop)
    if need > 0.0 and stop[0] == 0:
        _raise(na, nb, room)
        _open_two(nb, n_words, room)
        need = fill(nb, na, n_words, room.fill, stop)
        if need > 0.0 and stop[0] == 0:
            _raise(na, nb, room)
    cost = _plan_cost(na, nb, n_words, need, room)
    return cost, cost - _bound(na, nb, n_words, room)
