"""Seams: memory that is not initialized, devices of one's own, clouds in parts, hooks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from poison import spoil_new_arrays
from reference.backend import Plain

import wasserstein_transform as wt


def cloud(n: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, m))


def gaussians(n: int, m: int) -> wt.spaces.GaussianMetric:
    factors = np.random.default_rng(1).normal(size=(n, m, m))
    return wt.spaces.GaussianMetric(cloud(n, m), factors @ factors.transpose(0, 2, 1), 1.0)


def graph() -> wt.spaces.Graph:
    rng = np.random.default_rng(0)
    ring = [(i, (i + 1) % 60, 1.0 + rng.random()) for i in range(60)]
    return wt.spaces.Graph.of(
        [*ring, *((int(a), int(b), 5.0) for a, b in rng.integers(0, 60, (40, 2)))], weight="length"
    )


def walk_of(process: wt.transforms.Process, X: np.ndarray) -> list[np.ndarray]:
    last = wt.iterate(process, wt.Space.from_points(X), n_iter=2, merge=1e-3).last
    return [last.points, last.metric.dense()]


def moved(step: wt.Transform, X: np.ndarray) -> np.ndarray:
    return step(wt.Space.from_points(X)).metric.dense()


WORK: dict[str, Callable[[], list[np.ndarray]]] = {
    "blocks": lambda: [gaussians(1200, 2).block(np.arange(600), np.arange(600, 1200))],
    "pairs": lambda: [gaussians(600, 5).pairs(np.arange(599), np.arange(1, 600))],
    "matrix": lambda: [wt.spaces.Euclidean(cloud(1100, 2)).dense(dtype=kind) for kind in ("float64", "float32")],
    "condensed": lambda: [gaussians(300, 2).condensed()],
    "balls": lambda: list(wt.spaces.Euclidean(cloud(500, 2)).balls(0.5)),
    "neighbors": lambda: list(wt.spaces.Euclidean(cloud(3000, 3)).neighbors(4)),
    "neighbors of others": lambda: list(gaussians(300, 2).neighbors(3, of=gaussians(40, 2))),
    "neighbors in rows": lambda: list(wt.spaces.Dense(wt.spaces.Euclidean(cloud(300, 2)).dense()).neighbors(3)),
    "tree": lambda: [wt.hierarchy.spanning_tree(wt.Space.from_points(cloud(2500, 2))).edges],
    "mean shift": lambda: walk_of(wt.transforms.mean_shift(0.6), cloud(400, 2)),
    "GT in the plane": lambda: walk_of(wt.transforms.gaussian_transform(0.6, 1.0), cloud(400, 2)),
    "GT in space, pairs tested once": lambda: walk_of(wt.transforms.gaussian_transform(0.9, 1.0), cloud(200, 3)),
    "ridge in space": lambda: walk_of(wt.transforms.gaussian_transform(0.9, 1.0, ridge=1), cloud(200, 3)),
    "LT-WT": lambda: [moved(wt.Transform(wt.Truncation(0.6), wt.Exact(1)), cloud(80, 2))],
    "rectangle": lambda: [np.asarray(wt.wasserstein_cross(10 * np.eye(9)[:4], np.eye(9) + 1, cloud(9, 2), 2))],
    "listed pairs": lambda: [np.asarray(wt.wasserstein_pairs(np.eye(9) + 1, cloud(9, 2), np.inf, [[0, 1], [5, 2]]))],
    "line": lambda: [moved(wt.Transform(wt.Truncation(0.3), wt.transport.Line(1)), cloud(90, 1))],
    "paths": lambda: [graph().dense(), graph().condensed(), *graph().balls(3.0), *graph().neighbors(5)],
    "Ricci flow": lambda: [wt.graphs.ricci_flow([(k, (k * k + 1) % 40) for k in range(40)], 4, tol=None).lengths],
    "transport on a graph": lambda: [
        np.asarray(wt.wasserstein_pairs(wt.Truncation(2.0)(wt.Space(graph(), np.full(60, 1 / 60), None)), graph()))
    ],
}  # fmt: skip


@pytest.mark.repeated(7)
@pytest.mark.parametrize("name", WORK)
def test_nothing_is_read_before_it_is_written(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = WORK[name]()
    spoil_new_arrays(monkeypatch)
    assert [array.tobytes() for array in WORK[name]()] == [array.tobytes() for array in here]


TASKS = ["LT-WT", "rectangle", "listed pairs", "Ricci flow", "transport on a graph"]


@pytest.mark.repeated(1)
@pytest.mark.parametrize(
    "process",
    [
        wt.transforms.mean_shift(0.7),
        wt.transforms.mean_shift(0.5, "gaussian"),
        wt.transforms.gaussian_transform(0.7, 2.0),
        wt.transforms.gaussian_transform(0.7, 2.0, "epanechnikov"),
        wt.transforms.local_truncation(0.7),
        wt.transforms.local_truncation(0.7, 2),
    ],
    ids=repr,
)
def test_a_device_of_ones_own_answers_the_operations(process: wt.transforms.Process) -> None:
    space = wt.Space.from_points(cloud(40, 2), np.random.default_rng(0).integers(1, 4, 40))
    here = wt.iterate(process, space, n_iter=2, merge=1e-3)
    with wt.using(device=Plain()):
        there = wt.iterate(process, space, n_iter=2, merge=1e-3)
        tree = wt.hierarchy.spanning_tree(there.last)
        near = there.last.metric.neighbors(3)
        distances = there.last.metric.dense()
    np.testing.assert_allclose(distances, here.last.metric.dense(), rtol=0, atol=1e-7)
    np.testing.assert_allclose(there.movements, here.movements, rtol=0, atol=1e-7)
    np.testing.assert_allclose(tree.heights, wt.hierarchy.spanning_tree(here.last).heights, rtol=0, atol=1e-7)
    np.testing.assert_allclose(near.distances, here.last.metric.neighbors(3).distances, rtol=0, atol=1e-7)


def test_every_finished_state_is_handed_to_the_hook() -> None:
    seen: list[wt.transforms.Trajectory] = []
    process, space = wt.transforms.gaussian_transform(0.7), wt.Space.from_points(cloud(50, 2))
    walk = wt.iterate(process, space, n_iter=3, keep="all", hook=seen.append)
    assert [part.n_iter for part in seen] == [0, 1, 2, 3]
    assert all(part.quotients[-1] is kept for part, kept in zip(seen, walk.quotients, strict=True))
    assert seen[-1].outcome == walk.outcome
    with pytest.raises(RuntimeError, match="enough"):
        wt.iterate(process, space, n_iter=3, hook=_enough)


def _enough(walk: wt.transforms.Trajectory) -> None:
    if walk.n_iter == 1:
        raise RuntimeError("enough")


@pytest.mark.repeated(1)
@pytest.mark.parametrize("merge", [None, 0.05])
@pytest.mark.parametrize("keep", ["last", "all"])
@pytest.mark.parametrize(
    "process",
    [wt.transforms.mean_shift(0.7), wt.transforms.gaussian_transform(0.7), wt.transforms.local_truncation(0.7)],
    ids=repr,
)
def test_a_run_goes_on_from_any_saved_state_to_the_same_bits(
    process: wt.transforms.Process, keep: str, merge: float | None, tmp_path: Path
) -> None:
    space = wt.Space.from_points(cloud(60, 2))
    whole = wt.iterate(
        process, space, n_iter=6, tol=0.0, merge=merge, keep=keep, hook=lambda w: w.save(_at(tmp_path, w))
    )
    for tau in range(whole.n_iter):
        saved = wt.transforms.Trajectory.load(tmp_path / f"{tau}.npz")
        again = wt.iterate(process, space, n_iter=6, tol=0.0, merge=merge, keep=keep, resume=saved)
        assert (again.movements, again.outcome, again.first) == (whole.movements, whole.outcome, whole.first)
        np.testing.assert_array_equal(again.last.metric.dense(), whole.last.metric.dense())
        assert len(again.quotients) == len(whole.quotients)


def _at(folder: Path, walk: wt.transforms.Trajectory) -> Path:
    return folder / f"{walk.n_iter}.npz"


def test_a_run_on_other_points_is_not_resumed() -> None:
    walk = wt.iterate(wt.transforms.mean_shift(0.7), wt.Space.from_points(cloud(50, 2)), n_iter=1)
    with pytest.raises(ValueError, match="50 points"):
        wt.iterate(wt.transforms.mean_shift(0.7), wt.Space.from_points(cloud(40, 2)), n_iter=3, resume=walk)
    space = wt.Space.from_points(cloud(50, 2))
    with pytest.raises(ValueError, match="n_iter=0"):
        wt.iterate(wt.transforms.mean_shift(0.7), space, n_iter=0, resume=walk)
    with pytest.raises(TypeError, match="resume"):
        wt.iterate(wt.transforms.mean_shift(0.7), space, n_iter=3, resume="run.npz")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="hook"):
        wt.iterate(wt.transforms.mean_shift(0.7), space, n_iter=3, hook=3)  # type: ignore[arg-type]
