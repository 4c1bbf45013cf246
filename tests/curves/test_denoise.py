from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from curves.shapes import Shape, circle, helix, in_background, saddle, sphere, swiss_roll, torus

import wasserstein_transform as wt
from wasserstein_transform.curves.moving import thinness

NOISY = {
    "circle, little": lambda seed: circle(500, 0.02, seed),
    "circle": lambda seed: circle(500, 0.1, seed),
    "circle, much": lambda seed: circle(500, 0.2, seed),
    "helix": lambda seed: helix(1000, 0.05, seed),
    "sphere": lambda seed: sphere(2000, 0.1, seed),
    "torus": lambda seed: torus(3000, 0.06, seed),
    "swiss roll": lambda seed: swiss_roll(3000, 0.05, seed),
    "saddle": lambda seed: saddle(2000, 0.1, seed),
}
HARDLY = {
    "circle": lambda seed: circle(500, 0.0, seed),
    "circle, 1e-4": lambda seed: circle(500, 1e-4, seed),
    "helix": lambda seed: helix(1000, 0.0, seed),
    "sphere": lambda seed: sphere(2000, 0.0, seed),
    "sphere, 0.01": lambda seed: sphere(2000, 0.01, seed),
    "torus": lambda seed: torus(3000, 0.005, seed),
    "saddle": lambda seed: saddle(2000, 0.005, seed),
}


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", NOISY)
@pytest.mark.parametrize("seed", [3, 4])
def test_the_error_is_halved_where_there_is_noise(name, seed):
    shape: Shape = NOISY[name](seed)
    found = wt.denoise(shape.points)
    assert found.dim == shape.dim
    assert shape.error(found.points) < shape.error(shape.points) / 2


@pytest.mark.repeated(3)
@pytest.mark.parametrize("name", HARDLY)
@pytest.mark.parametrize("seed", [3, 4])
def test_the_error_never_rises_where_there_is_hardly_any(name, seed):
    shape: Shape = HARDLY[name](seed)
    found = wt.denoise(shape.points)
    assert found.dim == shape.dim
    assert shape.error(found.points) <= shape.error(shape.points) + 1e-15


def test_spiral_of_the_datasets():
    for noise in (0.6, 1.2):
        X, _, curve = wt.datasets.spiral(5, n=1200, n_outliers=0, noise=noise)
        found = wt.denoise(X)
        before, after = (np.sqrt(np.mean(curve.distance(points) ** 2)) for points in (X, found.points))
        assert after < before / 2


@pytest.mark.repeated(1)
@pytest.mark.parametrize("shape", [circle(500, 0.05), sphere(2000, 0.05)], ids=["circle", "sphere"])
def test_a_third_of_background_noise(shape):
    X = in_background(shape, 0.3)
    found = wt.denoise(X)
    n = len(shape.points)
    assert found.dim == shape.dim
    assert shape.error(found.points[:n]) < 0.6 * shape.error(X[:n])
    assert found.outliers[:n].mean() < 0.02
    assert found.outliers[n:].mean() > 0.5


def test_many_steps_at_a_large_eps_are_not_taken():
    """At this radius plain ridge steps shrink the circle; the guard, and taking off what is shared, keep it."""
    shape = circle(500, 0.05)
    ridge = wt.iterate(wt.transforms.mean_shift(0.9, ridge=1), wt.Space.from_points(shape.points), n_iter=5)
    found = wt.denoise(shape.points, 1, eps=0.9)
    assert shape.error(ridge.points) > 3 * shape.error(shape.points)
    assert shape.error(found.points) <= shape.error(shape.points)
    assert np.hypot(*found.points.T).mean() == pytest.approx(1, abs=0.03)


def test_the_guard_says_why():
    clean = wt.denoise(sphere(2000, 0.0).points, 2, eps=0.3)
    assert clean.n_iter == 0
    assert "neighbors would move together" in clean.outcome
    assert "which shrinks the shape" in clean.outcome
    noisy = wt.denoise(circle(500, 0.1).points)
    assert noisy.outcome.startswith(f"stopped after {noisy.n_iter} step")
    asked = wt.denoise(sphere(2000, 0.0).points, 2, eps=0.3, n_iter=2)
    assert asked.n_iter == 2
    assert asked.outcome.startswith("ran 2 steps, as requested, although in the next step")


def test_steps_tell_what_happened():
    found = wt.denoise(circle(500, 0.1).points)
    table = found.table
    assert table["step"] == list(range(found.n_iter + 1))
    assert table["across"][0] > 2 * table["across"][-1]
    assert min(table["extent"]) > 0.95


