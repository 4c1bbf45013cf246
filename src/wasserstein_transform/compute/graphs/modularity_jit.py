"""Partitions of large modularity: nodes move to the best community, communities become nodes, repeat (Louvain)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import jit, jit_strict

_MAX_TIE = 1e-9  # difference of gains, in units of the strength at a node, up to which they are equal


class LinkGraph(NamedTuple):
    """A graph in compressed rows, without links of a node to itself."""

    starts: np.ndarray  # (n + 1,)
    ends: np.ndarray  # (number of links,)
    strengths: np.ndarray  # (number of links,)
    degrees: np.ndarray  # (n,) sum of strengths, links within the community included


class Moves(NamedTuple):
    """Workspace for nodes that move between communities."""

    labels: np.ndarray  # (n,) community of each node of the current level
    sums: np.ndarray  # (n,) degrees of the nodes of each community
    sizes: np.ndarray  # (n,) number of nodes of each community
    links: np.ndarray  # (n,) strength between a node and each community; 0 between uses
    neighbors: np.ndarray  # (n,) communities with such a strength
    free: np.ndarray  # (n,) communities without nodes
    queue: np.ndarray  # (n,) nodes to look at, a ring
    waiting: np.ndarray  # (n,) whether a node is in the queue


def modularity_workspace(n: int, n_links: int) -> tuple[LinkGraph, LinkGraph, Moves]:
    """Workspace of one thread, for a graph of n nodes; both directions of an edge are links."""
    one, other = (
        LinkGraph(np.zeros(n + 1, np.intp), np.zeros(n_links, np.intp), np.zeros(n_links), np.zeros(n))
        for _ in range(2)
    )
    labels, sizes, neighbors, free, queue = np.zeros((5, n), np.intp)
    sums, links = np.zeros((2, n))
    return one, other, Moves(labels, sums, sizes, links, neighbors, free, queue, np.zeros(n, np.bool_))


@jit
def maximize_modularity(
    graph: LinkGraph, labels: np.ndarray, resolution: float, seed: int, work: tuple[LinkGraph, LinkGraph, Moves]
) -> int:
    """Improve a partition, `labels`, in place; return the number of communities. The seed decides the order of visits.

    A node with degree d gains, in a community with sum of degrees s, its strength into it − resolution·d·s / total.
    """
    one, other, moves = work
    n, total = len(graph.degrees), 0.0
    for v in range(n):
        total += graph.degrees[v]
        moves.labels[v] = labels[v]
    scale = resolution / total
    _move(graph, n, scale, seed, moves)
    n_groups = _renumber(n, moves)
    for v in range(n):
        labels[v] = moves.labels[v]
    _merge(graph, n, n_groups, one, moves)
    level = 0
    while True:
        level += 1
        fine, coarse = (one, other) if level % 2 else (other, one)
        for c in range(n_groups):
            moves.labels[c] = c
        _move(fine, n_groups, scale, seed + level, moves)
        n_fewer = _renumber(n_groups, moves)
        if n_fewer == n_groups:
            return n_groups
        for v in range(n):
            labels[v] = moves.labels[labels[v]]
        _merge(fine, n_groups, n_fewer, coarse, moves)
        n_groups = n_fewer


@jit_strict
def _move(graph: LinkGraph, n: int, scale: float, seed: int, moves: Moves) -> None:
    """Move nodes to the community of largest gain, until no node moves; neighbors of moved nodes are visited again."""
    starts, ends, strengths, degrees = graph
    labels, sums, sizes, links, neighbors = moves.labels, moves.sums, moves.sizes, moves.links, moves.neighbors
    n_free = _fill_queue(n, degrees, seed, moves)
    head, n_waiting = 0, n
    while n_waiting > 0:
        v = moves.queue[head]
        head = head + 1 if head + 1 < n else 0
        n_waiting -= 1
        moves.waiting[v] = False
        current, n_neighbors = labels[v], 0
        for k in range(starts[v], starts[v + 1]):
            c = labels[ends[k]]
            if links[c] == 0.0:
                neighbors[n_neighbors] = c
                n_neighbors += 1
            links[c] += strengths[k]
        sums[current] -= degrees[v]
        tie = _MAX_TIE * degrees[v]
        best, top = current, links[current] - scale * degrees[v] * sums[current]
        for k in range(n_neighbors):
            gain = links[neighbors[k]] - scale * degrees[v] * sums[neighbors[k]]
            if gain > top + tie:
                best, top = neighbors[k], gain
        if top < -tie and sizes[current] > 1:
            best = moves.free[n_free - 1]
        for k in range(n_neighbors):
            links[neighbors[k]] = 0.0
        sums[best] += degrees[v]
        if best == current:
            continue
        if sizes[best] == 0:
            n_free -= 1
        sizes[best] += 1
        sizes[current] -= 1
        if sizes[current] == 0:
            moves.free[n_free] = current
            n_free += 1
        labels[v] = best
        for k in range(starts[v], starts[v + 1]):
            u = ends[k]
            if labels[u] != best and not moves.waiting[u]:
                moves.waiting[u] = True
                last = head + n_waiting
                moves.queue[last if last < n else last - n] = u
                n_waiting += 1


@jit
def _fill_queue(n: int, degrees: np.ndarray, seed: int, moves: Moves) -> int:
    """Fill the queue in the order of the seed, sum up communities, and return the number of empty ones."""
    n_free = 0
    for v in range(n):
        moves.sums[v], moves.sizes[v], moves.waiting[v], moves.queue[v] = 0.0, 0, True, v
    for v in range(n):
        moves.sums[moves.labels[v]] += degrees[v]
        moves.sizes[moves.labels[v]] += 1
    for c in range(n):
        if moves.sizes[c] == 0:
            moves.free[n_free] = c
            n_free += 1
    state = np.int64(seed) * 7919 + 12345
    for k in range(n - 1, 0, -1):
        state = (state * 16807) % 2147483647  # Park and Miller 1988
        j = state % (k + 1)
        moves.queue[k], moves.queue[j] = moves.queue[j], moves.queue[k]
    return n_free


@jit
def _renumber(n: int, moves: Moves) -> int:
    """Number communities 0, 1, … by their first nodes, and return how many there are."""
    number, n_groups = moves.neighbors, 0
    for c in range(n):
        number[c] = -1
    for v in range(n):
        c = moves.labels[v]
        if number[c] < 0:
            number[c] = n_groups
            n_groups += 1
        moves.labels[v] = number[c]
    return n_groups


@jit
def _merge(graph: LinkGraph, n: int, n_groups: int, coarse: LinkGraph, moves: Moves) -> None:
    """Make the graph of communities; `moves.labels` are theirs, `moves.queue` gets the nodes of each in turn."""
    starts, ends, strengths, degrees = graph
    labels, links, neighbors, next_position = moves.labels, moves.links, moves.neighbors, moves.free
    for c in range(n_groups):
        moves.sizes[c] = 0
        coarse.degrees[c] = 0.0
    for v in range(n):
        moves.sizes[labels[v]] += 1
        coarse.degrees[labels[v]] += degrees[v]
    first = 0
    for c in range(n_groups):
        next_position[c] = first
        first += moves.sizes[c]
    for v in range(n):
        moves.queue[next_position[labels[v]]] = v
        next_position[labels[v]] += 1
    coarse.starts[0] = 0
    n_links = first = 0
    for c in range(n_groups):
        n_neighbors = 0
        for i in range(first, next_position[c]):
            v = moves.queue[i]
            for k in range(starts[v], starts[v + 1]):
                other = labels[ends[k]]
                if other == c:
                    continue
                if links[other] == 0.0:
                    neighbors[n_neighbors] = other
                    n_neighbors += 1
                links[other] += strengths[k]
        for k in range(n_neighbors):
            coarse.ends[n_links], coarse.strengths[n_links] = neighbors[k], links[neighbors[k]]
            links[neighbors[k]] = 0.0
            n_links += 1
        first = next_position[c]
        coarse.starts[c + 1] = n_links
