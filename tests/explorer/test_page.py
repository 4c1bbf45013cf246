"""The live page, in a real browser."""

import csv
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from explorer.browser import Opened, settle
from explorer.slow_cuts import cut

import wasserstein_transform as wt
from wasserstein_transform.explorer.data import built_in, of_space
from wasserstein_transform.explorer.page import MAX_FIRST_POINTS, Page
from wasserstein_transform.explorer.settings import Settings

_READY = "() => window.wtPage && wtPage.answers.some((a) => a.final) && wtPage.queue.answered >= wtPage.queue.sent"
_LIVE = "html[data-ready=yes]"
_PIXELS = """(name) => {
  const drawn = Bokeh.index.find_one(wassersteinPage.m[name]).export("auto", false).canvas;
  const {data} = drawn.getContext("2d").getImageData(0, 0, drawn.width, drawn.height);
  const seen = new Set();
  for (let k = 0; k < data.length; k += 4) if (data[k + 3] > 200) seen.add(`${data[k]},${data[k + 1]},${data[k + 2]}`);
  return seen.size;
}"""


@pytest.fixture(scope="module")
def window(chromium):
    """One window for all tabs: what was loaded once is kept."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000}, accept_downloads=True)
    yield context
    context.close()


@pytest.fixture(scope="module")
def explorer():
    found = wt.explore(wt.datasets.dumbbell().points[::2], wt.datasets.dumbbell().labels[::2], name="mine")
    yield found
    found.stop()


@contextmanager
def tab(window, explorer, query="?data=mine", size=(1400, 1000)):
    """A tab of its own, once it shows something; afterwards no foreign request and no error was seen."""
    seen = Opened(window.new_page())
    try:
        seen.page.set_viewport_size({"width": size[0], "height": size[1]})
        own = (f"http://127.0.0.1:{explorer.port}/", f"ws://127.0.0.1:{explorer.port}/", "data:", "blob:")
        seen.page.on("request", lambda asked: None if asked.url.startswith(own) else seen.requests.append(asked.url))
        seen.page.on(
            "websocket", lambda socket: None if socket.url.startswith(own) else seen.requests.append(socket.url)
        )
        seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
        seen.page.on("console", lambda said: seen.errors.append(said.text) if said.type == "error" else None)
        seen.page.goto(explorer.url + query)
        ready(seen)
        yield seen
        assert not seen.requests
        assert not [error for error in seen.errors if "400 (Bad Request)" not in error]
    finally:
        seen.page.close()


@pytest.fixture(scope="module")
def shared(window, explorer):
    with tab(window, explorer) as found:
        yield found


@pytest.fixture
def seen(shared):
    """One tab for all that need no other, showing the first data set as when it was loaded."""
    n = shared.run("""() => {
      const data = document.getElementById("data");
      data.value = "mine";
      data.dispatchEvent(new Event("change"));
      return wtPage.answers.length;
    }""")
    shared.page.wait_for_function("(n) => wtPage.answers.slice(n).some((a) => a.names && a.final)", arg=n)
    ready(shared)
    return shared


def ready(seen, timeout=60_000):
    seen.page.wait_for_function(_READY, timeout=timeout)
    seen.page.wait_for_selector(_LIVE, timeout=timeout)
    settle(seen)


def _slide(seen, name, value, kind="input"):
    seen.run(
        """([name, value, kind]) => {
          const slider = document.getElementById(name);
          slider.value = value;
          slider.dispatchEvent(new Event(kind));
        }""",
        [name, value, kind],
    )


def _shown(seen):
    return np.array(
        seen.run("() => [Array.from(wassersteinPage.m.points.data.x), Array.from(wassersteinPage.m.points.data.y)]")
    ).T


def _computed(page_x, settings):
    walk = wt.iterate(settings.process(), wt.Space.from_points(page_x), n_iter=settings.n_iter)
    return walk.points


def _last_settings(seen):
    return Settings(**seen.run("() => wtPage.shown"))


@pytest.mark.slow
def test_a_page_shows_the_end_of_the_run_it_says_and_no_canvas_is_blank(seen):
    X = wt.datasets.dumbbell().points[::2]
    settings = _last_settings(seen)
    assert settings.eps == wt.suggest(X).eps
    np.testing.assert_array_equal(_shown(seen), _computed(X, settings))
    for name in ("cloud", "dendrogram", "scaling", "matrix"):
        assert seen.run(_PIXELS, name) > 3, name
    assert "mine" in seen.page.inner_text("#status")
    assert "wt.GaussianTransform(" in seen.page.input_value("#code")


@pytest.mark.slow
def test_points_move_while_a_slider_is_dragged_and_the_rest_when_it_is_released(seen):
    X = wt.datasets.dumbbell().points[::2]
    heights = seen.run("() => Array.from(wassersteinPage.m.tree.data.h)")
    _slide(seen, "lam", 7)
    seen.page.wait_for_function("() => wtPage.shown.lam === 7")
    ready(seen)
    np.testing.assert_array_equal(_shown(seen), _computed(X, _last_settings(seen)))
    assert seen.run("() => Array.from(wassersteinPage.m.tree.data.h)") == heights
    _slide(seen, "lam", 7, "change")
    seen.page.wait_for_function(
        "(h) => wassersteinPage.m.tree.data.h[0] !== h[0] || wassersteinPage.m.tree.data.h.at(-1) !== h.at(-1)",
        arg=heights,
    )
    ready(seen)
    settings = _last_settings(seen)
    walk = wt.iterate(settings.process(), wt.Space.from_points(X), n_iter=settings.n_iter)
    np.testing.assert_allclose(
        seen.run("() => Array.from(wassersteinPage.m.tree.data.h)"), wt.hierarchy.linkage(walk.last)[:, 2]
    )


@pytest.mark.slow
def test_the_cut_colors_all_views_and_play_moves_the_points(seen):
    X = wt.datasets.dumbbell().points[::2]
    settings = _last_settings(seen)
    tree = wt.hierarchy.spanning_tree(
        wt.iterate(settings.process(), wt.Space.from_points(X), n_iter=settings.n_iter).last
    )
    height = float(tree.heights[-2:].mean())
    seen.run("(height) => { wassersteinPage.m.cut.value = height; }", height)
    settle(seen)
    found = cut(tree, height)
    assert seen.run("() => Array.from(wassersteinPage.cuts)") == found.tolist()
    assert seen.run("() => Array.from(wassersteinPage.m.points.data.c)") == found.tolist()
    shown = seen.run("() => Array.from(wassersteinPage.m.scaled.data.point)")
    assert seen.run("() => Array.from(wassersteinPage.m.scaled.data.c)") == found[shown].tolist()
    end = _shown(seen)
    seen.run("() => { wassersteinPage.m.play.active = true; }")
    seen.page.wait_for_function("() => wassersteinPage.m.frame.value > 0 && wassersteinPage.m.frame.value < 1.5")
    assert not np.array_equal(_shown(seen), end)
    seen.run("() => { wassersteinPage.m.play.active = false; wassersteinPage.m.frame.value = 2; }")
    settle(seen)
    np.testing.assert_array_equal(_shown(seen), end)


@pytest.mark.slow
def test_of_many_points_a_sample_is_shown_first_and_then_all(window):
    X = np.random.default_rng(0).normal(size=(3 * MAX_FIRST_POINTS, 2))
    explorer = wt.explore(X, name="many")
    try:
        with tab(window, explorer, "?data=many") as seen:
            states = seen.run("() => wtPage.answers.filter((a) => a.state).map((a) => a.state)")
            assert states[-1] == "15,000 points"
            assert len(_shown(seen)) == 15_000
            n = seen.run("() => wtPage.answers.length")
            _slide(seen, "lam", 3, "change")
            seen.page.wait_for_function("(n) => wtPage.answers.length > n", arg=n)
            ready(seen)
            states = seen.run("(n) => wtPage.answers.slice(n).map((a) => a.state)", n)
            assert states == [
                "5,000 of 15,000 points · computing all 15,000 …", "15,000 points · computing tree and distances …",
                "15,000 points",
            ]  # fmt: skip
            np.testing.assert_array_equal(_shown(seen), _computed(X, _last_settings(seen)))
            _slide(seen, "lam", 5)
            seen.page.wait_for_function("() => wassersteinPage.n === 5000")
            rows = np.array(seen.run("() => Array.from(wassersteinPage.at.row)"))
            np.testing.assert_allclose(_shown(seen), _computed(X[rows], _last_settings(seen)), rtol=1e-12)
            whole = np.array(seen.run("() => Array.from(wassersteinPage.treeCuts)"))
            assert seen.run("() => Array.from(wassersteinPage.cuts)") == whole[rows].tolist()
    finally:
        explorer.stop()


@pytest.mark.slow
def test_of_a_thousand_events_few_are_computed_and_always_the_last(seen):
    before = seen.run("wtPage.answers.length")
    wanted = seen.run("""() => {
      const slider = document.getElementById("eps");
      for (let k = 0; k < 1000; k++) {
        slider.value = 300 + (k * 7) % 400;
        slider.dispatchEvent(new Event("input"));
      }
      return Number(document.getElementById("eps-shown").textContent);
    }""")
    seen.page.wait_for_function("(eps) => wtPage.shown.eps === eps", arg=wanted)
    ready(seen)
    assert 1 <= seen.run("(n) => wtPage.answers.length - n", before) <= 5
    np.testing.assert_array_equal(_shown(seen), _computed(wt.datasets.dumbbell().points[::2], _last_settings(seen)))


@pytest.mark.slow
def test_every_method_and_setting_can_be_reached_by_keys_alone(seen):
    reached = []
    for _ in range(60):
        seen.page.keyboard.press("Tab")
        reached.append(seen.run("() => document.activeElement.id || document.activeElement.tagName"))
    for control in ("data", "file", "method", "eps", "suggest", "lam", "n_iter", "clusters", "save-labels", "copy"):
        assert control in reached
    assert len(set(reached)) < 60  # the way leads on to the views and around, and nothing holds it
    before = seen.run("() => wtPage.shown.n_iter")
    seen.page.focus("#n_iter")
    seen.page.keyboard.press("ArrowRight")
    seen.page.wait_for_function("(n) => wtPage.shown.n_iter === n + 1", arg=before)
    ready(seen)
    outline = seen.run("() => getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


@pytest.mark.slow
def test_a_narrow_window_needs_no_scrolling_to_the_side(window, explorer):
    with tab(window, explorer, size=(390, 844)) as seen:
        assert seen.run("() => document.documentElement.scrollWidth") <= 390
        assert seen.run(_PIXELS, "cloud") > 3


@pytest.mark.slow
def test_two_tabs_do_not_mind_each_other(window, explorer):
    with tab(window, explorer) as one, tab(window, explorer, "?data=spiral&lam=3") as other:
        assert other.run("() => wtPage.shown.lam") == 3
        _slide(one, "lam", 9, "change")
        one.page.wait_for_function("() => wtPage.shown.lam === 9")
        ready(one)
        assert other.run("() => wtPage.shown.lam") == 3
        assert "spiral" in other.page.inner_text("#status")


@pytest.mark.slow
def test_a_page_that_is_loaded_again_shows_what_it_showed(window, explorer):
    with tab(window, explorer) as seen:
        _slide(seen, "lam", 11, "change")
        seen.page.wait_for_function("() => location.search.includes('lam=11')")
        points = _shown(seen)
        seen.page.reload()
        ready(seen)
        assert seen.run("() => wtPage.shown.lam") == 11
        np.testing.assert_array_equal(_shown(seen), points)


@pytest.mark.slow
def test_loading_again_in_the_middle_of_a_computation_ends_it(window, explorer, monkeypatch):
    running, ended = threading.Event(), threading.Event()

    def slow(self, request, engine):
        running.set()
        try:
            while True:
                engine.check()
                time.sleep(0.01)
        finally:
            ended.set()
        yield

    with tab(window, explorer) as seen:
        monkeypatch.setattr(Page, "_cluster", slow)
        seen.page.click("#clusters")
        assert running.wait(10)
        assert "looking for clusters" in seen.page.inner_text("#status")
        monkeypatch.undo()
        seen.page.reload()
        ready(seen)
        assert "mine" in seen.page.inner_text("#status")
        assert ended.wait(30)


@pytest.mark.slow
def test_clusters_are_those_of_the_library(seen):
    seen.page.click("#clusters")
    seen.page.wait_for_function("() => wtPage.answers.some((a) => a.clusters)", timeout=60_000)
    ready(seen)
    found = wt.cluster(wt.datasets.dumbbell().points[::2])
    assert seen.run("() => Array.from(wassersteinPage.at.labels)") == found.labels.tolist()
    assert seen.page.inner_text("#found").startswith(f"{found.n_clusters} clusters, ")


def _saved(seen, button):
    with seen.page.expect_download() as waiting:
        seen.page.click(button)
    return waiting.value


@pytest.mark.slow
def test_labels_points_and_a_snapshot_are_saved(window, seen, tmp_path):
    kept = {}
    for what in ("labels", "points", "page"):
        download = _saved(seen, f"#save-{what}")
        kept[what] = tmp_path / download.suggested_filename
        download.save_as(kept[what])
    assert len(list(csv.DictReader(kept["labels"].read_text().splitlines()))) == 400
    assert len(list(csv.DictReader(kept["points"].read_text().splitlines()))) == 400
    assert kept["page"].stat().st_size > 1_000_000
    offline = Opened(window.new_page())
    offline.page.on("request", lambda asked: offline.requests.append(asked.url))
    offline.page.goto(kept["page"].as_uri())
    offline.page.wait_for_selector(_LIVE)
    np.testing.assert_array_equal(_shown(offline), _shown(seen))
    assert [url for url in offline.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    offline.page.close()


def _choose(seen, name, content):
    seen.page.set_input_files("#file", {"name": name, "mimeType": "application/octet-stream", "buffer": content})


_BAD_FILES = {
    "words.csv": (b"a,b\nc,d\ne,f\n", "“Coordinates” uses them anyway"),
    "picture.csv": (b"\x89PNG\r\n\x1a\n" + bytes(100), "picture.csv"),
    "points.npy": (b"PK\x03\x04" + bytes(50), "points.npy"),
    "broken.csv": (b"x,y\n1,2\n3\n", "line 3"),
    "empty.csv": (b"", "empty"),
}


@pytest.mark.slow
def test_a_file_that_cannot_be_read_is_said_and_nothing_is_lost(seen):
    points = _shown(seen)
    for name, (content, said) in _BAD_FILES.items():
        _choose(seen, name, content)
        seen.page.wait_for_function("(said) => document.getElementById('error').textContent.includes(said)", arg=said)
        np.testing.assert_array_equal(_shown(seen), points)
    _slide(seen, "lam", 2, "change")
    seen.page.wait_for_function("() => wtPage.shown.lam === 2 && document.getElementById('error').hidden")


@pytest.mark.slow
def test_a_file_of_ones_own_is_opened_and_its_columns_are_chosen(seen):
    rows = np.random.default_rng(0).normal(size=(120, 3)).round(3)
    text = "east,north,height,kind\n" + "".join(f"{a},{b},{c},{'uv'[k % 2]}\n" for k, (a, b, c) in enumerate(rows))
    _choose(seen, "mine.csv", text.encode())
    seen.page.wait_for_function("() => document.getElementById('status').textContent.startsWith('mine.csv')")
    ready(seen)
    seen.run("() => { document.getElementById('columns-box').open = true; }")
    seen.page.select_option("#columns", ["east", "north"])
    seen.page.select_option("#label", "kind")
    seen.page.wait_for_function("() => wassersteinPage.about.axes[0] === 'east' && wassersteinPage.at.truth")
    ready(seen)
    assert seen.run("() => Array.from(wassersteinPage.at.truth)") == [k % 2 for k in range(120)]
    np.testing.assert_array_equal(_shown(seen), _computed(rows[:, :2], _last_settings(seen)))
    assert "wt.tables.features(table, ['east', 'north'])" in seen.page.input_value("#code")


@pytest.mark.slow
def test_a_million_rows_are_opened_sampled_and_said(window, explorer, tmp_path):
    rows = np.random.default_rng(0).random((1_000_000, 2))
    np.savetxt(tmp_path / "many.csv", rows, "%.12f", ",", header="x,y", comments="")
    with tab(window, explorer) as seen:
        seen.page.set_input_files("#file", str(tmp_path / "many.csv"))
        opened = "() => document.getElementById('status').textContent.startsWith('many.csv')"
        seen.page.wait_for_function(opened, timeout=120_000)
        ready(seen, 120_000)
        assert "100,000 of 1,000,000 points are shown" in seen.page.inner_text("#notes")
        assert len(_shown(seen)) == 100_000
        assert seen.run(_PIXELS, "cloud") > 3


@pytest.mark.slow
def test_names_with_formulas_and_tags_are_shown_as_they_are(seen):
    content = b"$$\\alpha$$,<img src=x onerror=alert(1)>\n" + b"".join(
        b"%d,%d\n" % (k * k % 11, k * k % 7) for k in range(30)
    )
    _choose(seen, "<b>$$x$$.csv", content)
    seen.page.wait_for_function("() => document.getElementById('status').textContent.startsWith('<b>$$x$$')")
    ready(seen)
    assert seen.run("() => wassersteinPage.about.axes") == ["$$\\alpha$$", "<img src=x onerror=alert(1)>"]
    assert seen.run("() => document.querySelectorAll('img').length") == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    ["?data=cube&n_iter=1&lam=2", "?data=T-junction&method=lt&eps=3&n_iter=1"],
)
def test_balls_that_do_not_follow_from_the_picture_are_asked_for(window, explorer, query):
    cube = np.random.default_rng(0).normal(size=(100, 3))
    explorer.shelf.put("cube", of_space(wt.Space.from_points(cube), "cube"))
    with tab(window, explorer, query) as seen:
        settings = _last_settings(seen)
        X = wt.Space.from_points(cube) if "cube" in query else built_in("T-junction").space
        metric = wt.iterate(settings.process(), X, n_iter=1).last.metric
        for point in (7, 70):
            seen.run("(point) => wassersteinPage.pick(point)", point)
            seen.page.wait_for_function("(point) => wassersteinPage.told?.point === point", arg=point)
            ball = np.flatnonzero(metric.block(np.array([point]), np.arange(X.n))[0] <= settings.eps * (1 + 1e-12))
            assert seen.run("() => wassersteinPage.inBall") == ball.tolist()
            assert len(ball) > 1
