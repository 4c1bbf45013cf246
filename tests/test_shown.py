"""How values are shown: short, and without their arrays."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

import wasserstein_transform as wt

X = np.random.default_rng(3).normal(size=(300, 2))
SPACE = wt.Space.from_points(X)
TWO = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]


def values() -> dict[str, object]:
    walk = wt.iterate(wt.gaussian_transform(0.5, 2.0), SPACE, n_iter=2)
    return {
        "Space of 300 points": SPACE,
        "Euclidean metric of 300 points in R^2": SPACE.metric,
        "GaussianMetric metric of 300 points in R^2, lam=2": walk.last.metric,
        "Dense metric of 300 points": wt.Dense(SPACE.metric.dense()),
        "Trajectory of 300 points": walk,
        "Quotient(space=<Space of 300": wt.spaces.quotient(SPACE),
        "Tree of 300 points, heights": wt.hierarchy.spanning_tree(SPACE),
        "Discrete: 300 measures on 300 points": wt.Truncation(0.5)(SPACE),
        "Diracs: 300 measures in R^2": wt.Mean(wt.Truncation(0.5))(SPACE),
        "Gaussians: 300 measures in R^2, lam=2": wt.Gaussian(wt.Truncation(0.5), 2.0)(SPACE),
        "Given(matrix=<300 × 300 float64>)": wt.Given(np.eye(300)),
        "localize=Given(matrix=<300 × 300": wt.WassersteinTransform(wt.Given(np.eye(300)), wt.Exact()),
        "Communities: 2 of 6 nodes, modularity 0.357": wt.graphs.ricci_flow(TWO, 10).communities(),
        "Coupling(": wt.Exact(1).coupling(wt.Truncation(0.5)(SPACE), SPACE.metric, 0, 1),
    }


def test_values_are_shown_in_a_line_without_their_arrays() -> None:
    for start, value in values().items():
        assert start in repr(value)
        assert "\n" not in repr(value) or hasattr(value, "get_params")  # scikit-learn wraps lines
        assert "[[" not in repr(value)
        assert len(repr(value)) < 330


def test_notebooks_show_a_small_table() -> None:
    for value in (*values().values(), wt.sweep(X[:40], [0.5, 1.0], [0, 1])):
        if hasattr(value, "_repr_html_") and not hasattr(value, "get_params"):
            shown = value._repr_html_()
            assert shown.startswith("<table>")
            assert shown.count("<table>") == shown.count("</table>") == 1
            assert len(shown) < 2500
    for kind in (wt.Space, wt.hierarchy.Tree, wt.transforms.Trajectory, wt.graphs.Communities, wt.auto.Sweep):
        assert hasattr(kind, "_repr_html_")


def test_names_of_nodes_are_escaped() -> None:
    shown = wt.graphs.ricci_flow([("<b>", "x"), ("x", "y"), ("y", "<b>")], 2).communities(1)._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown


def test_a_sweep_is_a_data_frame_where_pandas_is(monkeypatch: pytest.MonkeyPatch) -> None:
    found = wt.sweep(X[:40], [0.5, 1.0], [0, 1])
    frame = found.to_pandas()
    pd.testing.assert_frame_equal(frame, pd.DataFrame(found.table))
    assert list(frame.eps) == [0.5, 0.5, 1.0, 1.0]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_pandas needs pandas .*; sweep.table has the same columns"):
        found.to_pandas()
