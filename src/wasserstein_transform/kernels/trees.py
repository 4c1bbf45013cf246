"""Minimum spanning trees, linkage matrices and forests."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit, jit_allocating
from .formulas import squared


@jit
def reach_out(geometry: Any, here: int, end: int, done: Any, near: Any, source: Any, stop: Any) -> None:
    """One step of Prim's algorithm: update nearest tree points with `here`. `stop[0]` ≠ 0 interrupts."""
    for j in range(end):
        if stop[0] != 0:
            return
        if done[j]:
            continue
        apart = squared(geometry, here, j, near[j])
        if apart < near[j]:
            near[j] = apart
            source[j] = here


@jit
def prim(
    geometry: Any,
    first: int,
    n_steps: int,
    done: Any,
    near: Any,
    source: Any,
    edges: Any,
    lengths: Any,
    stop: Any,
) -> int:
    """Grow the tree by `n_steps` edges from the point `first`, last added. Returns the point added last."""
    here = first
    n = done.shape[0]
    for k in range(n_steps):
        reach_out(geometry, here, n, done, near, source, stop)
        if stop[0] != 0:
            return here
        best = -1
        for j in range(n):
            if not done[j] and (best < 0 or near[j] < near[best]):
                best = j
        done[best] = True
        edges[k, 0] = source[best]
        edges[k, 1] = best
        lengths[k] = np.sqrt(near[best])
        here = best
    return here


@jit
def root(parent: Any, i: int) -> int:
    """The root of the component of i, with path halving."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@jit_allocating
def join_edges(edges: Any, heights: Any, out: Any) -> None:
    """SciPy's linkage matrix from spanning-tree edges sorted by height."""
    n = edges.shape[0] + 1
    parent = np.arange(n)
    label = np.arange(n)
    size = np.ones(n)
    for k in range(n - 1):
        a = root(parent, edges[k, 0])
        b = root(parent, edges[k, 1])
        low, high = (label[a], label[b]) if label[a] < label[b] else (label[b], label[a])
        out[k, 0] = low
        out[k, 1] = high
        out[k, 2] = heights[k]
        out[k, 3] = size[a] + size[b]
        parent[b] = a
        size[a] += size[b]
        label[a] = n + k


@jit
def shortest_forest(edges: Any, parent: Any, picked: Any) -> int:
    """Mark the edges, sorted by length, that join two components (Kruskal); returns their number."""
    for i in range(parent.shape[0]):
        parent[i] = i
    count = 0
    for k in range(edges.shape[0]):
        a = root(parent, edges[k, 0])
        b = root(parent, edges[k, 1])
        picked[k] = a != b
        if a != b:
            parent[b] = a
            count += 1
    return count


@jit
def undecided(
    edges: Any, lengths: Any, rows: Any, cols: Any, bounds: Any, first: int, parent: Any, chosen: Any
) -> tuple[int, int]:
    """From pair `first` on, list pairs that are not connected by edges up to their lower bound.

    All other pairs can be left out of a spanning tree. Edges and bounds are sorted. Returns the number of listed pairs
    and the first pair that was not examined.
    """
    for i in range(parent.shape[0]):
        parent[i] = i
    e = 0
    count = 0
    for k in range(first, rows.shape[0]):
        if count == chosen.shape[0]:
            return count, k
        while e < edges.shape[0] and lengths[e] <= bounds[k]:
            parent[root(parent, edges[e, 1])] = root(parent, edges[e, 0])
            e += 1
        if root(parent, rows[k]) != root(parent, cols[k]):
            chosen[count] = k
            count += 1
    return count, rows.shape[0]
