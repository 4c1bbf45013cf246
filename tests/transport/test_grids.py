"""W1 on grids and other graphs as a flow on their edges: against rational arithmetic, and against the dense solver."""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
import pytest
from reference.transport import exact_cost
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

import wasserstein_transform as wt
from wasserstein_transform.compute.exact import batches, flow_jit, flows
from wasserstein_transform.compute.exact.simplex_jit import INTERRUPTED, OPTIMAL
from wasserstein_transform.transport.duration import warn_of_problems

Floats = np.ndarray


@pytest.fixture
def flows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flows for problems so small that tables would be faster."""
    monkeypatch.setattr(flows, "_STEPS_PER_FLOW", 0.0)


def places(shape: tuple[int, ...], spacing: Floats) -> Floats:
    return np.stack(np.unravel_index(np.arange(np.prod(shape)), shape), axis=1) * spacing


def masses(rng: np.random.Generator, n: int, size: int) -> Floats:
    """Rows of total 1, with ties, zeros, equal rows, and masses far apart."""
    rows = rng.integers(0, 4, (n, size)).astype(float)
    rows[rng.random((n, size)) < 0.3] *= rng.choice([1.0, 0.1, 1e-6, 1e9])
    rows[:, rng.integers(size)] += 1
    return rows / rows.sum(axis=1, keepdims=True)


@pytest.mark.usefixtures("flows_only")
@pytest.mark.repeated(40)
@pytest.mark.parametrize("seed", range(300))
def test_flows_on_small_grids_cost_what_linear_programs_cost(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(map(int, rng.integers(1, 5 if seed % 2 else 4, rng.integers(1, 4))))
    if np.prod(shape) == 1:
        shape = (2, *shape)
    spacing = rng.choice([1.0, 0.25, 3.0, 0.1, 1 / 3], len(shape))
    rows, grid = masses(rng, 4, int(np.prod(shape))), wt.spaces.Graph.grid(shape, spacing)
    found = wt.wasserstein_pairs(rows, grid)
    distances = cdist(places(shape, spacing), places(shape, spacing), "cityblock")
    np.testing.assert_allclose(grid.dense(), distances, rtol=1e-14)
    expected = [float(exact_cost(rows[i], rows[j], distances)) for i in range(4) for j in range(i + 1, 4)]
    np.testing.assert_allclose(found.values, expected, rtol=1e-12, atol=1e-13 * distances.max())
    assert found.gap <= 1e-12


@pytest.mark.usefixtures("flows_only")
@pytest.mark.repeated(10)
@pytest.mark.parametrize("seed", range(100))
def test_flows_on_random_graphs_cost_what_linear_programs_cost(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    edges = [(k, int(rng.integers(k)), float(rng.choice([1.0, 2.0, 0.3, 7.7]))) for k in range(1, n)]
    edges += [(int(i), int(j), float(rng.choice([1.0, 0.5, 20.0]))) for i, j in rng.integers(0, n, (n, 2)) if i != j]
    metric, rows = wt.spaces.Graph.of(edges, weight="length"), masses(rng, 3, n)
    found = np.asarray(wt.wasserstein_cross(rows, rows, metric))
    expected = [[float(exact_cost(a, b, metric.dense())) for b in rows] for a in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13 * metric.dense().max())


@pytest.mark.parametrize("shape", [(14, 14), (6, 6, 6)])
def test_pictures_flow_along_edges_and_agree_with_tables(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    pictures = np.stack([rng.random(np.prod(shape)) ** k for k in (1, 2, 9)])
    pictures[2, pictures[2] < 0.3] = 0
    pictures /= pictures.sum(axis=1, keepdims=True)
    used: list[int] = []

    def solve(*arguments: object) -> object:
        used.append(1)
        return flows.solve_flows(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(batches, "solve_flows", solve)
    grid = wt.spaces.Graph.grid(shape, 0.1)
    results = [wt.wasserstein_pairs(pictures, grid, n_jobs=k) for k in (1, 2, 3)]
    assert len(used) == 3
    table = wt.wasserstein_pairs(pictures, wt.spaces.Dense(grid.dense()))
    np.testing.assert_allclose(results[0].values, table.values, rtol=1e-12)
    for result in results[1:]:
        np.testing.assert_array_equal(result.values, results[0].values)
    few = csr_array((np.ones(4), ([0, 0, 1, 1], [3, 70, 9, 150])), shape=(2, np.prod(shape)))
    wt.wasserstein_pairs(few, grid)  # two masses a measure: a table of four costs is faster
    wt.wasserstein_pairs(pictures, grid, p=2.0)
    assert len(used) == 3


def test_large_pictures_are_not_announced_as_tables() -> None:
    grid, n_entries = wt.spaces.Graph.grid((200, 200)), 40000.0**2
    with pytest.warns(wt.transforms.CostWarning, match="40,000 × 40,000 masses will take about"):
        warn_of_problems(1, n_entries, wt.Engine(), grid, 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_problems(1, n_entries, wt.Engine(), grid, 1.0)
    with pytest.warns(wt.transforms.CostWarning, match="10,000 transport problems"):
        warn_of_problems(10000, 10000 * n_entries, wt.Engine(n_jobs=1), grid, 1.0)


def square_of_four(supply: list[float]) -> flow_jit.EdgeFlow:
    """A ring of four nodes with the tree 0–1–2–3, rooted at 0."""
    ends, links = np.array([[0, 1, 2, 0], [1, 2, 3, 3]], np.uint32), np.zeros((4, 4), np.uint32)
    parent, level, following, previous = links
    work = flow_jit.EdgeFlow(
        ends, np.ones(4), np.array(supply), np.zeros(4), np.zeros(4), parent, level, following, previous, np.zeros(4),
        np.zeros(4, np.bool_), np.zeros(1, np.uint8),
    )  # fmt: skip
    flow_jit._plant(np.arange(4), np.array([0, 0, 1, 2]), np.array([0.0, 1.0, 1.0, 1.0]), work)
    return work


def test_a_flow_that_is_not_the_cheapest_has_a_gap() -> None:
    work = square_of_four([1.0, 0.0, 0.0, -1.0])  # three edges along the tree, one without it
    flow_jit._route(0, work)
    flow_jit._recompute_potentials(0, work)
    cost, gap = flow_jit._certificate(0, work)
    assert (cost, gap) == (3.0, 2.0)  # potentials are 3 apart over an edge of length 1, and are divided by 3
    assert flow_jit.cheapest_flow(0, work) == (1.0, 0.0, OPTIMAL)


def test_a_flow_that_is_stopped_says_so() -> None:
    work = square_of_four([1.0, 0.0, 0.0, -1.0])
    work.stop[0] = 1
    assert flow_jit.cheapest_flow(0, work)[2] == INTERRUPTED


@pytest.mark.parametrize("spacing", [0.0, -1.0, [1.0, 2.0, 3.0], [1.0, np.nan]])
def test_spacings_of_grids_are_positive_one_for_all_axes_or_for_each(spacing: object) -> None:
    with pytest.raises(ValueError, match="spacing"):
        wt.spaces.Graph.grid((3, 4), spacing)  # type: ignore[arg-type]


def test_sides_of_grids_are_counts() -> None:
    for shape in [(3, 0), (2.5, 2), (-1,)]:
        with pytest.raises(ValueError, match="shape must be an integer ≥ 1"):
            wt.spaces.Graph.grid(shape)  # type: ignore[arg-type]
    assert wt.spaces.Graph.grid((1, 1)).n == 1


def test_edges_far_shorter_than_the_graph_is_wide_are_left_to_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows, "_STEPS_PER_FLOW", 0.0)
    monkeypatch.setattr(batches, "solve_flows", None)
    for shortest in (0.0, 1e-6):
        metric = wt.spaces.Graph.of([(0, 1, shortest), (1, 2, 1.0), (2, 3, 1.0)], weight="length")
        found = wt.wasserstein_pairs([[2, 0, 0, 0], [0, 1, 0, 1]], metric)
        assert found.values[0] == pytest.approx((2 + 2 * shortest) / 2, rel=1e-12)


def test_graphs_in_pieces_are_left_to_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows, "_STEPS_PER_FLOW", 0.0)
    monkeypatch.setattr(batches, "solve_flows", None)
    graph = nx.disjoint_union(nx.cycle_graph(5), nx.path_graph(4))
    assert len(wt.graphs.curvature(graph, wt.Truncation(2.0)).values) == graph.number_of_edges()
