"""Reports: what they say of each kind of result, and what they do in a real browser."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("bokeh", reason='needs Bokeh (pip install "wasserstein-transform[explore]")')

from explorer.browser import Opened, opened, settle
from explorer.scenes import blobs, scene_of
from explorer.slow_cuts import ball, cut, cut_in_words

import wasserstein_transform as wt
from wasserstein_transform.engine import Engine
from wasserstein_transform.explorer.report import page_of, report
from wasserstein_transform.explorer.results import draw
from wasserstein_transform.explorer.scene import Scene

X = blobs(60)


def _drawn(result: Any) -> Any:
    return draw(result, Engine(1))


@pytest.fixture(scope="module")
def scene() -> Scene:
    rng = np.random.default_rng(0)
    return scene_of(
        X, n_iter=2, truth=rng.integers(3, size=60), labels=rng.integers(-1, 2, size=60), rows=np.arange(60) * 3
    )


@pytest.fixture(scope="module")
def page(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "a page.html"
    path.write_text(page_of(scene, "Blobs $$x^2$$ </script><b>", "<what>", "<p>facts</p>"), encoding="utf-8")
    return path


# What is told of results


def _fitted() -> Any:
    return wt.GaussianTransform(eps=1.0, lam=2.0, n_iter=2).fit(X)


def test_a_fitted_transform_shows_its_states_under_its_metric() -> None:
    fitted = _fitted()
    scene = _drawn(fitted)
    np.testing.assert_allclose(scene.frames[0], X, atol=1e-6)
    np.testing.assert_allclose(scene.frames[2], fitted.points_, atol=1e-6)
    assert (scene.eps, scene.lam, scene.times) == (1.0, 2.0, (0, 1, 2))
    near = np.abs(fitted.distances_ - 1.0) > 1e-9
    for i in (0, 30):
        np.testing.assert_array_equal(ball(scene, 2, i)[near[i]], (fitted.distances_[i] <= 1.0)[near[i]])
    np.testing.assert_allclose(scene.tree.Z, fitted.linkage())


def test_states_that_were_not_kept_are_said() -> None:
    walk = wt.iterate(wt.transforms.gaussian_transform(0.77, 2.0), wt.Space.from_points(X), n_iter=2, keep="all")
    last = _drawn(walk.only_last())
    assert any("not kept" in note for note in last.notes)


def test_many_states_are_thinned_and_said() -> None:
    walk = wt.iterate(wt.transforms.mean_shift(0.05), wt.Space.from_points(X), n_iter=150, keep="all")
    scene = _drawn(walk)
    assert scene.times[0] == 0
    assert scene.times[-1] == 150
    assert len(scene.frames) == 101
    assert "101 of 151 states are drawn, evenly spread" in scene.notes


def test_a_transform_of_any_parts() -> None:
    scene = _drawn(wt.WassersteinTransform(wt.Truncation(1.0), wt.Exact(1)).fit(X[:20]))
    assert scene.covariances is None


def test_denoised_points_and_skeletons() -> None:
    rng = np.random.default_rng(1)
    turn = rng.uniform(0, 2 * np.pi, 300)
    clean = wt.denoise(np.column_stack([np.cos(turn), np.sin(turn)]) + 0.05 * rng.normal(size=(300, 2)), 1)
    scene = _drawn(clean)
    np.testing.assert_allclose(scene.frames[-1], clean.points, atol=1e-6)
    np.testing.assert_array_equal(scene.labels == -1, clean.outliers)
    net = wt.skeleton(clean)
    drawn = _drawn(net)
    assert len(drawn.lines) == len(net.lines)


@pytest.mark.slow
def test_estimators_of_clusters() -> None:
    single, auto = wt.SingleLinkage(3, cut="robust").fit(X), wt.AutoCluster().fit(X)
    for fitted in (single, auto):
        scene = _drawn(fitted)
        np.testing.assert_array_equal(scene.labels, fitted.labels_)


@pytest.mark.parametrize("estimator", [wt.GaussianTransform(), wt.SingleLinkage(), wt.AutoCluster()])
def test_what_is_not_fitted_is_refused(estimator: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"This {type(estimator).__name__} instance is not fitted yet"):
        estimator.report(tmp_path / "x.html")


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"report needs a Trajectory, .* or fitted estimator, got ndarray"):
        report(X, tmp_path / "x.html")
    assert not list(tmp_path.iterdir())


def test_distances_only_and_many_coordinates_have_no_balls() -> None:
    space = wt.Space.from_distances(wt.Space.from_points(X).metric.dense())
    flat = _drawn(wt.LocalTruncation(eps=1.0).fit(space))
    cube = _drawn(wt.GaussianTransform(eps=2.0).fit(np.random.default_rng(0).normal(size=(40, 4))))
    assert not flat.is_planar
    assert not cube.is_planar
    assert cube.axes == ("principal axis 1", "principal axis 2")
    assert any("classical scaling" in note for note in flat.notes)


# The file


def test_a_file_is_replaced_whole_and_its_path_returned(tmp_path: Path) -> None:
    path = tmp_path / "s.html"
    path.write_text("before")
    assert wt.suggest(X).report(str(path), title="Radii <&>") == path
    content = path.read_text(encoding="utf-8")
    assert "Radii &lt;&amp;&gt;" in content
    assert "GaussianTransform(eps=" in content
    assert [found.name for found in tmp_path.iterdir()] == ["s.html"]


def test_where_nothing_can_be_written_nothing_is_computed(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        report(X, tmp_path / "no" / "x.html")  # what comes first is said first
    with pytest.raises(IsADirectoryError):
        _fitted().report(tmp_path)


@pytest.mark.slow
def test_a_page_has_notes_facts_code_and_versions(page: Path) -> None:
    content = page.read_text(encoding="utf-8")
    for said in ("a note", "print(1)", "wasserstein-transform ", "&lt;what&gt;", "<p>facts</p>"):
        assert said in content
    assert "$$x^2$$ &lt;/script&gt;&lt;b&gt;" in content
    assert "mathjax" not in content.split("<body")[0][-2000:].lower()


# In a browser


@pytest.fixture(scope="module")
def seen(chromium: Any, page: Path) -> Any:
    with opened(chromium, page, accept_downloads=True) as shown:
        yield shown
        assert not shown.errors
        assert not shown.requests


def _labels(seen: Opened) -> np.ndarray:
    return np.array(seen.run("Array.from(wassersteinPage.cuts)"))


def _codes(seen: Opened) -> list[float]:
    return list(seen.run("Array.from(wassersteinPage.m.points.data.c)"))


def test_it_loads_and_draws(seen: Opened) -> None:
    inked = seen.run(
        """() => ["cloud", "dendrogram", "scaling", "matrix"].map((name) => {
          const view = Bokeh.index.find_one(wassersteinPage.m[name]), {left, top, width, height} = view.frame.bbox;
          const {ctx, pixel_ratio: r} = view.canvas_view.compose();
          const pixels = ctx.getImageData(left * r, top * r, width * r, height * r).data, colors = new Set();
          for (let k = 0; k < pixels.length; k += 4) if (pixels[k + 3]) colors.add(pixels.slice(k, k + 3).join());
          return colors.size;
        })"""
    )
    assert all(count > 3 for count in inked), inked
    assert seen.run("document.querySelector('h1').textContent") == "Blobs $$x^2$$ </script><b>"


@pytest.mark.slow
def test_dragging_the_cut_colors_as_python_does(seen: Opened, scene: Scene) -> None:
    seen.run("wassersteinPage.m.color_by.value = 'cut'")
    settle(seen)
    before, at = _codes(seen), seen.run("wassersteinPage.m.cut.value")
    low = scene.tree.heights[-2:].mean()  # two parts, the far point one of them
    seen.drag(seen.place("dendrogram", 10, at), seen.place("dendrogram", 10, low))
    settle(seen)
    height = seen.run("wassersteinPage.m.cut.value")
    assert height == pytest.approx(low, rel=0.2)
    assert _codes(seen) != before
    np.testing.assert_array_equal(_labels(seen), cut(scene.tree, height))
    assert seen.run("wassersteinPage.m.said.text") == cut_in_words(cut(scene.tree, height))


def test_the_keyboard_moves_the_cut(seen: Opened, scene: Scene) -> None:
    before = seen.run("wassersteinPage.m.cut.value")
    seen.run(
        "() => Bokeh.index.find_one(wassersteinPage.m.cut).shadow_el.querySelector('.noUi-handle').focus()",
    )
    for _ in range(3):
        seen.page.keyboard.press("ArrowRight")
    settle(seen)
    after = seen.run("wassersteinPage.m.cut.value")
    assert after > before
    assert seen.run("wassersteinPage.m.cut_line.location") == pytest.approx(after)
    np.testing.assert_array_equal(_labels(seen), cut(scene.tree, after))


@pytest.mark.parametrize("way", ["truth", "labels", "one", "cut"])
def test_colors_mean_what_was_chosen(seen: Opened, scene: Scene, way: str) -> None:
    seen.run("(way) => { wassersteinPage.m.color_by.value = way }", way)
    settle(seen)
    known = {"truth": scene.truth, "labels": scene.labels, "one": np.zeros(60), "cut": _labels(seen)}
    np.testing.assert_array_equal(_codes(seen), known[way])


@pytest.mark.parametrize("frame", [0, 1, 2])
def test_hovering_shows_the_ball_that_python_tells(seen: Opened, scene: Scene, frame: int) -> None:
    seen.run("(frame) => { wassersteinPage.m.frame.value = frame }", frame)
    settle(seen)
    place = scene.frames[frame, 20].astype(float)
    x, y = seen.place("cloud", place[0], place[1])
    seen.page.mouse.move(x - 30, y - 30)
    seen.page.mouse.move(x, y)
    settle(seen)
    picked = seen.run("wassersteinPage.picked")
    np.testing.assert_allclose(scene.frames[frame, picked], place, atol=0.05)
    found = np.flatnonzero(ball(scene, frame, picked))
    np.testing.assert_array_equal(seen.run("wassersteinPage.inBall"), found)
    assert f"row {3 * picked}" in seen.run("wassersteinPage.m.tip.text.text")
    assert "2 standard deviations" in seen.run("wassersteinPage.m.caption.text")


def test_the_ellipse_is_that_of_the_gaussian(seen: Opened, scene: Scene) -> None:
    seen.run("() => { wassersteinPage.m.frame.value = 1; wassersteinPage.pick(5) }")
    drawn = np.column_stack(seen.run("[wassersteinPage.m.ellipse.data.x, wassersteinPage.m.ellipse.data.y]"))
    assert scene.covariances is not None
    xx, xy, yy = scene.covariances[1, 5].astype(float)
    off = drawn - scene.frames[1, 5]
    inverse = np.linalg.inv([[xx, xy], [xy, yy]])
    np.testing.assert_allclose(np.sqrt(np.einsum("ki,ij,kj->k", off, inverse, off)), 2, atol=1e-3)


@pytest.mark.slow
def test_play_moves_the_points_and_pause_stops_them(seen: Opened) -> None:
    seen.run("() => { wassersteinPage.m.frame.value = 0 }")
    first = seen.run("Array.from(wassersteinPage.m.points.data.x)")
    seen.page.get_by_role("button", name="play").click()
    seen.page.wait_for_function("wassersteinPage.m.frame.value > 0.2")
    seen.page.get_by_role("button", name="pause").click()
    settle(seen)
    at = seen.run("wassersteinPage.m.frame.value")
    assert seen.run("Array.from(wassersteinPage.m.points.data.x)") != first
    settle(seen)
    assert seen.run("wassersteinPage.m.frame.value") == at


def test_between_frames_points_are_between(seen: Opened, scene: Scene) -> None:
    seen.run("() => { wassersteinPage.m.frame.value = 1.25 }")
    x = seen.run("Array.from(wassersteinPage.m.points.data.x)")
    np.testing.assert_allclose(x, 0.75 * scene.frames[1, :, 0] + 0.25 * scene.frames[2, :, 0], atol=1e-5)


@pytest.mark.parametrize("kind", ["labels", "points"])
def test_labels_and_points_are_taken_along(seen: Opened, scene: Scene, kind: str) -> None:
    seen.run("() => { wassersteinPage.m.frame.value = 2 }")
    with seen.page.expect_download() as started:
        seen.page.get_by_role("button", name=f"{kind} as CSV").click()
    assert started.value.suggested_filename == f"{kind}.csv"
    rows = list(csv.DictReader(io.StringIO(Path(started.value.path()).read_text())))
    assert [int(row["row"]) for row in rows] == scene.rows.tolist()
    np.testing.assert_array_equal([int(row["cut"]) for row in rows], _labels(seen))
    np.testing.assert_array_equal([int(row["found"]) for row in rows], scene.labels)
    np.testing.assert_array_equal([int(row["known"]) for row in rows], scene.truth)
    if kind == "points":
        np.testing.assert_allclose([float(row["x"]) for row in rows], scene.frames[2, :, 0], rtol=1e-12)


def test_controls_have_names_and_can_be_reached(seen: Opened) -> None:
    seen.page.get_by_role("button", name="play").focus()
    assert seen.run("getComputedStyle(document.querySelector('button')).cursor") == "pointer"
    for name in ("Points", "Dendrogram", "Distances"):
        assert seen.page.get_by_role("region", name=name).count() == 1
    assert seen.page.get_by_role("img", name="the dendrogram").count() == 1


@pytest.mark.slow
def test_a_narrow_dark_window_that_wants_no_motion(chromium: Any, page: Path) -> None:
    wishes = {"color_scheme": "dark", "reduced_motion": "reduce", "has_touch": True, "is_mobile": True}
    with opened(chromium, page, width=390, height=844, **wishes) as narrow:
        assert narrow.run("document.documentElement.scrollWidth") <= 390
        assert narrow.run("getComputedStyle(document.body).backgroundColor") == "rgb(14, 15, 18)"
        assert narrow.run("wassersteinPage.m.cloud.below[0].axis_label_text_color").lower() == "#e8e8e8"
        assert narrow.run("wassersteinPage.m.colors.palette[2]") == "#3D9BDC"
        pans = "wassersteinPage.m.cloud.toolbar.tools.filter((tool) => tool.type === 'PanTool' && tool.active).length"
        assert narrow.run(pans) == 0  # fingers scroll the page
        narrow.run("() => { wassersteinPage.m.frame.value = 0; wassersteinPage.m.play.active = true }")
        narrow.page.wait_for_function("wassersteinPage.m.frame.value > 0")
        assert narrow.run("wassersteinPage.m.frame.value") == 1  # whole steps only
        assert not narrow.errors
        assert not narrow.requests


@pytest.mark.slow
def test_a_page_of_clusters_states_one_number_until_the_cut_is_moved(chromium: Any, tmp_path: Path) -> None:
    discs = wt.datasets.dumbbell()
    found = wt.cluster(discs.points)
    with opened(chromium, found.report(tmp_path / "discs.html")) as shown:
        assert shown.run("wassersteinPage.m.color_by.value") == "labels"
        assert f"{found.n_clusters} clusters found" in shown.run("wassersteinPage.m.said.text")
        np.testing.assert_array_equal(_codes(shown), found.labels)
        branches = shown.run("[...new Set(wassersteinPage.m.branches.data.c)].sort()")
        assert set(range(found.n_clusters)) <= set(branches)
        shown.run("() => { wassersteinPage.m.cut.value = 0.9 * wassersteinPage.m.cut.value }")
        settle(shown)
        assert shown.run("wassersteinPage.m.color_by.value") == "cut"
        assert not shown.errors


@pytest.mark.slow
def test_many_points_are_drawn_as_pixels_and_can_be_selected(chromium: Any, tmp_path: Path) -> None:
    places = np.concatenate([np.zeros((3000, 2)), np.ones((3000, 2))]) + np.random.default_rng(0).random((6000, 2)) / 9
    path = tmp_path / "many.html"
    path.write_text(
        page_of(Scene("many", ("x", "y"), places[None], (0,), np.arange(6000), 1.0), "many"), encoding="utf-8"
    )
    with opened(chromium, path) as shown:
        drawn = shown.run("Array.from(wassersteinPage.m.image.data.image[0]).filter((pixel) => pixel).length")
        assert drawn > 1000
        shown.run("() => { wassersteinPage.m.points.selected.indices = [0] }")
        settle(shown)
        pixels = shown.run("[...new Set(wassersteinPage.m.image.data.image[0])].map((pixel) => pixel >>> 24)")
        assert sorted(pixels) == [0, 30, 255]
        assert not shown.errors


@pytest.mark.slow
def test_one_point_and_names_that_look_like_formulas(chromium: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.html"
    odd = Scene("$$1$$", (r"$$\alpha$$", "a,b"), np.zeros((1, 1, 2)), (0,), np.arange(1), 1.0)
    path.write_text(page_of(odd, odd.title), encoding="utf-8")
    with opened(chromium, path) as shown:
        assert not shown.errors
        assert not shown.requests
        assert shown.run("wassersteinPage.csv('points')") == 'row,$$\\alpha$$,"a,b"\n0,0,0\n'
