from __future__ import annotations

import numpy as np
import pytest
from curves.shapes import sphere, torus

import wasserstein_transform as wt
from wasserstein_transform.curves import denoising, looks
from wasserstein_transform.curves.looks import Sight, cut_into_blocks, look, with_margin
from wasserstein_transform.engine import Cancelled, current


@pytest.fixture
def in_blocks(monkeypatch):
    """Blocks of at most 300 points."""
    monkeypatch.setattr(looks, "MAX_BLOCK", 300)


@pytest.mark.parametrize("points", [sphere(2000, 0.1).points, np.argwhere(np.ones((40, 30)))], ids=["sphere", "grid"])
def test_blocks_hold_every_point_once(points):
    found = cut_into_blocks(points.T, 150)
    assert max(map(len, found)) <= 150
    assert min(map(len, found)) >= 30
    assert np.array_equal(np.sort(np.concatenate(found)), np.arange(len(points)))


def test_a_margin_has_all_points_within_reach():
    points = sphere(1000, 0.1).points
    for inside in cut_into_blocks(points.T, 100):
        rows, at = with_margin(points.T, inside, 0.2)
        near = (np.linalg.norm(points[:, None] - points[inside], axis=2) <= 0.2).any(axis=1)
        assert np.array_equal(rows[at], inside)
        assert np.isin(np.flatnonzero(near), rows).all()
        assert len(rows) < len(points)


@pytest.mark.parametrize("kind", ["plain", "lam", "ways", "weights"])
def test_blocks_give_what_the_whole_gives(kind, monkeypatch):
    rng = np.random.default_rng(0)
    points = torus(1500, 0.06).points
    weights = rng.random(1500) if kind == "weights" else np.ones(1500)
    sight = Sight(0.3, 1.0 if kind == "lam" else 0.0, rng.normal(size=(1500, 2)) if kind == "ways" else None)
    whole = look(points, weights / weights.sum(), sight, 2, current())
    monkeypatch.setattr(looks, "MAX_BLOCK", 300)
    found = look(points, weights / weights.sum(), sight, 2, current())
    for name in ("steps", "evidence", "variances", "across", "shared"):
        assert getattr(found, name) == pytest.approx(getattr(whole, name), abs=1e-10), name


def test_a_run_by_blocks_ends_as_the_whole(monkeypatch):
    X = torus(3000, 0.06).points
    whole = wt.denoise(X)
    for module in (looks, denoising):
        monkeypatch.setattr(module, "MAX_BLOCK", 500)
    found = wt.denoise(X)
    assert found.reason.startswith(whole.reason)
    assert "eps and noise from a sample of neighborhoods" in found.reason
    assert (found.n_iter, found.outcome) == (whole.n_iter, whole.outcome)
    assert found.n_iter > 1
    assert found.points == pytest.approx(whole.points, abs=1e-10)


@pytest.mark.usefixtures("in_blocks")
def test_neither_threads_nor_the_order_of_rows_change_a_bit_of_blocks():
    X = sphere(1500, 0.1).points
    order = np.random.default_rng(0).permutation(len(X))
    found, shuffled = wt.denoise(X, 2, eps=0.4, n_jobs=1), wt.denoise(X[order], 2, eps=0.4, n_jobs=2)
    assert np.array_equal(found.points[order], shuffled.points)


@pytest.mark.usefixtures("in_blocks")
def test_blocks_report_and_can_be_cancelled():
    X, updates = sphere(1500, 0.1).points, []
    wt.denoise(X, 2, eps=0.4, n_iter=1, engine=wt.Engine(progress=updates.append))
    done = [(update.done, update.total) for update in updates if update.stage == "blocks"]
    assert done[:2] == [(0, 8), (1, 8)]
    engine = wt.Engine(progress=lambda update: engine.cancel() if update.stage == "blocks" else None)
    with pytest.raises(Cancelled):
        wt.denoise(X, 2, eps=0.4, engine=engine)


def test_memory_is_asked_for_before():
    with pytest.raises(MemoryError, match="denoising 1000 points"):
        wt.denoise(sphere(1000, 0.1).points, engine=wt.Engine(memory=1e5))
