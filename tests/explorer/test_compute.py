import numpy as np
import pytest
from scipy.spatial.distance import cdist

import wasserstein_transform as wt
from wasserstein_transform.engine import Engine
from wasserstein_transform.explorer.compute import add_metric, curve_of, run, scene_of
from wasserstein_transform.explorer.data import BUILT_IN, Choice, Source, of_points, of_source
from wasserstein_transform.explorer.settings import METHODS, Settings

ENGINE = Engine(1)


def _scene(data, settings):
    walk = run(data, settings, ENGINE)
    return add_metric(scene_of(data, settings, walk), walk.last, ENGINE), walk


@pytest.mark.parametrize("method", METHODS)
def test_scenes_hold_the_states_of_the_run(method):
    data = of_points(wt.datasets.dumbbell().points[::10])
    settings = Settings(0.5, method, lam=2.0, n_iter=3)
    scene, _ = _scene(data, settings)
    walk = wt.iterate(settings.process(), data.space, n_iter=3, keep="all")
    assert scene.frames.shape == (4, 80, 2)
    for frame, state in zip(scene.frames, walk.states, strict=True):
        np.testing.assert_array_equal(frame, state.points.astype(np.float32))
    np.testing.assert_array_equal(scene.tree.Z, wt.hierarchy.linkage(walk.last))
    np.testing.assert_allclose(scene.matrix, walk.last.metric.dense()[np.ix_(scene.shown, scene.shown)], rtol=1e-6)
    assert sorted(scene.shown) == list(range(80))


def test_a_run_goes_on_and_is_cut_short_to_the_same_bits():
    data = of_points(wt.datasets.dumbbell().points[::10])
    five = run(data, Settings(0.5, n_iter=5), ENGINE)
    three = run(data, Settings(0.5, n_iter=3), ENGINE)
    longer = run(data, Settings(0.5, n_iter=5), ENGINE, three)
    np.testing.assert_array_equal(longer.points, five.points)
    cut = scene_of(data, Settings(0.5, n_iter=3), run(data, Settings(0.5, n_iter=3), ENGINE, five))
    np.testing.assert_array_equal(cut.frames, scene_of(data, Settings(0.5, n_iter=3), three).frames)


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


def test_points_beyond_the_landmarks_lie_where_classical_scaling_puts_them():
    X = np.random.default_rng(1).normal(size=(450, 2))
    data = of_points(X)
    scene, _ = _scene(data, Settings(1e-6, "ms", n_iter=0))
    np.testing.assert_allclose(cdist(scene.embedding, scene.embedding), cdist(X, X), atol=1e-4)
    assert scene.notes == ("the distances are those of 400 of 450 points, and the scaling relies on them",)


def test_the_curve_counts_the_points_within_each_radius():
    X = wt.datasets.t_junction().points[:150]
    curve = curve_of(of_points(X).space, ENGINE)
    rows = np.unique(np.linspace(0, 149, 100).round().astype(int))
    distances = cdist(X, X)[rows]
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


def test_of_many_points_a_sample_is_embedded():
    X = np.random.default_rng(1).normal(size=(5100, 2))
    scene, _ = _scene(of_points(X), Settings(1e-6, "ms", n_iter=0))
    assert len(scene.embedded) == len(scene.embedding) == 5000
    some, others = X[scene.embedded][:200], X[scene.embedded]
    np.testing.assert_allclose(cdist(scene.embedding[:200], scene.embedding), cdist(some, others), atol=1e-4)


def test_a_sample_is_drawn_in_the_plane_of_all_points():
    X = np.random.default_rng(2).normal(size=(900, 5)) * [5, 4, 3, 2, 1]
    data = of_points(X)
    np.testing.assert_array_equal(data.at_most(30).plane.directions, data.plane.directions)


def test_tables_and_arrays_are_read_as_by_cluster():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    lengths, masses = rng.normal(40, 5, 100), rng.normal(4000, 800, 100)
    table = pandas.DataFrame({"id": np.arange(100), "length_mm": lengths, "mass_g": masses, "sex": ["f", "m"] * 50})
    table.loc[3, "mass_g"] = np.nan
    data = of_source(Source(table), "mine")
    found = wt.cluster(table)
    assert data.columns == ("length_mm", "mass_g")
    np.testing.assert_array_equal(data.space.points, found.space.points[found.features.rows])
    np.testing.assert_array_equal(data.rows, np.delete(np.arange(100), 3))
    X = table.to_numpy()[:, 1:3].astype(float)  # without names, columns are taken for coordinates
    np.testing.assert_array_equal(of_source(Source(X), "X").space.points, np.delete(X, 3, 0))


@pytest.mark.parametrize("scale", ["auto", "standard", "robust", "range", "unit", "none"])
@pytest.mark.parametrize("missing", ["drop", "fill"])
def test_a_choice_is_what_features_does_and_its_code_says(scale, missing, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "mm,g,w\n" + "".join(f"{k % 7 + 1},{1000 + k * k % 90},{k % 3 + 1}\n" for k in range(40)) + ",5,1\n"
    )
    table = wt.read(path)
    choice = Choice(weight="w", scale=scale, missing=missing)
    data = of_source(Source(table), "a.csv", choice)
    asked = None if scale == "none" else scale
    found = wt.tables.features(table.drop(columns="w"), scale=asked, missing=missing, sample_weight=table["w"])
    np.testing.assert_array_equal(data.space.points, found.matrix()[found.rows])
    names = {"wt": wt}
    exec(data.reading.replace("'a.csv'", repr(str(path))), names)
    np.testing.assert_array_equal(names["X"], data.space.points)
    np.testing.assert_allclose(names["weights"] / np.sum(names["weights"]), data.space.weights)
