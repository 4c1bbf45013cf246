"""An order of the nodes of a graph that does not depend on the one in which they are given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Ints

_REFINEMENTS = 50  # of the colors of nodes, at most, or as many as together look at _LOOKS edges
_LOOKS = 1_000_000
_TIE = 1e-9  # relative difference up to which strengths are equal


def order_nodes(n: int, edges: Ints, strengths: Floats) -> Ints:
    """Return the nodes in an order of the graph's own; nodes that it does not tell apart keep their given order.

    Colors are refined (Weisfeiler and Leman 1968): the next color of a node is a hash of its color and of the strengths
    and colors at its edges. Hashes are integers, added modulo 2⁶⁴, so no order matters. When nothing changes
    any more, the first of the nodes that tie gets a color of its own, and the refinement goes on.
    """
    source, target = np.concatenate([edges, edges[:, ::-1]]).T
    by_source = np.argsort(source, kind="stable")
    target = target[by_source]
    starts = np.searchsorted(source[by_source], np.arange(n + 1))
    values, rank = np.unique(strengths, return_inverse=True)
    ranks = 1.0 + np.r_[0, np.cumsum(np.diff(values) > _TIE * values[1:])][rank]  # the same in every unit
    strength = _hash(np.tile(ranks, 2)[by_source].view(np.uint64))
    sums = np.zeros(len(target) + 1, np.uint64)
    colors, n_colors = np.zeros(n, np.uint64), 1
    for _ in range(max(_REFINEMENTS, _LOOKS // len(edges))):
        np.cumsum(_hash(colors[target] + strength), out=sums[1:])
        colors = _hash(_hash(colors) + sums[starts[1:]] - sums[starts[:-1]])
        last, n_colors = n_colors, len(np.unique(colors))
        if n_colors == n:
            break
        if n_colors == last:
            order = np.argsort(colors, kind="stable")
            tied = order[:-1][colors[order[:-1]] == colors[order[1:]]]
            colors[tied[0]] += np.uint64(1)
            n_colors += 1
    return np.argsort(colors, kind="stable")


def _hash(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of integers (splitmix64, Steele, Lea and Flood 2014)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
