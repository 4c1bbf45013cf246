"""Nearest neighbors and spanning trees without looking at all pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.neighbors import NearestNeighbors

import wasserstein_transform as wt
from wasserstein_transform.compute.neighbors import nearest as nearby
from wasserstein_transform.compute.neighbors.kdtree_jit import MAX_LEAF_SIZE
from wasserstein_transform.compute.neighbors.nearest import grow_tree
from wasserstein_transform.compute.trees.spanning import _boruvka, prim as grow_prim


def gaussians(n: int, m: int, lam: float, rank: int | None = None, seed: int = 0) -> wt.spaces.GaussianMetric:
    rng = np.random.default_rng(seed)
    factors = 0.3 * rng.normal(size=(n, m, rank or m))
    return wt.spaces.GaussianMetric(rng.normal(size=(n, m)), factors @ factors.transpose(0, 2, 1), lam)


def grid(side: int) -> np.ndarray:
    return np.stack(np.meshgrid(np.arange(float(side)), np.arange(float(side))), -1).reshape(-1, 2)


def collapsed(spread: float) -> wt.spaces.GaussianMetric:
    """Five clusters of near duplicates, each with a covariance of its own."""
    rng = np.random.default_rng(3)
    which = rng.integers(0, 5, 400)
    few = gaussians(5, 2, 1.0)
    means = few.means[which] + spread * rng.normal(size=(400, 2))
    return wt.spaces.GaussianMetric(means, few.covs[which] * (1 + spread * rng.random((400, 1, 1))), 1.0)


def random_points(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(300, 2))


METRICS: dict[str, Callable[[], wt.spaces.Metric]] = {
    "plane": lambda: wt.spaces.Euclidean(random_points(0)),
    "line": lambda: wt.spaces.Euclidean(random_points(0)[:, :1]),
    "grid": lambda: wt.spaces.Euclidean(grid(18)),
    "thirds": lambda: wt.spaces.Euclidean(grid(17) / 3),
    "duplicates": lambda: wt.spaces.Euclidean(np.random.default_rng(1).integers(0, 4, (300, 2)).astype(float)),
    "one place": lambda: wt.spaces.Euclidean(np.ones((100, 3))),
    "constant axis": lambda: wt.spaces.Euclidean(random_points(0) * [1, 0]),
    "far away": lambda: wt.spaces.Euclidean(1e8 + random_points(0)),
    "tiny": lambda: wt.spaces.Euclidean(1e-8 * random_points(0)),
    "many axes": lambda: wt.spaces.Euclidean(np.random.default_rng(1).normal(size=(200, 30))),
    "few points": lambda: wt.spaces.Euclidean(random_points(0)[:MAX_LEAF_SIZE]),
    "Gaussians m=1": lambda: gaussians(300, 1, 2.0),
    "Gaussians m=2": lambda: gaussians(300, 2, 2.0),
    "Gaussians m=3": lambda: gaussians(200, 3, 2.0),
    "Gaussians m=10": lambda: gaussians(120, 10, 1.0),
    "singular m=2": lambda: gaussians(300, 2, 2.0, rank=1),
    "singular m=3": lambda: gaussians(200, 3, 2.0, rank=1),
    "singular m=10": lambda: gaussians(120, 10, 1.0, rank=4),
    "large lam": lambda: gaussians(300, 2, 1e4),
    "lam 0": lambda: gaussians(300, 2, 0.0),
    "Gaussians far away": lambda: wt.spaces.GaussianMetric(1e8 + random_points(0), gaussians(300, 2, 1.0).covs, 1.0),
    "large Gaussians": lambda: wt.spaces.GaussianMetric(
        1e8 * random_points(0), 1e16 * gaussians(300, 2, 1.0).covs, 1.0
    ),
    "tiny Gaussians": lambda: wt.spaces.GaussianMetric(
        1e-8 * random_points(0), 1e-16 * gaussians(300, 2, 1.0).covs, 1.0
    ),
    "points as Gaussians": lambda: wt.spaces.GaussianMetric(random_points(0), np.zeros((300, 2, 2)), 1.0),
    "collapsed": lambda: collapsed(1e-9),
    "collapsed to rounding": lambda: collapsed(1e-15),
    "equal Gaussians": lambda: collapsed(0.0),
}
EVERY = pytest.mark.parametrize("make", METRICS.values(), ids=METRICS)
NAMES = pytest.mark.parametrize("name", METRICS)
CLOSE = ("thirds", "collapsed", "collapsed to rounding")  # ties up to rounding: which is nearer is up to the compiler


def boruvka(metric: wt.spaces.Metric, n_jobs: int = -1) -> tuple[np.ndarray, np.ndarray]:
    engine = wt.Engine(n_jobs)
    contraction = metric.contraction()
    assert contraction is not None
    return _boruvka(metric, grow_tree(metric, contraction, engine), np.zeros(metric.n), engine)[:2]


def prim(metric: wt.spaces.Metric, n_jobs: int = -1) -> np.ndarray:
    """Heights of the tree from all pairs, in increasing order."""
    engine = wt.Engine(n_jobs)
    geometry, unit = metric.tree_geometry(engine)
    return np.sort(grow_prim(geometry, metric.n, None, metric.cost, engine).heights) * unit


def rounding_of(metric: wt.spaces.Metric, contraction: np.ndarray | None = None) -> np.ndarray:
    return metric.rounding(metric.contraction() if contraction is None else contraction)


def brute(distances: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k least of each row, of equal ones the first."""
    indices = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, indices, axis=1), indices


