"""Pictures show what they say they show."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import wasserstein_transform as wt
from wasserstein_transform import plotting

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.colors import to_hex, to_rgba  # noqa: E402

DRAW = {
    "cloud": plotting.cloud,
    "mds": lambda X, **ax: plotting.mds(wt.Space.from_points(X), **ax),
    "dendrogram": lambda X, **ax: plotting.dendrogram(wt.hierarchy.spanning_tree(wt.Space.from_points(X)), **ax),
    "suggestion": lambda X, **ax: plotting.suggestion(wt.suggest(X), **ax),
    "clustering": lambda X, **ax: plotting.clustering(wt.cluster(X), **ax),
    "segmentation": lambda X, **ax: plotting.segmentation(X, np.arange(X.size).reshape(X.shape), **ax),
}


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    settings = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == settings
    plt.close("all")


@pytest.fixture
def ax() -> mpl.axes.Axes:
    return plotting.panels()[1]


@pytest.fixture
def flow(cloud: np.ndarray) -> wt.transforms.Trajectory:
    return wt.iterate(wt.transforms.mean_shift(0.7), wt.Space.from_points(cloud), n_iter=3, keep="all")


# everything that draws


@pytest.mark.repeated(2)
@pytest.mark.parametrize("name", DRAW)
def test_axes_of_a_bare_figure_are_drawn_into_and_returned(
    name: str, ax: mpl.axes.Axes, cloud: np.ndarray, tmp_path: Path
) -> None:
    assert DRAW[name](cloud, ax=ax) is ax
    assert ax.has_data()
    assert plt.get_fignums() == []
    ax.figure.savefig(tmp_path / "picture.pdf")


@pytest.mark.parametrize("name", DRAW)
def test_without_axes_a_new_figure_is_made(name: str, cloud: np.ndarray) -> None:
    before = DRAW[name](cloud)
    assert DRAW[name](cloud).figure is not before.figure
    assert len(plt.get_fignums()) == 2


@pytest.mark.parametrize("name", DRAW)
def test_what_is_no_axes_is_refused(name: str, cloud: np.ndarray) -> None:
    with pytest.raises(TypeError, match="ax must be"):
        DRAW[name](cloud, ax=plotting.panels()[0])
    with pytest.raises(ValueError, match="2-D Axes"):
        DRAW[name](cloud, ax=plotting.panels(dim=3)[1])


@pytest.mark.parametrize("name", DRAW)
def test_without_matplotlib_it_says_how_to_get_it(
    name: str, cloud: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "wasserstein-transform\[plot\]"'):
        DRAW[name](cloud)


def test_panels_and_walks_too_say_how_to_get_matplotlib(
    flow: wt.transforms.Trajectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"\[plot\]"):
        plotting.panels()
    with pytest.raises(ImportError, match=r"\[plot\]"):
        plotting.walk(flow)
    assert plotting.embedding.embed([[0.0, 1.0], [1.0, 0.0]]).explained == 1  # numbers need none


# colors


def test_labels_choose_colors_and_noise_is_grey() -> None:
    assert [plotting.color(k) for k in range(-1, 7)] == [plotting.style.GRAY, *plotting.style.PALETTE]
    assert len({plotting.color(k) for k in range(21)}) == 21
    assert plotting.color(22) == plotting.color(1)


def _colors(ax: mpl.axes.Axes, points: np.ndarray) -> list[str]:
    """The color in which each point is drawn."""
    dots = ax.collections[0]
    drawn = {tuple(place): to_hex(face) for place, face in zip(dots.get_offsets(), dots.get_facecolors(), strict=True)}
    return [drawn[tuple(point)].upper() for point in points]


def test_points_have_the_colors_of_their_labels(ax: mpl.axes.Axes, rng: np.random.Generator) -> None:
    points, labels = rng.normal(size=(40, 2)), rng.integers(-1, 9, 40)
    plotting.cloud(points, labels, ax=ax)
    assert _colors(ax, points) == [plotting.color(k) for k in labels]
    assert to_hex(ax.collections[0].get_facecolors()[0]).upper() == plotting.style.GRAY  # noise lies below


@pytest.mark.parametrize(
    ("labels", "colors", "expected"),
    [
        (["b", "a", "b"], None, [plotting.color(1), plotting.color(0), plotting.color(1)]),
        ([2.0, 0.0, -1.0], None, [plotting.color(2), plotting.color(0), plotting.style.GRAY]),
        ([True, False, True], None, [plotting.color(1), plotting.color(0), plotting.color(1)]),
        (["b", "a", "b"], {"a": "#FF0000", "b": "#00FF00"}, ["#00FF00", "#FF0000", "#00FF00"]),
        (None, "#FF0000", ["#FF0000"] * 3),
    ],
)
def test_other_labels_and_other_colors(ax: mpl.axes.Axes, labels: object, colors: object, expected: list[str]) -> None:
    points = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 5.0]])
    plotting.cloud(points, labels, colors=colors, ax=ax)
    assert _colors(ax, points) == expected


# clouds and walks


def test_a_space_a_trajectory_and_an_estimator_are_drawn_where_their_points_are(cloud: np.ndarray) -> None:
    space = wt.Space.from_points(cloud)
    fitted = wt.GaussianTransform(eps=0.7, n_iter=1).fit(cloud)
    for shown, points in (
        (space, cloud),
        (fitted, fitted.trajectory_.points),
        (fitted.trajectory_, fitted.trajectory_.points),
    ):
        np.testing.assert_array_equal(plotting.cloud(shown).collections[0].get_offsets(), points)


def test_a_line_lies_at_zero_and_many_points_are_pixels(ax: mpl.axes.Axes) -> None:
    plotting.cloud(np.arange(6000.0)[:, None], ax=ax)
    dots = ax.collections[0]
    np.testing.assert_array_equal(dots.get_offsets(), np.column_stack([np.arange(6000), np.zeros(6000)]))
    assert dots.get_rasterized()


def test_dimensions_need_their_axes(ax: mpl.axes.Axes, rng: np.random.Generator) -> None:
    solid = rng.normal(size=(10, 3))
    assert plotting.cloud(solid).name == "3d"
    with pytest.raises(ValueError, match="needs 3-D"):
        plotting.cloud(solid, ax=ax)


def test_a_walk_shows_all_states_in_the_same_limits(flow: wt.transforms.Trajectory) -> None:
    panels = plotting.walk(flow)
    assert [ax.get_title(loc="left") for ax in panels] == ["τ = 0", "τ = 1", "τ = 2", "τ = 3"]
    for ax, state in zip(panels, flow.states, strict=True):
        np.testing.assert_array_equal(ax.collections[0].get_offsets(), state.points)
        assert (ax.get_xlim(), ax.get_ylim()) == (panels[0].get_xlim(), panels[0].get_ylim())
        assert ax.viewLim.x0 < state.points[:, 0].min()


def test_long_walks_are_thinned_and_solid_ones_drawn(rng: np.random.Generator) -> None:
    space = wt.Space.from_points(rng.normal(size=(20, 3)))
    long = wt.iterate(wt.transforms.mean_shift(0.5), space, n_iter=11, keep="all")
    panels = plotting.walk(long)
    assert [ax.get_title(loc="left") for ax in panels][:: len(panels) - 1] == ["τ = 0", "τ = 11"]
    assert len(panels) == 6
    assert {ax.name for ax in panels} == {"3d"}


# embeddings


def test_euclidean_distances_are_kept(rng: np.random.Generator) -> None:
    points = rng.normal(size=(50, 3)) * [10, 3, 1]
    found = plotting.embedding.embed(wt.Space.from_points(points), dim=3)
    np.testing.assert_allclose(pdist(found.points), pdist(points), atol=1e-9)
    assert found.explained == pytest.approx(1, abs=1e-12)
    spectrum = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
    assert plotting.embedding.embed(pdist(points)).explained == pytest.approx(
        (spectrum[:2] ** 2).sum() / (spectrum**2).sum()
    )


def test_onto_recovers_the_points_and_mirrors_if_it_must(cloud: np.ndarray) -> None:
    for target in (cloud, cloud * [-1, 1] + 100):
        found = plotting.embedding.embed(wt.spaces.Euclidean(target), onto=target)
        np.testing.assert_allclose(found.points, target, atol=1e-9)


def test_embeddings_do_not_depend_on_how_the_points_lie(cloud: np.ndarray) -> None:
    turned = cloud @ np.array([[0.6, -0.8], [0.8, 0.6]]) * [1, -1] + 7
    np.testing.assert_allclose(
        plotting.embedding.embed(pdist(turned)).points, plotting.embedding.embed(pdist(cloud)).points, atol=1e-9
    )


def test_distances_that_are_not_euclidean_are_clipped_and_small_ones_padded() -> None:
    star = np.full((4, 4), 2.0) - 2 * np.eye(4)
    star[0, 1:] = star[1:, 0] = 1.0  # the middle of three points at distance 2 cannot be at distance 1 of all
    found = plotting.embedding.embed(star, dim=4)
    center = np.eye(4) - 1 / 4
    spectrum = np.linalg.eigvalsh(-0.5 * center @ star**2 @ center)
    assert spectrum.min() < -0.1
    assert found.explained == pytest.approx((spectrum[spectrum > 0] ** 2).sum() / (spectrum**2).sum())
    assert (found.points[:, 2:] == 0).all()
    assert plotting.embedding.embed([[0.0, 0.0], [0.0, 0.0]], dim=3).points.tolist() == [[0] * 3] * 2
    assert plotting.embedding.embed([[0.0]]).points.tolist() == [[0, 0]]


# trees


def _merges(ax: mpl.axes.Axes) -> list[tuple[float, str]]:
    """Height and color of every merge drawn."""
    return sorted(
        (float(segment[1][1]), to_hex(lines.get_colors()[0]).upper())
        for lines in ax.collections
        for segment in lines.get_segments()
    )


def test_the_heights_of_a_dendrogram_are_those_of_the_tree(ax: mpl.axes.Axes, cloud: np.ndarray) -> None:
    space = wt.Space.from_points(cloud)
    tree = wt.hierarchy.spanning_tree(space)
    plotting.dendrogram(tree, ax=ax)
    assert [height for height, _ in _merges(ax)] == tree.heights.tolist()
    legs = np.concatenate([s for lines in ax.collections for s in lines.get_segments()])
    places = legs[legs[:, 1] == 0, 0]
    assert sorted(places.tolist()) == list(range(30))  # every leaf once
    assert [side for side, spine in ax.spines.items() if spine.get_visible()] == ["left"]


def test_branches_have_the_color_of_the_cluster_their_points_share(ax: mpl.axes.Axes) -> None:
    X = [[0.0], [1.0], [10.0], [12.0], [30.0]]
    plotting.dendrogram(wt.hierarchy.spanning_tree(wt.Space.from_points(X)), [1, 1, 0, 0, -1], ax=ax)
    grey = plotting.style.GRAY
    assert _merges(ax) == [(1, plotting.color(1)), (2, plotting.color(0)), (9, grey), (18, grey)]


def test_noise_and_trees_without_labels_are_not_colored(cloud: np.ndarray) -> None:
    tree = wt.hierarchy.spanning_tree(wt.Space.from_points(cloud))
    assert {name for _, name in _merges(plotting.dendrogram(tree))} == {plotting.style.INK}
    assert {name for _, name in _merges(plotting.dendrogram(tree, np.full(30, -1)))} == {plotting.style.GRAY}


def test_a_fitted_estimator_has_its_tree_and_its_labels(cloud: np.ndarray) -> None:
    tree = wt.hierarchy.spanning_tree(wt.Space.from_points(cloud))
    fitted = wt.SingleLinkage(n_clusters=2, cut="robust").fit(cloud)
    expected = _merges(plotting.dendrogram(tree, wt.hierarchy.cut_tree(tree, 2, cut="robust")))
    assert _merges(plotting.dendrogram(fitted)) == expected


@pytest.mark.slow
def test_a_chain_of_twenty_thousand_leaves_is_drawn(ax: mpl.axes.Axes) -> None:
    n = 20_000
    edges = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    tree = wt.hierarchy.Tree(edges, np.arange(1.0, n), np.full(n, 1 / n))
    plotting.dendrogram(tree, np.arange(n) >= n // 2, ax=ax)
    assert sum(len(lines.get_segments()) for lines in ax.collections) == n - 1


@pytest.mark.parametrize("most", [2, 5, 29, 30, 100])
def test_few_leaves_keep_the_highest_merges(ax: mpl.axes.Axes, cloud: np.ndarray, most: int) -> None:
    tree = wt.hierarchy.spanning_tree(wt.Space.from_points(cloud))
    plotting.dendrogram(tree, ax=ax, max_leaves=most)
    lines = ax.collections[0]
    levels = sorted(float(segment[1][1]) for segment in lines.get_segments())
    assert levels == tree.heights[-(most - 1) :].tolist()
    feet = sorted(float(y) for segment in lines.get_segments() for y in (segment[0][1], segment[3][1]))
    tops = sorted(path.vertices[:, 1].max() for c in ax.collections[1:] for path in c.get_paths())
    dropped = [foot for foot in feet if foot > 0 and foot < levels[0]]
    assert tops == pytest.approx(dropped)


def test_the_tree_of_one_point_is_drawn() -> None:
    one = wt.hierarchy.spanning_tree(wt.Space.from_points([[0.0]]))
    assert plotting.dendrogram(one).get_ylim()[0] == 0


# panels


def test_panels_have_the_size_asked_for() -> None:
    figure, axes = plotting.panels(2, 3, width=6.0)
    assert axes.shape == (2, 3)
    assert figure.get_size_inches().tolist() == [6, 4]


@pytest.mark.parametrize("name", DRAW)
def test_every_picture_has_a_title_if_asked(name: str, cloud: np.ndarray, ax: mpl.axes.Axes) -> None:
    assert DRAW[name](cloud, ax=ax, title="Name").get_title(loc="left") == "Name"


def test_panels_come_as_pyplot_gives_them() -> None:
    for rows, cols in ((1, 1), (1, 2), (3, 1), (2, 2)):
        figure, axes = plt.subplots(rows, cols)
        plt.close(figure)
        assert np.shape(plotting.panels(rows, cols)[1]) == np.shape(axes)
    widths = [plotting.panels(1, cols)[0].get_figwidth() for cols in (1, 2, 4)]
    assert widths[0] == widths[1] < widths[2]


def test_values_have_a_scale_and_labels_colors(cloud: np.ndarray, ax: mpl.axes.Axes) -> None:
    heights = cloud[:, 1].copy()
    heights[3] = np.nan
    plotting.cloud(cloud, heights, ax=ax)
    (bar,) = ax.child_axes
    assert bar.get_ylim() == pytest.approx((np.nanmin(heights), np.nanmax(heights)))
    drawn = ax.collections[0].get_facecolors()
    assert len(np.unique(drawn, axis=0)) > 25
    np.testing.assert_allclose(drawn[0], to_rgba(plotting.style.GRAY))  # unknown, and below the others
    whole = plotting.panels()[1]
    plotting.cloud(cloud, np.arange(30.0) % 3, ax=whole)
    assert not whole.child_axes
    assert len(np.unique(whole.collections[0].get_facecolors(), axis=0)) == 3
    many = plotting.panels()[1]
    plotting.cloud(cloud, np.arange(30.0), ax=many)  # more than there are colors
    assert len(many.child_axes) == 1
