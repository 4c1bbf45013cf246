"""W_∞ the slow way: every threshold in turn, each with a maximal flow of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import ArrayLike

Arcs = list[list[bool]]


def w_infinity(a: ArrayLike, b: ArrayLike, cost: ArrayLike) -> float:
    """The least cost t such that arcs of at most t carry a/Σa onto b/Σb, without any rounding.

    Every number that comes in, integer or float, is taken for the rational it is.
    """
    supply, demand = _whole(np.asarray(a).tolist()), _whole(np.asarray(b).tolist())
    total_a, total_b = sum(supply), sum(demand)
    supply, demand = [mass * total_b for mass in supply], [mass * total_a for mass in demand]
    table = np.asarray(cost)
    for t in np.unique(table):
        if maximal_flow(supply, demand, (table <= t).tolist()) == total_a * total_b:
            return float(t)
    raise AssertionError("all arcs together carry every plan")


def maximal_flow(supply: Sequence[int], demand: Sequence[int], arcs: Arcs) -> int:
    """How much the arcs can carry from sources to sinks."""
    left, lack = list(supply), list(demand)
    flow = [[0] * len(lack) for _ in left]
    moved = 0
    while path := _path(left, lack, arcs, flow):
        mass = min(left[path[0]], lack[path[-1]], *(flow[i][j] for j, i in _pairs(path[1:-1])))
        left[path[0]] -= mass
        lack[path[-1]] -= mass
        moved += mass
        for i, j in _pairs(path):
            flow[i][j] += mass
        for j, i in _pairs(path[1:-1]):
            flow[i][j] -= mass
    return moved


def _whole(numbers: Sequence[float]) -> list[int]:
    """Rationals as whole numbers, up to a common factor."""
    exact = [Fraction(x) for x in numbers]
    unit = lcm(*(x.denominator for x in exact))
    return [int(x * unit) for x in exact]


def _pairs(path: list[int]) -> list[tuple[int, int]]:
    return list(zip(path[::2], path[1::2], strict=True))


def _path(left: list[int], lack: list[int], arcs: Arcs, flow: list[list[int]]) -> list[int]:
    """Source, sink, source, …, sink of a shortest path that takes mass to a sink that lacks some; empty if none is."""
    paths = {i: [i] for i, mass in enumerate(left) if mass > 0}
    seen: set[int] = set()
    newest = list(paths)
    while newest:
        reached = []
        for i in newest:
            for j in range(len(lack)):
                if not arcs[i][j] or j in seen:
                    continue
                seen.add(j)
                path = [*paths[i], j]
                if lack[j] > 0:
                    return path
                for k in range(len(left)):
                    if flow[k][j] > 0 and k not in paths:
                        paths[k] = [*path, k]
                        reached.append(k)
        newest = reached
    return []
