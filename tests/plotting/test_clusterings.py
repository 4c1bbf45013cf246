"""Pictures of clusters without parameters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

import wasserstein_transform as wt
from wasserstein_transform.clustering import Clustering
from wasserstein_transform.plotting import clusterings


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    return make_blobs(80, centers=[[0, 0], [9, 0]], random_state=0)[0]


@pytest.fixture(scope="module")
def found(points: np.ndarray) -> Clustering:
    """Cut from a tree."""
    one = wt.cluster(points, noise=True)
    assert one.tree is not None
    return one


@pytest.mark.slow
def test_three_panels_points_tree_and_partitions(found: Clustering, points: np.ndarray) -> None:
    figure = found.plot(details=True)
    cloud, tree, partitions = figure.axes
    assert len(cloud.collections[0].get_offsets()) == 80
    assert cloud.get_title(loc="left").startswith(f"{found.n_clusters} clusters")
    (cuts,) = tree.lines
    assert len(cuts.get_xdata()) == found.n_clusters - 1
    others, chosen = (dots.get_offsets() for dots in partitions.collections)
    assert len(others) == len(found.partitions) - 1
    assert chosen.tolist() == [[found.n_clusters, pytest.approx(np.clip(found.expected, 0, 1))]]
    figure.canvas.draw()


@pytest.mark.slow
def test_cuts_are_marked_at_the_heights_of_the_edges_between_clusters(found: Clustering, rng) -> None:
    many = wt.cluster(rng.normal(size=(1100, 2)) + np.repeat([[0, 0], [9, 0]], 550, axis=0), 2)
    for one in (found, many):  # the whole tree, and its highest merges
        labels = one.labels_of_places
        ends = labels[one.tree.edges]
        heights = one.tree.heights[ends[:, 0] != ends[:, 1]]
        ax = one.plot(details=True).axes[1]
        np.testing.assert_allclose(np.sort(ax.lines[0].get_ydata()), np.sort(heights))
    assert "the highest" in ax.get_xlabel()


@pytest.mark.slow
def test_more_coordinates_and_distances_are_laid_flat(points: np.ndarray, rng) -> None:
    deep = np.column_stack([points, 0.1 * rng.normal(size=(80, 2))])
    cloud, profile, _ = wt.cluster(deep, 2).plot().axes
    assert cloud.get_xlabel() == "x1 ↑"  # the column that separates them
    shown = np.asarray(cloud.collections[0].get_offsets())[:, 0]
    assert abs(np.corrcoef(shown, points[:, 0])[0, 1]) > 0.95
    assert next(tick.get_text() for tick in profile.get_yticklabels()) == "x1"
    assert profile.images[0].get_array().shape == (4, 2)
    stored = wt.cluster(cdist(points, points), 2, metric="precomputed").plot().axes[0]
    assert stored.get_xlabel() == "classical scaling"
    laid = np.asarray(stored.collections[0].get_offsets())
    assert sorted(cdist(laid, laid).sum(axis=0)) == pytest.approx(sorted(cdist(points, points).sum(axis=0)))


@pytest.mark.parametrize(
    ("X", "options"),
    [
        ([[0.0, 0.0], [1.0, 0.0], [2.0, 2.0]], {}),
        ([[0.0], [1.0], [5.0]], {"n_clusters": 3}),
        ([[1.0, 2.0]] * 5, {}),
        ([[0.0, 1.0], [1.0, 0.0]], {"metric": "precomputed"}),
        ([[0.0, 0.0], [0.0, 0.0]], {"metric": "precomputed"}),
    ],
)
def test_where_nothing_was_chosen_there_are_only_points(X, options) -> None:
    figure = wt.cluster(X, **options).plot()
    assert len(figure.axes) == 1
    figure.canvas.draw()


@pytest.mark.slow
def test_one_cluster_shows_what_else_was_considered(rng) -> None:
    one = wt.cluster(rng.uniform(size=(60, 2)))
    assert one.n_clusters == 1
    assert len(one.plot().axes) == 1
    figure = one.plot(details=True)
    assert len(figure.axes) == 2
    figure.canvas.draw()


def test_few_points_are_drawn_with_their_tree(tmp_path) -> None:
    square = np.array([[0.0, 0.0], [0.0, 0.1], [0.1, 0.0], [0.1, 0.1]])
    found = wt.cluster(np.concatenate([square, square + 5]))
    figure = found.plot(details=True)
    assert "tree of the distances" in [ax.get_title(loc) for ax in figure.axes for loc in ("left", "center")]
    figure.savefig(tmp_path / "few.png")


def test_directions_separate_clusters_that_principal_axes_do_not(rng) -> None:
    """Two flat sheets: all variance is along them."""
    sheet = np.column_stack([10 * rng.normal(size=(100, 2)), 0.1 * rng.normal(size=100)])
    labels = np.repeat([0, 1], 50)
    sheet[labels == 1, 2] += 2
    shown = clusterings._separate(sheet, labels, np.ones(100))
    assert shown[labels == 0, 0].max() < shown[labels == 1, 0].min()
    np.testing.assert_allclose(clusterings._separate(sheet[::-1], labels[::-1], np.ones(100))[::-1], shown, atol=1e-8)
    names = clusterings._name_direction(-shown[:, 0], ("a", "b", "c"), sheet)
    assert names == "c ↓"


def test_directions_of_one_cluster_are_principal_axes(rng) -> None:
    cloud = rng.normal(size=(60, 3)) @ np.diag([1.0, 1.0, 1.0]) + np.outer(rng.normal(size=60), [3.0, 3.0, 0.0])
    shown = clusterings._separate(cloud, np.zeros(60, int), np.ones(60))
    assert abs(np.corrcoef(shown[:, 0], cloud[:, 0] + cloud[:, 1])[0, 1]) > 0.95


def test_names_with_dollars_are_no_formulas(rng) -> None:
    X = np.concatenate([rng.normal(size=(20, 3)), rng.normal(size=(20, 3)) + 9])
    names = ["$a$b$", "$b", "c$"]
    figure = wt.cluster(pd.DataFrame(X, columns=names), 2).plot()
    figure.canvas.draw()
    kind = pytest.importorskip("matplotlib.text").Text
    texts = " ".join(text.get_text() for text in figure.findobj(kind)).replace("\\$", "$")
    assert all(name in texts for name in names[:2])
