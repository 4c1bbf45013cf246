"""The parts of the network simplex against slow and obvious twins: pivots, looks, starts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from wasserstein_transform.compute.exact.simplex_jit import OPTIMAL, dual_value, list_candidates, solve
from wasserstein_transform.compute.exact.simplex_tree_jit import (
    UNKNOWN_POTENTIAL,
    SimplexWorkspace,
    initialize_tree,
    peel,
    pivot,
    simplex_workspace,
)

Floats = NDArray[np.float64]


def posed(rng: np.random.Generator, na: int, nb: int, slack: int = 0) -> tuple[Floats, SimplexWorkspace]:
    """Whole masses, with ties, and costs: one row a sink, in any order, with `slack` numbers behind the last."""
    work = simplex_workspace(max(na, nb), np.zeros(1, np.uint8))
    a, b = rng.integers(1, 5, na).astype(float), rng.integers(1, 5, nb).astype(float)
    work.supply[:na], work.demand[:nb] = a * b.sum(), b * a.sum()
    work.cost_start[:nb] = rng.permutation(nb) * na
    return np.append(rng.random(na * nb), np.full(slack, -9.0)), work


def table(na: int, nb: int, cost: Floats, work: SimplexWorkspace) -> Floats:
    return np.array([cost[start : start + na] for start in work.cost_start[:nb]])


def is_sound(na: int, nb: int, root: int, cost: Floats, work: SimplexWorkspace) -> None:
    """Ring, levels, potentials and flows belong to one strongly feasible tree."""
    n, parent = na + nb, work.parent.astype(int)
    ring = [root]
    while len(ring) < n:
        ring.append(int(work.following[ring[-1]]))
    assert sorted(ring) == list(range(n))
    assert work.following[ring[-1]] == root
    assert all(work.previous[y] == x for x, y in zip(ring, ring[1:] + ring[:1], strict=True))
    assert work.level[root] == 0
    path: list[int] = []
    for node in ring:  # every node comes right after what hangs under its siblings before it
        del path[int(work.level[node]) :]
        assert node == root or path[-1] == parent[node]
        path.append(node)
    costs = table(na, nb, cost, work)
    net = np.append(work.supply[:na], -work.demand[:nb])
    for node in ring[:0:-1]:
        i, j = (node, parent[node]) if node < na else (parent[node], node)
        assert i < na <= j
        assert abs(costs[j - na, i] - work.potential[i] - work.potential[j]) <= 1e-13
        assert work.flow[node] == (net[node] if node < na else -net[node])  # whole numbers are exact
        assert work.flow[node] > 0 or (node < na and work.flow[node] == 0)  # an arc without flow points to the root
        net[parent[node]] += net[node]
    assert net[root] == 0


@pytest.mark.parametrize(("na", "nb"), [(1, 1), (1, 6), (6, 1), (3, 4), (9, 9), (17, 12)])
def test_trees_stay_sound_whatever_enters(na: int, nb: int) -> None:
    rng = np.random.default_rng(na + 100 * nb)
    cost, work = posed(rng, na, nb)
    costs = table(na, nb, cost, work)
    work.potential[:na] = rng.normal(size=na)
    root = peel(na, nb, 1e-12, cost, work)
    initialize_tree(na, nb, root, cost, work)
    is_sound(na, nb, root, cost, work)
    for _ in range(60):
        i, j = int(rng.integers(na)), na + int(rng.integers(nb))
        if work.parent[i] == j or work.parent[j] == i:
            continue
        assert pivot(na, i, j, costs[j - na, i] - work.potential[i] - work.potential[j], work)
        assert work.parent[i] == j or work.parent[j] == i
        is_sound(na, nb, root, cost, work)


@pytest.mark.parametrize("slack", [0, 3, 8])
def test_a_look_finds_the_best_arc_of_every_source(slack: int) -> None:
    for na, nb in [(1, 1), (2, 5), (7, 3), (8, 4), (9, 8), (20, 11)]:
        rng = np.random.default_rng(na)
        cost, work = posed(rng, na, nb, slack)
        work.potential[: na + nb] = rng.random(na + nb) / 2
        reduced = table(na, nb, cost, work).T - work.potential[na : na + nb]
        least = reduced.min(axis=1)
        listed = [(i, na + reduced[i].argmin()) for i in range(na) if least[i] - work.potential[i] < -1e-14]
        count = list_candidates(na, nb, 1e-14, cost, work)
        found = work.candidates
        assert list(zip(found.source[:count], found.sink[:count], strict=True)) == listed
        value = work.supply[:na] @ least + work.demand[:nb] @ work.potential[na : na + nb]
        assert abs(dual_value(na, nb, work) - value) <= 1e-12 * abs(value)


@pytest.mark.parametrize("known", ["none", "one", "half", "all"])
def test_potentials_may_be_unknown(known: str) -> None:
    rng = np.random.default_rng(8)
    for na, nb in [(1, 3), (5, 4), (13, 11)]:
        cost, work = posed(rng, na, nb)
        mask = {"none": np.zeros(na), "one": np.arange(na) == na - 1, "half": np.arange(na) % 2, "all": np.ones(na)}
        work.potential[:na] = np.where(mask[known] > 0, rng.random(na), UNKNOWN_POTENTIAL)
        value, gap, status, _ = solve(na, nb, 1.0, 1.0, False, cost, work)
        total = work.supply[:na].sum()
        rows, columns = np.kron(np.eye(na), np.ones(nb)), np.kron(np.ones(na), np.eye(nb))
        masses = np.append(work.supply[:na], work.demand[:nb])
        expected = linprog(table(na, nb, cost, work).T.ravel(), A_eq=np.vstack([rows, columns]), b_eq=masses).fun
        assert status == OPTIMAL
        assert abs(gap) <= 1e-12 * total
        assert abs(value - expected) <= 1e-9 * total