@pytest.mark.slow
def test_many_coordinates_are_turned_into_few_axes():
    """Points that nearly lie in 8 of 50 dimensions move as those 8 coordinates do, and have 32 axes."""
    rng = np.random.default_rng(0)
    few = np.column_stack([circle(150, 0.05).points, rng.normal(scale=0.05, size=(150, 6))])
    turn = np.linalg.qr(rng.normal(size=(50, 8)))[0].T
    many = few @ turn + rng.normal(scale=1e-10, size=(150, 50))  # they span all 50 dimensions
    asked = {"dim": 1, "eps": 0.6, "n_iter": 2, "trust": 0.0}
    plain, found = wt.denoise(few, **asked), wt.denoise(many + 3.0, **asked)
    assert found.points == pytest.approx(plain.points @ turn + 3.0, abs=1e-8)
    assert found.axes.shape == (150, 50, 32)
    assert found.variances[:, :8] == pytest.approx(plain.variances, abs=1e-9)
    along = np.einsum("ia,ia->i", found.tangents[:, :, 0], plain.tangents[:, :, 0] @ turn)
    assert np.abs(along) == pytest.approx(1)
    assert found.table["across"] == pytest.approx((np.array(plain.table["across"]) * np.sqrt(7 / 49)).tolist())
    assert "among the 32 widest" in found.reason
    stretch = np.linspace(1.0, 2.0, 50)
    stretched = wt.denoise(many * stretch, scale=stretch, **asked)
    assert stretched.points == pytest.approx((plain.points @ turn) * stretch, abs=1e-8)
    assert np.einsum("iak,ial->ikl", stretched.axes, stretched.axes) == pytest.approx(np.stack([np.eye(32)] * 150))


@pytest.mark.repeated(1)
@pytest.mark.parametrize("m", [3, 50])
def test_points_are_denoised_in_the_dimension_that_they_span(m):
    """A plane curve in R^m is moved as in the plane; there is no variance across the plane, but there are axes."""
    X = circle(300, 0.05).points
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(m, 2)))[0].T
    plain, found = wt.denoise(X), wt.denoise(X @ turn + 0.3)
    r = min(m, 32)
    assert (found.dim, found.n_iter, found.sigma) == (plain.dim, plain.n_iter, pytest.approx(plain.sigma))
    assert found.points == pytest.approx(plain.points @ turn + 0.3, abs=1e-12)
    assert found.variances == pytest.approx(np.pad(plain.variances, ((0, 0), (0, r - 2))), abs=1e-12)
    assert found.axes.shape == (300, m, r)
    assert np.einsum("iak,ial->ikl", found.axes, found.axes) == pytest.approx(np.stack([np.eye(r)] * 300))
    assert turn @ found.axes[:, :, 2:] == pytest.approx(np.zeros((300, 2, r - 2)))
    assert len(wt.skeleton(found).edges) == len(wt.skeleton(plain).edges)


def test_a_constant_column_changes_no_bit():
    X, rows = circle(300, 0.05).points, np.arange(300)
    plain = wt.denoise(X)
    for column in (np.zeros(300), np.full(300, 0.1)):
        found = wt.denoise(np.column_stack([X[:, 0], column, X[:, 1]]))
        assert np.array_equal(found.points[:, [0, 2]], plain.points)
        assert np.array_equal(found.points[:, 1], column)
        assert found.dim == plain.dim
        assert found.reason == plain.reason
        assert np.array_equal(wt.skeleton(found).edges, wt.skeleton(plain).edges)
    off = np.vstack([np.column_stack([X, 0 * rows]), [[1.2, 0.0, 0.5]]])  # a point without mass is no reason to leave
    found = wt.denoise(off, sample_weight=np.append(np.ones(300), 0.0))
    assert found.points[:300, :2] == pytest.approx(plain.points, abs=1e-12)
    assert found.points[300, 2] == 0.5


MOTIONS = {
    "turned": (lambda x: x @ TURN.T, lambda x: x @ TURN),
    "larger": (lambda x: 1e9 * x, lambda x: x / 1e9),
    "far away": (lambda x: x + 1e3, lambda x: x - 1e3),
}
TURN = np.array([[0.6, -0.8], [0.8, 0.6]])


@pytest.mark.repeated(2)
@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("grid", [0.0, 0.05], ids=["anywhere", "on a grid"])
def test_denoising_commutes_with_motions(motion, grid):
    """Rounding decides nothing: neither which of 500 points are looked at, nor which neighbors at one distance."""
    X = circle(500, 0.1).points
    X = grid * np.round(X / grid) if grid else X
    there, back = MOTIONS[motion]
    assert back(wt.denoise(there(X)).points) == pytest.approx(wt.denoise(X).points, abs=1e-9)


