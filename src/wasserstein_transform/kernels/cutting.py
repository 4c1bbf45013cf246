"""Edges that cut a tree into large pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit_allocating


@jit_allocating
def walk_down(edges: Any, weights: Any, least: float, cuts: Any) -> int:
    """Cut the highest edges for which both sides of the remaining tree have at least the mass `least`.

    Edges are sorted by height. Fills `cuts`, highest first, up to its length; returns the number of such edges.
    """
    n = weights.shape[0]
    start = np.zeros(n + 1, np.intp)
    for e in range(n - 1):
        start[edges[e, 0] + 1] += 1
        start[edges[e, 1] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    place = start[:n].copy()
    ends = np.empty(2 * n, np.intp)
    ways = np.empty(2 * n, np.intp)
    for e in range(n - 1):
        for side in range(2):
            i = edges[e, side]
            ends[place[i]] = edges[e, 1 - side]
            ways[place[i]] = e
            place[i] += 1
    above = np.full(n, -1)  # the parent of each point, with root 0; `below` is the child of each edge
    below = np.empty(n, np.intp)
    order = np.zeros(n, np.intp)
    found = 1
    for k in range(n):
        i = order[k]
        for at in range(start[i], start[i + 1]):
            j = ends[at]
            if j != above[i]:
                above[j] = i
                below[ways[at]] = j
                order[found] = j
                found += 1
    mass = weights.copy()  # mass of the subtree of each point
    for k in range(n - 1, 0, -1):
        mass[above[order[k]]] += mass[order[k]]
    count = 0
    for e in range(n - 2, -1, -1):
        if count == cuts.shape[0]:
            break
        here = below[e]
        if mass[here] < least:
            continue
        top = here
        while above[top] >= 0:
            top = above[top]
        if mass[top] - mass[here] < least:
            continue
        i = above[here]
        while i >= 0:
            mass[i] -= mass[here]
            i = above[i]
        above[here] = -1
        cuts[count] = e
        count += 1
    return count
