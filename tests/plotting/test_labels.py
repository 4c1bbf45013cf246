"""What tells points apart: colors, names, scales; and what axes are called."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import wasserstein_transform as wt
from wasserstein_transform import plotting

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    yield
    plt.close("all")


def lightness(color: str) -> float:
    """L* of CIE 1976, 0 to 100: what is left in gray scale."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    y = float(np.dot([0.2126, 0.7152, 0.0722], linear))
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def texts(ax: mpl.axes.Axes) -> list[str]:
    return [] if ax.get_legend() is None else [text.get_text() for text in ax.get_legend().get_texts()]


def test_neighbors_in_the_palette_differ_in_gray() -> None:
    shades = [lightness(plotting.color(k)) for k in range(21)]
    assert min(abs(a - b) for a, b in pairwise(shades[:7])) > 6
    assert min(abs(a - b) for a, b in pairwise(shades)) > 4
    assert min(abs(a - b) for a in shades[:3] for b in shades[:3] if a != b) > 11  # the first three all do
    assert lightness(plotting.style.GRAY) > lightness(plotting.style.INK) + 20


def test_a_figure_of_its_own_has_a_legend(rng: np.random.Generator) -> None:
    points = rng.normal(size=(40, 2))
    assert texts(plotting.cloud(points, np.arange(40) % 3 - 1)) == ["0", "1", "noise"]
    assert texts(plotting.cloud(points, np.where(points[:, 0] > 0, "right", "left"))) == ["left", "right"]
    assert texts(plotting.cloud(points, [True, False] * 20)) == ["False", "True"]
    assert texts(plotting.cloud(points, [1.0, -1.0] * 20)) == ["1", "noise"]
    assert texts(plotting.cloud(points, ["$a$", "b"] * 20)) == [r"\$a\$", "b"]
    titled = plotting.cloud(points, pd.Series(["x", "y"] * 20, name="kind"))
    assert titled.get_legend().get_title().get_text() == "kind"
    assert texts(plotting.cloud(points, np.arange(40) % 11)) == []
    assert len(texts(plotting.cloud(points, np.arange(40) % 11, legend=True))) == 11
    assert texts(plotting.cloud(points, np.arange(40) % 2, legend=False)) == []
    assert texts(plotting.cloud(points, np.zeros(40))) == []
    assert texts(plotting.cloud(points)) == []
    given = plotting.panels()[1]
    assert texts(plotting.cloud(points, np.arange(40) % 2, ax=given)) == []
    assert texts(plotting.cloud(points, np.arange(40) % 2, ax=given, legend=True)) == ["0", "1"]


@pytest.mark.slow
def test_all_pictures_of_labels_have_a_legend(cloud: np.ndarray) -> None:
    labels = np.arange(30) % 2
    flow = wt.iterate(wt.transforms.gaussian_transform(1.0), wt.Space.from_points(cloud), n_iter=1, keep="all")
    assert texts(plotting.mds(flow.last, labels)) == ["0", "1"]
    assert [texts(ax) for ax in plotting.walk(flow, labels)] == [[], ["0", "1"]]
    groups = wt.graphs.ricci_flow(nx.barbell_graph(5, 0), 8).communities()
    assert texts(plotting.communities(groups)) == ["0", "1"]
    found = wt.denoise(wt.datasets.circles(0).points)
    assert texts(plotting.denoised(found))[:2] == ["moved", "original"]
    assert texts(plotting.denoised(found, plotting.panels()[1])) == []


def test_values_have_a_scale_with_their_name(cloud: np.ndarray) -> None:
    heights = np.arange(30) / 4
    ax = plotting.cloud(cloud, pd.Series(heights, name="height"))
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (0, heights.max())
    assert bar.get_ylabel() == "height"
    assert texts(ax) == []
    flow = wt.iterate(wt.transforms.gaussian_transform(1.0), wt.Space.from_points(cloud), n_iter=1, keep="all")
    for ax in (
        plotting.mds(flow.last, heights),
        plotting.walk(flow, heights)[-1],
    ):
        assert len(ax.child_axes) == 1


@pytest.mark.slow
def test_columns_name_the_axes(rng: np.random.Generator) -> None:
    X = rng.normal(size=(9, 2))
    frame = pd.DataFrame(X, columns=["east", "cost in $ per $"])
    for shown, names in (
        (frame, ("east", r"cost in \$ per \$")),
        (pd.DataFrame({"a": X[:, 0], "b": X[:, 1]}), ("a", "b")),
        (wt.GaussianTransform(eps=0.7, n_iter=1).fit(frame), ("east", r"cost in \$ per \$")),
        (pd.DataFrame(X), ("", "")),
        (X, ("", "")),
        (wt.Space.from_points(X), ("", "")),
    ):
        ax = plotting.cloud(shown)
        assert (ax.get_xlabel(), ax.get_ylabel()) == names
        ax.figure.canvas.draw()
    solid = plotting.cloud(frame.assign(height=1.0))
    assert (solid.get_xlabel(), solid.get_zlabel()) == ("east", "height")
    assert plotting.cloud(frame[["east"]]).get_xlabel() == "east"


@pytest.mark.slow
def test_pictures_are_as_wide_as_a_notebook_and_panels_no_thumbnails(cloud: np.ndarray) -> None:
    flow = wt.iterate(wt.transforms.mean_shift(0.7), wt.Space.from_points(cloud), n_iter=7, keep="all")
    for figure in (plotting.cloud(cloud).figure, plotting.panels()[0], plotting.walk(flow)[0].figure):
        assert figure.get_figwidth() * figure.dpi >= 600
    for cols in (1, 2, 3, 4):
        figure, axes = plotting.panels(1, cols)
        figure.canvas.draw()
        assert min(ax.bbox.width for ax in np.ravel(axes)) > 280


def test_a_figure_without_pyplot_shows_itself_in_a_notebook(cloud: np.ndarray) -> None:
    figure, ax = plotting.panels()
    plotting.cloud(cloud, ax=ax)
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert plt.get_fignums() == []


def test_negative_curvature_is_dashed() -> None:
    found = wt.graphs.curvature(nx.barbell_graph(4, 0))
    lines = plotting.curvature(found, ax=plotting.panels()[1]).collections[0]
    dashed = [pattern is not None for _, pattern in lines.get_linestyle()]
    np.testing.assert_array_equal(dashed, np.asarray(lines.get_array()) < 0)
    assert any(dashed)


@pytest.mark.slow
def test_results_take_a_title() -> None:
    X = wt.datasets.circles(0).points
    assert wt.suggest(X).plot(title="Name").axes[0].get_title(loc="left") == "Name"
    assert wt.cluster(X[:60]).plot(title="Name").get_suptitle() == "Name"
