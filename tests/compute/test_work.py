"""Paths that exist for speed are taken and do less: their results equal those of the plain way, so only counts tell."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute.metrics.geometry_jit import Marks
from wasserstein_transform.compute.neighbors.moments import Neighborhoods, neighborhoods
from wasserstein_transform.compute.neighbors.moments_jit import FLAT
from wasserstein_transform.compute.trees import spanning as trees, spanning_jit as spanning_trees
from wasserstein_transform.spaces import GaussianMetric, Metric

ENGINE = wt.Engine(1)


def _around(metric: Metric, eps: float, engine: wt.Engine = ENGINE) -> Neighborhoods:
    found = neighborhoods(metric, np.ones(metric.n), FLAT, eps, eps, engine)
    assert isinstance(found, Neighborhoods)
    return found


def _gaussians(n: int, m: int) -> GaussianMetric:
    rng = np.random.default_rng(m)
    roots = 0.1 * rng.normal(size=(n, m, m))
    return GaussianMetric(rng.random((n, m)), roots @ roots.transpose(0, 2, 1), 1.0)


def test_of_equal_points_one_is_summed(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    summed: list[int] = []

    choose_kernel = Neighborhoods._choose_kernel

    def recording(self: Neighborhoods, columns: Any, second: bool) -> Any:
        kernel = choose_kernel(self, columns, second)

        def add(rows: Any, record: Any, stop: Any) -> None:
            summed.append(len(rows))
            kernel(rows, record, stop)

        return add

    monkeypatch.setattr(Neighborhoods, "_choose_kernel", recording)
    distinct = rng.random((300, 2))
    for n_copies, expected in ((200, 100), (5, 300)):  # a few are not worth it
        points = distinct.copy()
        points[300 - n_copies :] = points[0]
        summed.clear()
        _around(wt.spaces.Euclidean(points), 0.2).means(points)
        assert sum(summed) == expected


def test_in_space_each_pair_of_gaussians_is_marked_once() -> None:
    metric = _gaussians(400, 3)
    found = _around(metric, 0.4).geometry
    assert isinstance(found, Marks)
    assert found.marks.sum() == (metric.dense(ENGINE) <= 0.4).sum() > 2 * 400
    assert not isinstance(_around(_gaussians(400, 2), 0.4).geometry, Marks)  # cheaper to compute again
    assert not isinstance(_around(metric, 0.4, wt.Engine(1, memory=1000)).geometry, Marks)


def test_points_of_whole_cells_are_not_looked_at() -> None:
    points, eps = np.random.default_rng(0).random((8000, 2)), 0.25
    found = _around(wt.spaces.Euclidean(points), eps)
    search, weights = found.index, found.weights
    assert search.sorted_points is not None
    center = int(np.linalg.norm(search.sorted_points - 0.5, axis=1).argmin())
    row, mass, mean, stop = np.array([center]), np.empty(1), np.empty((1, 2)), np.zeros(1, np.uint8)
    kernel = found._choose_kernel(found.sorted_columns, False)
    looked_at = 0
    for start, end in pairwise(search.starts.tolist()):
        weights[start:end] = np.nan  # the sums of cells were taken before
        kernel(row, (mass, mean), stop)
        weights[start:end] = 1.0
        looked_at += (end - start) * bool(np.isnan(mass[0]))
    inside = np.count_nonzero(np.linalg.norm(search.sorted_points - search.sorted_points[center], axis=1) <= eps)
    assert 0 < looked_at < 0.6 * inside < inside < search.candidates_by_position()[center]


def test_a_spanning_tree_is_found_by_searches_where_they_visit_few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    n = trees._MAX_POINTS_FOR_PRIM
    rng = np.random.default_rng(0)
    asked: list[int] = []
    list_searches = spanning_trees.list_searches

    def counted(*given: Any) -> int:
        asked.append(list_searches(*given))
        return asked[-1]

    monkeypatch.setattr(spanning_trees, "list_searches", counted)
    for metric in (wt.spaces.Euclidean(rng.random((n, 2))), _gaussians(n, 2)):
        asked.clear()
        with monkeypatch.context() as patch:
            patch.setattr(trees, "prim", lambda *given: pytest.fail("all pairs"))
            metric.spanning_tree(ENGINE)
        assert sum(asked) < 0.8 * n * len(asked)  # rounds: many points keep what they found in the one before
    wide = wt.spaces.Euclidean(rng.normal(size=(n, 30)))
    assert trees._prunable_tree(wide, ENGINE) is None
