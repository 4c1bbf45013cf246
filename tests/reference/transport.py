"""Optimal transport the slow way: exact rational arithmetic, and a general linear program."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, kron, vstack

import wasserstein_transform as wt
from wasserstein_transform.measures import make_discrete

Arc = tuple[int, int]


def of_any_total(masses: ArrayLike) -> wt.measures.Discrete:
    """Measures, one per row, of which only the shares count: the doors refuse plain masses of different totals."""
    rows = csr_array(np.asarray(masses, np.float64))
    return make_discrete(rows.indptr, rows.indices, rows.data, np.zeros(len(rows.indptr) - 1, np.intp), rows.shape[1])


def exact_cost(a: ArrayLike, b: ArrayLike, cost: ArrayLike) -> Fraction:
    """The least cost of moving the masses a/Σa onto b/Σb, without any rounding.

    Every number that comes in, integer or float, is taken for the rational it is.
    """
    supply, demand = _whole(np.asarray(a).tolist())[0], _whole(np.asarray(b).tolist())[0]
    table = np.asarray(cost)
    prices, unit = _whole(table.ravel().tolist())
    total_a, total_b = sum(supply), sum(demand)
    rows = [prices[i * len(demand) : (i + 1) * len(demand)] for i in range(len(supply))]
    plan = _least_cost_flow([s * total_b for s in supply], [t * total_a for t in demand], rows)
    moved = sum(mass * rows[i][j] for (i, j), mass in plan.items())
    return Fraction(moved, unit * total_a * total_b)


def _whole(numbers: Sequence[float]) -> tuple[list[int], int]:
    """Rationals as whole numbers over one common denominator."""
    exact = [Fraction(x) for x in numbers]
    unit = lcm(*(x.denominator for x in exact))
    return [int(x * unit) for x in exact], unit


def _least_cost_flow(supply: list[int], demand: list[int], cost: list[list[int]]) -> dict[Arc, int]:
    """Successive shortest paths: send what fits along a cheapest path that still has room, until all is sent."""
    supply, demand = list(supply), list(demand)
    plan: dict[Arc, int] = {}
    while any(demand):
        forward, backward, start, end = _cheapest_path(supply, demand, cost, plan)
        amount = min(supply[start], demand[end], *(plan[arc] for arc in backward))
        supply[start] -= amount
        demand[end] -= amount
        for arc in forward:
            plan[arc] = plan.get(arc, 0) + amount
        for arc in backward:
            plan[arc] -= amount
            if plan[arc] == 0:
                del plan[arc]
    return plan


def _cheapest_path(
    supply: list[int], demand: list[int], cost: list[list[int]], plan: dict[Arc, int]
) -> tuple[list[Arc], list[Arc], int, int]:
    """Arcs to fill, arcs to empty, first source and last sink of a cheapest path (Bellman–Ford)."""
    reach: dict[int, int] = {i: 0 for i, mass in enumerate(supply) if mass > 0}  # cheapest way to each source
    undone: dict[int, int] = {}  # the sink through which a source was reached, by emptying an arc
    arrive: dict[int, tuple[int, int]] = {}  # cheapest way to each sink, and its last source
    changed = set(reach)
    while changed:
        for j in range(len(demand)):
            way = min((reach[i] + cost[i][j], i) for i in changed)
            if j not in arrive or way[0] < arrive[j][0]:
                arrive[j] = way
        changed = set()
        for i, j in plan:
            value = arrive[j][0] - cost[i][j]
            if i not in reach or value < reach[i]:
                reach[i], undone[i] = value, j
                changed.add(i)
    end = min((arrive[j][0], j) for j in range(len(demand)) if demand[j] > 0)[1]
    forward: list[Arc] = []
    backward: list[Arc] = []
    sink = end
    while True:
        source = arrive[sink][1]
        forward.append((source, sink))
        if source not in undone:
            return forward, backward, source, end
        sink = undone[source]
        backward.append((source, sink))


def w_linprog(a: ArrayLike, b: ArrayLike, distances: ArrayLike, p: float) -> float:
    """W_p as the linear program it is, by HiGHS; costs are scaled to at most 1, masses to total 1."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    d = np.asarray(distances, float)
    top = d.max()
    if top == 0:
        return 0.0
    rows, columns = kron(eye_array(len(a)), np.ones((1, len(b)))), kron(np.ones((1, len(a))), eye_array(len(b)))
    marginals: NDArray[np.float64] = np.concatenate([a / a.sum(), b / b.sum()])
    result = linprog(
        ((d / top) ** p).ravel(),
        A_eq=vstack([rows, columns]).tocsr(),
        b_eq=marginals,
        method="highs",
        options={"presolve": False},  # it takes the rounding of the totals for infeasibility
    )
    assert result.status == 0, result.message
    return float(top * max(result.fun, 0.0) ** (1 / p))


def w_partial(
    a: ArrayLike, b: ArrayLike, distances: ArrayLike, spare_a: ArrayLike, spare_b: ArrayLike, p: float
) -> float:
    """W_p where mass may stay unmatched at a cost: exactly, with a point on each side for all mass of the other one.

    For p = ∞ the least threshold for which a linear program has a plan.
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    costs = np.zeros((len(a) + 1, len(b) + 1))
    costs[:-1, :-1], costs[:-1, -1], costs[-1, :-1] = distances, spare_a, spare_b
    totals = [sum(map(Fraction, masses.tolist()), Fraction(0)) for masses in (a, b)]  # both sides agree exactly
    supply, demand = [*map(Fraction, a.tolist()), totals[1]], [*map(Fraction, b.tolist()), totals[0]]
    if p < np.inf:
        top = costs.max() or 1.0
        share = exact_cost(supply, demand, (costs / top) ** p) if sum(totals) else Fraction(0)
        return float(top * float(share * sum(totals)) ** (1 / p))
    balance = vstack(
        [
            kron(eye_array(len(supply)), np.ones((1, len(demand)))),
            kron(np.ones((1, len(supply))), eye_array(len(demand))),
        ]
    ).tocsr()
    for t in np.unique(costs):
        bounds = [(0.0, None if cost <= t else 0.0) for cost in costs.ravel()]
        masses = np.array([*supply, *demand], float)
        if linprog(np.zeros(costs.size), A_eq=balance, b_eq=masses, bounds=bounds, method="highs").status == 0:
            return float(t)
    raise AssertionError("no threshold suffices")
