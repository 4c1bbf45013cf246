"""Distances in files give what the same distances give in memory, and a square file is never there as a whole."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import wasserstein_transform as wt
from wasserstein_transform import _check
from wasserstein_transform.spaces import dense, metric
from wasserstein_transform.spaces.dense import as_distances
from wasserstein_transform.transport.inputs import as_metric

KINDS = {
    "square": ("d.npy", "f8", "C"),
    "square, columns first": ("d.npy", "f8", "F"),
    "square float32": ("d.npy", "f4", "C"),
    "square float32, columns first": ("d.npy", "f4", "F"),
    "condensed": ("c.npy", "f8", "C"),
    "condensed float32": ("c.npy", "f4", "C"),
}
SOME = ["square", "square float32", "condensed"]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that a few points have many of them."""
    monkeypatch.setattr(dense, "_BLOCK_SIDE", 17)
    monkeypatch.setattr(dense, "_BLOCK_DISTANCES", 150)
    monkeypatch.setattr(metric, "_COMPARED", 150)


def cloud(n: int = 70) -> np.ndarray:
    """Points on a grid and off it: distances with ties and without, some 0."""
    rng = np.random.default_rng(4)
    return np.concatenate([rng.integers(0, 6, (n // 2, 2)), rng.normal(3, 2, (n - n // 2, 2))]).astype(float)


def written(kind: str, D: np.ndarray, folder: Path) -> Path:
    name, dtype, order = KINDS[kind]
    path, values = folder / name, D.astype(dtype)
    if name.startswith("c"):
        values = squareform(values, checks=False)
    np.save(path, np.asarray(values, order=order))
    return path


def both(kind: str, folder: Path, X: np.ndarray | None = None) -> tuple[wt.Space, wt.Space]:
    """The space of a file, and that of the same distances in memory."""
    D = wt.spaces.Euclidean(cloud() if X is None else X).dense()
    space = wt.Space.from_distances(written(kind, D, folder))
    return space, wt.Space.from_distances(D.astype(KINDS[kind][1]).astype(float))


@pytest.mark.repeated(2)
@pytest.mark.parametrize("kind", KINDS)
def test_single_linkage_and_cuts_are_those_of_the_matrix_in_memory(kind: str, tmp_path: Path) -> None:
    filed, known = both(kind, tmp_path)
    for k in (0, 1, 4):
        tree, truth = (wt.hierarchy.spanning_tree(space, reachability=k) for space in (filed, known))
        np.testing.assert_array_equal(tree.heights, truth.heights)
        apart = filed.metric.pairs(*tree.edges.T)
        if k == 0:
            np.testing.assert_array_equal(apart, tree.heights)
        else:
            assert truth.lengths is not None
            np.testing.assert_array_equal(apart, tree.lengths)
            np.testing.assert_array_equal(tree.lengths, truth.lengths)
        for height in (0.0, 0.5, 0.9):
            np.testing.assert_array_equal(
                *(wt.hierarchy.cut_tree(t, cut="height", height=height) for t in (tree, truth))
            )


@pytest.mark.repeated(1)
@pytest.mark.parametrize("kind", SOME)
def test_clusters_are_those_of_the_matrix_in_memory(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(3 * k, 0.5, (40, 2)) for k in range(3)] + [rng.uniform(-3, 9, (15, 2))])
    trees = [wt.hierarchy.spanning_tree(space) for space in both(kind, tmp_path, X)]
    np.testing.assert_array_equal(*(wt.hierarchy.cut_tree(tree, 3, cut="robust") for tree in trees))
    np.testing.assert_array_equal(*(wt.hierarchy.cut_tree(tree, 3, noise=True, cut="robust") for tree in trees))
    np.testing.assert_array_equal(*(wt.hierarchy.cut_tree(tree, 5, cut="count") for tree in trees))


@pytest.mark.repeated(2)
@pytest.mark.parametrize("kind", KINDS)
def test_neighbors_balls_and_blocks_are_those_of_the_matrix_in_memory(kind: str, tmp_path: Path) -> None:
    filed, known = (space.metric for space in both(kind, tmp_path))
    rng = np.random.default_rng(0)
    rows, cols = rng.integers(0, 70, (2, 40))
    for k in (1, 5, 30, 69):
        for mine, true in zip(filed.neighbors(k), known.neighbors(k), strict=True):
            np.testing.assert_array_equal(mine, true)
    for radius in (0.0, 1.0, 2.3, 100.0):
        for mine, true in zip(filed.balls(radius), known.balls(radius), strict=True):
            np.testing.assert_array_equal(mine, true)
    np.testing.assert_array_equal(filed.block(rows, cols[:9]), known.block(rows, cols[:9]))
    np.testing.assert_array_equal(
        filed.block(np.arange(3, 50), np.arange(70)), known.block(np.arange(3, 50), np.arange(70))
    )
    np.testing.assert_array_equal(filed.pairs(rows, cols), known.pairs(rows, cols))
    np.testing.assert_array_equal(filed.dense(), known.dense())
    np.testing.assert_array_equal(filed.condensed(dtype="f4"), known.condensed(dtype="f4"))
    np.testing.assert_array_equal(filed.take(rows).dense(), known.take(rows).dense())
    assert filed.largest() == known.largest()


@pytest.mark.repeated(3)
@pytest.mark.parametrize("kind", KINDS)
def test_movement_is_the_largest_change_of_a_distance(kind: str, tmp_path: Path) -> None:
    filed, known = (space.metric for space in both(kind, tmp_path))
    later = wt.spaces.Dense(wt.spaces.Euclidean(cloud() * 1.5).dense())
    truth = float(np.abs(known.dense() - later.matrix).max())
    assert filed.movement(later) == later.movement(filed) == truth
    assert filed.movement(known) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOME)
def test_a_transform_of_distances_in_a_file_is_that_of_the_matrix(kind: str, tmp_path: Path) -> None:
    filed, known = both(kind, tmp_path)
    process = wt.transforms.local_truncation(1.2, p=2)
    mine, true = (wt.iterate(process, space, n_iter=2, merge=0.1) for space in (filed, known))
    np.testing.assert_array_equal(mine.last.metric.dense(), true.last.metric.dense())
    assert mine.movements == true.movements
    uncut = wt.Transform(wt.Kernel(1.0), wt.Exact())
    np.testing.assert_array_equal(uncut(filed).metric.dense(), uncut(known).metric.dense())


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOME)
def test_points_beside_distances_and_points_without_mass_work_as_in_memory(kind: str, tmp_path: Path) -> None:
    X = cloud()
    D = wt.spaces.Euclidean(X).dense().astype(KINDS[kind][1])
    weights = np.arange(70) % 5
    path = written(kind, D, tmp_path)
    filed, known = (wt.Space.from_distances(source, weights, X) for source in (path, D.astype(float)))
    np.testing.assert_array_equal(*(wt.hierarchy.spanning_tree(space).heights for space in (filed, known)))
    shift = wt.Transform(wt.Mean(wt.Truncation(1.5)), wt.transport.DiracDistance())
    np.testing.assert_array_equal(shift(filed).points, shift(known).points)


@pytest.mark.parametrize("seed", range(12))
def test_trees_of_many_ties_have_the_heights_of_scipy(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    n, most = int(rng.integers(2, 60)), int(rng.integers(1, 30))
    condensed = rng.integers(0, most + 1, n * (n - 1) // 2).astype(float)
    np.save(tmp_path / "c.npy", condensed)
    space = wt.Space.from_distances(tmp_path / "c.npy")
    tree = wt.hierarchy.spanning_tree(space)
    np.testing.assert_array_equal(tree.heights, linkage(condensed, "single")[:, 2])
    np.testing.assert_array_equal(space.metric.pairs(*tree.edges.T), tree.heights)
    near = space.metric.neighbors(n - 1)
    D = squareform(condensed)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        np.testing.assert_array_equal(near.indices[i], others[np.lexsort((others, D[i, others]))])


@pytest.mark.parametrize("scale", [1e-170, 1e170])
def test_extreme_distances_in_a_file_are_compared_as_they_are(scale: float, tmp_path: Path) -> None:
    D = wt.spaces.Euclidean(cloud(30)).dense()
    np.save(tmp_path / "c.npy", squareform(D, checks=False) * scale)
    filed, known = wt.Space.from_distances(tmp_path / "c.npy"), wt.Space.from_distances(D * scale)
    for k in (0, 3):
        tree, truth = (wt.hierarchy.spanning_tree(space, reachability=k) for space in (filed, known))
        np.testing.assert_allclose(tree.heights, truth.heights, rtol=1e-12)


WORK: dict[str, Callable[[wt.Space, wt.Engine], object]] = {
    "tree": wt.hierarchy.spanning_tree,
    "tree of reachability": lambda space, engine: wt.hierarchy.spanning_tree(space, engine, reachability=3),
    "neighbors": lambda space, engine: space.metric.neighbors(3, engine=engine),
    "balls": lambda space, engine: space.metric.balls(0.02, engine),
    "movement": lambda space, engine: space.metric.movement(space.metric, engine),
}


@pytest.mark.slow
def test_no_whole_matrix_is_ever_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "_BLOCK_SIDE", 100)
    for module, name in ((dense, "_BLOCK_DISTANCES"), (metric, "_COMPARED")):
        monkeypatch.setattr(module, name, 10_000)
    engine = wt.Engine(n_jobs=2, memory=2e6)
    (tmp_path / "few").mkdir()
    few, _ = both("square", tmp_path / "few")
    path = written("square", wt.spaces.Euclidean(np.random.default_rng(0).random((1000, 2))).dense(), tmp_path)
    peaks = {}
    for name, work in WORK.items():
        work(few, engine)  # compiles
        tracemalloc.start()
        work(wt.Space.from_distances(path, engine=engine), engine)
        peaks[name] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert max(peaks.values()) < 2e6, peaks  # of 8 MB in the file


@pytest.mark.parametrize("kind", ["condensed", "square float32", "square, columns first"])
def test_what_is_copied_to_a_table_is_announced(kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "wasserstein_transform")
    path, known = written(kind, wt.spaces.Euclidean(cloud()).dense(), tmp_path), both(kind, tmp_path)[1].metric
    mapped = kind == "square, columns first"  # a symmetric matrix is its own transpose: nothing is copied
    if not mapped:
        with pytest.raises(
            MemoryError,
            match=r".*\.npy: distances as a 70 × 70 table needs 38.3 KiB, and 19.5 KiB are available; write them "
            r"as a square float64 .npy file",
        ):
            wt.Space.from_distances(path, engine=wt.Engine(memory=2e4))
    found = wt.Space.from_distances(path).metric
    assert found.is_on_disk == mapped
    assert mapped or f"{path}: distances as a 70 × 70 table: 38.3 KiB" in caplog.text
    np.testing.assert_array_equal(found.dense(), known.dense())


@pytest.mark.parametrize("kind", ["square", "square float32", "condensed"])
def test_reading_a_file_tells_how_far_it_is_and_can_be_cancelled(kind: str, tmp_path: Path) -> None:
    seen: list[wt.engine.Update] = []

    def cancel(update: wt.engine.Update) -> None:
        seen.append(update)
        if update.done > 0:
            engine.cancel()

    path = written(kind, wt.spaces.Euclidean(cloud()).dense(), tmp_path)
    engine = wt.Engine(n_jobs=1, progress=cancel)
    with pytest.raises(wt.engine.Cancelled):
        wt.Space.from_distances(path, engine=engine)
    last = next(update for update in reversed(seen) if update.stage)
    assert 0 < last.done < last.total


@pytest.mark.parametrize("n", [1, 16, 17, 18, 34, 60])
def test_one_entry_that_differs_from_its_mirror_image_is_found_anywhere(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_check, "_BLOCK_SIDE", 17)
    rng = np.random.default_rng(n)
    D = rng.random((n, n))
    D += D.T
    assert _check.is_symmetric(D, 0.0)
    for i, j in rng.integers(0, n, (60, 2)):
        other = D.copy()
        other[i, j] += 0.01
        assert _check.is_symmetric(other, 0.005) == np.array_equal(other, other.T) == (i == j)
        assert _check.is_symmetric(other, 0.02)
        other[i, j] = np.nan  # missing: not known to differ
        assert _check.is_symmetric(other, 0.0)


@pytest.mark.parametrize("order", ["C", "F"])
def test_transport_takes_a_matrix_as_it_is_and_a_space_copies_it(order: str) -> None:
    D = np.asarray(wt.spaces.Euclidean(cloud()).dense(), order=order)  # type: ignore[call-overload]
    assert order == "F" or np.shares_memory(as_metric(D).dense(), D)
    assert np.shares_memory(as_distances(D), D)
    assert not np.shares_memory(wt.Space.from_distances(D).metric.dense(), D)


def test_float32_distances_that_differ_by_their_rounding_are_symmetric_in_memory_as_in_a_file(tmp_path: Path) -> None:
    D = wt.spaces.Euclidean(cloud()).dense().astype("f4")
    D[np.tril_indices(70, -1)] *= np.float32(1 + 2**-22)
    np.save(tmp_path / "d.npy", D)
    matrices = [wt.Space.from_distances(source).metric.dense() for source in (D, tmp_path / "d.npy")]
    np.testing.assert_array_equal(*matrices)
    np.testing.assert_array_equal(matrices[0], np.triu(D).astype(float) + np.triu(D).astype(float).T)
