"""What `wt.cluster` computes, step by step: everything is looked at again, nothing is kept."""

from __future__ import annotations

from itertools import product

import numpy as np

from .cuts import parts_of


def walk_down(edges: np.ndarray, mass: np.ndarray, least: float, most: int) -> list[int]:
    """Edges from the highest down, cut where both pieces of what is left hold enough."""
    kept, cuts = np.ones(len(edges), bool), list[int]()
    for e in range(len(edges) - 1, -1, -1):
        if len(cuts) == most:
            break
        kept[e] = False
        part = parts_of(edges[kept], len(mass))
        if min(mass[part == part[end]].sum() for end in edges[e]) >= least:
            cuts.append(e)
        else:
            kept[e] = True
    return cuts


def judged(trees: list[list[list[float]]], start: float, row: np.ndarray) -> float:
    """The sum of small trees, walked one by one: each has features, thresholds and values, level by level."""
    total = start
    for features, thresholds, values in trees:
        node = 0
        while node < len(features):
            node = 2 * node + (2 if row[int(features[node])] > thresholds[node] else 1)
        total += values[node - len(features)]
    return total


def lasting_choices(
    edges: np.ndarray, heights: np.ndarray, mass: np.ndarray, least: float
) -> list[tuple[float, frozenset[int]]]:
    """Of a tree without ties every choice of parts that exclude each other: how long it lasts, and the edges to cut.

    A part is a large piece of a merge of two large ones. Either it is taken as it is, or, where it falls into two large
    pieces itself, any choice of the one with any of the other; small pieces that fall off are nothing.
    """
    return _choices(frozenset(range(len(mass))), None, edges, np.log(heights), mass, least)


def _choices(points, upper, edges, logs, mass, least):  # type: ignore[no-untyped-def]
    inside = [e for e in range(len(edges)) if set(edges[e].tolist()) <= points]
    split, halves = _split(points, inside, edges, mass, least)
    lower = logs[split] if halves else np.median(logs[inside]) if inside else upper
    own = 0.0 if upper is None else mass[list(points)].sum() * (upper - lower)
    if not halves:
        return [(float(own), frozenset())]
    below = product(*(_choices(half, lower, edges, logs, mass, least) for half in halves))
    both = [(sum(one[0] for one in pick), frozenset([split]).union(*(one[1] for one in pick))) for pick in below]
    return [(float(own), frozenset()), *both]


def _split(points, inside, edges, mass, least):  # type: ignore[no-untyped-def]
    """The highest edge within a part that joins two large pieces, and these."""
    for e in inside[::-1]:
        below = parts_of(edges[[f for f in inside if f < e]], len(mass))
        halves = [frozenset(i for i in points if below[i] == below[end]) for end in edges[e].tolist()]
        if all(mass[list(half)].sum() >= least for half in halves):
            return e, halves
    return -1, []
