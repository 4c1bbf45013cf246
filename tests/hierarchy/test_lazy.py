"""Bounds, lazy single linkage, lazy balls and the light cone, against the full matrix."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist, squareform

import wasserstein_transform as wt
from wasserstein_transform.transport.bounds import LowerBound

ORDERS = [1.0, 1.5, 2.0, 3.0]


def noisy_ring(n: int = 120) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    angles = rng.uniform(0, 2 * np.pi, n)
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) + rng.normal(scale=0.1, size=(n, 2))
    return np.concatenate([ring, rng.uniform(-1.5, 1.5, (n // 6, 2)), ring[:5]])  # outliers, and five points twice


def integer_grid() -> NDArray[np.float64]:
    """Ties everywhere."""
    return np.stack(np.meshgrid(np.arange(9.0), np.arange(8.0)), axis=-1).reshape(-1, 2)


CLOUDS = {"ring": (noisy_ring(), 0.4), "grid": (integer_grid(), 1.5), "line": (np.arange(40.0)[:, None] ** 1.2, 3.0)}


def euclidean(name: str) -> tuple[wt.Space, float]:
    points, eps = CLOUDS[name]
    return wt.Space.from_points(points), eps


def stored(name: str, triangle: bool = True) -> tuple[wt.Space, float]:
    points, eps = CLOUDS[name]
    return wt.Space.from_distances(cdist(points, points), triangle=triangle), eps


SPACES = {
    **{name: euclidean(name) for name in CLOUDS},
    "stored ring": stored("ring"),
    "no triangle": stored("ring", triangle=False),
}


def step(eps: float, p: float) -> wt.Transform:
    return wt.Transform(wt.Truncation(eps), wt.Exact(p))


def lazy(transform: wt.Transform | wt.transforms.Process, space: wt.Space, engine: wt.Engine | None = None) -> wt.Space:
    return wt.transforms.transform_lazily(transform, space, engine)


def lazy_tree(transform: wt.Transform, space: wt.Space, engine: wt.Engine | None = None) -> wt.hierarchy.Tree:
    return wt.hierarchy.spanning_tree(lazy(transform, space, engine), engine)


def solved(tree: wt.hierarchy.Tree) -> wt.transforms.LazyMetric:
    assert tree.space is not None
    assert isinstance(tree.space.metric, wt.transforms.LazyMetric)
    return tree.space.metric


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("p", ORDERS)
def test_bounds_hold(name: str, p: float) -> None:
    space, eps = SPACES[name]
    measures = wt.Truncation(eps)(space)
    exact = wt.Exact(p).metric(measures, space.metric).matrix
    i, j = np.triu_indices(space.n, 1)
    top = exact.max()
    low = LowerBound(measures, space.metric, p).of(i, j)
    assert (low <= exact[i, j] + 1e-13 * top).all()
    if name != "no triangle":
        assert np.median(low / np.maximum(exact[i, j], 1e-300)) > 0.8  # they say something


def test_nothing_is_known_from_below_without_the_triangle_inequality() -> None:
    space, eps = SPACES["no triangle"]
    low = LowerBound(wt.Truncation(eps)(space), space.metric, 1.0)
    assert not low.of(np.array([0]), np.array([9])).any()


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_the_lazy_tree_is_the_single_linkage_tree(name: str, p: float) -> None:
    space, eps = SPACES[name]
    tree = lazy_tree(step(eps, p), space)
    full = squareform(step(eps, p)(space).metric.dense(), checks=False)
    np.testing.assert_allclose(tree.heights, np.sort(linkage(full, "single")[:, 2]), atol=1e-12 * full.max())
    for (a, b), height in zip(tree.edges, tree.heights, strict=True):
        assert height == pytest.approx(squareform(full)[a, b], abs=1e-12 * full.max())
    assert tree.Z.shape == (space.n - 1, 4)
    assert solved(tree).report.gap <= 1e-12


@pytest.mark.parametrize("name", ["ring", "stored ring"])
def test_the_lazy_tree_solves_few_pairs(name: str) -> None:
    space, eps = SPACES[name]
    for p in (1.0, 2.0):
        tree = lazy_tree(step(eps, p), space)
        assert 0 < solved(tree).share < 0.15


def test_the_lazy_tree_hangs_points_without_mass_where_the_full_one_does() -> None:
    points, eps = CLOUDS["ring"]
    weights = np.ones(len(points))
    weights[::9] = 0
    space = wt.Space.from_points(points, weights)
    lazy, full = (
        lazy_tree(step(eps, 1.0), space),
        wt.hierarchy.spanning_tree(step(eps, 1.0)(space)),
    )
    np.testing.assert_allclose(lazy.heights, full.heights, atol=1e-12)


def test_one_point_is_a_tree() -> None:
    tree = lazy_tree(step(1.0, 1.0), wt.Space.from_points([[0.0]]))
    assert tree.heights.size == 0
    assert solved(tree).share == 0


def test_lazy_results_do_not_depend_on_the_number_of_threads() -> None:
    space, eps = SPACES["ring"]
    trees = [lazy_tree(step(eps, 1.0), space, wt.Engine(k)) for k in (1, 3)]
    np.testing.assert_array_equal(trees[0].edges, trees[1].edges)
    np.testing.assert_array_equal(trees[0].heights, trees[1].heights)


@pytest.mark.repeated(5)
@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("quantile", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("p", [1.0, 2.0])
def test_lazy_balls_are_the_balls(name: str, quantile: float, p: float) -> None:
    space, eps = SPACES[name]
    full = step(eps, p)(space).metric.dense()
    radius = float(np.quantile(full, quantile)) if quantile else 0.0
    metric = lazy(step(eps, p), space).metric
    balls = metric.balls(radius)
    doubtful = np.abs(full - radius) <= 1e-11 * full.max()  # ties that rounding decides
    for i in range(space.n):
        inside = np.zeros(space.n, bool)
        inside[balls.indices[balls.indptr[i] : balls.indptr[i + 1]]] = True
        wrong = inside != (full[i] <= radius)
        assert not (wrong & ~doubtful[i]).any()
        ball = balls.indices[balls.indptr[i] : balls.indptr[i + 1]]
        distances = balls.distances[balls.indptr[i] : balls.indptr[i + 1]]
        np.testing.assert_allclose(distances, full[i, ball], atol=1e-12 * full.max())


def test_lazy_balls_solve_few_pairs() -> None:
    space, eps = SPACES["ring"]
    metric = lazy(step(eps, 1.0), space).metric
    assert isinstance(metric, wt.transforms.LazyMetric)
    assert metric.balls(0.05).indptr[-1] > space.n
    assert metric.share < 0.1


@pytest.mark.parametrize("name", SPACES)
def test_lazy_blocks_and_pairs_have_the_distances_of_the_full_transform(name: str) -> None:
    space, eps = SPACES[name]
    metric, full = lazy(step(eps, 1.0), space).metric, step(eps, 1.0)(space).metric.dense()
    rows, cols = np.array([3, 0, 3, space.n - 1]), np.array([space.n - 1, 0, 7, 2])
    np.testing.assert_allclose(metric.block(rows, cols), full[np.ix_(rows, cols)], atol=1e-12 * full.max())
    np.testing.assert_allclose(metric.pairs(rows, cols), full[rows, cols], atol=1e-12 * full.max())
    some = np.arange(1, space.n, 2)
    near, expected = metric.take(some).balls(eps / 3), wt.spaces.Dense(full[np.ix_(some, some)]).balls(eps / 3)
    if name != "grid":  # ties that rounding decides
        np.testing.assert_array_equal(near.indices, expected.indices)


def test_a_lazy_metric_refuses_what_needs_all_distances() -> None:
    space, eps = SPACES["ring"]
    metric = lazy(step(eps, 1.0), space).metric
    for wrong in (metric.dense, metric.condensed, lambda: metric.neighbors(3), lambda: metric.movement(metric)):
        with pytest.raises(TypeError, match="needs all distances"):
            wrong()
    with pytest.raises(TypeError, match="not saved"):
        lazy(step(eps, 1.0), space).save("nowhere.npz")


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", ["ring", "grid", "line", "stored ring"])
@pytest.mark.parametrize("n_iter", [2, 3, 1])
@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_the_light_cone_gives_the_distances_of_the_full_transform(name: str, n_iter: int, p: float) -> None:
    space, eps = SPACES[name]
    eps = eps / 2 if name == "ring" else eps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.transforms.MasslessWarning)
        full = wt.iterate(step(eps, p), space, n_iter=n_iter).last.metric.dense()
        near = wt.transforms.iterate_locally(step(eps, p), space, 1.3 * eps, n_iter).metric
    assert isinstance(near, wt.spaces.Sparse)
    found = near.block(np.arange(space.n), np.arange(space.n))
    known = np.isfinite(found)
    np.testing.assert_allclose(found[known], full[known], atol=1e-12 * full.max())
    doubtful = np.abs(full - 1.3 * eps) <= 1e-11 * eps
    assert (known == (full <= 1.3 * eps))[~doubtful].all()
    assert near.gap <= 1e-12


@pytest.mark.slow
def test_the_light_cone_takes_a_kernel_and_an_eps_for_each_step() -> None:
    space, eps = SPACES["ring"]
    process = wt.transforms.kernel_transform([eps, eps / 2], "triangle", p=1)
    full = wt.iterate(process, space, n_iter=2).last.metric.dense()
    near = wt.transforms.iterate_locally(process, space, 0.2, 2).metric.block(np.arange(space.n), np.arange(space.n))
    np.testing.assert_allclose(near[full < 0.2], full[full < 0.2], atol=1e-13)
    assert np.isinf(near[full > 0.2 * (1 + 1e-9)]).all()


def local_ring() -> wt.spaces.Sparse:
    space, eps = SPACES["ring"]
    metric = wt.transforms.iterate_locally(step(eps, 1.0), space, 0.5).metric
    assert isinstance(metric, wt.spaces.Sparse)
    return metric


def uncut(metric: wt.spaces.Metric) -> object:
    return wt.Kernel(1.0).moments(wt.Space(metric, np.ones(metric.n), None), wt.Engine())


def test_a_sparse_metric_knows_its_balls_and_refuses_what_it_does_not_know() -> None:
    space, eps = SPACES["ring"]
    metric, full = local_ring(), step(eps, 1.0)(space).metric
    for radius in (0.0, 0.2, 0.5):
        found, expected = metric.balls(radius), full.balls(radius)
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_allclose(found.distances, expected.distances, atol=1e-14)
    for wrong in (lambda: metric.balls(0.6), metric.dense, metric.condensed, lambda: uncut(metric)):
        with pytest.raises(ValueError, match=r"up to 0\.5 only"):
            wrong()


def test_a_sparse_metric_of_some_points() -> None:
    metric = local_ring()
    rows = np.array([5, 3, 90, 3])
    np.testing.assert_array_equal(metric.take(rows).block(np.arange(4), np.arange(4)), metric.block(rows, rows))


def test_movement_between_sparse_metrics_is_the_largest_known_change() -> None:
    space, eps = SPACES["ring"]
    one, two = (wt.transforms.iterate_locally(step(eps, 1.0), space, 0.5, k).metric for k in (1, 2))
    a, b = (metric.block(np.arange(space.n), np.arange(space.n)) for metric in (one, two))
    both = np.isfinite(a) & np.isfinite(b)
    assert one.movement(two) == pytest.approx(np.abs(a[both] - b[both]).max())


def test_linkage_of_a_sparse_metric_is_that_of_the_full_one_while_it_is_connected() -> None:
    space, eps = SPACES["ring"]
    full = wt.hierarchy.spanning_tree(step(eps, 1.0)(space))
    near = wt.hierarchy.spanning_tree(wt.transforms.iterate_locally(step(eps, 1.0), space, 2 * full.heights.max()))
    np.testing.assert_allclose(near.heights, full.heights, atol=1e-13)
    with pytest.raises(ValueError, match="parts"):
        wt.hierarchy.spanning_tree(wt.transforms.iterate_locally(step(eps, 1.0), space, 0.5 * full.heights.max()))


@pytest.mark.parametrize(
    "process",
    [
        wt.transforms.mean_shift(1.0),
        wt.transforms.gaussian_transform(1.0),
        wt.transforms.kernel_transform(1.0, "gaussian"),
    ],
)
def test_the_light_cone_needs_a_compact_kernel_and_exact_transport(process: wt.transforms.Process) -> None:
    with pytest.raises(TypeError, match="finite reach"):
        wt.transforms.iterate_locally(process, SPACES["ring"][0], 1.0)


@pytest.mark.parametrize(("radius", "n_iter"), [(0.0, 1), (-1.0, 1), (np.inf, 1), (1.0, 0), (1.0, 1.5)])
def test_the_light_cone_needs_a_radius_and_steps(radius: float, n_iter: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        wt.transforms.iterate_locally(wt.transforms.local_truncation(1.0), SPACES["ring"][0], radius, n_iter)


def with_outlier() -> wt.Space:
    """A fine grid and one point so far away that integrals of distances to it lose the grid's digits."""
    return wt.Space.from_points(np.append(np.arange(300.0) * 0.1, 1e6)[:, None])


