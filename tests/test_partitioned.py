"""Transforms of Dask's collections: what `iterate` finds in memory, whatever the points and whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import wasserstein_transform as wt

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")
pytest.importorskip("pyarrow")

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")  # of Dask's own

N = 60_000  # three boxes
PROCESSES = {
    "mean shift": wt.transforms.mean_shift(0.02),
    "gaussian kernel": wt.transforms.mean_shift(0.01, "triangle"),
    "ridge": wt.transforms.mean_shift(0.02, ridge=1),
    "GT": wt.transforms.gaussian_transform(0.02, 2.0),
    "ridge of GT, radii": wt.transforms.gaussian_transform([0.02, 0.01], 1.0, ridge=1),
    "one step": wt.Transform(wt.Mean(wt.Truncation(0.02)), wt.transport.DiracDistance()),
}


def table(n: int = N, m: int = 2) -> pd.DataFrame:
    """Points with weights, copies and other columns; the index is not the number of the row."""
    rng = np.random.default_rng(0)
    X = rng.random((n, m))
    X[: n // 100] = X[n // 100 : 2 * (n // 100)]
    columns = {"id": np.arange(n), **dict(zip("xyz", X.T, strict=False)), "name": np.resize(["a", "b", "c"], n)}
    return pd.DataFrame({**columns, "w": rng.integers(1, 4, n)}, index=np.arange(n)[::-1] * 2)


def moved_in_memory(process: Any, frame: pd.DataFrame, n_iter: int) -> np.ndarray:
    names = [name for name in "xyz" if name in frame]
    return np.asarray(wt.iterate(process, wt.Space.from_points(frame[names], frame["w"]), n_iter=n_iter).points)


@pytest.mark.parametrize("name", PROCESSES)
def test_points_move_as_in_memory(name: str, tmp_path: Path) -> None:
    frame, process = table(), PROCESSES[name]
    moved = wt.partitioned.iterate(
        process, dd.from_pandas(frame, npartitions=4), 2, columns=["x", "y"], weights="w", out=tmp_path / "run"
    )
    assert moved.npartitions == 3
    found = moved.compute().sort_values("id")
    np.testing.assert_allclose(found[["x", "y"]], moved_in_memory(process, frame, 2), rtol=0, atol=1e-12)
    pd.testing.assert_frame_equal(found.drop(columns=["x", "y"]), frame.drop(columns=["x", "y"]), check_dtype=False)
    assert [file.name for file in (tmp_path / "run").iterdir() if file.is_dir()].count("points") == 1


def test_points_in_space_from_arrays_and_files(tmp_path: Path) -> None:
    frame, process = table(45_000, 3), wt.transforms.mean_shift(0.05)
    wanted = moved_in_memory(process, frame.assign(w=1), 1)
    dd.from_pandas(frame, npartitions=3).to_parquet(tmp_path / "points")
    moved = wt.partitioned.iterate(process, tmp_path / "points", 1, out=tmp_path / "one").compute().sort_values("id")
    np.testing.assert_allclose(moved[["x", "y", "z"]], wanted, rtol=0, atol=1e-12)
    array = da.from_array(frame[["x", "y", "z"]].to_numpy(), chunks=(10_000, 2))
    moved = wt.partitioned.iterate(process, array, 1, out=tmp_path / "two").compute().sort_index()
    np.testing.assert_allclose(moved, wanted, rtol=0, atol=1e-12)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*.parquet"))}


def test_a_run_goes_on_with_the_files_that_are_missing(tmp_path: Path) -> None:
    frame = dd.from_pandas(table(), npartitions=4)

    def run(name: str, n_iter: int = 3) -> dict[str, bytes]:
        process = wt.transforms.gaussian_transform(0.02, 1.0)
        wt.partitioned.iterate(process, frame, n_iter, columns=["x", "y"], out=tmp_path / name)
        return files_of(tmp_path / name)

    whole = run("whole")
    run("cut")
    (tmp_path / "cut" / "00004" / "box-00001.parquet").unlink()
    (tmp_path / "cut" / "00003").mkdir()
    for file in (tmp_path / "whole" / "points").iterdir():
        (tmp_path / "cut" / "00004" / f".{file.name}.part").write_bytes(b"what a killed process leaves")
    with pytest.raises(FileNotFoundError, match=r"00003 lacks box-0.*; delete .*cut to begin again"):
        run("cut")
    for left in ("points", "points.part"):  # killed in the shuffle, and after it
        folder = tmp_path / left
        run(left)
        for state in folder.glob("0*"):
            for file in state.iterdir():
                file.unlink()
            state.rmdir()
        if left == "points.part":
            (folder / "points").rename(folder / "points.part")
        assert run(left) == whole


SKEWED: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "half in a hundredth": lambda rng: np.r_[rng.random((N // 2, 2)), 0.1 * rng.random((N // 2, 2))],
    "one far point": lambda rng: np.r_[rng.random((N - 1, 2)), [[1e9, -1e9]]],
    "all in one place": lambda rng: np.full((N, 2), 0.5),
    "half in one place": lambda rng: np.r_[rng.random((N // 2, 2)), np.full((N // 2, 2), 0.5)],
    "on a line": lambda rng: np.c_[np.zeros(N), rng.random(N)],
}


@pytest.mark.parametrize("name", SKEWED)
def test_boxes_hold_about_equally_many(name: str, tmp_path: Path) -> None:
    X = SKEWED[name](np.random.default_rng(0))
    process = wt.transforms.mean_shift(0.003)
    moved = wt.partitioned.iterate(process, da.from_array(X, chunks=(20_000, 2)), 1, out=tmp_path / "run")
    sizes = moved.map_partitions(len).compute()
    assert len(sizes) == 3
    assert max(sizes) < 0.65 * N  # one place is not cut
    wanted = wt.iterate(process, wt.Space.from_points(X), n_iter=1).points
    np.testing.assert_allclose(moved.compute().sort_index(), wanted, rtol=1e-14, atol=1e-12)


def test_a_grid_falls_into_the_same_places(tmp_path: Path) -> None:
    blobs = np.random.default_rng(0).integers(0, 8, (N, 2)) + 0.01 * np.indices((300, 200)).reshape(2, -1).T % 0.05
    process = wt.transforms.mean_shift(0.2)
    moved = wt.partitioned.iterate(process, da.from_array(blobs), 3, out=tmp_path / "run").compute().sort_index()
    wanted = wt.iterate(process, wt.Space.from_points(blobs), n_iter=3).points
    assert len(np.unique(np.round(wanted, 6), axis=0)) == len(np.unique(np.round(moved.to_numpy(), 6), axis=0))


def test_curves_and_clusters(tmp_path: Path) -> None:
    X = wt.datasets.circles(0, n=50_000, noise=0.02)[0]
    array = da.from_array(X, chunks=(20_000, 2))
    moved = wt.partitioned.denoise(array, 1, eps=0.1, out=tmp_path / "run").compute().sort_index()
    whole = wt.denoise(X, 1, eps=0.1, n_iter=2)
    np.testing.assert_allclose(moved, whole.points, rtol=0, atol=1e-3)
    found = wt.cluster(X[::50])
    labels = wt.partitioned.predict(found, array)
    np.testing.assert_array_equal(labels.compute(), found.predict(X))


BAD: dict[str, tuple[Callable[[Path], Any], type[Exception], str]] = {
    "in memory": (lambda out: (PROCESSES["GT"], np.zeros((9, 2))), TypeError, "a Dask DataFrame, a Dask array, or"),
    "exact transport": (
        lambda out: (wt.transforms.local_truncation(0.1), da.zeros((9, 2))), TypeError, "finite reach.*mean_shift",
    ),
    "no end": (
        lambda out: (wt.transforms.mean_shift(1.0, "gaussian"), da.zeros((9, 2))), TypeError, "finite reach.*cut=3",
    ),
    "no rows": (lambda out: (PROCESSES["GT"], da.zeros((0, 2))), ValueError, "at least one point"),
    "gaps": (
        lambda out: (PROCESSES["GT"], da.from_array(np.array([[0.0, 1.0], [np.nan, 2.0]]))),
        ValueError, "column 0 must be finite, got nan in row 1 of partition 0",
    ),
    "three axes": (lambda out: (PROCESSES["GT"], da.zeros((9, 2, 2))), ValueError, r"shape \(n, m\), got 3 axes"),
    "words": (
        lambda out: (PROCESSES["GT"], dd.from_pandas(pd.DataFrame({"a": ["u", "v"]}))),
        ValueError, "no column of numbers",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_clear_error(name: str, tmp_path: Path) -> None:
    arguments, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        wt.partitioned.iterate(*arguments(tmp_path), 1, out=tmp_path / "run")


def test_a_partition_without_the_column_is_named(tmp_path: Path) -> None:
    def lose(part: pd.DataFrame, partition_info: Any = None) -> pd.DataFrame:
        return part.drop(columns="y") if partition_info and partition_info["number"] == 1 else part

    frame = dd.from_pandas(table(100), npartitions=3)
    odd = frame.map_partitions(lose, meta=frame._meta, enforce_metadata=False)
    with pytest.raises(ValueError, match=r"partition 1 has no column y; its columns are \['id', 'x'"):
        wt.partitioned.iterate(PROCESSES["GT"], odd, 1, columns=["x", "y"], out=tmp_path / "run")


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    array = da.from_array(np.random.default_rng(0).random((100, 2)))
    wt.partitioned.iterate(wt.transforms.mean_shift(0.1), array, 1, out=tmp_path / "run")
    with pytest.raises(ValueError, match="holds another run"):
        wt.partitioned.iterate(wt.transforms.mean_shift(0.2), array, 1, out=tmp_path / "run")
    with pytest.raises(ValueError, match="damaged, or of another program"):
        wt.iterate(wt.transforms.mean_shift(0.2), wt.Space.from_points([[0.0], [1.0]]), n_iter=1, out=tmp_path / "run")


def test_a_ball_that_does_not_fit_is_named(tmp_path: Path) -> None:
    array = da.from_array(np.random.default_rng(0).random((N, 2)))
    with wt.using(memory=8e6, n_jobs=1), pytest.raises(MemoryError, match=r"box-0.*within 1 of them.*a smaller eps"):
        wt.partitioned.iterate(wt.transforms.mean_shift(1.0), array, 1, out=tmp_path / "run")


@pytest.mark.slow
def test_workers_that_are_killed_change_no_file(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    frame = dd.from_map(lambda k: table(400_000).iloc[50_000 * k : 50_000 * (k + 1)], range(8))
    process = wt.transforms.gaussian_transform(0.008, 1.0)
    wt.partitioned.iterate(process, frame, 2, columns=["x", "y"], weights="w", out=tmp_path / "alone")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as workers,
        distributed.Client(workers) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        work = pool.submit(
            wt.partitioned.iterate, process, frame, 2, columns=["x", "y"], weights="w", out=tmp_path / "killed"
        )
        for _ in range(5):
            time.sleep(1.5)
            if not work.done() and (pids := list(client.run(os.getpid).values())):
                os.kill(pids[0], signal.SIGKILL)
        work.result(120)
    for name, content in files_of(tmp_path / "alone").items():
        assert (tmp_path / "killed" / name).read_bytes() == content, name


_CLIENT = """
import sys, pandas as pd, dask.dataframe as dd, wasserstein_transform as wt
from dask.distributed import Client, LocalCluster

