"""Views: what they show of a scene, and that Python tells what the browser does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("bokeh", reason='needs Bokeh (pip install "wasserstein-transform[explore]")')

from bokeh.core.serialization import Serializer
from bokeh.embed.bundle import bundle_for_objs_and_resources
from bokeh.resources import Resources
from explorer.scenes import blobs, scene_of
from explorer.slow_cuts import ball, cut

import wasserstein_transform as wt
from wasserstein_transform.explorer.distances import first_cut
from wasserstein_transform.explorer.figures import DARK_COLORS, LIGHT_COLORS
from wasserstein_transform.explorer.scene import Scene
from wasserstein_transform.explorer.views import Views


@pytest.fixture(scope="module")
def scene() -> Scene:
    return scene_of(blobs())


def _tree(X: Any) -> wt.hierarchy.Tree:
    return wt.hierarchy.spanning_tree(wt.Space.from_points(X))


def test_the_first_cut_finds_clusters_that_are_apart(scene: Scene) -> None:
    assert scene.tree is not None
    labels = cut(scene.tree, first_cut(scene.tree))
    assert labels.max() == 2
    assert (labels < 0).sum() == 1


@pytest.mark.parametrize("X", [[[0.0], [1.0]], [[0.0], [0.0], [0.0]], [[0.0], [1.0], [2.0], [3.0]]])
def test_where_nothing_is_apart_nothing_is_cut(X: list[list[float]]) -> None:
    tree = _tree(X)
    assert (cut(tree, first_cut(tree)) == 0).all()


def test_balls_are_those_of_the_metric_of_each_frame() -> None:
    X, eps, lam = blobs(60), 0.7, 4.0
    scene = scene_of(X, eps, lam)
    walk = wt.iterate(wt.transforms.gaussian_transform(eps, lam), wt.Space.from_points(X), n_iter=2, keep="all")
    for t, state in enumerate(walk.states):
        distances = state.metric.dense()
        clear = np.abs(distances - eps) > 1e-9  # formulas differ in the last digits
        for i in (0, 17, 59):
            np.testing.assert_array_equal(ball(scene, t, i)[clear[i]], (distances[i] <= eps)[clear[i]])


def test_without_covariances_balls_are_round() -> None:
    X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 0.0]])
    scene = Scene("x", ("x", "y"), X[None], (0,), np.arange(3), 5.0)
    np.testing.assert_array_equal(ball(scene, 0, 0), [True, True, False])
    np.testing.assert_array_equal(ball(scene, 0, 0, eps=4.9), [True, False, False])


def test_balls_are_told_only_where_they_are_known(scene: Scene) -> None:
    still = replace(scene, frames=np.repeat(scene.frames[:1], 3, axis=0), covariances=None)
    assert all(scene.has_balls(t) for t in range(3))
    assert [still.has_balls(t) for t in range(3)] == [True, False, False]  # distances changed, points did not
    assert not replace(scene, is_planar=False).has_balls(0)
    assert not replace(scene, eps=float("nan")).has_balls(0)


def test_colors_can_be_told_apart() -> None:
    assert len(LIGHT_COLORS) == len(DARK_COLORS) == 23
    for colors in (LIGHT_COLORS, DARK_COLORS):
        seen = np.array([[int(color[k : k + 2], 16) for k in (1, 3, 5)] for color in colors[2:9]])
        apart = np.linalg.norm(seen[:, None] - seen, axis=2)
        assert apart[np.triu_indices(7, 1)].min() > 60  # of 441; blue and sky blue were 37 apart on dark ground


@pytest.mark.slow
def test_another_scene_goes_into_the_same_models(scene: Scene) -> None:
    views = Views(scene)
    before = dict(views.models)
    other = scene_of(blobs(25, 4), n_iter=4)
    views.show(other)
    assert views.models == before
    assert len(views.points.frames.data["row"]) == 25
    assert views.points.frame.end == 4
    assert views.points.frame.value == 4  # it was at the end, and still is
    np.testing.assert_array_equal(views.points.frames.data["x4"], other.frames[4, :, 0])
    np.testing.assert_array_equal(views.dendrogram.tree.data["h"], other.tree.heights)  # type: ignore[union-attr]


@pytest.mark.slow
def test_a_frame_in_the_middle_stays(scene: Scene) -> None:
    views = Views(scene)
    views.points.frame.value = 0.5
    views.show(scene_of(blobs(30)))
    assert views.points.frame.value == 0.5


def _unfinished(scene: Scene) -> Scene:
    return replace(scene, tree=None, embedding=None, matrix=None, shown=None)


@pytest.mark.slow
def test_while_the_tree_is_computed_that_before_stays_dimmed(scene: Scene) -> None:
    views = Views(scene)
    views.show(
        _unfinished(replace(scene, frames=scene.frames[:, ::2], rows=scene.rows[::2], covariances=None)),
        is_partial=True,
    )
    assert views.meta.data["is_partial"] == [True]
    assert len(views.points.frames.data["row"]) == 20
    assert len(views.dendrogram.tree.data["h"]) == scene.n - 1
    assert views.dendrogram.card.visible
    views.show(scene)
    assert views.meta.data["is_partial"] == [False]


@pytest.mark.slow
def test_what_is_not_computed_is_not_shown(scene: Scene) -> None:
    views = Views(scene)
    parts = (views.dendrogram, views.scaling, views.heat)
    assert all(part.card.visible for part in parts)
    views.show(replace(_unfinished(scene_of(blobs(20))), title="other"))
    assert not any(part.card.visible for part in parts)
    assert views.points.color_by.value == "one"


@pytest.mark.slow
def test_colors_that_were_chosen_stay(scene: Scene) -> None:
    views = Views(scene)
    assert views.points.color_by.value == "cut"
    views.points.color_by.value = "one"
    views.show(_unfinished(replace(scene, title="other")), is_partial=True)
    views.show(replace(scene, title="other"))
    assert views.points.color_by.value == "one"


@pytest.mark.slow
def test_labels_that_are_found_are_shown_at_once(scene: Scene) -> None:
    views = Views(scene)
    assert views.points.color_by.value == "cut"
    views.show(replace(scene, labels=np.zeros(scene.n, np.intp)))
    assert views.points.color_by.value == "labels"


@pytest.mark.slow
def test_of_a_large_tree_the_top_is_drawn_and_all_of_it_is_cut() -> None:
    X = np.random.default_rng(0).normal(size=(2500, 2))
    views = Views(Scene("large", ("x", "y"), X[None], (0,), np.arange(2500), 0.1, tree=(tree := _tree(X))))
    assert len(views.dendrogram.branches.data["h"]) == 1999
    assert "2,000 highest branches of 2,500" in views.dendrogram.note.text
    assert len(views.dendrogram.tree.data["h"]) == 2499
    drawn = views.dendrogram.branches.data
    np.testing.assert_array_equal(tree.heights[drawn["node"] - 2500], drawn["h"])


_ODD: dict[str, dict[str, Any]] = {
    "one point": {"frames": np.zeros((1, 1, 2))},
    "two points": {"frames": np.array([[[0.0, 0], [1, 1]]]), "tree": _tree([[0.0, 0], [1, 1]])},
    "equal points": {"frames": np.ones((3, 5, 2)), "tree": _tree(np.ones((5, 2)))},
    "huge": {"frames": np.array([[[1e300, 0], [-1e300, 1e300]]])},
    "frames left out": {"frames": np.zeros((2, 4, 2)), "times": (0, 300)},
    "distances unknown": {
        "frames": np.zeros((1, 2, 2)), "matrix": np.array([[0, np.inf], [np.inf, 0]]), "shown": np.arange(2)
    },
}  # fmt: skip


@pytest.mark.slow
def test_odd_scenes_are_shown(scene: Scene) -> None:
    views = Views(scene)
    for name, given in _ODD.items():
        frames = given["frames"]
        odd = Scene(
            name, ("x", "y"), **({"times": tuple(range(len(frames))), "rows": np.arange(frames.shape[1])} | given)
        )
        views.show(odd)
        assert len(views.points.frames.data["row"]) == odd.n, name
        frame = views.points.frame
        assert np.isfinite([frame.start, frame.end, *views.points.corners.data["x"]]).all(), name
        assert views.points.figure.references()
        assert Serializer().serialize(views.points.frames), name


@pytest.mark.slow
def test_names_are_never_taken_for_formulas(scene: Scene) -> None:
    views = Views(replace(scene, title="$$x^2$$", axes=(r"$$\alpha$$", r"\[y\]")))
    files = bundle_for_objs_and_resources([views.layout], Resources(mode="cdn")).js_files
    assert any("bokeh-widgets" in str(file) for file in files)
    assert not any("mathjax" in str(file) for file in files)
