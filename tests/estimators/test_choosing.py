"""eps="auto", lam="auto", n_iter="auto"."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import wasserstein_transform as wt


@pytest.fixture
def ring() -> np.ndarray:
    return wt.datasets.circles(1, n=600, noise=0.05, radii=(1.0,)).points


def test_gaussian_transform_takes_what_is_suggested_for_its_purpose(ring: np.ndarray) -> None:
    clusters, curve = wt.suggest(ring), wt.suggest(ring, "curve")
    still = wt.GaussianTransform("auto", "auto", n_iter="auto").fit(ring)
    assert (still.eps_, still.lam_, still.n_iter_, still.reason_) == (
        clusters.eps, clusters.lam, clusters.n_iter, clusters.reason,
    )  # fmt: skip
    np.testing.assert_array_equal(still.points_, ring)
    ridge = wt.GaussianTransform("auto", "auto", n_iter="auto", ridge=1).fit(ring)
    assert (ridge.eps_, ridge.lam_, ridge.n_iter_) == (curve.eps, 1.0, 1)
    assert ridge.reason_ == curve.reason
    moving = wt.GaussianTransform().fit(ring)
    assert (moving.eps_, moving.lam_, moving.n_iter_) == (wt.localize.suggest_eps(ring).eps, 1.0, 1)
    assert moving.reason_ == wt.localize.suggest_eps(ring).reason


def test_a_surface_is_asked_for_by_two_axes() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-1, 1, (1500, 2)), 0.02 * rng.normal(size=1500)])
    found = wt.GaussianTransform(ridge=2).fit(X)
    assert found.eps_ == wt.suggest(X, "surface").eps
    assert np.std(found.points_[:, 2]) < 0.01


def test_what_is_given_stays(ring: np.ndarray) -> None:
    found = wt.GaussianTransform(0.3, "auto", n_iter="auto").fit(ring)
    assert (found.eps_, found.lam_, found.n_iter_) == (0.3, wt.suggest(ring).lam, 0)
    assert found.reason_.startswith("eps as given")
    assert wt.GaussianTransform(0.3).fit(ring).reason_ == "as given"
    assert wt.GaussianTransform([0.3, 0.2], n_iter="auto").fit(ring).n_iter_ == 2


@pytest.mark.slow
def test_the_other_estimators_know_auto_too(ring: np.ndarray) -> None:
    X = ring[:60]
    for estimator in (wt.LocalTruncation(n_iter="auto"), wt.KernelTransform(cut=2.0, n_iter="auto")):
        found = estimator.fit(X)
        assert found.n_iter_ == 1
        assert found.eps_ == wt.localize.suggest_eps(X).eps
        assert "nearest" in found.reason_
    found = wt.MeanShift(n_iter="auto").fit(X)
    assert found.eps_ == wt.suggest(X, "modes").eps


def test_auto_on_distances_alone(ring: np.ndarray) -> None:
    D = np.linalg.norm(ring[:80, None] - ring[None, :80], axis=2)
    found = wt.LocalTruncation(metric="precomputed").fit(D)
    assert found.eps_ == pytest.approx(wt.localize.suggest_eps(ring[:80]).eps)


def test_what_was_chosen_is_saved(ring: np.ndarray, tmp_path: Path) -> None:
    found = wt.GaussianTransform("auto", "auto", n_iter="auto").fit(ring)
    again = wt.GaussianTransform.load(found.save(tmp_path / "found.npz"))
    assert (again.eps_, again.lam_, again.n_iter_, again.reason_) == (
        found.eps_, found.lam_, found.n_iter_, found.reason_,
    )  # fmt: skip
