"""How values are shown: short, and without their arrays."""

from __future__ import annotations

from html.parser import HTMLParser

import networkx as nx
import numpy as np
import pytest

import wasserstein_transform as wt
from wt_paper import theory

X = np.random.default_rng(3).normal(size=(300, 2))
SPACE = wt.Space.from_points(X)
TWO = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]


def values() -> dict[str, object]:
    walk = wt.iterate(wt.transforms.gaussian_transform(0.5, 2.0), SPACE, n_iter=2)
    return {
        "Space of 300 points": SPACE,
        "Euclidean metric of 300 points in R^2": SPACE.metric,
        "GaussianMetric metric of 300 points in R^2, lam=2": walk.last.metric,
        "Dense metric of 300 points": wt.spaces.Dense(SPACE.metric.dense()),
        "Trajectory of 300 points": walk,
        "Quotient(space=<Space of 300": wt.spaces.quotient(SPACE),
        "Tree of 300 points, heights": wt.hierarchy.spanning_tree(SPACE),
        "Discrete: 300 measures on 300 points": wt.Truncation(0.5)(SPACE),
        "Diracs: 300 measures in R^2": wt.Mean(wt.Truncation(0.5))(SPACE),
        "Gaussians: 300 measures in R^2, lam=2": wt.Gaussian(wt.Truncation(0.5), 2.0)(SPACE),
        "Given(matrix=<300 × 300 float64>)": wt.localize.Given(np.eye(300)),
        "localize=Given(matrix=<300 × 300": wt.WassersteinTransform(wt.localize.Given(np.eye(300)), wt.Exact()),
        "Communities of 6 nodes: 2, modularity 0.357": wt.graphs.ricci_flow(TWO, 10).communities(),
        "Coupling(": wt.Exact(1).coupling(wt.Truncation(0.5)(SPACE), SPACE.metric, 0, 1),
    }


def test_values_are_shown_in_a_line_without_their_arrays() -> None:
    for start, value in values().items():
        assert start in repr(value)
        assert "\n" not in repr(value) or hasattr(value, "get_params")  # scikit-learn wraps lines
        assert "[[" not in repr(value)
        assert len(repr(value)) < 330


class Reader(HTMLParser):
    """Which tags there are, each closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs == []
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(shown: str) -> str:
    """The text of a table that is well-formed HTML, and nothing but paragraphs and a table."""
    reader = Reader()
    reader.feed(shown)
    reader.close()
    assert reader.open == []
    assert reader.tags <= {"p", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    return " | ".join(reader.text)


BAD = "<script>alert('&')</script>"


def results() -> dict[str, object]:
    """By something that must be seen."""
    cliques = nx.relabel_nodes(nx.barbell_graph(4, 0), {0: BAD})
    matrix = wt.wasserstein_pairs(wt.Truncation(0.5)(SPACE), SPACE.metric, 1.0, [(0, 1), (2, 3)])
    flow = wt.graphs.ricci_flow(cliques, 6)
    image = np.repeat([[10.0] * 8 + [50.0] * 8], 16, axis=0)
    return {
        "without a curvature | 1": wt.graphs.curvature([(BAD, "b", 0.0), ("b", "c"), ("c", "d")], weight="length"),
        "Curvature | pairs | 13": wt.graphs.curvature(cliques),
        "Flow | graph": flow,
        "modularity": flow.communities(),
        "lengths | 1 to 1": flow.network,
        "pieces | 2": wt.graphs.as_network([(0, 1), (BAD, 3)]),
        "pixels | 16 × 16": wt.image.segment(image),
        "problems solved | 2": matrix,
        "n_problems | 2": matrix.report,
        "Coupling": wt.Exact(1).coupling(wt.Truncation(0.5)(SPACE), SPACE.metric, 0, 1),
        "Quotient": wt.spaces.quotient(SPACE),
        "Space | points | 300": SPACE,
        "Trajectory": wt.iterate(wt.transforms.mean_shift(0.5), SPACE, n_iter=1),
        "Tree": wt.hierarchy.spanning_tree(SPACE),
        "sigma": wt.parameters.noise_scale(X),
        BAD: theory.Inequality(BAD, np.zeros(3), np.ones(3), {"<C>": 1.0}, note="<b>"),
        "no pair to compare": theory.Inequality("one point", np.zeros(0), np.zeros(0)),
        "flb | 0": theory.gromov_wasserstein_bounds(SPACE.take(np.arange(8)), SPACE.take(np.arange(8))),
        "GaussianTransform(": wt.suggest(X),
        "1 cluster | 60 points": wt.cluster(X[:60]),
        "Denoised": wt.denoise(X),
    }


@pytest.mark.slow
def test_results_are_tables_of_clean_html() -> None:
    for said, value in results().items():
        shown = value._repr_html_()
        assert said in read(shown), type(value)
        assert "<script" not in shown
        assert len(shown) < 10_000


def test_bare_records_and_empty_ones_have_a_table_too() -> None:
    assert "none" in read(wt.graphs.as_network(nx.empty_graph(3))._repr_html_())
    assert "pairs | 0" in read(wt.graphs.curvature(nx.empty_graph(3))._repr_html_())
    assert "iterations | 0" in read(wt.graphs.ricci_flow(nx.path_graph(3), 0)._repr_html_())


def test_names_of_nodes_are_escaped() -> None:
    shown = wt.graphs.ricci_flow([("<b>", "x"), ("x", "y"), ("y", "<b>")], 2).communities(1)._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
