"""The fused step of the Gaussian Transform against loops, its decisions at the edge of balls, and its other paths."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from reference import transforms as slow
from reference.bures import bures

import wasserstein_transform as wt
from wasserstein_transform.compute.neighbors.moments import Neighborhoods, neighborhoods
from wasserstein_transform.compute.neighbors.moments_jit import PROFILES

Array = np.ndarray


def cloud(n: int, m: int, seed: int = 0) -> Array:
    """Points around a curve, unevenly."""
    rng = np.random.default_rng(seed)
    t = rng.random(n) ** 2
    curve = np.stack([np.cos((k + 1) * t) + 0.3 * k * t for k in range(m)], axis=1)
    return np.asarray(curve + 0.05 * rng.normal(size=(n, m)))


DIGITS: dict[bytes, float] = {}


def dcov2(A: Array, B: Array) -> float:
    """With 50 digits where it matters: smooth profiles see what the trace formula loses."""
    key = A.tobytes() + B.tobytes()
    if key not in DIGITS:
        DIGITS[key] = bures(A, B) ** 2
    return DIGITS[key]


def step_by_loops(
    X: Array,
    covs: Array,
    alpha: Array,
    eps: float,
    lam: float,
    profile: Callable[[Array], Array],
    dcov2: Callable[[Array, Array], float] = slow.dcov_squared,
) -> tuple[Array, Array]:
    """Alg. 3 from given covariances, with any profile."""
    D = slow.gaussian_distances(X, covs, lam, dcov2)
    M = slow.localize(D, alpha, eps, lambda t: np.where(t <= 1, profile(t), 0.0))
    moved = M @ X
    return moved, np.array([slow.mean_and_covariance(moved, m)[1] for m in M])


@pytest.mark.repeated(1)
@pytest.mark.parametrize(
    ("m", "profile"),
    # few points in five dimensions have singular covariances, whose distances are known to half the digits only
    [*product((1, 2, 3), ("flat", "epanechnikov", "triangle")), (5, "flat")],
)
@pytest.mark.parametrize("lam", [20.0, 0.3, 1.0])
def test_a_step_is_algorithm_3(m: int, lam: float, profile: str) -> None:
    n = 60 if profile == "flat" else 14
    X, eps = cloud(n, m), 0.5
    alpha = np.random.default_rng(m).random(n)
    space = wt.Space.from_points(X, alpha)
    start = wt.iterate(wt.transforms.gaussian_transform(eps, lam, profile), space, n_iter=0).last
    assert isinstance(start.metric, wt.spaces.GaussianMetric)
    moved = wt.transforms.gaussian_transform(eps, lam, profile).at(0)(start)
    assert isinstance(moved.metric, wt.spaces.GaussianMetric)
    gaps = slow.dcov_squared if profile == "flat" else dcov2
    points, covs = step_by_loops(X, start.metric.covs, space.weights, eps, lam, PROFILES[profile].formula, gaps)
    np.testing.assert_allclose(moved.points, points, rtol=0, atol=1e-12)
    np.testing.assert_allclose(moved.metric.covs, covs, rtol=0, atol=1e-12)


@pytest.mark.repeated(10)
@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1.0, 1e8])
@pytest.mark.parametrize(("m", "ridge"), [(2, None), (2, 1), (3, None), (3, 1)])
def test_a_step_does_not_care_where_and_how_large_the_points_are(
    m: int, ridge: int | None, scale: float, offset: float
) -> None:
    unit = np.ldexp(1.0, int(np.log2(scale)))  # powers of 2: the scaled points are the same numbers
    X = np.round(cloud(300, m) * 2**10) / 2**10  # short numbers: adding 1e8 is exact
    shift = offset * unit
    runs = [
        wt.iterate(
            wt.transforms.gaussian_transform(0.5 * u, 2.0, ridge=ridge), wt.Space.from_points(X * u + s), n_iter=1
        ).last
        for u, s in ((1.0, 0.0), (unit, shift))
    ]
    plain, other = (run.metric for run in runs)
    assert isinstance(plain, wt.spaces.GaussianMetric)
    assert isinstance(other, wt.spaces.GaussianMetric)
    atol = 1e-12 if offset == 0 else 4e-8  # a mean near 1e8 has a spacing of 1.5e-8
    np.testing.assert_allclose((other.means - shift) / unit, plain.means, rtol=0, atol=atol)
    np.testing.assert_allclose(other.covs / unit**2, plain.covs, rtol=0, atol=atol)


KINDS = ("random", "needles", "points", "equal", "mixed", "grid")


def gaussians(kind: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Means and covariances of one kind."""
    X = rng.integers(0, 9, (n, 2)) / 4.0 if kind == "grid" else rng.random((n, 2))
    roots = rng.normal(size=(n, 2, 2)) * 0.3
    covs = roots @ roots.transpose(0, 2, 1)
    if kind == "needles":
        covs = roots[:, :, :1] @ roots[:, :, :1].transpose(0, 2, 1)
    elif kind == "points":
        covs = np.zeros_like(covs)
    elif kind in ("equal", "grid"):
        covs = np.broadcast_to(covs[0], covs.shape)
    elif kind == "mixed":
        covs = covs * 10.0 ** rng.integers(-12, 3, (n, 1, 1))
    return X, np.array(covs)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.sampled_from(KINDS), st.integers(0, 10_000), st.sampled_from([1e-9, 0.1, 1.0, 50.0, 1e6]), st.floats(0.01, 2))