@pytest.mark.slow
def test_a_circle_in_a_hundred_dimensions():
    rng = np.random.default_rng(1)
    clean = circle(1000, 0.0).points @ np.linalg.qr(rng.normal(size=(100, 2)))[0].T
    found = wt.denoise(clean + rng.normal(scale=0.01, size=clean.shape))
    assert found.dim == 1
    assert np.linalg.norm(found.points - clean, axis=1).mean() < 0.03  # 0.1 before


@pytest.mark.slow
def test_tangents_and_normals_of_a_circle_and_a_sphere():
    ring, ball = circle(500, 0.05), sphere(2000, 0.05)
    found = wt.denoise(ring.points)
    assert found.tangents.shape == (500, 2, 1)
    assert found.normals.shape == (500, 2, 1)
    outward = found.points / np.linalg.norm(found.points, axis=1, keepdims=True)
    assert np.median(np.abs(np.einsum("ia,ia->i", found.normals[:, :, 0], outward))) > 0.99
    assert np.median(np.abs(np.einsum("ia,ia->i", found.tangents[:, :, 0], outward))) < 0.15
    found = wt.denoise(ball.points)
    assert found.tangents.shape == (2000, 3, 2)
    outward = found.points / np.linalg.norm(found.points, axis=1, keepdims=True)
    assert np.median(np.abs(np.einsum("ia,ia->i", found.normals[:, :, 0], outward))) > 0.98
    assert np.mean(found.local_dim == 2) > 0.8


def test_a_crossing_has_two_directions():
    rng = np.random.default_rng(0)
    at = rng.uniform(-1, 1, 800)
    X = np.where((np.arange(800) % 2 == 0)[:, None], np.column_stack([at, 0 * at]), np.column_stack([0 * at, at]))
    found = wt.denoise(X + rng.normal(scale=0.02, size=X.shape), 1)
    near = np.linalg.norm(found.points, axis=1) < 0.03
    far = np.linalg.norm(found.points, axis=1) > 0.3
    assert np.mean(found.local_dim[near] == 2) > 0.8
    assert np.mean(found.local_dim[far] == 1) > 0.95


def test_moved_is_the_distance():
    found = wt.denoise(circle(300, 0.1).points)
    assert found.moved == pytest.approx(np.linalg.norm(found.points - found.before, axis=1))
    assert found.moved.max() > 0.1


def test_weight_k_is_k_copies():
    shape = circle(300, 0.1)
    copies = np.random.default_rng(0).integers(1, 4, 300)
    weighted = wt.denoise(shape.points, sample_weight=copies)
    repeated = wt.denoise(np.repeat(shape.points, copies, axis=0))
    assert weighted.eps == pytest.approx(repeated.eps)
    first = np.append(0, np.cumsum(copies)[:-1])
    assert repeated.points[first] == pytest.approx(weighted.points, abs=1e-9)


def test_the_order_of_rows_and_the_number_of_threads_change_no_bit():
    X = circle(400, 0.1).points
    order = np.random.default_rng(0).permutation(400)
    found, shuffled = wt.denoise(X), wt.denoise(X[order], n_jobs=2)
    assert np.array_equal(found.points[order], shuffled.points)
    assert np.array_equal(found.outliers[order], shuffled.outliers)


def test_duplicates_change_little():
    X = circle(400, 0.1).points
    found = wt.denoise(np.concatenate([X, X, X]))
    assert found.points[:400] == pytest.approx(wt.denoise(X).points, abs=1e-9)


def test_who_sees_few_others_stays():
    shape = circle(500, 0.1)
    lonely = np.array([[1.7, 0.0]])
    X = np.concatenate([shape.points, lonely])
    found, all_the_way = (wt.denoise(X, 1, eps=0.6, trust=trust) for trust in (6.5, 0.0))
    assert found.evidence[-1] < 3
    assert found.moved[-1] < 0.2 * all_the_way.moved[-1]
    assert np.median(found.moved) > 0.9 * np.median(all_the_way.moved)
    assert np.allclose(wt.denoise(X, 1, eps=0.6, trust=1e9).points, X)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("seed", [3, 4, 5])
def test_few_neighbors_suffice_where_the_shape_is_thin(seed):
    assert thinness(0.2, 0.6, 2) == 1
    assert thinness(0.01, 0.6, 2) == pytest.approx(thinness(0.02, 0.6, 2) / 2)
    shape = sphere(2000, 0.01, seed)
    assert shape.error(wt.denoise(shape.points).points) < shape.error(shape.points) / 2


def test_points_without_mass_follow():
    X = circle(400, 0.1).points
    found = wt.denoise(np.vstack([X, [[1.2, 0.0]]]), sample_weight=[1.0] * 400 + [0.0])
    assert found.points[:400] == pytest.approx(wt.denoise(X).points, abs=1e-9)
    assert abs(np.hypot(*found.points[400]) - 1) < 0.1


