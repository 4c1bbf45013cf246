"""`wt.score`: criteria of anybody's labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import wasserstein_transform as wt
from wasserstein_transform.clustering import scoring


@pytest.fixture
def blobs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [80, 60, 40])
    return rng.normal(size=(180, 2)) + np.array([[0.0, 0], [9, 0], [0, 9]])[labels], labels


def as_array(found: wt.clustering.Score) -> np.ndarray:
    return np.array(list(found.to_dict().values()))


def test_true_labels_are_better_than_random_ones_by_every_criterion(blobs: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = blobs
    good, bad = wt.score(X, labels), wt.score(X, np.random.default_rng(1).permutation(labels))
    low = {"conductance", "worst_conductance", "valley", "shallowest_valley", "border_density", "variance_within"}
    for name, value in good.to_dict().items():
        assert value < getattr(bad, name) if name in low else value > getattr(bad, name), name


def test_purity_conductance_and_variance_are_those_counted_one_by_one(blobs: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = blobs
    labels = (X[:, 0] > 0.3).astype(int)
    D = wt.spaces.Euclidean(X).dense()
    near = D.argsort(axis=1, kind="stable")[:, 1:11]
    same = labels[near] == labels[:, None]
    leaving = sum(labels[i] != labels[j] for i in range(len(X)) for j in near[i])
    edges = [2 * 10 * min(np.sum(labels == c), np.sum(labels != c)) for c in (0, 1)]
    within = sum(X[labels == c].var(axis=0).sum() * np.mean(labels == c) for c in (0, 1))
    found = wt.score(X, labels)
    assert found.purity == pytest.approx(same.mean())
    assert found.conductance == pytest.approx(np.mean([leaving / one for one in edges]))
    assert found.variance_within == pytest.approx(within / X.var(axis=0).sum(), rel=1e-6)


def test_order_of_rows_names_of_labels_and_unit_do_not_matter(blobs: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = blobs
    first, order = as_array(wt.score(X, labels)), np.random.default_rng(2).permutation(len(X))
    np.testing.assert_array_equal(as_array(wt.score(X[order], labels[order])), first)
    np.testing.assert_allclose(as_array(wt.score(X, np.array([7, -5, 100])[labels])), first, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(as_array(wt.score(X * 1000 + 5, labels)), first, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(as_array(wt.score(np.column_stack([X, X[:, 0] * 0]), labels)), first, rtol=1e-9)


def test_noise_is_a_share_and_otherwise_left_out(blobs: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = blobs
    noisy = np.vstack([X, np.random.default_rng(3).uniform(-5, 14, (20, 2))])
    found = wt.score(noisy, np.append(labels, np.full(20, -1)))
    assert found.noise == pytest.approx(0.1)
    np.testing.assert_array_equal(as_array(found), as_array(wt.score(X, labels)))
    np.testing.assert_array_equal(found.sizes, [80, 60, 40])


def test_weight_two_is_two_copies(blobs: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = blobs
    weights = np.where(np.arange(len(X)) < 50, 2.0, 1.0)
    copies = wt.score(np.vstack([X, X[:50]]), np.append(labels, labels[:50]))
    np.testing.assert_allclose(as_array(wt.score(X, labels, sample_weight=weights)), as_array(copies), rtol=1e-9)


def test_one_cluster_has_nothing_to_compare(blobs: tuple[np.ndarray, np.ndarray]) -> None:
    X, _labels = blobs
    found = wt.score(X, np.zeros(len(X), int))
    assert found.n_clusters == 1
    assert np.isnan(as_array(found)).all()
    assert "nothing to compare" in str(found)


def test_distances_score_as_their_points(blobs: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = blobs
    by_distances = wt.score(wt.spaces.Euclidean(X).dense(), labels, metric="precomputed")
    by_points = wt.score(X, labels)
    for name in ("conductance", "purity", "separation"):
        assert getattr(by_distances, name) == pytest.approx(getattr(by_points, name), abs=1e-6)


def test_a_sample_is_said_and_close(blobs: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 2)) + 3 * labels[:, None]
    whole = wt.score(X, labels)
    monkeypatch.setattr(scoring, "_LARGEST", 1000)
    part = wt.score(X, labels)
    assert part.n_scored == 1000
    assert "1,000 of 2,000" in part.notes[0]
    assert part.purity == pytest.approx(whole.purity, abs=0.03)


def test_tables_are_read_as_for_cluster(blobs: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = blobs
    frame = pd.DataFrame({"id": range(len(X)), "x": X[:, 0], "y": X[:, 1]})
    frame.loc[0, "x"] = np.nan
    found = wt.score(frame, labels)
    np.testing.assert_array_equal(as_array(found), as_array(wt.score(X[1:], labels[1:])))


def test_score_is_shown_as_text_html_and_table(blobs: tuple[np.ndarray, np.ndarray]) -> None:
    found = wt.score(*blobs)
    assert repr(found) == "<Score of 3 clusters of 40 to 80 points>"
    assert "conductance" in str(found)
    assert "<table>" in found._repr_html_()
    assert list(found.to_pandas()["criterion"]) == [one.name for one in scoring.CRITERIA.values()]


def test_points_in_few_places_are_scored() -> None:
    found = wt.score([[0.0], [0.0], [1.0]], [0, 1, 1])
    assert found.n_clusters == 2
    assert np.isfinite(as_array(found)).all()