def test_the_fused_pass_sees_the_closed_balls(kind: str, seed: int, lam: float, eps: float) -> None:
    """The decision without a root agrees with distances taken one by one, ties included."""
    rng = np.random.default_rng(seed)
    X, covs = gaussians(kind, 60, rng)
    eps = 0.25 * round(4 * eps + 0.5) if kind == "grid" else eps  # ties
    metric = wt.spaces.GaussianMetric(X, covs, lam)
    counted = neighborhoods(metric, np.ones(60), 0, eps, eps, wt.Engine(1)).means(X).mass
    rows, cols = np.indices((60, 60)).reshape(2, -1)
    D = metric.pairs(rows, cols).reshape(60, 60)
    D[np.diag_indices(60)] = 0.0
    decided = np.abs(D / eps - 1) > 1e-13
    inside = slow.inside(D, eps)
    assert (counted >= (inside & decided).sum(axis=1)).all()
    assert (counted <= (inside | ~decided).sum(axis=1)).all()
    assert (counted == np.diff(metric.balls(eps).indptr)).all() or not decided.all()


@pytest.mark.parametrize("m", [2, 3, 6])
def test_testing_each_pair_once_changes_nothing(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Neighborhoods, "is_expensive", False)  # else pairs are tested once at first
    X = cloud(400, m)
    start = wt.iterate(wt.transforms.gaussian_transform(0.4, 1.0), wt.Space.from_points(X), n_iter=0).last
    seen = neighborhoods(start.metric, start.weights, 0, 0.4, 0.4, wt.Engine())
    again = seen.cached()
    for plain, kept in zip(seen.means_and_covs(X), again.means_and_covs(X), strict=True):
        assert np.array_equal(plain, kept)
    assert np.array_equal(seen.means(X).values, again.means(X).values)
    once = wt.transforms.Process(
        None, wt.Transform(wt.Gaussian(wt.localize.CachedNeighbors(0.4), 1.0, move=True), wt.Bures())
    )
    direct = wt.transforms.Process(None, wt.Transform(wt.Gaussian(wt.Truncation(0.4), 1.0, move=True), wt.Bures()))
    assert np.array_equal(*(wt.iterate(p, start, n_iter=2).points for p in (once, direct)))


def test_a_stored_matrix_gives_the_same_flow() -> None:
    space = wt.Space.from_points(cloud(200, 2))
    lazy = wt.transforms.gaussian_transform(0.4, 1.0)
    parts = wt.Transform(wt.Gaussian(wt.Truncation(0.4), 1.0), wt.transport.Stored(wt.Bures()))
    moving = wt.Transform(wt.Gaussian(wt.Truncation(0.4), 1.0, move=True), wt.transport.Stored(wt.Bures()))
    stored = wt.iterate(wt.transforms.Process(parts, moving), space, n_iter=3).last
    assert isinstance(stored.metric, wt.spaces.Dense)
    assert stored.points is not None
    np.testing.assert_allclose(stored.points, wt.iterate(lazy, space, n_iter=3).points, atol=1e-13)


def test_a_step_has_the_same_bits_on_any_number_of_threads_and_does_not_mind_the_order() -> None:
    X = cloud(3000, 2)
    alpha = np.random.default_rng(1).integers(1, 4, 3000)
    shuffle = np.random.default_rng(2).permutation(3000)

    def run(order: Array, engine: wt.Engine) -> wt.spaces.GaussianMetric:
        space = wt.Space.from_points(X[order], alpha[order])
        metric = wt.iterate(wt.transforms.gaussian_transform(0.2, 1.0), space, n_iter=2, engine=engine).last.metric
        assert isinstance(metric, wt.spaces.GaussianMetric)
        return metric

    one, three, mixed = (run(o, wt.Engine(k)) for o, k in ((np.arange(3000), 1), (np.arange(3000), 3), (shuffle, 2)))
    assert np.array_equal(one.means, three.means)
    assert np.array_equal(one.covs, three.covs)
    # points that meet exactly, with other weights, are summed in the order they came
    np.testing.assert_allclose(mixed.means, one.means[shuffle], rtol=0, atol=1e-15)
    np.testing.assert_allclose(mixed.covs, one.covs[shuffle], rtol=0, atol=1e-15)