def test_bounds_are_lowered_by_the_rounding_of_what_they_are_made_of() -> None:
    space, transform = with_outlier(), step(0.25, 1.0)
    full = transform(space).metric.dense()
    balls, near = (
        lazy(transform, space).metric.balls(0.1),
        wt.transforms.iterate_locally(transform, space, 0.1).metric,
    )
    assert isinstance(near, wt.spaces.Sparse)
    inside = np.count_nonzero(full <= 0.1 * (1 + 1e-12))
    assert len(balls.indices) == len(near.rows.indices) == inside


@pytest.mark.parametrize("shift", [1e-3, 1e-5, 1e-7, 1e-9])
def test_bounds_hold_for_measures_on_parallel_lines(shift: float) -> None:
    """Their covariances are singular, and what is known of their Bures distance is half the digits."""
    along, across = np.array([0.6, 0.8]), np.array([-0.8, 0.6])
    line = np.arange(40.0)[:, None] * along
    space = wt.Space.from_points(np.concatenate([line, line + shift * across]))
    windows = np.array([np.roll(np.r_[np.ones(5), np.zeros(35)], min(k, 35)) for k in range(40)])
    measures = wt.localize.Given(np.kron(np.eye(2), windows) / 5)(space)
    exact = wt.Exact(2.0).metric(measures, space.metric).matrix
    i, j = np.triu_indices(space.n, 1)
    assert (LowerBound(measures, space.metric, 2.0).of(i, j) <= exact[i, j] * (1 + 1e-9)).all()


