"""Spanning trees on a device: as short as those of the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from gpu.calling import CPU, Cuda
from gpu.places import METRICS, QUICK, SLOW
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import wasserstein_transform as wt
from wasserstein_transform._types import Ints


def spans(edges: Ints, n: int) -> bool:
    return edges.shape == (n - 1, 2) and connected_components(coo_array((np.ones(n - 1), edges.T), (n, n)))[0] == 1


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_heights_are_those_of_the_cpu(name: str, cuda: Cuda) -> None:
    metric, here = METRICS[name](), wt.Engine(1)
    edges, heights = cuda.spanning_tree(metric, wt.Engine(device=cuda))
    assert spans(edges, metric.n)
    np.testing.assert_allclose(heights, CPU.pairs(metric, edges[:, 0], edges[:, 1], here), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(np.sort(heights), np.sort(CPU.spanning_tree(metric, here)[1]), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("name", METRICS)
def test_mutual_reachability_is_that_of_the_cpu(name: str, cuda: Cuda) -> None:
    metric, here = METRICS[name](), wt.Engine(1)
    cores = np.ascontiguousarray(CPU.nearest(metric, 4, None, here).distances[:, -1])
    edges, heights, lengths = cuda.mutual_reachability_tree(metric, cores, wt.Engine(device=cuda))
    expected = CPU.mutual_reachability_tree(metric, cores, here)
    assert spans(edges, metric.n)
    np.testing.assert_allclose(heights, np.maximum(lengths, cores[edges].max(axis=1)), rtol=1e-15)
    np.testing.assert_allclose(np.sort(heights), np.sort(expected.heights), rtol=1e-9, atol=1e-300)
    assert lengths.sum() == pytest.approx(expected.lengths.sum(), rel=1e-9)


def test_the_same_tree_from_any_order_of_searches(cuda: Cuda, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = METRICS["grid"]()
    edges, heights = cuda.spanning_tree(metric, wt.Engine(device=cuda))
    monkeypatch.setattr("wasserstein_transform.cuda.trees.MIN_LAUNCH_BLOCKS", 1)
    monkeypatch.setattr("wasserstein_transform.cuda.trees.MAX_LAUNCH_DISTANCES", 1.0)
    again, other = cuda.spanning_tree(metric, wt.Engine(device=cuda))
    assert (edges == again).all()
    assert (heights == other).all()


@pytest.mark.slow
def test_far_tiles_are_passed_over(cuda: Cuda, rng: np.random.Generator) -> None:
    metric = wt.spaces.Euclidean(rng.normal(size=(17_000, 2)))  # more tiles than threads
    edges, heights = cuda.spanning_tree(metric, wt.Engine(device=cuda))
    assert spans(edges, metric.n)
    np.testing.assert_allclose(np.sort(heights), np.sort(CPU.spanning_tree(metric, wt.Engine(1))[1]), rtol=1e-12)


def test_one_point_has_no_edges(cuda: Cuda) -> None:
    edges, heights = cuda.spanning_tree(wt.spaces.Euclidean(np.ones((1, 2))), wt.Engine(device=cuda))
    assert edges.shape == (0, 2)
    assert heights.shape == (0,)
