"""Points from files and back, in the order they came in; and what files get an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr
from clouds.making import EPS, cloud, weights_of

import wasserstein_transform as wt
from wasserstein_transform.clouds.sources import CloudSource, open_source

N, M = 700, 2


def save_npy(folder: Path, X: np.ndarray, weights: np.ndarray) -> CloudSource:
    np.save(folder / "p.npy", np.asfortranarray(X))
    np.save(folder / "w.npy", weights)
    return open_source(folder / "p.npy", weights=str(folder / "w.npy"))


def save_parquet(folder: Path, X: np.ndarray, weights: np.ndarray) -> CloudSource:
    table = pa.table({"name": [f"{k}" for k in range(len(X))], "x": X[:, 0], "w": weights, "y": X[:, 1]})
    pq.write_table(table, folder / "p.parquet", row_group_size=97)
    return open_source(folder / "p.parquet", ["x", "y"], "w")


def save_folder(folder: Path, X: np.ndarray, weights: np.ndarray) -> CloudSource:
    (folder / "many").mkdir()
    for k, rows in enumerate(np.array_split(np.arange(len(X)), 5)):
        table = pa.table({"x": X[rows, 0], "y": X[rows, 1], "w": weights[rows]})
        pq.write_table(table, folder / "many" / f"{k}.parquet")
    return open_source(folder / "many", weights="w")


def save_array(folder: Path, X: np.ndarray, weights: np.ndarray) -> CloudSource:
    for name, values in (("p.zarr", X), ("w.zarr", weights)):
        array = zarr.create_array(folder / name, shape=values.shape, chunks=(64, *values.shape[1:]), dtype="float64")
        array[...] = values
    return open_source(folder / "p.zarr", weights=str(folder / "w.zarr"))


def save_group(folder: Path, X: np.ndarray, weights: np.ndarray) -> CloudSource:
    group = zarr.open_group(folder / "g.zarr", mode="w")
    for name, values in (("x", X[:, 0]), ("y", X[:, 1]), ("w", weights)):
        group.create_array(name, shape=values.shape, chunks=(100,), dtype="float64")[...] = values
    return open_source(folder / "g.zarr", ["x", "y"], "w")


SAVED: dict[str, Callable[[Path, np.ndarray, np.ndarray], CloudSource]] = {
    "npy": save_npy, "parquet": save_parquet, "folder": save_folder, "array": save_array, "group": save_group,
}  # fmt: skip


@pytest.mark.parametrize("kind", SAVED)
def test_every_kind_of_file_gives_the_bits_of_memory(kind: str, tmp_path: Path) -> None:
    X, weights = cloud(N, M), weights_of(N) + 0.1
    process = wt.gaussian_transform(EPS[M])
    found = wt.clouds.iterate(process, SAVED[kind](tmp_path, X, weights), folder=tmp_path / "run", n_iter=1, n_parts=3)
    whole = wt.iterate(process, wt.Space.from_points(X, weights), n_iter=1).last
    np.testing.assert_array_equal(found.points(), whole.points)
    np.testing.assert_array_equal(found.covariances(), whole.metric.covs)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("kind", SAVED)
def test_rows_read_few_at_a_time_are_all_rows(kind: str, tmp_path: Path) -> None:
    X, weights = cloud(N, M), weights_of(N)
    source = SAVED[kind](tmp_path, X, weights)
    for most in (50, 128, 10_000):
        read = [batch for rows in source.ranges() for batch in source.read(rows, most)]
        assert [rows.first for rows in read] == np.cumsum([0, *(len(rows.points) for rows in read[:-1])]).tolist()
        np.testing.assert_array_equal(np.concatenate([rows.points for rows in read]), X)
        np.testing.assert_array_equal(
            np.concatenate([rows.weights for rows in read if rows.weights is not None]), weights
        )


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> wt.clouds.StoredTrajectory:
    folder = tmp_path_factory.mktemp("walk")
    np.save(folder / "p.npy", np.random.default_rng(0).random((150_000, 2)))
    return wt.clouds.iterate(wt.gaussian_transform(0.004), folder / "p.npy", folder=folder / "run", n_iter=0, n_parts=3)


def read_back(path: Path) -> np.ndarray:
    if path.suffix == ".npy":
        return np.asarray(np.load(path))
    if path.suffix == ".zarr":
        return np.asarray(zarr.open(path, mode="r")[...])  # type: ignore[index]
    table = pq.read_table(path)
    return np.stack([column.to_numpy() for column in table.columns], axis=1)


@pytest.mark.repeated(2)
@pytest.mark.parametrize("suffix", [".npy", ".parquet", ".zarr"])
@pytest.mark.parametrize("memory", [None, 3.3e6])
def test_what_is_written_is_in_the_order_of_the_source(
    walk: wt.clouds.StoredTrajectory, suffix: str, memory: float | None, tmp_path: Path
) -> None:
    """With little memory in several windows of rows."""
    path = walk.write(tmp_path / f"moved{suffix}", wt.Engine(memory=memory))
    np.testing.assert_array_equal(read_back(path), walk.points())
    covs = read_back(walk.write_covariances(tmp_path / f"covs{suffix}", wt.Engine(memory=memory)))
    np.testing.assert_array_equal(covs, walk.covariances()[:, [0, 1, 1], [0, 0, 1]])
    assert {path.name for path in tmp_path.iterdir()} == {f"moved{suffix}", f"covs{suffix}"}


def test_chunks_hold_every_row_once(walk: wt.clouds.StoredTrajectory) -> None:
    chunks = list(walk.chunks())
    rows = np.concatenate([chunk.rows for chunk in chunks])
    np.testing.assert_array_equal(np.sort(rows), np.arange(walk.n))
    np.testing.assert_array_equal(np.concatenate([chunk.places for chunk in chunks]), walk.points()[rows])
    assert max(chunk.n for chunk in chunks) < walk.n / 3


def test_what_does_not_fit_or_is_not_there_is_refused(walk: wt.clouds.StoredTrajectory, tmp_path: Path) -> None:
    with pytest.raises(MemoryError, match=r"150000 moved points needs .* write them to a file, or read them by chunks"):
        walk.points(wt.Engine(memory=1e6))
    with pytest.raises(ValueError, match=r"points are written as .npy, .parquet, .zarr, got .*moved.csv"):
        walk.write(tmp_path / "moved.csv")
    walk.write(tmp_path / "moved.zarr")
    with pytest.raises(FileExistsError, match=r"moved.zarr exists already; remove it"):
        walk.write(tmp_path / "moved.zarr")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*/nowhere to write moved.zarr to"):
        walk.write(tmp_path / "nowhere" / "moved.zarr")


@pytest.mark.parametrize("kind", SAVED)
def test_bad_numbers_are_named_by_file_column_and_row(kind: str, tmp_path: Path) -> None:
    X, weights = cloud(N, M), weights_of(N)
    column = "y" if kind in ("parquet", "folder", "group") else "x1"
    X[321, 1] = np.nan
    source = SAVED[kind](tmp_path, X, weights)
    with pytest.raises(ValueError, match=rf"{source.path}: column '{column}' must be finite, got nan in row 321; drop"):
        wt.clouds.iterate(wt.mean_shift(1.0), source, folder=tmp_path / "run", n_iter=1)


@pytest.mark.parametrize("kind", SAVED)
def test_weights_are_checked(kind: str, tmp_path: Path) -> None:
    for name, spoiled, message in (
        ("negative", np.where(np.arange(N) == 5, -1.0, 1.0), r"weights must not be negative, got -1.0 in row 5"),
        ("nothing", np.zeros(N), "weights must have a positive total, all of them are 0"),
        ("infinite", np.where(np.arange(N) == 7, np.inf, 1.0), "the weights must be finite, got inf in row 7"),
    ):
        (tmp_path / name).mkdir()
        source = SAVED[kind](tmp_path / name, cloud(N, M), spoiled)
        with pytest.raises(ValueError, match=message):
            wt.clouds.iterate(wt.mean_shift(1.0), source, folder=tmp_path / name / "run", n_iter=1)


def refused(path: Path, message: str, **asked: Any) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        wt.clouds.iterate(
            wt.mean_shift(1.0), open_source(path, **asked), folder=path.parent / f"run {len(message)}", n_iter=1
        )


def test_files_that_hold_no_points_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "line.npy", np.zeros(5))
    refused(tmp_path / "line.npy", r"line.npy: points must be an array of shape \(n, m\), one row per point")
    np.save(tmp_path / "words.npy", np.array([["a"]]))
    refused(tmp_path / "words.npy", "the array must hold numbers, it has the type <U1")
    np.save(tmp_path / "objects.npy", np.array([[{}]]), allow_pickle=True)
    refused(tmp_path / "objects.npy", "is not a .npy file of numbers, or it is cut off or damaged")
    (tmp_path / "short.npy").write_bytes((tmp_path / "line.npy").read_bytes()[:-9])
    refused(tmp_path / "short.npy", "is not a .npy file of numbers, or it is cut off or damaged")
    np.save(tmp_path / "far.npy", [[0.0], [1e200]])
    refused(tmp_path / "far.npy", r"far.npy: points must lie between 1e-150 and 1e150, got 1e\+200")
    refused(tmp_path / "none.npy", "there is no file .*none.npy")
    refused(tmp_path / "none.parquet", "there is no file or folder .*none.parquet")
    refused(tmp_path / "none.zarr", "there is no Zarr array or group .*none.zarr")
    (tmp_path / "text.csv").write_text("x\n1\n")
    refused(tmp_path / "text.csv", r"points are read from .npy, .parquet and .zarr, got .*text.csv")
    (tmp_path / "text.parquet").write_text("x\n1\n")
    refused(tmp_path / "text.parquet", "is not a Parquet file, or cut off or damaged")
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", r"the folder .*empty holds no \*.parquet files")


def test_columns_of_parquet_are_checked(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1.0, None], "n": ["a", "b"]}), tmp_path / "p.parquet")
    refused(tmp_path / "p.parquet", "column 'n' must hold numbers, it has the type string; name the columns")
    refused(tmp_path / "p.parquet", "column 'x' has no value in row 1; drop or fill such rows", columns=["x"])
    refused(tmp_path / "p.parquet", r"p.parquet has no column 'y'; its columns are x, n", columns=["y"])
    pq.write_table(pa.table({"x": pa.array([], pa.float64())}), tmp_path / "nobody.parquet")
    refused(tmp_path / "nobody.parquet", "has columns and no rows; a cloud needs at least one point")
    content = bytearray((tmp_path / "p.parquet").read_bytes())
    content[4:40] = bytes(36)
    (tmp_path / "spoiled.parquet").write_bytes(bytes(content))
    refused(tmp_path / "spoiled.parquet", "is cut off or damaged", columns=["x"])


def test_zarr_is_checked_and_never_unpickled(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "g.zarr", mode="w")
    for name, shape in (("x", (5,)), ("y", (4,))):
        group.create_array(name, shape=shape, dtype="float64")
    refused(tmp_path / "g.zarr", r"is a group of arrays \(x, y\); name the columns that are coordinates")
    refused(tmp_path / "g.zarr", "has no array 'z'; there are x, y", columns=["x", "z"])
    refused(tmp_path / "g.zarr", "all arrays must have the same number of rows, got 5 and 4", columns=["x", "y"])
    folder = tmp_path / "packed.zarr"
    folder.mkdir()
    (folder / ".zarray").write_text(
        '{"zarr_format": 2, "shape": [4, 2], "chunks": [4, 2], "dtype": "<f8", "compressor": {"id": "pickle"}, '
        '"fill_value": 0, "filters": null, "order": "C"}'
    )
    (folder / "0.0").write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "ran").encode() + b"'\ntR.")
    refused(folder, "data packed by pickle can run code when it is read|is not a Zarr array or group, or damaged")
    assert not (tmp_path / "ran").exists()
