import numpy as np
import pytest
from scipy.spatial.distance import cdist

import wasserstein_transform as wt
from wasserstein_transform.engine import Engine
from wasserstein_transform.explorer.data import BUILT_IN, Choice, Source, built_in, of_source, of_space
from wasserstein_transform.explorer.page import Shown, move_points
from wasserstein_transform.explorer.scene import add_metric
from wasserstein_transform.explorer.settings import ESTIMATORS, Settings

ENGINE = Engine(1)


def _data(X, truth=None):
    return of_space(wt.Space.from_points(X), "X", truth)


def _scene(data, settings):
    shown = move_points(Shown(data, settings), data, ENGINE)
    return add_metric(shown.scene, shown.states[-1], ENGINE), shown.states[-1]


@pytest.mark.parametrize("method", ESTIMATORS)
def test_scenes_hold_the_states_of_the_run(method):
    data = _data(wt.datasets.dumbbell().points[::10])
    settings = Settings(0.5, method, lam=2.0, n_iter=3)
    scene, _ = _scene(data, settings)
    walk = wt.iterate(settings.process(), data.space, n_iter=3, keep="all")
    np.testing.assert_array_equal(scene.frames, [state.points for state in walk.states])
    np.testing.assert_array_equal(scene.tree.Z, wt.hierarchy.linkage(walk.last))
    np.testing.assert_allclose(scene.matrix, walk.last.metric.dense()[np.ix_(scene.shown, scene.shown)], rtol=1e-6)
    assert sorted(scene.shown) == list(range(80))


def test_a_run_goes_on_and_is_cut_short_to_the_same_bits():
    data = _data(wt.datasets.dumbbell().points[::10])
    three, five = (Settings(0.5, n_iter=n) for n in (3, 5))
    short, long = (move_points(Shown(data, settings), data, ENGINE) for settings in (three, five))
    longer = move_points(Shown(data, five, walks=short.walks), data, ENGINE)
    np.testing.assert_array_equal(longer.scene.frames, long.scene.frames)
    shorter = move_points(Shown(data, three, walks=long.walks), data, ENGINE)
    np.testing.assert_array_equal(shorter.scene.frames, short.scene.frames)


def test_covariances_are_seen_along_the_directions_of_the_picture():
    X = np.random.default_rng(0).normal(size=(60, 4)) * [3, 2, 1, 0.1]
    data = _data(X)
    scene, last = _scene(data, Settings(2.0, n_iter=1))
    turn = data.plane.directions
    np.testing.assert_allclose(turn.T @ turn, np.eye(2), atol=1e-12)
    seen = turn.T @ last.metric.covs @ turn
    np.testing.assert_allclose(scene.covariances[-1], seen.reshape(60, 4)[:, [0, 1, 3]], rtol=1e-5, atol=1e-7)
    assert not scene.is_planar
    assert scene.axes == ("principal axis 1", "principal axis 2")


def test_the_embedding_of_some_points_has_their_distances():
    X = np.random.default_rng(1).normal(size=(450, 2))
    scene, _ = _scene(_data(X), Settings(1e-6, "ms", n_iter=0))
    assert len(scene.shown) == 400
    np.testing.assert_allclose(
        cdist(scene.embedding, scene.embedding), cdist(X[scene.shown], X[scene.shown]), atol=1e-9
    )
    np.testing.assert_allclose(scene.embedding, X[scene.shown], atol=1e-9)  # turned as the points


def test_samples_are_said_and_know_their_rows_and_the_plane_of_all():
    data = _data(np.random.default_rng(0).random((5000, 3)), truth=np.arange(5000) % 3)
    few = data.at_most(1000)
    np.testing.assert_array_equal(few.space.points, data.space.points[few.rows])
    np.testing.assert_array_equal(few.truth, few.rows % 3)
    np.testing.assert_array_equal(few.plane.directions, data.plane.directions)
    assert few.notes == ("1,000 of 5,000 points are shown: every 5.0th row",)


@pytest.mark.parametrize("X", [[[1.0, 2.0]], [[1.0], [2.0]], [[1.0, 1.0]] * 5, [[0.0, 0.0], [1.0, 1.0]]])
@pytest.mark.parametrize("method", ESTIMATORS)
def test_few_and_equal_points_have_a_scene(X, method):
    scene, _ = _scene(_data(X), Settings(1.0, method))
    assert scene.frames.shape == (3, len(X), 2)
    assert np.isfinite(scene.frames).all()


def test_distances_alone_are_laid_out_by_scaling():
    X = np.random.default_rng(0).random((30, 2))
    data = of_space(wt.Space.from_distances(cdist(X, X)), "distances")
    scene, _ = _scene(data, Settings(0.3, "lt", n_iter=1))
    np.testing.assert_allclose(cdist(scene.frames[0], scene.frames[0]), cdist(X, X), atol=1e-5)
    np.testing.assert_array_equal(scene.frames[0], scene.frames[1])


@pytest.mark.parametrize("method", ESTIMATORS)
def test_code_of_the_page_computes_what_the_page_shows(method):
    data, settings = built_in("dumbbell"), Settings(0.4, method, lam=2.0, n_iter=2, p=2.0)
    names = {}
    exec(data.code(settings.estimator).replace("points\n", "points[::20]\n"), names)
    shown = wt.iterate(settings.process(), wt.Space.from_points(data.space.points[::20]), n_iter=2).last
    np.testing.assert_array_equal(names["Z"], wt.hierarchy.linkage(shown))


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_sets_are_what_their_code_says(name):
    data = built_in(name)
    names = {"wt": wt}
    exec(data.reading, names)
    np.testing.assert_array_equal(data.space.points, names["X"])


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