@pytest.mark.slow
def test_scale_is_a_length_for_each_axis():
    shape = sphere(2000, 0.05)
    stretch = np.array([1.0, 1.0, 0.1])
    found = wt.denoise(shape.points * stretch, 2, scale=stretch)
    plain = wt.denoise(shape.points, 2)
    assert found.points == pytest.approx(plain.points * stretch, abs=1e-9)
    normals = found.normals[:, :, 0]
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1)
    flat = np.abs(shape.points[:, 2]) > 0.9
    assert np.median(np.abs(normals[flat, 2])) > 0.99


@pytest.mark.slow
def test_modes_are_those_of_mean_shift():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(scale=0.3, size=(100, 2)), rng.normal(scale=0.3, size=(100, 2)) + 5])
    found = wt.denoise(X, 0, eps=2.0)
    space = wt.Space.from_points(X[np.lexsort(X.T[::-1])])
    walk = wt.iterate(wt.transforms.mean_shift(2.0, "epanechnikov"), space, n_iter=found.n_iter)
    assert found.points[np.lexsort(X.T[::-1])] == pytest.approx(walk.points)
    assert len(np.unique(found.points.round(1), axis=0)) == 2
    assert wt.denoise(X, 0).dim == 0


def test_a_gt_ball_keeps_crossing_lines_apart():
    shape = circle(500, 0.1)
    found = wt.denoise(shape.points, lam=1.0)
    assert shape.error(found.points) < shape.error(shape.points) / 2
    assert not np.array_equal(found.points, wt.denoise(shape.points).points)


@pytest.mark.slow
def test_the_order_of_tracks_keeps_crossing_streets_apart():
    X, trips, curve = wt.datasets.streets(1, n_trips=120)
    plain, tracked = wt.denoise(X), wt.denoise(X, order=trips)
    before = np.sqrt(np.mean(curve.distance(X) ** 2))
    for found in (plain, tracked):
        assert np.sqrt(np.mean(curve.distance(found.points) ** 2)) < 0.75 * before
        assert curve.coverage(found.points, 15.0) > 0.97 * curve.coverage(X, 15.0)
    assert not np.array_equal(plain.points, tracked.points)
    times = np.concatenate([np.arange(count) for count in np.bincount(trips)])
    shuffled = np.random.default_rng(0).permutation(len(X))
    again = wt.denoise(X[shuffled], order=(trips[shuffled], times[shuffled]))
    assert again.points == pytest.approx(tracked.points[shuffled])


@pytest.mark.parametrize(
    "X",
    [
        [[1.0, 2.0]],
        [[1.0, 2.0], [3.0, 4.0]],
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
        np.zeros((50, 2)),
        np.arange(20.0)[:, None],
        np.column_stack([np.arange(50.0), 2 * np.arange(50.0)]),
        np.repeat([[0.0, 0.0], [1.0, 1.0]], 30, axis=0),
    ],
    ids=["one", "two", "three", "constant", "on a line of numbers", "collinear", "two places"],
)
def test_what_has_no_noise_stays(X):
    found = wt.denoise(X)
    assert np.array_equal(found.points, X)
    assert found.n_iter == 0
    assert found.outcome.startswith("nothing was moved: ")
    for dim in range(1, len(X[0]) + 1):
        assert np.array_equal(wt.denoise(X, dim).points, X)


def test_a_cloud_without_a_shape_stays():
    X = np.random.default_rng(0).normal(size=(1000, 2))
    found = wt.denoise(X)
    assert np.array_equal(found.points, X)
    assert found.dim == 2
    assert "dim=0 finds modes" in found.outcome


def test_the_result_shows_itself():
    found = wt.denoise(circle(300, 0.1).points)
    assert repr(found).startswith("<Denoised: 300 points, curves, eps=")
    assert found.outcome.split(":")[0] in found._repr_html_()
    frame = found.to_pandas()
    assert list(frame.columns) == ["x0", "x1", "x0_moved", "x1_moved", "moved", "outlier", "local_dim", "evidence"]
    assert len(frame) == 300
    with pytest.raises(FrozenInstanceError):
        found.eps = 1.0


def test_the_result_draws_itself():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    for shape in (circle(300, 0.1), sphere(500, 0.1)):
        (ax,) = wt.denoise(shape.points, shape.dim).plot(title="before and after").axes
        assert len(ax.collections) == 2
    flat, deep = wt.plotting.panels()[1], wt.plotting.panels(dim=3)[1]
    ball = wt.denoise(sphere(500, 0.1).points, 2)
    assert wt.plotting.denoised(ball, deep) is deep
    with pytest.raises(ValueError, match="needs 3-D Axes"):
        wt.plotting.denoised(ball, flat)