MATRICES = {
    "plane": wt.spaces.GaussianMetric(*gaussians("random", 1100, np.random.default_rng(0)), 1.0),
    "equal": wt.spaces.GaussianMetric(*gaussians("equal", 530, np.random.default_rng(0)), 1.0),
    "line": wt.spaces.GaussianMetric(np.arange(40.0)[:, None], np.linspace(0, 1, 40)[:, None, None], 2.0),
    "space": wt.spaces.GaussianMetric(cloud(60, 3), np.tile(np.eye(3), (60, 1, 1)), 1.0),
    "points": wt.spaces.Euclidean(cloud(700, 3)),
    "high": wt.spaces.Euclidean(cloud(90, 7)),
    "stored": wt.spaces.Dense(wt.spaces.Euclidean(cloud(50, 2)).dense()),
}


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", MATRICES)
def test_matrices_are_the_distances_of_pairs(name: str) -> None:
    metric = MATRICES[name]
    rows, cols = np.triu_indices(metric.n, 1)
    pairs = metric.pairs(rows, cols)
    dense = metric.dense()
    np.testing.assert_allclose(dense[rows, cols], pairs, rtol=1e-12)
    assert np.array_equal(dense, dense.T)
    assert (np.diag(dense) == 0).all()
    assert np.array_equal(metric.condensed(), dense[rows, cols])
    assert np.array_equal(metric.dense(dtype=np.float32), dense.astype(np.float32))
    assert np.array_equal(metric.condensed(dtype="float32"), dense[rows, cols].astype(np.float32))
    assert np.array_equal(dense, metric.dense(wt.Engine(1)))


def test_matrices_go_where_they_are_asked_to(tmp_path: Path) -> None:
    metric = MATRICES["plane"]
    dense = metric.dense(dtype=np.float32)
    out = np.empty_like(dense)
    assert metric.dense(dtype=np.float32, out=out) is out
    mapped = metric.dense(dtype=np.float32, out=tmp_path / "all.npy")
    assert isinstance(mapped, np.memmap)
    for matrix in (out, mapped, np.load(tmp_path / "all.npy")):
        assert np.array_equal(matrix, dense)
    vector = metric.condensed(out=str(tmp_path / "pairs.npy"))
    assert np.array_equal(vector, metric.condensed())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.npy", "pairs.npy"]


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    def fail(update: wt.engine.Update) -> None:
        if not update.finished:
            raise KeyboardInterrupt

    np.save(tmp_path / "all.npy", np.arange(3))
    with pytest.raises(KeyboardInterrupt):
        MATRICES["plane"].dense(wt.Engine(2, progress=fail), out=tmp_path / "all.npy")
    assert np.array_equal(np.load(tmp_path / "all.npy"), np.arange(3))  # what was there before
    assert [path.name for path in tmp_path.iterdir()] == ["all.npy"]


def test_matrices_have_the_type_of_what_they_are_written_to() -> None:
    metric = MATRICES["line"]
    assert metric.dense(out=np.empty((40, 40), np.float32)).dtype == np.float32
    assert np.shares_memory(MATRICES["stored"].dense(dtype="float64"), MATRICES["stored"].dense())


def test_merging_costs_less_and_changes_little() -> None:
    X = np.random.default_rng(0).normal(size=(600, 2)) * 0.1 + np.repeat([[0, 0], [3, 0], [0, 3]], 200, axis=0)
    plain = wt.MeanShift(eps=1.0, merge=None).fit(X)
    merged = wt.MeanShift(eps=1.0).fit(X)
    assert np.array_equal(plain.labels_, merged.labels_)
    np.testing.assert_allclose(plain.points_, merged.points_, atol=1e-5)
    assert merged.trajectory_.quotients[-1].space.n == 3
    np.testing.assert_allclose(merged.transform(X), merged.points_, atol=1e-12)


