import numpy as np
import pytest
from scipy.spatial.distance import cdist

import wasserstein_transform as wt
from wasserstein_transform.engine import Engine
from wasserstein_transform.explorer.making import points_of, run
from wasserstein_transform.explorer.seeing import curve_of, seen
from wasserstein_transform.explorer.sets import BUILT_IN, of_points
from wasserstein_transform.explorer.settings import METHODS, Settings

ENGINE = Engine(1)


def _scene(data, settings):
    walk = run(data, settings, ENGINE)
    return seen(points_of(data, settings, walk), walk.last, ENGINE), walk


@pytest.mark.parametrize("method", METHODS)
def test_scenes_hold_the_states_of_the_run(method):
    data = of_points(wt.datasets.dumbbell().points[::10])
    settings = Settings(0.5, method, lam=2.0, n_iter=3)
    scene, _ = _scene(data, settings)
    walk = wt.iterate(settings.process(), data.space, n_iter=3, keep="all")
    assert scene.frames.shape == (4, 80, 2)
    for frame, state in zip(scene.frames, walk.states, strict=True):
        np.testing.assert_array_equal(frame, state.points.astype(np.float32))
    np.testing.assert_array_equal(scene.tree, wt.linkage(walk.last))
    np.testing.assert_allclose(scene.matrix, walk.last.metric.dense()[np.ix_(scene.shown, scene.shown)], rtol=1e-6)
    assert sorted(scene.shown) == list(range(80))


def test_a_run_goes_on_and_is_cut_short_to_the_same_bits():
    data = of_points(wt.datasets.dumbbell().points[::10])
    five = run(data, Settings(0.5, n_iter=5), ENGINE)
    three = run(data, Settings(0.5, n_iter=3), ENGINE)
    longer = run(data, Settings(0.5, n_iter=5), ENGINE, three)
    np.testing.assert_array_equal(longer.points, five.points)
    cut = points_of(data, Settings(0.5, n_iter=3), run(data, Settings(0.5, n_iter=3), ENGINE, five))
    np.testing.assert_array_equal(cut.frames, points_of(data, Settings(0.5, n_iter=3), three).frames)


def test_covariances_are_seen_along_the_directions_of_the_picture():
    X = np.random.default_rng(0).normal(size=(60, 4)) * [3, 2, 1, 0.1]
    data = of_points(X)
    scene, walk = _scene(data, Settings(2.0, n_iter=1))
    turn = data.plane.directions
    np.testing.assert_allclose(turn.T @ turn, np.eye(2), atol=1e-12)
    seen = turn.T @ walk.last.metric.covs @ turn
    np.testing.assert_allclose(scene.covariances[-1], seen.reshape(60, 4)[:, [0, 1, 3]], rtol=1e-5, atol=1e-7)
    assert not scene.planar
    assert scene.axes == ("principal axis 1", "principal axis 2")


def test_points_beyond_the_landmarks_lie_where_classical_scaling_puts_them(monkeypatch):
    monkeypatch.setattr("wasserstein_transform.explorer.seeing._SQUARE", 40)
    X = np.random.default_rng(1).normal(size=(300, 2))
    data = of_points(X)
    scene, _ = _scene(data, Settings(1e-6, "ms", n_iter=0))
    np.testing.assert_allclose(cdist(scene.embedding, scene.embedding), cdist(X, X), atol=1e-4)
    assert scene.notes == ("embedding and distances use 40 of 300 points",)


def test_the_curve_counts_the_points_within_each_radius():
    X = wt.datasets.t_junction().points[:150]
    curve = curve_of(of_points(X).space, ENGINE)
    distances = cdist(X, X)
    wanted = [np.mean(np.count_nonzero(distances <= r * (1 + 1e-12), axis=1)) for r in curve.radii]
    np.testing.assert_allclose(curve.counts, wanted)
    assert curve.suggested == wt.suggest(X).eps


def test_samples_are_said_and_know_their_rows():
    data = of_points(np.random.default_rng(0).random((5000, 2)), truth=np.arange(5000) % 3)
    few = data.at_most(1000)
    assert few.n == 1000
    np.testing.assert_array_equal(few.space.points, data.space.points[few.rows])
    np.testing.assert_array_equal(few.truth, few.rows % 3)
    assert few.notes == ("1,000 of 5,000 points are shown: every 5.0th row",)


@pytest.mark.parametrize("X", [[[1.0, 2.0]], [[1.0], [2.0]], [[1.0, 1.0]] * 5, [[0.0, 0.0], [1.0, 1.0]]])
@pytest.mark.parametrize("method", METHODS)
def test_few_and_equal_points_have_a_scene(X, method):
    data = of_points(X)
    curve = curve_of(data.space, ENGINE)
    assert curve is None or (curve.suggested > 0 and (curve.radii > 0).all())
    scene, _ = _scene(data, Settings(1.0 if curve is None else curve.suggested, method))
    assert scene.frames.shape == (3, len(X), 2)
    assert np.isfinite(scene.frames).all()


def test_distances_alone_are_laid_out_by_scaling():
    X = np.random.default_rng(0).random((30, 2))
    data = of_points(wt.Space.from_distances(cdist(X, X)))
    scene, _ = _scene(data, Settings(0.3, "lt", n_iter=1))
    np.testing.assert_allclose(cdist(scene.frames[0], scene.frames[0]), cdist(X, X), atol=1e-5)
    np.testing.assert_array_equal(scene.frames[0], scene.frames[1])


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_sets_are_what_their_code_says(name):
    data = BUILT_IN[name]()
    names = {"wt": wt}
    exec(data.reading, names)
    np.testing.assert_array_equal(data.space.points, names["X"])
