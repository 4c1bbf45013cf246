"""Stored clouds, in whatever parts, have the bits of the cloud in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from clouds.making import EPS, PROCESSES, assert_same, cloud, stored, weights_of

import wasserstein_transform as wt
from wasserstein_transform.clouds.folder import RunFolder
from wasserstein_transform.clouds.state import State, open_blocks
from wasserstein_transform.compute.metric import frame_of_cloud


@pytest.mark.repeated(5)
@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("name", PROCESSES)
def test_parts_have_the_bits_of_the_whole(name: str, m: int, tmp_path: Path) -> None:
    process, X = PROCESSES[name](EPS[m]), cloud(600, m)
    whole = wt.iterate(process, wt.Space.from_points(X), n_iter=2, tol=1e-3)
    found = stored(tmp_path, process, X, n_iter=2, tol=1e-3, n_parts=6)
    assert len(found.state.blocks) >= 6
    assert_same(found, whole)


@pytest.mark.repeated(1)
@pytest.mark.parametrize(("m", "n_parts"), [(2, 1), (2, 2), (2, 30), (3, 7)])
def test_many_points_with_weights_have_them_too(m: int, n_parts: int, tmp_path: Path) -> None:
    """Above 16,384 points other code sorts them."""
    process, X, weights = wt.gaussian_transform(EPS[m] / 3, 2.0), cloud(17_000, m), weights_of(17_000)
    with pytest.warns(wt.transforms.MasslessWarning, match="of 17,000 points have no mass") as warned:
        whole = wt.iterate(process, wt.Space.from_points(X, weights), n_iter=1)
    with pytest.warns(wt.transforms.MasslessWarning) as warned_too:
        found = stored(tmp_path, process, X, weights, n_iter=1, n_parts=n_parts)
    assert str(warned[0].message) == str(warned_too[0].message)
    assert_same(found, whole)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mean shift", "GT"])
def test_points_come_to_rest_as_in_memory(name: str, tmp_path: Path) -> None:
    """Until nothing moves, and beyond: in memory, points at rest are not computed again."""
    process, X = PROCESSES[name](EPS[2]), cloud(600, 2)
    whole = wt.iterate(process, wt.Space.from_points(X), n_iter=40)
    assert_same(stored(tmp_path, process, X, n_iter=40, n_parts=4), whole)
    assert whole.movements[-1] == 0


@pytest.mark.parametrize("m", [1, 2, 3])
def test_movements_to_covariances_that_were_not_there_are_those_of_memory(m: int, tmp_path: Path) -> None:
    step, X = wt.gaussian_transform(EPS[m], 2.0).at(0), cloud(500, m)
    whole = wt.iterate(step, wt.Space.from_points(X), n_iter=2)
    assert_same(stored(tmp_path, step, X, n_iter=2, n_parts=4), whole)


@pytest.mark.slow
def test_tiny_covariances_take_other_formulas_everywhere(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.uniform(1, 31, (300, 2)), 1e-45 * rng.random((10, 2))])
    process = wt.gaussian_transform(0.9, 1.0)
    found = stored(tmp_path, process, X, n_iter=2, n_parts=5)
    assert_same(found, wt.iterate(process, wt.Space.from_points(X), n_iter=2))


@pytest.mark.parametrize("width", [1.0, 1e6, 1e13, 1e20])
def test_the_frame_is_that_of_the_whole(width: float, tmp_path: Path) -> None:
    """Of the widest cloud the extent does not say how many cells there are: they are counted."""
    X = cloud(3000, 3)
    X[0] = width
    X[1] = -width
    for name, process in {"points": wt.mean_shift(0.5), "Gaussians": wt.gaussian_transform(0.5)}.items():
        found = stored(tmp_path / name, process, X, n_iter=0, n_parts=3)
        whole = wt.iterate(process, wt.Space.from_points(X), n_iter=0).last
        assert found.state.frame(0.5, wt.Engine()) == frame_of_cloud(whole.metric, 0.5, wt.Engine())


def test_far_points_take_their_step_in_parts(tmp_path: Path) -> None:
    X = cloud(1000, 2)
    X[:3] = [[1e20, 0.5], [1e140, 1e140], [-1e17, -1e25]]
    process = wt.gaussian_transform(0.2)
    found = stored(tmp_path, process, X, n_iter=2, n_parts=3)
    assert_same(found, wt.iterate(process, wt.Space.from_points(X), n_iter=2))


def test_the_folder_has_two_states_at_most(tmp_path: Path) -> None:
    seen = set[int]()

    def look(update: object) -> None:
        seen.add(len([path for path in (tmp_path / "run").glob("*") if path.is_dir()]))

    engine = wt.Engine(progress=look)
    stored(tmp_path, wt.gaussian_transform(EPS[2]), cloud(500, 2), n_iter=3, n_parts=3, engine=engine)
    assert max(seen) == 2
    folder = RunFolder(tmp_path / "run", None)  # type: ignore[arg-type]
    assert [path.name for path in (tmp_path / "run").iterdir() if path.is_dir()] == ["tau-0003"]
    assert State(open_blocks(folder.blocks("tau-0003")), 500, 2, 1.0, None).extent.n == 500
