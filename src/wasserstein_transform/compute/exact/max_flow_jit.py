"""Maximum flow from sources to sinks along given arcs: Dinic's algorithm, with sets of sources as bit masks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import jit

BITS = 62  # sources per word, so that all masks are positive

_BIT_OF = np.zeros(67, np.intp)  # powers of two are different modulo 67

_BIT_OF[[pow(2, k, 67) for k in range(BITS)]] = np.arange(BITS)


class FlowWorkspace(NamedTuple):
    """Memory for flows between up to `width` sources, in `n_words` words, and up to `cap` sinks."""

    supply: np.ndarray  # (width,) mass that sources still have
    demand: np.ndarray  # (cap,) mass that sinks still need
    amount: np.ndarray  # (cap · width,) flow from source s to sink t at t·width + s, if `senders` has the bit
    senders: np.ndarray  # (cap · n_words,) sources that send mass to a sink
    allowed: np.ndarray  # (cap · n_words,) sources that may send mass to a sink
    reached: np.ndarray  # (n_words,) sources that were reached
    layers: np.ndarray  # (width + 1, n_words) sources reached in each round
    round: np.ndarray  # (cap,) round in which a sink was reached; −1: not reached
    order: np.ndarray  # (cap,) sinks in the order in which they were reached
    round_end: np.ndarray  # (width + 2,) end of each round in `order`
    unreached: np.ndarray  # (cap,) sinks not reached yet
    next_sink: np.ndarray  # (width,) next position in `order` at which a source searches for a sink that it serves
    path: np.ndarray  # (2, width + 1) sources and sinks of a path, by rounds


def flow_workspace(width: int, n_words: int, cap: int) -> FlowWorkspace:
    """Memory of one thread."""
    senders, allowed = np.zeros((2, cap * n_words), np.int64)
    reached, layers = np.zeros(n_words, np.int64), np.zeros((width + 1, n_words), np.int64)
    round_, order, unreached = np.zeros((3, cap), np.intp)
    round_end, next_sink = np.zeros(width + 2, np.intp), np.zeros(width, np.intp)
    search = round_, order, round_end, unreached, next_sink, np.zeros((2, width + 1), np.intp)
    masses = np.zeros(width), np.zeros(cap), np.empty(cap * width)
    return FlowWorkspace(*masses, senders, allowed, reached, layers, *search)


@jit
def lowest_bit(mask: int) -> int:
    """The position of the lowest set bit of a nonzero mask."""
    return _BIT_OF[(mask & -mask) % 67]


@jit
def push(s: int, t: int, mass: float, width: int, n_words: int, work: FlowWorkspace) -> None:
    """Send more mass from source s to sink t."""
    word, bit = t * n_words + s // BITS, np.int64(1) << (s % BITS)
    if work.senders[word] & bit:
        work.amount[t * width + s] += mass
    else:
        work.senders[word] |= bit
        work.amount[t * width + s] = mass


@jit
def _start_greedily(nb: int, width: int, n_words: int, work: FlowWorkspace) -> None:
    """Greedy start: every sink takes as much as possible from its open sources."""
    for w in range(n_words):
        free = np.int64(0)
        for s in range(w * BITS, min((w + 1) * BITS, width)):
            if work.supply[s] > 0.0:
                free |= np.int64(1) << (s - w * BITS)
        if free == 0:
            continue
        for t in range(nb):
            mask = work.allowed[t * n_words + w] & free
            while mask != 0 and work.demand[t] > 0.0:
                s = w * BITS + lowest_bit(mask)
                mask &= mask - 1
                mass = min(work.supply[s], work.demand[t])
                work.supply[s] -= mass
                work.demand[t] -= mass
                if work.supply[s] == 0.0:
                    free &= ~(np.int64(1) << (s - w * BITS))
                push(s, t, mass, width, n_words, work)


@jit
def _search_breadth_first(nb: int, width: int, n_words: int, work: FlowWorkspace) -> int:
    """Breadth-first search from sources with mass; returns the first round with an unsatisfied sink, −1 for none."""
    layers, reached = work.layers, work.reached
    for w in range(n_words):
        layers[0, w] = 0
    for s in range(width):
        if work.supply[s] > 0.0:
            layers[0, s // BITS] |= np.int64(1) << (s % BITS)
    for w in range(n_words):
        reached[w] = layers[0, w]
    for t in range(nb):
        work.unreached[t] = t
        work.round[t] = -1
    work.round_end[0] = 0
    n_left, count, depth = nb, 0, 0
    while True:
        unsatisfied = False
        n_still = 0
        for k in range(n_left):
            t = work.unreached[k]
            senders = np.int64(0)
            for w in range(n_words):
                senders |= work.allowed[t * n_words + w] & layers[depth, w]
            if senders == 0:
                work.unreached[n_still] = t
                n_still += 1
                continue
            work.round[t] = depth
            work.order[count] = t
            count += 1
            unsatisfied = unsatisfied or work.demand[t] > 0.0
        n_met = n_left - n_still
        n_left = n_still
        work.round_end[depth + 1] = count
        if unsatisfied or n_met == 0:
            return depth if unsatisfied else -1
        any_new = np.int64(0)
        for w in range(n_words):
            new = np.int64(0)
            for k in range(work.round_end[depth], count):
                new |= work.senders[work.order[k] * n_words + w]
            new &= ~reached[w]
            reached[w] |= new
            layers[depth + 1, w] = new
            any_new |= new
        if any_new == 0:
            return -1
        depth += 1


@jit
def _augment(depth: int, width: int, n_words: int, work: FlowWorkspace) -> None:
    """Send as much as possible along `path`."""
    sources, sinks = work.path[0], work.path[1]
    mass = min(work.demand[sinks[depth]], work.supply[sources[0]])
    for k in range(1, depth + 1):
        mass = min(mass, work.amount[sinks[k - 1] * width + sources[k]])
    for k in range(depth + 1):
        push(sources[k], sinks[k], mass, width, n_words, work)
    for k in range(1, depth + 1):
        s, t = sources[k], sinks[k - 1]
        work.amount[t * width + s] -= mass
        if work.amount[t * width + s] <= 0.0:
            work.senders[t * n_words + s // BITS] &= ~(np.int64(1) << (s % BITS))
    work.demand[sinks[depth]] -= mass
    work.supply[sources[0]] -= mass
    if work.supply[sources[0]] <= 0.0:
        work.layers[0, sources[0] // BITS] &= ~(np.int64(1) << (sources[0] % BITS))


@jit
def _find_source(t: int, depth: int, n_words: int, work: FlowWorkspace) -> int:
    """An open source of sink t in this round; −1 if there is none."""
    for w in range(n_words):
        mask = work.allowed[t * n_words + w] & work.layers[depth, w]
        if mask != 0:
            return w * BITS + lowest_bit(mask)
    return -1


@jit
def _find_supplied_sink(s: int, depth: int, n_words: int, work: FlowWorkspace) -> int:
    """A sink of the previous round that source s serves; −1 if there is none."""
    w, bit = s // BITS, np.int64(1) << (s % BITS)
    while work.next_sink[s] < work.round_end[depth]:
        t = work.order[work.next_sink[s]]
        if work.round[t] >= 0 and work.senders[t * n_words + w] & bit:
            return t
        work.next_sink[s] += 1
    return -1


@jit
def _supply_sink(last: int, depth: int, width: int, n_words: int, work: FlowWorkspace) -> None:
    """Send mass to one unsatisfied sink along all paths with `depth` rounds; paths are searched from their end."""
    sources, sinks = work.path[0], work.path[1]
    k = depth
    sinks[k] = last
    while work.demand[last] > 0.0:
        t = sinks[k]
        s = _find_source(t, k, n_words, work)
        if s < 0:
            if k == depth:
                return
            work.round[t] = -2  # a dead end
            k += 1
            continue
        sources[k] = s
        if k == 0:
            _augment(depth, width, n_words, work)
            k = depth
            continue
        t = _find_supplied_sink(s, k, n_words, work)
        if t < 0:
            work.layers[k, s // BITS] &= ~(np.int64(1) << (s % BITS))
            continue
        k -= 1
        sinks[k] = t


@jit
def maximize_flow(nb: int, width: int, n_words: int, work: FlowWorkspace, stop: Any) -> float:
    """Augment the existing flow along the arcs in `allowed` to a maximum; returns the mass that sinks still need.

    If it is positive, the sources in `reached` and the sinks with `round` ≥ 0 are those that sources with mass reach;
    no unsatisfied sink is among them.
    """
    _start_greedily(nb, width, n_words, work)
    while True:
        need = 0.0
        for t in range(nb):
            need += max(work.demand[t], 0.0)
        if need == 0.0 or stop[0] != 0:
            return need
        depth = _search_breadth_first(nb, width, n_words, work)
        if depth < 0:
            return need
        for k in range(1, depth + 1):
            for w in range(n_words):
                mask = work.layers[k, w]
                while mask != 0:
                    work.next_sink[w * BITS + lowest_bit(mask)] = work.round_end[k - 1]
                    mask &= mask - 1
        for k in range(work.round_end[depth], work.round_end[depth + 1]):
            if work.demand[work.order[k]] > 0.0:
                _supply_sink(work.order[k], depth, width, n_words, work)
