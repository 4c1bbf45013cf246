"""Passes over all points, cut into tiles: the bits of the obvious way, with any number of threads and tiles."""

from __future__ import annotations

import numpy as np
import pytest
from reference import cells as reference
from scipy.sparse import csr_array

import wasserstein_transform as wt
from wasserstein_transform.compute.cells import rows as passes
from wasserstein_transform.compute.cells.index import CellIndex, frame_of
from wasserstein_transform.compute.metrics import gaussians as gaussian
from wasserstein_transform.compute.metrics.gaussians import unit_of_size
from wasserstein_transform.compute.metrics.geometry_jit import GaussianPlane, GaussianSolid


@pytest.fixture(params=[None, 150], ids=["few tiles", "many tiles"])
def _tiles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tiles: what a million points take, on few points."""
    if request.param is not None:
        monkeypatch.setattr(passes, "_MAX_ROWS_IN_CALLER", request.param)


def _clouds(rng: np.random.Generator, m: int, n: int = 1500) -> dict[str, np.ndarray]:
    X = rng.normal(size=(n, m))
    far, flat = X.copy(), X.copy()
    far[::200] *= 1e6
    far[3] = -1e12
    farther = far.copy()
    farther[5], farther[7, -1], farther[9, 0] = 1e20, -1e25, 1e140
    flat[:, 0] *= 1e-9
    return {
        "normal": X,
        "duplicates": np.round(4 * X) / 4,
        "outliers": far,
        "far outliers": farther,
        "flat": flat,
        "away": X + 1e5,
        "one": X[:1],
    }


def _search(X: np.ndarray, reach: float, n_jobs: int = 2) -> CellIndex:
    return wt.spaces.Euclidean(X).search(reach, wt.Engine(n_jobs))


@pytest.mark.repeated(12)
@pytest.mark.usefixtures("_tiles")
@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("reach", [0.0, 1e-140, 1e-6, 0.1, 1.0, 1e9])
def test_order_and_cells_are_those_of_the_obvious_sort(m: int, reach: float, rng: np.random.Generator) -> None:
    for name, X in _clouds(rng, m).items():
        frame = frame_of(X, reach)
        assert frame == reference.frame_of(X, reach, frame.per_reach), name
        keys, strides = reference.keys_of(X, frame)
        search, order = _search(X, reach), reference.order_of(X, keys)
        np.testing.assert_array_equal(search.order, order, name)
        np.testing.assert_array_equal(search.sorted_points, X[order], name)
        found = np.unique(keys)
        np.testing.assert_array_equal(search.cells.cell, np.searchsorted(found, keys[order]), name)
        np.testing.assert_array_equal(search.starts, np.append(np.searchsorted(keys[order], found), len(X)), name)
        middle = search.cells.runs[:, search.cells.runs.shape[1] // 2]
        for end, side in ((0, -frame.per_reach), (1, frame.per_reach + 1)):
            np.testing.assert_array_equal(middle[:, end], np.searchsorted(keys[order], found + side), name)
        assert strides[-1] == 1


@pytest.mark.usefixtures("_tiles")
def test_everybody_within_reach_is_looked_at(rng: np.random.Generator) -> None:
    for m in (1, 2, 3, 4):
        X = rng.normal(size=(600, m))
        search = _search(X, 0.5)
        for i in range(0, 600, 37):
            runs = search.cells.runs[search.cells.cell[i]]
            seen = np.concatenate([np.arange(*run) for run in runs])
            near = np.flatnonzero(np.linalg.norm(search.sorted_points - search.sorted_points[i], axis=1) <= 0.5)
            assert np.isin(near, seen).all()
            assert len(seen) == search.n_candidates[search.cells.cell[i]] == search.candidates_by_position()[i]


def test_far_points_leave_a_step_of_the_others_as_it_is(rng: np.random.Generator) -> None:
    X = rng.random((3000, 2))
    far = np.concatenate([X, [[1e20, 1e20], [-1e140, 0.5]]])
    for process in (wt.transforms.mean_shift(0.3), wt.transforms.gaussian_transform(0.05)):
        plain, found = (wt.iterate(process, wt.Space.from_points(Y), n_iter=2, engine=wt.Engine(2)) for Y in (X, far))
        np.testing.assert_allclose(found.last.points[:-2], plain.last.points, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(found.last.points[-2:], far[-2:])


@pytest.mark.slow
def test_keys_that_do_not_fit_an_integer_leave_an_axis_out(rng: np.random.Generator) -> None:
    X = rng.permuted(np.arange(2_100_000.0)).reshape(-1, 3) * 1e6
    X = np.concatenate([X, X + 0.5, X - 0.25])  # every point alone in its cell along every axis
    assert len(frame_of(X, 1e-3).axes) == 2
    assert len(frame_of(X[:1000], 1e-3).axes) == 3


def test_the_order_of_many_points_does_not_depend_on_the_number_of_threads(rng: np.random.Generator) -> None:
    X = rng.random((100_000, 2))
    one, two, seven = (_search(X, 0.01, n_jobs) for n_jobs in (1, 2, 7))
    for other in (two, seven):
        np.testing.assert_array_equal(one.order, other.order)
        np.testing.assert_array_equal(one.cells.cell, other.cells.cell)
        np.testing.assert_array_equal(one.cells.runs, other.cells.runs)


@pytest.mark.repeated(1)
@pytest.mark.parametrize(("m", "n"), [(1, 20_000), (2, 20_000), (3, 1000)])
def test_a_step_gives_the_same_bits_for_any_number_of_threads_and_size_of_tiles(
    m: int, n: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = wt.Space.from_points(rng.normal(size=(n, m)), rng.integers(1, 4, n))
    process = wt.transforms.gaussian_transform(0.02 if m < 3 else 0.3, 1.0)

    def walk(n_jobs: int) -> tuple[bytes, bytes, float]:
        gone = wt.iterate(process, space, n_iter=1, engine=wt.Engine(n_jobs))
        assert isinstance(gone.last.metric, wt.spaces.GaussianMetric)
        return gone.last.metric.means.tobytes(), gone.last.metric.covs.tobytes(), gone.movements[0]

    first = walk(1)
    assert walk(2) == first
    monkeypatch.setattr(passes, "_MAX_ROWS_IN_CALLER", 700)
    assert walk(5) == first


def test_tiles_of_a_search_cover_all_positions_once(rng: np.random.Generator) -> None:
    for search in (_search(rng.normal(size=(3000, 2)), 0.2), _search(rng.normal(size=(500, 2)), np.inf)):
        for grain in (1.0, 1e3, 1e5, 1e12):
            tiles = search.tiles(2.0, grain)
            assert [i for tile in tiles for i in range(*tile)] == list(range(len(search.order)))
    assert len(_search(rng.normal(size=(500, 2)), np.inf).tiles(1.0, 500.0 * 50)) == 10


def _covariances(rng: np.random.Generator) -> dict[str, np.ndarray]:
    roots = rng.normal(size=(3000, 2, 2))
    covs = roots @ roots.transpose(0, 2, 1)
    singular = np.round(8 * roots[:, :, :1]) @ np.round(8 * roots[:, :, :1]).transpose(0, 2, 1)
    zeros = covs * (rng.random(3000) < 0.5)[:, None, None]
    spread = covs * 10.0 ** rng.uniform(-330, 0, 3000)[:, None, None]
    return {"random": covs, "singular": singular, "zeros": zeros, "tiny": 1e-300 * covs, "huge": 1e300 * covs,
            "below all floats": 1e-322 * covs, "of all sizes": spread}  # fmt: skip


@pytest.mark.usefixtures("_tiles")
def test_columns_of_the_plane_are_those_of_the_formulas(rng: np.random.Generator) -> None:
    for name, covs in _covariances(rng).items():
        unit, means = unit_of_size(np.abs(covs).max()), rng.normal(size=(3000, 2))
        lam = 1.7 if name != "huge" else 1e-3
        metric, engine = wt.spaces.GaussianMetric(means, covs, lam), wt.Engine(2)
        found = metric.geometry(engine)
        traces = np.trace(covs, axis1=1, axis2=2) / unit
        if ((traces > 0) & (traces < 1e-60)).any():
            assert isinstance(found, GaussianSolid), name
            continue
        a, b, c = (covs[:, k, l] / unit for k, l in ((0, 0), (0, 1), (1, 1)))
        root = reference.root_determinants(a, b, c)
        assert isinstance(found, GaussianPlane), name
        for mine, theirs in zip(
            found[:8], (*means.T, a, b, c, root, np.sqrt(a + c), lam * unit * (a + c)), strict=True
        ):
            assert mine.tobytes() == np.ascontiguousarray(theirs).tobytes(), name


def test_factors_of_some_matrices_are_those_in_the_stack_of_all(rng: np.random.Generator) -> None:
    for m in (3, 5, 12):
        roots = rng.normal(size=(400, m, m))
        covs = roots @ roots.transpose(0, 2, 1)
        covs[::7, :, 0] = covs[::7, 0, :] = 0.0
        whole = gaussian._factors(covs)
        for part in (slice(0, 1), slice(17, 18), slice(100, 231), slice(399, 400)):
            for mine, theirs in zip(gaussian._factors(covs[part]), whole, strict=True):
                assert np.ascontiguousarray(mine).tobytes() == np.ascontiguousarray(theirs[part]).tobytes()


@pytest.mark.usefixtures("_tiles")
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_movement_is_that_of_both_clouds_put_together(m: int, rng: np.random.Generator) -> None:
    for tiny in (1.0, 1e-80):  # beside the others, the formulas of the plane are not good enough
        forms = []
        for _ in range(2):
            roots = rng.normal(size=(700, m, m))
            covs = roots @ roots.transpose(0, 2, 1)
            covs[0] *= tiny
            forms.append((rng.normal(size=(700, m)), covs))
        (x, A), (y, B) = forms
        both = wt.spaces.GaussianMetric(np.concatenate([x, y]), np.concatenate([A, B]), 2.0)
        apart = both.pairs(np.arange(700), np.arange(700, 1400))
        assert (
            wt.spaces.GaussianMetric(x, A, 2.0).movement(wt.spaces.GaussianMetric(y, B, 2.0), wt.Engine(2))
            == apart.max()
        )
        apart = wt.spaces.Euclidean(both.means).pairs(np.arange(700), np.arange(700, 1400))
        assert wt.spaces.Euclidean(x).movement(wt.spaces.Euclidean(y)) == apart.max()
        assert wt.spaces.GaussianMetric(x, A, 0.0).movement(wt.spaces.GaussianMetric(y, B, 0.0)) == apart.max()


@pytest.mark.slow
def test_balls_are_sorted_by_point(rng: np.random.Generator) -> None:
    X = np.round(rng.normal(size=(2000, 2)), 1)
    balls = wt.spaces.Euclidean(X).balls(0.2)
    rows = csr_array((balls.distances, balls.indices, balls.indptr), shape=(2000, 2000))
    rows.sort_indices()
    np.testing.assert_array_equal(rows.indices, balls.indices)
    apart = np.linalg.norm(X[:, None] - X[None], axis=2)
    near = np.argwhere(apart <= 0.2 * (1 + 1e-12))
    np.testing.assert_array_equal(np.repeat(np.arange(2000), np.diff(balls.indptr)), near[:, 0])
    np.testing.assert_array_equal(balls.indices, near[:, 1])
    np.testing.assert_allclose(balls.distances, apart[near[:, 0], near[:, 1]], rtol=1e-12)