def test_an_outlier_does_not_make_all_pairs_candidates() -> None:
    space = with_outlier()
    log: list[str] = []
    tree = lazy_tree(step(0.25, 1.0), space, wt.Engine(memory=20e6, progress=lambda u: log.append(u.stage)))
    np.testing.assert_allclose(tree.heights, wt.hierarchy.spanning_tree(step(0.25, 1.0)(space)).heights, atol=1e-9)
    assert log


def test_local_metrics_are_refused_where_all_distances_are_needed() -> None:
    space, eps = SPACES["ring"]
    near = wt.transforms.iterate_locally(step(eps, 1.0), space, eps)
    for wrong in (
        lambda: step(eps, 1.0)(near),
        lambda: lazy(step(eps, 1.0), near),
        lambda: wt.wasserstein_pairs(np.eye(near.n)[:3], near, pairs=[[0, 1]]),
    ):
        with pytest.raises(ValueError, match="between all"):
            wrong()


def test_a_point_without_mass_beyond_the_radius_is_no_leaf_of_a_local_tree() -> None:
    space = wt.Space.from_points([[0.0], [1.0], [2.0], [50.0]], [1, 1, 1, 0])
    with pytest.warns(wt.transforms.MasslessWarning):
        near = wt.transforms.iterate_locally(wt.transforms.local_truncation(1.0), space, 2.0)
    with pytest.raises(ValueError, match="2 parts"):
        wt.hierarchy.spanning_tree(near)


def test_lazy_distances_take_a_process_of_one_step() -> None:
    space, eps = SPACES["ring"]
    tree = wt.hierarchy.spanning_tree(lazy(wt.transforms.local_truncation(eps), space))
    np.testing.assert_array_equal(tree.heights, lazy_tree(step(eps, 1.0), space).heights)
    assert repr(solved(tree)).startswith(f"<LazyMetric metric of {space.n} points, ")
