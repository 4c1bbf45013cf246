"""Maximum flow from sources to sinks along given arcs: Dinic's algorithm, with sets of sources as bit masks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import jit

BITS = 62  # sources per word, so that all masks are positive

_BIT_OF = np.zeros(67, np.intp)  # powers of two are different modulo 67

_BIT_OF[[pow(2, k, 67) for k in range(BITS)]] = np.arange(BITS)


class Fill(NamedTuple):
    """Workspace for flows between up to `width` sources, in `n_words` words, and up to `cap` sinks."""

    supply: np.ndarray  # (width,) mass that sources still have
    demand: np.ndarray  # (cap,) mass that sinks still need
    flow: np.ndarray  # (cap · width,) flow from source s to sink t at t·width + s, if `held` has the bit
    held: np.ndarray  # (cap · n_words,) sources that send mass to a sink
    open: np.ndarray  # (cap · n_words,) sources that may send mass to a sink
    seen: np.ndarray  # (n_words,) sources that were reached
    layers: np.ndarray  # (width + 1, n_words) sources reached in each round
    round: np.ndarray  # (cap,) round in which a sink was reached; −1: not reached
    order: np.ndarray  # (cap,) sinks in the order in which they were reached
    ends: np.ndarray  # (width + 2,) end of each round in `order`
    left: np.ndarray  # (cap,) sinks not reached yet
    next: np.ndarray  # (width,) next position at which a source searches for a sink that it serves
    path: np.ndarray  # (2, width + 1) sources and sinks of a path, by rounds


def flow_workspace(width: int, n_words: int, cap: int) -> Fill:
    """Workspace of one thread."""
    held, open_ = np.zeros((2, cap * n_words), np.int64)
    seen, layers = np.zeros(n_words, np.int64), np.zeros((width + 1, n_words), np.int64)
    round_, order, left = np.zeros((3, cap), np.intp)
    ends, next_, path = np.zeros(width + 2, np.intp), np.zeros(width, np.intp), np.zeros((2, width + 1), np.intp)
    masses = np.zeros(width), np.zeros(cap), np.empty(cap * width)
    return Fill(*masses, held, open_, seen, layers, round_, order, ends, left, next_, path)


@jit
def lowest_bit(mask: int) -> int:
    """The position of the lowest set bit of a nonzero mask."""
    return _BIT_OF[(mask & -mask) % 67]


@jit
def give(s: int, t: int, mass: float, width: int, n_words: int, work: Fill) -> None:
    """Send more mass from source s to sink t."""
    at, bit = t * n_words + s // BITS, np.int64(1) << (s % BITS)
    if work.held[at] & bit:
        work.flow[t * width + s] += mass
    else:
        work.held[at] |= bit
        work.flow[t * width + s] = mass


@jit
def _serve(nb: int, width: int, n_words: int, work: Fill) -> None:
    """Greedy start: every sink takes as much as possible from its open sources."""
    for w in range(n_words):
        free = np.int64(0)
        for s in range(w * BITS, min((w + 1) * BITS, width)):
            if work.supply[s] > 0.0:
                free |= np.int64(1) << (s - w * BITS)
        if free == 0:
            continue
        for t in range(nb):
            mask = work.open[t * n_words + w] & free
            while mask != 0 and work.demand[t] > 0.0:
                s = w * BITS + lowest_bit(mask)
                mask &= mask - 1
                mass = min(work.supply[s], work.demand[t])
                work.supply[s] -= mass
                work.demand[t] -= mass
                if work.supply[s] == 0.0:
                    free &= ~(np.int64(1) << (s - w * BITS))
                give(s, t, mass, width, n_words, work)


@jit
def _reach(nb: int, width: int, n_words: int, work: Fill) -> int:
    """Breadth-first search from sources with mass; returns the first round with an unsatisfied sink, −1 for none."""
    front, seen = work.layers, work.seen
    for w in range(n_words):
        front[0, w] = 0
    for s in range(width):
        if work.supply[s] > 0.0:
            front[0, s // BITS] |= np.int64(1) << (s % BITS)
    for w in range(n_words):
        seen[w] = front[0, w]
    for t in range(nb):
        work.left[t] = t
        work.round[t] = -1
    work.ends[0] = 0
    n_left, count, depth = nb, 0, 0
    while True:
        unsatisfied = False
        rest = 0
        for k in range(n_left):
            t = work.left[k]
            met = np.int64(0)
            for w in range(n_words):
                met |= work.open[t * n_words + w] & front[depth, w]
            if met == 0:
                work.left[rest] = t
                rest += 1
                continue
            work.round[t] = depth
            work.order[count] = t
            count += 1
            unsatisfied = unsatisfied or work.demand[t] > 0.0
        start = n_left - rest
        n_left = rest
        work.ends[depth + 1] = count
        if unsatisfied or start == 0:
            return depth if unsatisfied else -1
        some = np.int64(0)
        for w in range(n_words):
            new = np.int64(0)
            for k in range(work.ends[depth], count):
                new |= work.held[work.order[k] * n_words + w]
            new &= ~seen[w]
            seen[w] |= new
            front[depth + 1, w] = new
            some |= new
        if some == 0:
            return -1
        depth += 1


@jit
def _send(depth: int, width: int, n_words: int, work: Fill) -> None:
    """Send as much as possible along `path`."""
    sources, sinks = work.path[0], work.path[1]
    mass = min(work.demand[sinks[depth]], work.supply[sources[0]])
    for k in range(1, depth + 1):
        mass = min(mass, work.flow[sinks[k - 1] * width + sources[k]])
    for k in range(depth + 1):
        give(sources[k], sinks[k], mass, width, n_words, work)
    for k in range(1, depth + 1):
        s, t = sources[k], sinks[k - 1]
        work.flow[t * width + s] -= mass
        if work.flow[t * width + s] <= 0.0:
            work.held[t * n_words + s // BITS] &= ~(np.int64(1) << (s % BITS))
    work.demand[sinks[depth]] -= mass
    work.supply[sources[0]] -= mass
    if work.supply[sources[0]] <= 0.0:
        work.layers[0, sources[0] // BITS] &= ~(np.int64(1) << (sources[0] % BITS))


@jit
def _giver(t: int, depth: int, n_words: int, work: Fill) -> int:
    """An open source of sink t in this round; −1 if there is none."""
    for w in range(n_words):
        mask = work.open[t * n_words + w] & work.layers[depth, w]
        if mask != 0:
            return w * BITS + lowest_bit(mask)
    return -1


@jit
def _holder(s: int, depth: int, n_words: int, work: Fill) -> int:
    """A sink of the previous round that source s serves; −1 if there is none."""
    w, bit = s // BITS, np.int64(1) << (s % BITS)
    while work.next[s] < work.ends[depth]:
        t = work.order[work.next[s]]
        if work.round[t] >= 0 and work.held[t * n_words + w] & bit:
            return t
        work.next[s] += 1
    return -1


@jit
def _supply_sink(last: int, depth: int, width: int, n_words: int, work: Fill) -> None:
    """Send mass to one unsatisfied sink along all paths with `depth` rounds; paths are searched from their end."""
    sources, sinks = work.path[0], work.path[1]
    k = depth
    sinks[k] = last
    while work.demand[last] > 0.0:
        t = sinks[k]
        s = _giver(t, k, n_words, work)
        if s < 0:
            if k == depth:
                return
            work.round[t] = -2  # a dead end
            k += 1
            continue
        sources[k] = s
        if k == 0:
            _send(depth, width, n_words, work)
            k = depth
            continue
        t = _holder(s, k, n_words, work)
        if t < 0:
            work.layers[k, s // BITS] &= ~(np.int64(1) << (s % BITS))
            continue
        k -= 1
        sinks[k] = t


@jit
def maximize_flow(nb: int, width: int, n_words: int, work: Fill, stop: Any) -> float:
    """Augment the existing flow along the arcs in `open` to a maximum; returns the mass that sinks still need.

    If it is positive, the sources in `seen` and the sinks with `round` ≥ 0 are those that sources with mass reach; no
    unsatisfied sink is among them.
    """
    _serve(nb, width, n_words, work)
    while True:
        need = 0.0
        for t in range(nb):
            need += max(work.demand[t], 0.0)
        if need == 0.0 or stop[0] != 0:
            return need
        depth = _reach(nb, width, n_words, work)
        if depth < 0:
            return need
        for k in range(1, depth + 1):
            for w in range(n_words):
                mask = work.layers[k, w]
                while mask != 0:
                    work.next[w * BITS + lowest_bit(mask)] = work.ends[k - 1]
                    mask &= mask - 1
        for k in range(work.ends[depth], work.ends[depth + 1]):
            if work.demand[work.order[k]] > 0.0:
                _supply_sink(work.order[k], depth, width, n_words, work)
