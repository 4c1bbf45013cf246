"""Weight k is the same as k copies, at every door that takes a table; rows of weight 0 decide nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform.explorer.data import Choice, Source, of_source
from wasserstein_transform.tables import features
from wasserstein_transform.tables.scaling import Scaling, absurd, quartiles

SEEDS = range(12)


def table_in_two_units(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = make_blobs(60, 2, centers=3, cluster_std=2, random_state=seed)[0] * [100, 1]
    return X, np.where(rng.random(60) < 0.2, 10, 1)


def firsts(weights: np.ndarray) -> np.ndarray:
    """The first copy of each row in np.repeat(X, weights, 0)."""
    return np.r_[0, np.cumsum(weights)[:-1]]


@pytest.mark.parametrize("seed", SEEDS)
def test_weights_are_copies_for_cluster(seed: int) -> None:
    X, w = table_in_two_units(seed)
    weighted, copied = wt.cluster(X, 3, sample_weight=w), wt.cluster(np.repeat(X, w, axis=0), 3)
    assert adjusted_rand_score(weighted.labels, copied.labels[firsts(w)]) == 1
    np.testing.assert_allclose(weighted.features.scaling.length, copied.features.scaling.length, rtol=1e-12)


def test_the_unit_of_weights_says_nothing() -> None:
    X, w = table_in_two_units(0)
    np.testing.assert_array_equal(
        wt.cluster(X, 3, sample_weight=w).labels, wt.cluster(X, 3, sample_weight=w * 1e6).labels
    )


@pytest.mark.parametrize("how", ["auto", "standard", "robust", "range"])
@pytest.mark.parametrize("seed", SEEDS)
def test_scales_of_weights_are_those_of_copies(how: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(int(rng.integers(2, 30)), 3)), int(rng.integers(0, 4)))
    X[0] *= 1e3  # may be absurd
    w = rng.integers(1, 5, len(X))
    copies = np.repeat(X, w, axis=0)
    np.testing.assert_allclose(quartiles(X, w / 7.0), quartiles(copies), atol=1e-12)
    np.testing.assert_array_equal(np.repeat(absurd(X, w / 7.0), w, axis=0), absurd(copies))
    weighted, copied = Scaling.of(how, X, w / 7.0), Scaling.of(how, copies)
    np.testing.assert_allclose(weighted.center, copied.center, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(weighted.length, copied.length, rtol=1e-12)


def test_rows_of_weight_0_decide_nothing() -> None:
    X, _ = table_in_two_units(1)
    far = np.tile([[1e6, 0], [-1e6, 0], [2e6, 9.0]], (4, 1))
    weights = np.r_[np.ones(60), np.zeros(12)]
    found, alone = wt.cluster(np.r_[X, far], 3, sample_weight=weights), wt.cluster(X, 3)
    np.testing.assert_array_equal(found.labels[:60], alone.labels)
    table = pd.DataFrame(np.r_[X, far], columns=["a", "b"]).assign(kind=["u", "v"] * 30 + ["other"] * 12)
    assert features(table, ["a", "b", "kind"], sample_weight=weights).names == ("a", "b", "kind=u", "kind=v")


def test_gaps_are_filled_from_weights_as_from_copies() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, 3)), columns=["a", "b", "c"]).assign(kind=list("uvvw") * 10)
    table.iloc[[3, 7], 2], table.iloc[[11, 13], 3] = np.nan, None
    w = rng.integers(1, 4, 40)
    names = ["a", "b", "c", "kind"]
    weighted = features(table, names, missing="fill", sample_weight=w)
    copied = features(table.loc[table.index.repeat(w)], names, missing="fill")
    np.testing.assert_allclose(weighted.matrix("scaled"), copied.matrix("scaled")[firsts(w)], atol=1e-9)


def test_weights_are_copies_for_estimators_score_and_the_page() -> None:
    X, w = table_in_two_units(0)
    copies = np.repeat(X, w, axis=0)
    labels = wt.AutoCluster(3).fit(X, sample_weight=w).labels_
    assert adjusted_rand_score(labels, wt.AutoCluster(3).fit(copies).labels_[firsts(w)]) == 1
    of_copies = wt.score(copies, np.repeat(labels, w), scale="standard")
    scored = wt.score(X, labels, scale="standard", sample_weight=w)
    assert (scored.conductance, scored.silhouette) == pytest.approx((of_copies.conductance, of_copies.silhouette))
    choice = Choice(columns=("a", "b"), weight="n")
    shown = of_source(Source(pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "n": w})), "table", choice).space
    copied = of_source(Source(pd.DataFrame(copies, columns=["a", "b"])), "table", Choice(columns=("a", "b"))).space
    np.testing.assert_allclose(shown.points, copied.points[firsts(w)], atol=1e-12)


def test_weights_are_copies_for_denoise() -> None:
    rng = np.random.default_rng(0)
    angles = rng.uniform(0, 2 * np.pi, 150)
    ring = np.c_[np.cos(angles), np.sin(angles)] + rng.normal(size=(150, 2)) * 0.03
    w = rng.integers(1, 4, 150)
    weighted, copied = wt.denoise(ring, 1, sample_weight=w), wt.denoise(np.repeat(ring, w, axis=0), 1)
    np.testing.assert_allclose(weighted.points, copied.points[firsts(w)], atol=1e-9)
