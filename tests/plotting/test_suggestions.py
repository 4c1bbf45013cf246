"""Pictures of suggestions."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

import wasserstein_transform as wt

PURPOSES = ["clusters", "modes", "curve", "surface"]


@pytest.fixture
def points() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.column_stack([wt.datasets.circles(rng, n=400, noise=0.05).points, 0.05 * rng.normal(size=400)])


@pytest.mark.repeated(1)
@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_suggestion_draws_its_table_and_marks_what_was_chosen(purpose: str, points: np.ndarray) -> None:
    found = wt.suggest(points, purpose)
    figure, ax = plt.subplots()
    assert wt.plotting.suggestion(found, ax) is ax
    lines = [np.asarray(line.get_xdata(), float) for line in ax.get_lines()]
    assert any(np.array_equal(x, found.table["eps"]) for x in lines)
    assert any(np.array_equal(x, [found.eps, found.eps]) for x in lines)
    assert f"{found.eps:.3g}" in ax.get_xlabel()
    assert ax.get_xscale() == "log"
    figure.canvas.draw()
    plt.close(figure)
