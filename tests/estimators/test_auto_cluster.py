"""Clusters without parameters as an estimator."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import wasserstein_transform as wt
from wasserstein_transform.clustering import partitions as room


@pytest.fixture(scope="module")
def blobs() -> tuple[np.ndarray, np.ndarray]:
    return make_blobs([20, 30, 40], centers=[[0, 0], [5, 0], [0, 5]], cluster_std=0.5, random_state=1)


@pytest.fixture
def flowing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters of the Gaussian Transform are taken whatever else gives the same."""
    monkeypatch.setattr(room, "_simplicity", lambda recipe: -recipe.n_iter)


def test_layers_count_from_fine_to_coarse_as_programs_for_topics_do() -> None:
    rng = np.random.default_rng(2)
    centers = np.repeat(5 * rng.normal(size=(3, 50)), 4, axis=0) + rng.normal(size=(12, 50))
    X = np.repeat(centers, 50, axis=0) + 1.5 * rng.normal(size=(600, 50))
    fitted = wt.AutoCluster().fit(X)
    layers = fitted.cluster_layers_
    assert len(layers) > 1
    assert layers[0].max() > layers[-1].max()
    np.testing.assert_array_equal(layers, fitted.clustering_.layers[::-1])
    np.testing.assert_array_equal(fitted.membership_strengths_, fitted.probabilities_)


@pytest.mark.slow
def test_it_is_the_function_with_the_manners_of_an_estimator(blobs) -> None:
    X, weights = blobs[0], np.arange(1, 91) % 3
    fitted = wt.AutoCluster(3, noise=True).fit(X, sample_weight=weights)
    found = wt.cluster(X, 3, noise=True, sample_weight=weights)
    np.testing.assert_array_equal(fitted.labels_, found.labels)
    np.testing.assert_array_equal(fitted.probabilities_, found.probabilities)
    assert (fitted.n_clusters_, fitted.reason_) == (found.n_clusters, found.reason)
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
    np.testing.assert_array_equal(clone(fitted).fit_predict(X, sample_weight=weights), found.labels)
    with pytest.raises(NotFittedError):
        clone(fitted).predict(X)


@pytest.mark.slow
def test_it_takes_what_single_linkage_takes(blobs) -> None:
    X, truth = blobs
    new = X + 0.01
    D, moved = cdist(X, X), wt.MeanShift(0.5, n_iter=1, tol=None).fit(X)
    for fitted, asked in [
        (wt.AutoCluster(3).fit(X), new),
        (wt.AutoCluster(3, metric="cityblock").fit(X), new),
        (wt.AutoCluster(3, metric="precomputed").fit(D), cdist(new, X)),
        (wt.AutoCluster(3).fit(wt.Space.from_points(X)), new),
        (wt.AutoCluster(3).fit(wt.Space.from_distances(D)), cdist(new, X)),
        (wt.AutoCluster(3).fit(wt.Space.from_distances(D, points=X)), cdist(new, X)),
        (wt.AutoCluster(3).fit(wt.GaussianTransform(0.9, n_iter=1).fit(X)), new),
        (wt.AutoCluster(3).fit(moved), new),
    ]:
        assert adjusted_rand_score(truth, fitted.labels_) == 1
        np.testing.assert_array_equal(fitted.predict(asked), fitted.labels_)


def test_it_ends_pipelines(blobs) -> None:
    pipeline = make_pipeline(StandardScaler(), wt.AutoCluster(3))
    assert adjusted_rand_score(blobs[1], pipeline.fit_predict(blobs[0] * [1, 1000])) == 1
    np.testing.assert_array_equal(pipeline.predict(blobs[0] * [1, 1000]), pipeline[-1].labels_)


@pytest.mark.usefixtures("flowing")
def test_new_points_follow_the_transform_that_was_chosen(blobs, tmp_path: Path) -> None:
    X = blobs[0]
    fitted = wt.AutoCluster(3).fit(X)
    recipe = fitted.clustering_.recipe
    assert (recipe.kind, recipe.n_iter) == ("gaussian", 2)
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
    far = [[-40.0, 3.0], [60.0, 1.0]]  # out of reach: the nearest fitted point
    assert fitted.predict(far).tolist() == [fitted.labels_[cdist(far, X).argmin(axis=1)[k]] for k in (0, 1)]
    ground = fitted.clustering_.ground
    transform = wt.GaussianTransform(recipe.factor * ground.unit, recipe.lam, n_iter=recipe.n_iter).fit(X)
    near = X[::7] + 0.05
    nearest = transform.distances_to(near).argmin(axis=1)
    np.testing.assert_array_equal(fitted.predict(near), fitted.labels_[nearest])
    again = wt.AutoCluster.load(fitted.save(tmp_path / "clusters"))
    np.testing.assert_array_equal(again.predict(near), fitted.predict(near))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"n_clusters": 3}, {"n_clusters": 1}, {"metric": "precomputed"}], ids=str)
def test_all_that_was_learned_comes_back_from_a_file(blobs, options, tmp_path: Path) -> None:
    X = blobs[0] if options.get("metric") != "precomputed" else cdist(blobs[0], blobs[0])
    fitted = wt.AutoCluster(**options).fit(X)
    for again in (
        wt.AutoCluster.load(fitted.save(tmp_path / "clusters")),
        pickle.loads(pickle.dumps(fitted)),
    ):
        np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
        np.testing.assert_array_equal(again.probabilities_, fitted.probabilities_)
        assert again.clustering_.partitions == fitted.clustering_.partitions
        assert again.clustering_.recipe == fitted.clustering_.recipe
        assert str(again.clustering_) == str(fitted.clustering_)
        assert len(again.clustering_.plot().axes) == len(fitted.clustering_.plot().axes)


@pytest.mark.slow
def test_parts_of_files_that_do_not_fit_are_refused(blobs, tmp_path: Path) -> None:
    whole, part = wt.AutoCluster(3).fit(blobs[0]), wt.AutoCluster(3).fit(blobs[0][:30])
    whole.clustering_ = part.clustering_
    with pytest.raises(ValueError, match=r"fitted attributes have different numbers of points: (90 and 30|30 and 90)"):
        wt.AutoCluster.load(whole.save(tmp_path / "mixed"))
    del part.probabilities_
    with pytest.raises(ValueError, match="fitted attributes are missing: probabilities_"):
        wt.AutoCluster.load(part.save(tmp_path / "less"))


def test_new_rows_have_the_distances_to_all_fitted_points(blobs) -> None:
    stored = wt.AutoCluster(3, metric="precomputed").fit(cdist(blobs[0], blobs[0]))
    with pytest.raises(ValueError, match="90 features"):
        stored.predict(np.zeros((1, 5)))


@pytest.mark.parametrize("missing", ["drop", "fill"])
def test_missing_cells_of_an_array_mean_what_they_mean_for_cluster(missing: str) -> None:
    X = make_blobs(60, centers=3, random_state=1)[0]
    X[::10, 0] = np.nan
    fitted, expected = wt.AutoCluster(missing=missing).fit(X), wt.cluster(X, missing=missing)
    np.testing.assert_array_equal(fitted.labels_, expected.labels)
    np.testing.assert_array_equal(fitted.predict(X), expected.predict(X))
    assert (fitted.labels_[::10] == -1).all() == (missing == "drop")
