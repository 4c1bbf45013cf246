"""`plot()` of every result: a figure, made without pyplot."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

import wasserstein_transform as wt
from wasserstein_transform._display import HasPlot
from wasserstein_transform.plotting import results as pictures

X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0.0, 0], [6, 0]], 30, axis=0)
WIDE = np.column_stack([X, X[:, ::-1], X[:, :1] ** 2])
SPACE = wt.Space.from_points(X)
GRAPH = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]


@cache
def ring() -> wt.curves.Denoised:
    return wt.denoise(wt.datasets.circles(0, n=300, noise=0.05).points)


RESULTS: dict[str, Callable[[Path], HasPlot]] = {
    "Clustering": lambda _: wt.cluster(X),
    "Clustering of many columns": lambda _: wt.cluster(WIDE),
    "Clustering of distances": lambda _: wt.cluster(wt.Space.from_distances(SPACE.metric.dense())),
    "Profile": lambda _: wt.cluster(WIDE).profile(),
    "Score": lambda _: wt.score(X, (X[:, 0] > 3).astype(int)),
    "Score of one cluster": lambda _: wt.score(X, np.zeros(60, int)),
    "Suggestion": lambda _: wt.suggest(X),
    "Denoised": lambda _: ring(),
    "Skeleton": lambda _: wt.skeleton(ring()),
    "Trajectory": lambda _: wt.iterate(wt.transforms.mean_shift(1.0), SPACE, n_iter=2, keep="all"),
    "Trajectory of which the last is kept": lambda _: wt.iterate(wt.transforms.mean_shift(1.0), SPACE, n_iter=2),
    "Trajectory in five dimensions": lambda _: wt.iterate(
        wt.transforms.mean_shift(9.0), wt.Space.from_points(WIDE), n_iter=1
    ),
    "GaussianTransform": lambda _: wt.GaussianTransform(eps=1.0, n_iter=1).fit(X),
    "MeanShift": lambda _: wt.MeanShift(eps=1.0).fit(X),
    "LocalTruncation": lambda _: wt.LocalTruncation(eps=1.0).fit(X),
    "SingleLinkage": lambda _: wt.SingleLinkage(2).fit(X),
    "AutoCluster": lambda _: wt.AutoCluster(2).fit(X),
    "Tree": lambda _: wt.hierarchy.spanning_tree(SPACE),
    "Segmentation": lambda _: wt.segment(np.kron(np.eye(2, dtype=np.uint8) * 200, np.ones((20, 20), np.uint8))),
    "Curvature": lambda _: wt.graphs.curvature(GRAPH),
    "Flow": lambda _: wt.graphs.ricci_flow(GRAPH, 3),
    "Communities": lambda _: wt.graphs.communities(GRAPH),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_draws_itself_in_a_figure(name: str, tmp_path: Path) -> None:
    result = RESULTS[name](tmp_path)
    figure = result.plot(title="a title")
    assert type(figure) is Figure
    assert plt.get_fignums() == []  # nothing shows it a second time
    assert figure._repr_png_().startswith(b"\x89PNG")
    titles = [ax.get_title(loc="left") for ax in figure.axes] + [figure.get_suptitle()]
    assert any(title.startswith("a title") for title in titles)
    assert any(ax.has_data() for ax in figure.axes)


def test_every_kind_of_result_has_a_picture() -> None:
    known = tuple(pictures.PICTURES)
    for kind in _subclasses(HasPlot):
        if kind.plot is not HasPlot.plot:  # it draws itself
            continue
        assert issubclass(kind, known) or any(issubclass(one, kind) for one in known), kind


def _subclasses(kind: type) -> set[type]:
    below = set(kind.__subclasses__())
    return below | {one for sub in below for one in _subclasses(sub)}


def test_options_are_those_of_the_function_that_draws() -> None:
    assert len(wt.cluster(X).plot(details=True).axes) > 1


def test_an_estimator_is_drawn_once_it_is_fitted() -> None:
    with pytest.raises(NotFittedError):
        wt.GaussianTransform(eps=1.0).plot()
