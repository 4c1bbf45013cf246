"""Ways that exist for speed are taken: their results are those of the slow ways, so results alone would not tell."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute.exact import batches as batch, single


def counted(module: Any, name: str, patch: pytest.MonkeyPatch) -> list[Any]:
    """What a function of a module returned, call by call."""
    found, function = [], getattr(module, name)

    def call(*args: Any, **options: Any) -> Any:
        found.append(function(*args, **options))
        return found[-1]

    patch.setattr(module, name, call)
    return found


def test_edges_of_equal_length_need_no_simplex(monkeypatch: pytest.MonkeyPatch) -> None:
    with_prices = counted(batch, "listed_by_hops", monkeypatch)
    by_simplex = counted(batch, "_solve_pieces", monkeypatch)
    graph = nx.karate_club_graph()
    wt.graphs.curvature(graph, weight=None)
    assert sum(report.n_problems for _, report in with_prices) == graph.number_of_edges()
    assert not by_simplex


def test_large_problems_start_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single, "MIN_POINTS_TO_SAMPLE", 20)
    monkeypatch.setattr(single, "_MIN_SAMPLE", 5)
    starts = counted(single, "warm_potentials", monkeypatch)
    points = np.random.default_rng(0).normal(size=(60, 2))
    wt.wasserstein(None, None, wt.spaces.Euclidean(points).dense()[:30, 30:])
    assert [np.isfinite(start).all() for start in starts] == [True]


def test_most_problems_of_a_tour_inherit_potentials(monkeypatch: pytest.MonkeyPatch) -> None:
    tours = counted(batch, "visit_order", monkeypatch)
    space = wt.Space.from_points(np.random.default_rng(0).normal(size=(40, 2)))
    wt.Exact(1.0).metric(wt.Truncation(0.8)(space), space.metric, wt.Engine(1))
    ((order, parent),) = tours
    assert (parent >= 0).sum() == len(order) - 1 > 30