if __name__ == "__main__":
    client = Client(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0"))
    process, points = wt.transforms.gaussian_transform(0.008, 1.0), dd.read_parquet(sys.argv[1])
    wt.partitioned.iterate(process, points, 2, columns=["x", "y"], weights="w", out=sys.argv[2])
"""


@pytest.mark.slow
def test_a_client_that_is_killed_leaves_a_run_to_go_on_with(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    dd.from_pandas(table(400_000), npartitions=8).to_parquet(tmp_path / "table")
    points, process = dd.read_parquet(tmp_path / "table"), wt.transforms.gaussian_transform(0.008, 1.0)
    wt.partitioned.iterate(process, points, 2, columns=["x", "y"], weights="w", out=tmp_path / "alone")
    out, script = tmp_path / "killed", tmp_path / "client.py"
    script.write_text(_CLIENT)
    client = subprocess.Popen([sys.executable, script, tmp_path / "table", out], start_new_session=True)
    while not list(out.glob("00002/box*")):  # the second of three states is begun
        assert client.poll() is None
        time.sleep(0.05)
    os.killpg(client.pid, signal.SIGKILL)
    client.wait()
    assert not (out / "00003").exists()
    wt.partitioned.iterate(process, points, 2, columns=["x", "y"], weights="w", out=out)
    assert files_of(out) == files_of(tmp_path / "alone")