@pytest.mark.slow
def test_many_dimensions_with_thin_neighborhoods() -> None:
    """Fewer neighbors than coordinates: singular covariances of small rank, in 80 dimensions."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(4, 80)), 8, axis=0) + 0.01 * rng.normal(size=(32, 80))
    space = wt.Space.from_points(X)
    start = wt.iterate(wt.transforms.gaussian_transform(1.0, 1.0), space, n_iter=0).last
    assert isinstance(start.metric, wt.spaces.GaussianMetric)
    assert np.linalg.matrix_rank(start.metric.covs[0], tol=1e-10) == 7
    moved = wt.transforms.gaussian_transform(1.0, 1.0).at(0)(start)
    assert isinstance(moved.metric, wt.spaces.GaussianMetric)
    points, covs = step_by_loops(X, start.metric.covs, space.weights, 1.0, 1.0, PROFILES["flat"].formula)
    np.testing.assert_allclose(moved.points, points, rtol=0, atol=1e-12)
    np.testing.assert_allclose(moved.metric.covs, covs, rtol=0, atol=1e-12)


def test_marks_are_not_kept_where_there_is_no_room_for_them() -> None:
    X = cloud(500, 3)
    start = wt.iterate(wt.transforms.gaussian_transform(0.4, 1.0), wt.Space.from_points(X), n_iter=0).last
    step = wt.transforms.gaussian_transform(0.4, 1.0).at(0)
    room = 4 * 8 * 500 * 9.0  # for the covariances alone
    little = step(start, wt.Engine(memory=room))
    assert np.array_equal(little.points, step(start).points)
    with pytest.raises(MemoryError, match="a byte for each"):
        wt.Mean(wt.localize.CachedNeighbors(4.0))(start, wt.Engine(memory=100))


@pytest.mark.parametrize("far", [1e8, 1e10, 1e15])
def test_a_far_point_does_not_cost_others_their_neighbors(far: float) -> None:
    """Neighbors at exactly ε, in cells that are counted from the far point."""
    axis = np.arange(30) * 0.1
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    for process in (wt.transforms.mean_shift(0.3), wt.transforms.gaussian_transform(0.3, 1.0)):
        plain = wt.iterate(process, wt.Space.from_points(grid), n_iter=1).points
        beside = wt.Space.from_points(np.vstack([grid, [[-far, 0.0]]]))
        assert plain is not None
        moved = wt.iterate(process, beside, n_iter=1).points
        assert moved is not None
        np.testing.assert_allclose(moved[:-1], plain, rtol=0, atol=1e-14)


@pytest.mark.parametrize("exponent", [-264, -266, -100, 100, 248, 249])
def test_steps_hold_at_both_ends_of_the_range(exponent: int) -> None:
    unit, rng = 2.0**exponent, np.random.default_rng(0)
    even = rng.random((200, 2))
    uneven = np.vstack([rng.normal(size=(20, 2)) * 2e-7, rng.random((30, 2)) * 0.5 + [0.52, 0]])
    for X, eps, lam in ((even, 0.3, 1.0), (uneven, 0.5, 1e12)):
        plain, scaled = (
            wt.iterate(wt.transforms.gaussian_transform(eps * u, lam), wt.Space.from_points(X * u), n_iter=2).points
            for u in (1.0, unit)
        )
        assert scaled is not None
        np.testing.assert_allclose(scaled / unit, plain, rtol=0, atol=1e-12)


def test_metrics_refuse_numbers_that_are_none_of_their_points() -> None:
    metric = wt.spaces.Euclidean(cloud(10, 2))
    for rows, cols in (([0, 1, 2], [1]), ([0], [1, 2])):
        with pytest.raises(ValueError, match="same length"):
            metric.pairs(rows, cols)  # type: ignore[arg-type]
    for wrong in ([0.5], [True, False], [[0]], 3):
        with pytest.raises(ValueError, match="1-D"):
            metric.block(wrong, [1])  # type: ignore[arg-type]


def test_a_point_that_sees_one_other_has_no_spread() -> None:
    """Only rounding is left of its covariance; none of it may stay beside the diagonal."""
    rng = np.random.default_rng(20)
    X = rng.normal(size=(70, 2))
    space = wt.Space.from_points(np.concatenate([X, X + 0.01]), np.repeat([1.0, 0.0], 70))
    metric = wt.iterate(wt.transforms.gaussian_transform(0.1, 1.0), space, n_iter=0).last.metric
    assert isinstance(metric, wt.spaces.GaussianMetric)
    a, b, c = metric.covs.reshape(-1, 4)[:, [0, 1, 3]].T
    assert (b * b <= a * c * (1 + 1e-15)).all()
    assert np.isfinite(metric.dense()).all()
    rows, cols = np.indices((140, 140)).reshape(2, -1)
    assert np.isfinite(metric.pairs(rows, cols)).all()
