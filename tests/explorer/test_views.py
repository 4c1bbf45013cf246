"""Views: what they show of a scene, and that Python tells what the browser does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

pytest.importorskip("bokeh", reason='needs Bokeh (pip install "wasserstein-transform[explore]")')

from bokeh.core.serialization import Serializer
from bokeh.embed.bundle import bundle_for_objs_and_resources
from bokeh.resources import Resources
from explorer.scenes import blobs, scene_of

import wasserstein_transform as wt
from wasserstein_transform.explorer.scene import Scene
from wasserstein_transform.explorer.views import Views, ball, cut, in_words
from wasserstein_transform.explorer.views.balls import is_known
from wasserstein_transform.explorer.views.cuts import least, start
from wasserstein_transform.explorer.views.neighbors import ticks
from wasserstein_transform.explorer.views.palette import DARK, LIGHT, look


@pytest.fixture(scope="module")
def scene() -> Scene:
    return scene_of(blobs())


def _same(labels: np.ndarray, others: np.ndarray) -> bool:
    pairs = {(int(a), int(b)) for a, b in zip(labels, others, strict=True)}
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@pytest.mark.parametrize("n", [2, 3, 30, 250])
def test_a_cut_is_that_of_scipy_less_what_is_small(n: int) -> None:
    rng = np.random.default_rng(n)
    tree = linkage(np.round(rng.normal(size=(n, 2)), 1), "single")  # ties, and points in one place
    for height in [0.0, *np.quantile(tree[:, 2], [0.2, 0.5, 0.9]), tree[-1, 2], 2 * tree[-1, 2]]:
        labels, parts = cut(tree, height), fcluster(tree, height * (1 + 1e-9), "distance")
        sizes = np.bincount(parts)[parts]
        np.testing.assert_array_equal(labels < 0, sizes < least(n))
        assert _same(labels[labels >= 0], parts[labels >= 0])


def test_clusters_are_numbered_by_size_and_then_by_their_first_point() -> None:
    X = np.array([0.0, 10.0, 20.0, 20.1, 10.1, 0.1, 20.2])[:, None]
    np.testing.assert_array_equal(cut(linkage(X, "single"), 1.0), [1, 2, 0, 0, 2, 1, 0])


def test_a_cut_in_words() -> None:
    assert in_words(np.array([0, 0, 1, -1])) == "2 clusters, 1 point in smaller ones"
    assert in_words(np.array([0, 0])) == "1 cluster"
    assert in_words(np.full(1200, -1)) == "0 clusters, 1,200 points in smaller ones"


def test_the_first_cut_finds_clusters_that_are_apart(scene: Scene) -> None:
    assert scene.tree is not None
    labels = cut(scene.tree, start(scene.tree))
    assert labels.max() == 2
    assert (labels < 0).sum() == 1


@pytest.mark.parametrize("X", [[[0.0], [1.0]], [[0.0], [0.0], [0.0]], [[0.0], [1.0], [2.0], [3.0]]])
def test_where_nothing_is_apart_nothing_is_cut(X: list[list[float]]) -> None:
    tree = linkage(X, "single")
    assert (cut(tree, start(tree)) == 0).all()


def test_balls_are_those_of_the_metric_of_each_frame() -> None:
    X, eps, lam = blobs(60), 0.7, 4.0
    scene = scene_of(X, eps, lam)
    walk = wt.iterate(wt.gaussian_transform(eps, lam), wt.Space.from_points(X), n_iter=2, keep="all")
    for t, state in enumerate(walk.states):
        distances = state.metric.dense()
        clear = np.abs(distances - eps) > 1e-3  # single precision decides nothing nearer to the rim
        for i in (0, 17, 59):
            np.testing.assert_array_equal(ball(scene, t, i)[clear[i]], (distances[i] <= eps)[clear[i]])


def test_without_covariances_balls_are_round() -> None:
    X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 0.0]], np.float32)
    scene = Scene("x", ("x", "y"), X[None], np.arange(3), 5.0)
    np.testing.assert_array_equal(ball(scene, 0, 0), [True, True, False])
    np.testing.assert_array_equal(ball(scene, 0, 0, eps=4.9), [True, False, False])


def test_balls_are_told_only_where_they_are_known(scene: Scene) -> None:
    still = replace(scene, frames=np.repeat(scene.frames[:1], 3, axis=0), covariances=None)
    assert all(is_known(scene, t) for t in range(3))
    assert [is_known(still, t) for t in range(3)] == [True, False, False]  # distances changed, points did not
    assert not is_known(replace(scene, planar=False), 0)
    assert not is_known(replace(scene, eps=float("nan")), 0)


def test_colors_begin_again_and_noise_has_its_own() -> None:
    np.testing.assert_array_equal(look(np.array([-1, 0, 20, 21])), [-1, 0, 20, 0])
    assert len(LIGHT) == len(DARK) == 23
    for colors in (LIGHT, DARK):
        seen = np.array([[int(color[k : k + 2], 16) for k in (1, 3, 5)] for color in colors[2:9]])
        apart = np.linalg.norm(seen[:, None] - seen, axis=2)
        assert apart[np.triu_indices(7, 1)].min() > 60  # of 441; blue and sky blue were 37 apart on dark ground


def test_round_numbers_for_logarithmic_axes() -> None:
    assert ticks(0.9, 11) == [1, 2, 5, 10]
    assert ticks(0.05, 2000) == [0.1, 1, 10, 100, 1000]
    assert 2 <= len(ticks(1e-9, 1e9)) <= 6


@pytest.fixture(scope="module")
def views(scene: Scene) -> Views:
    """To look at; who changes it makes one of his own."""
    return Views(scene)


@pytest.mark.slow
def test_points_and_scaling_share_what_is_selected(views: Views) -> None:
    assert views.points.dots.data_source.selected is views.scaling.dots.data_source.selected
    assert views.points.figure.match_aspect
    assert views.scaling.figure.match_aspect


@pytest.mark.slow
def test_another_scene_goes_into_the_same_models(scene: Scene) -> None:
    views = Views(scene)
    before = dict(views.models)
    other = scene_of(blobs(25, 4), n_iter=4)
    views.show(other)
    assert views.models == before
    assert len(views.points.source.data["x"]) == 25
    assert views.frame.end == 4
    assert views.frame.value == 4  # it was at the end, and still is
    np.testing.assert_array_equal(views.points.frames.data["x4"], other.frames[4, :, 0])
    np.testing.assert_array_equal(views.by_cut(other), cut(other.tree, views.cut.value))


@pytest.mark.slow
def test_a_frame_in_the_middle_stays(scene: Scene) -> None:
    views = Views(scene)
    views.frame.value = 0.5
    views.show(scene_of(blobs(30)))
    assert views.frame.value == 0.5
    middle = (views.points.frames.data["x0"] + views.points.frames.data["x1"]) / 2
    np.testing.assert_allclose(views.points.source.data["x"], middle, atol=1e-6)


@pytest.mark.slow
def test_while_the_tree_is_computed_that_before_stays_dimmed(scene: Scene) -> None:
    views = Views(scene)
    at = views.cut.value
    moved = replace(scene, frames=scene.frames + np.float32(1), tree=None, embedding=None, matrix=None, shown=None)
    views.show(moved)
    assert views.cut.value == at
    assert views.meta.data["is_moving"] == [True]
    assert len(views.dendrogram.tree.data["h"]) == scene.n - 1
    views.show(scene)
    assert views.meta.data["is_moving"] == [False]


@pytest.mark.slow
def test_other_points_begin_without_a_tree(scene: Scene) -> None:
    views = Views(scene)
    views.show(replace(scene_of(blobs(20)), tree=None, embedding=None, matrix=None, shown=None, curve=None))
    assert views.cut.disabled
    assert "not computed yet" in views.heat.note.text
    assert views.color_by.value == "one"


@pytest.mark.slow
def test_a_cut_that_was_chosen_stays_at_its_share_of_the_height(scene: Scene) -> None:
    views = Views(scene)
    views.cut.value = 0.3 * views.cut.end
    views.show(scene_of(5 * blobs(), eps=5.0))
    assert views.cut.value == pytest.approx(0.3 * views.cut.end)


@pytest.mark.slow
def test_labels_are_what_is_colored(scene: Scene) -> None:
    truth, found = np.arange(scene.n) % 4, np.arange(scene.n) % 2 - 1
    views = Views(replace(scene, truth=truth, labels=found))
    for way, labels in (("labels", found), ("truth", truth), ("one", np.zeros(scene.n))):
        views.color_by.value = way
        np.testing.assert_array_equal(views.labels(scene if way == "one" else views._before), labels)


@pytest.mark.slow
def test_colors_that_nobody_chose_come_back_and_those_chosen_stay(scene: Scene) -> None:
    views, bare = Views(scene), replace(scene, title="other", tree=None)
    views.show(bare)
    assert views.color_by.value == "one"
    views.show(replace(scene, title="third"))
    assert views.color_by.value == "cut"
    views.color_by.value = "one"
    views.show(scene)
    assert views.color_by.value == "one"


@pytest.mark.slow
def test_labels_that_are_found_are_shown_at_once(scene: Scene) -> None:
    views = Views(scene, hide=True)
    assert views.color_by.value == "cut"
    views.show(replace(scene, labels=np.zeros(scene.n, np.intp)))
    assert views.color_by.value == "labels"


@pytest.mark.slow
def test_of_a_large_tree_the_top_is_drawn_and_all_of_it_is_cut() -> None:
    X = np.random.default_rng(0).normal(size=(2500, 2)).astype(np.float32)
    tree = linkage(X, "single")
    views = Views(Scene("large", ("x", "y"), X[None], np.arange(2500), 0.1, tree=tree))
    assert len(views.dendrogram.branches.data["h"]) == 1999
    assert "2,000 highest branches of 2,500" in views.dendrogram.note.text
    assert len(views.dendrogram.tree.data["h"]) == 2499
    leaf, height = views.dendrogram.stubs.data["leaf"], views.dendrogram.stubs.data["h"]
    parts = cut(tree, views.cut.value)
    assert len(leaf) == len(height) > 0
    assert len(parts) == 2500


@pytest.mark.slow
def test_the_graphics_card_draws_many_points() -> None:
    X = np.zeros((1, 5001, 2), np.float32)
    scene = Scene("many", ("x", "y"), X, np.arange(5001), 1.0)
    assert Views(scene, hide=True).points.figure.output_backend == "webgl"


@pytest.mark.slow
def test_a_branch_knows_a_leaf_below_it(views: Views, scene: Scene) -> None:
    tree = scene.tree
    assert tree is not None
    for leaf, height in zip(views.dendrogram.branches.data["leaf"], views.dendrogram.branches.data["h"], strict=True):
        parts = fcluster(tree, height * (1 + 1e-12), "distance")
        assert (parts == parts[leaf]).sum() >= 2


_ODD: dict[str, dict[str, Any]] = {
    "one point": {"frames": np.zeros((1, 1, 2), np.float32)},
    "two points": {"frames": np.array([[[0, 0], [1, 1]]], np.float32), "tree": np.array([[0.0, 1.0, 1.4, 2.0]])},
    "equal points": {"frames": np.ones((3, 5, 2), np.float32), "tree": linkage(np.ones((5, 2)), "single")},
    "not finite": {"frames": np.array([[[np.nan, 0], [np.inf, 1], [1, 2]]], np.float32)},
    "nothing finite": {"frames": np.full((2, 3, 2), np.nan, np.float32)},
    "huge": {"frames": np.array([[[1e300, 0], [-1e300, 1e300]]])},
    "frames left out": {"frames": np.zeros((2, 4, 2), np.float32), "taus": (0, 300)},
    "distances unknown": {
        "frames": np.zeros((1, 2, 2), np.float32), "matrix": np.array([[0, np.inf], [np.inf, 0]], np.float32),
        "shown": np.arange(2),
    },
}  # fmt: skip


@pytest.mark.slow
def test_odd_scenes_are_shown(scene: Scene) -> None:
    views = Views(scene)
    for name, given in _ODD.items():
        odd = Scene(name, ("x", "y"), rows=np.arange(given["frames"].shape[1]), eps=0.5, **given)
        views.show(odd)
        assert len(views.points.source.data["x"]) == odd.n, name
        known = [views.frame.start, views.frame.end, views.cut.end, views.radius.start, *views.points.corners.data["x"]]
        assert np.isfinite(known).all(), name
        assert views.points.figure.references()
        assert Serializer().serialize(views.points.source), name


@pytest.mark.slow
def test_names_are_never_taken_for_formulas(scene: Scene) -> None:
    views = Views(replace(scene, title="$$x^2$$", axes=(r"$$\alpha$$", r"\[y\]")))
    files = bundle_for_objs_and_resources([views.layout], Resources(mode="cdn")).js_files
    assert any("bokeh-widgets" in str(file) for file in files)
    assert not any("mathjax" in str(file) for file in files)
