"""Parameters that the data suggest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform.parameters import suggest
from wasserstein_transform.parameters.suggestion import _stable_ranges

PURPOSES = ["clusters", "modes", "curve", "surface"]


def _spirals(n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """Three arms; those beside each other are 2.2 apart at most, points of one about 0.3."""
    t = np.linspace(1.0, 3.0, n)
    arms = [np.column_stack([np.cos(turn), np.sin(turn)]) for turn in (2 * np.pi * (t / 2 + k / 3) for k in range(3))]
    return np.concatenate([3 * t[:, None] * arm for arm in arms]), np.repeat([0, 1, 2], n)


def test_for_clusters_eps_is_wider_than_the_distance_to_the_tenth_neighbor(rng: np.random.Generator) -> None:
    X = rng.uniform(size=(300, 1))
    D = np.sort(squareform(pdist(X)), axis=1)
    found = suggest(X)
    assert found.eps == pytest.approx(2.5 * np.sort(D[:, 10])[149])
    assert found.n_iter == 0
    assert found.table["eps"][found.chosen] == pytest.approx(found.eps)
    assert found.table["neighbors"][found.chosen] > 11


def test_in_many_dimensions_a_ball_for_clusters_holds_a_seventh_of_the_points(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 50))
    found = suggest(X)
    assert np.median(np.count_nonzero(squareform(pdist(X)) <= found.eps, axis=1)) == pytest.approx(46, abs=1)
    assert found.reason.startswith("the median distance to the 45th nearest of 300 places")
    assert (found.lam, suggest(X[:, :3]).lam) == (1.0, 10.0)
    assert found.reason.endswith("covariances of so few points are rough: small λ")


def test_distances_are_enough_for_clusters(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 2))
    D = squareform(pdist(X))
    by_points, by_distances = suggest(X), suggest(D, metric="precomputed")
    assert by_distances.eps == pytest.approx(by_points.eps)
    assert suggest(wt.Space.from_distances(D)).eps == pytest.approx(by_points.eps)
    assert suggest(X, metric="cityblock").eps > by_points.eps
    for purpose in PURPOSES[1:]:
        with pytest.raises(ValueError, match="coordinates"):
            suggest(D, purpose, metric="precomputed")


def test_spirals_stay_apart_at_what_is_suggested() -> None:
    X, truth = _spirals()
    found = suggest(X)
    for estimator in (
        wt.GaussianTransform(found.eps, found.lam, n_iter=found.n_iter),
        wt.GaussianTransform("auto", "auto", n_iter="auto"),
        wt.GaussianTransform(),
    ):
        labels = wt.SingleLinkage(3, cut="robust").fit(estimator.fit(X)).labels_
        assert adjusted_rand_score(truth, labels) == 1


@pytest.mark.repeated(1)
@pytest.mark.parametrize("n", [300, 3000])
@pytest.mark.parametrize("seed", range(3))
def test_mean_shift_finds_three_blobs(n: int, seed: int) -> None:
    X, truth = make_blobs(n, centers=[[0, 0], [8, 0], [0, 8]], random_state=seed)
    found = wt.MeanShift().fit(X)
    assert np.count_nonzero(np.bincount(found.labels_) > 0.02 * n) == 3
    assert adjusted_rand_score(truth, found.labels_) > 0.97
    assert "find the same 3 clusters" in found.reason_


@pytest.mark.slow
def test_modes_of_blobs_that_hold_no_parts_are_one() -> None:
    X = np.random.default_rng(0).uniform(size=(600, 2))
    found = suggest(X, "modes")
    assert found.reason.endswith("from this radius on there is one cluster")
    assert len(np.unique(wt.MeanShift(found.eps).fit(X).labels_)) == 1


def test_ranges_of_radii_that_agree() -> None:
    clusters = np.array([9, 3, 3, 3, 2, 2, 1])
    assert _stable_ranges(clusters, np.array([0.5, 1.0, 0.99, 0.4, 0.96, 0.0, 1.0])) == [(1, 3), (4, 5)]
    assert _stable_ranges(np.array([4, 1, 1]), np.array([0.0, 1.0, 1.0])) == []


@pytest.mark.repeated(1)
@pytest.mark.parametrize("purpose", PURPOSES)
def test_suggestions_depend_neither_on_order_nor_on_copies_nor_on_unit(purpose: str) -> None:
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(150, 3)) * [1, 1, 0.1] + 5 * k for k in range(2)])
    found = suggest(X, purpose)
    assert suggest(X[rng.permutation(300)], purpose).eps == found.eps
    assert suggest(8.0 * X, purpose).eps == pytest.approx(8 * found.eps)
    assert suggest(X + 100.0, purpose).eps == pytest.approx(found.eps)
    copies = rng.integers(0, 3, 300)
    repeated, weighted = suggest(np.repeat(X, copies, axis=0), purpose), suggest(X, purpose, sample_weight=copies)
    assert repeated.eps == pytest.approx(weighted.eps)
    assert repeated.table.keys() == weighted.table.keys()


ODD = {
    "one": np.zeros((1, 2)),
    "constant": np.ones((40, 2)),
    "two": np.array([[0.0, 0.0], [3.0, 4.0]]),
    "three": np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]]),
    "four": np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0], [5.0, 5.0]]),
    "few places": np.repeat(np.random.default_rng(0).normal(size=(6, 2)), 50, axis=0),
    "a line": np.arange(60.0)[:, None] * [1.0, 2.0, 3.0],
    "one coordinate": np.random.default_rng(0).normal(size=(80, 1)),
    "a hundred coordinates": np.random.default_rng(0).normal(size=(150, 100)),
    "integers": np.random.default_rng(0).integers(0, 5, (200, 2)).astype(float),
    "far outlier": np.concatenate([np.random.default_rng(0).normal(size=(99, 2)), [[1e9, 0.0]]]),
}


@pytest.mark.repeated(11)
@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize("name", ODD)
def test_odd_data_get_an_answer_and_a_reason(name: str, purpose: str) -> None:
    X = ODD[name]
    found = suggest(X, purpose)
    assert 0 < found.eps < np.inf
    assert found.eps <= max(1.0, float(pdist(X).max(initial=0.0)))
    assert found.reason in str(found)
    assert "nan" not in str(found)
    assert (found.chosen is None) or found.table["eps"][found.chosen] == pytest.approx(found.eps)


def test_single_places_and_few_points_are_named() -> None:
    assert "in one place" in suggest(ODD["constant"]).reason
    assert "3 places are too few to estimate a scale" in suggest(ODD["three"]).reason
    assert "lie on lines without noise: they span 1 dimension" in suggest(ODD["one coordinate"], "curve").reason
    assert "lie on lines without noise" in suggest(ODD["a line"], "curve").reason


@pytest.mark.slow
def test_a_suggestion_prints_what_to_write_and_marks_the_row() -> None:
    X = wt.datasets.circles(0, n=800, noise=0.05).points
    text = str(suggest(X, "curve")).splitlines()
    assert text[0].startswith("for curve: GaussianTransform(eps=0.")
    assert "ridge=1, n_iter=1" in text[0]
    assert text[2].split() == ["eps", "neighbors", "noise", "thickness"]
    assert [line.endswith("<") for line in text].count(True) == 1
    assert repr(suggest(X, "modes")).startswith("<Suggestion for modes: MeanShift(eps=")
    shown = suggest(X)._repr_html_()
    assert shown.startswith("<table>")
    assert "10th nearest" in shown


def test_cancel_is_heard() -> None:
    engine = wt.Engine()
    engine.cancel()
    for purpose in PURPOSES:
        with pytest.raises(wt.engine.Cancelled):
            suggest(np.random.default_rng(0).normal(size=(100, 3)), purpose, engine=engine)