def assert_same(
    metric: wt.spaces.Metric, found: tuple[np.ndarray, np.ndarray], true: tuple[np.ndarray, np.ndarray], strict: bool
) -> None:
    """Equal distances up to rounding, from near to far; with `strict` also the same points."""
    distances, indices = found
    contraction = metric.contraction()
    room = 0.0 if contraction is None else 2 * rounding_of(metric, contraction).max()
    np.testing.assert_allclose(distances, true[0], rtol=1e-12, atol=room)
    ties = np.diff(distances, axis=1) == 0
    assert (np.diff(distances, axis=1) >= 0).all()
    assert (np.diff(indices, axis=1)[ties] > 0).all()
    assert all(len(set(row)) == len(row) for row in indices.tolist())
    if strict:
        np.testing.assert_array_equal(indices, true[1])


def others(metric: wt.spaces.Metric, k: int) -> tuple[np.ndarray, np.ndarray]:
    distances = metric.dense().copy()
    np.fill_diagonal(distances, np.inf)
    return brute(distances, k)


@pytest.fixture
def by_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search trees also where there are few points, which are compared one by one otherwise."""
    monkeypatch.setattr(nearby, "_MAX_POINTS_TO_COMPARE", 0)


def test_few_points_have_the_neighbors_that_a_tree_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    for metric in (make() for name, make in METRICS.items() if name not in CLOSE):
        one_by_one = metric.neighbors(7)
        with monkeypatch.context() as patched:
            patched.setattr(nearby, "_MAX_POINTS_TO_COMPARE", 0)
            for few, tree in zip(one_by_one, metric.neighbors(7), strict=True):
                np.testing.assert_array_equal(few, tree)


@pytest.mark.usefixtures("by_trees")
@pytest.mark.repeated(6)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("k", [1, 7, 15])
def test_neighbors_are_those_of_the_full_matrix(name: str, k: int) -> None:
    metric = METRICS[name]()
    found = metric.neighbors(k)
    assert_same(metric, found, others(metric, k), name not in CLOSE)
    own = np.repeat(np.arange(metric.n), k)
    assert (found.indices.ravel() != own).all()
    room = 2 * rounding_of(metric).max()
    apart = metric.pairs(own, found.indices.ravel())
    np.testing.assert_allclose(found.distances.ravel(), apart, rtol=1e-12, atol=room)


@NAMES
def test_neighbors_of_new_points_are_those_of_a_full_block(name: str) -> None:
    metric = METRICS[name]()
    old, new = np.arange(0, metric.n, 2), np.arange(1, metric.n, 2)
    found = metric.take(old).neighbors(5, of=metric.take(new))
    block = metric.take(old).concatenate(metric.take(new)).dense()[len(old) :, : len(old)]
    assert_same(metric, found, brute(block, 5), name not in CLOSE)


@EVERY
def test_shadows_are_never_farther_apart_than_points(make: Callable[[], wt.spaces.Metric]) -> None:
    metric = make()
    contraction = metric.contraction()
    assert contraction is not None
    apart = np.sqrt(((contraction[:, None] - contraction[None]) ** 2).sum(axis=2))
    rounding = rounding_of(metric, contraction)
    assert (apart <= metric.dense() * (1 + 1e-10) + rounding[:, None] + rounding[None]).all()


@pytest.mark.repeated(6)
@EVERY
def test_boruvka_and_prim_agree(make: Callable[[], wt.spaces.Metric]) -> None:
    metric = make()
    contraction = metric.contraction()
    assert contraction is not None
    edges, heights = boruvka(metric)
    room = 2 * rounding_of(metric, contraction).max()  # below it there is no order
    np.testing.assert_allclose(heights, metric.pairs(edges[:, 0], edges[:, 1]), rtol=1e-12, atol=room)
    np.testing.assert_allclose(np.sort(heights), prim(metric), rtol=1e-12, atol=room)
    assert len(set(_parts(metric.n, edges))) == 1


def _parts(n: int, edges: np.ndarray) -> list[int]:
    parts = list(range(n))
    for i, j in edges.tolist():
        parts = [parts[i] if part == parts[j] else part for part in parts]
    return parts


@pytest.mark.usefixtures("by_trees")
@pytest.mark.repeated(6)
@EVERY
def test_nothing_depends_on_the_number_of_threads(make: Callable[[], wt.spaces.Metric]) -> None:
    metric = make()
    for one, two in zip(
        metric.neighbors(3, engine=wt.Engine(1)), metric.neighbors(3, engine=wt.Engine(2)), strict=True
    ):
        np.testing.assert_array_equal(one, two)
    trees = [boruvka(metric, k) for k in (1, 2)]
    for one, two in zip(*trees, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", ["plane", "Gaussians m=2", "Gaussians m=3", "singular m=2"])
def test_shuffled_points_have_the_same_neighbors_and_heights(name: str, rng: np.random.Generator) -> None:
    metric = METRICS[name]()
    order = rng.permutation(metric.n)
    shuffled = metric.take(order)
    np.testing.assert_array_equal(order[shuffled.neighbors(4).indices], metric.neighbors(4).indices[order])
    heights = [np.sort(boruvka(m)[1]) for m in (metric, shuffled)]
    np.testing.assert_allclose(heights[0], heights[1], rtol=1e-12)


coordinates = st.integers(-3, 3).map(float) | st.floats(-1, 1, width=16)
clouds = st.integers(1, 3).flatmap(
    lambda m: st.lists(st.lists(coordinates, min_size=m, max_size=m), min_size=2, max_size=60)
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(clouds, st.integers(1, 59), st.booleans())
def test_any_cloud(points: list[list[float]], k: int, gaussian: bool) -> None:
    X = np.array(points)
    covs = X[:, :, None] * X[:, None, :]
    metric = wt.spaces.GaussianMetric(X[::-1], covs, 1.0) if gaussian else wt.spaces.Euclidean(X)
    k = min(k, metric.n - 1)
    assert_same(metric, metric.neighbors(k), others(metric, k), strict=not gaussian)
    contraction = metric.contraction()
    heights = boruvka(metric, 1)[1]
    room = 2 * rounding_of(metric, contraction).max()
    np.testing.assert_allclose(np.sort(heights), prim(metric, 1), rtol=1e-12, atol=room)


def test_neighbors_are_scikit_learns(rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(500, 3)), rng.normal(size=(40, 3))
    peer = NearestNeighbors(n_neighbors=6).fit(X)
    for ours, theirs in (
        (wt.spaces.Euclidean(X).neighbors(6), peer.kneighbors()),
        (wt.spaces.Euclidean(X).neighbors(6, of=wt.spaces.Euclidean(new)), peer.kneighbors(new)),
    ):
        np.testing.assert_allclose(ours.distances, theirs[0], rtol=1e-12)
        np.testing.assert_array_equal(ours.indices, theirs[1])


def test_stored_distances_have_neighbors_too(rng: np.random.Generator) -> None:
    metric = wt.spaces.Dense(wt.spaces.Euclidean(rng.integers(0, 9, (400, 2)).astype(float)).dense())
    distances, indices = others(metric, 5)
    np.testing.assert_array_equal(metric.neighbors(5).distances, distances)
    np.testing.assert_array_equal(metric.neighbors(5).indices, indices)


def test_a_tree_holds_every_point_once_in_its_box(rng: np.random.Generator) -> None:
    metric = wt.spaces.Euclidean(rng.integers(0, 30, (1000, 3)).astype(float))
    tree = grow_tree(metric, metric.points, wt.Engine())
    assert sorted(tree.order) == list(range(1000))
    np.testing.assert_array_equal(tree.points, metric.points[tree.order])
    for node, (start, end) in enumerate(zip(tree.starts, tree.ends, strict=True)):
        inside = tree.points[start:end]
        np.testing.assert_array_equal(tree.lows[node], inside.min(axis=0))
        np.testing.assert_array_equal(tree.highs[node], inside.max(axis=0))
        assert tree.min_index[node] == tree.order[start:end].min()
        apart = np.linalg.norm(inside - tree.points[(start + end) // 2], axis=1)
        assert apart.max() <= tree.radius[node] * (1 + 1e-12)
    leaves = (tree.ends - tree.starts)[len(tree.starts) // 2 :]
    assert leaves.sum() == 1000
    assert leaves.max() <= MAX_LEAF_SIZE


@pytest.mark.slow
def test_many_duplicates_are_no_work() -> None:
    """Quadratic work on these would take minutes."""
    rng = np.random.default_rng(0)
    few = gaussians(5, 2, 1.0)
    which = rng.integers(0, 5, 40_000)
    for metric in (wt.spaces.Euclidean(few.means[which]), few.take(which)):
        found = metric.neighbors(3)
        assert not found.distances.any()
        first = np.array([np.flatnonzero(which == c)[:4] for c in range(5)])
        expected = [[j for j in first[c] if j != i][:3] for i, c in enumerate(which)]
        np.testing.assert_array_equal(found.indices, expected)
        tree = wt.hierarchy.spanning_tree(wt.Space(metric, np.full(40_000, 1 / 40_000), None))
        few_metric = metric.take(first[:, 0])
        np.testing.assert_allclose(tree.heights[-4:], prim(few_metric), rtol=1e-12)
        assert not tree.heights[:-4].any()
