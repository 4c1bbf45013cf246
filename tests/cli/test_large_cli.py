"""`wt transform` of files that memory does not hold."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_files import run

import wasserstein_transform as wt

pytest.importorskip("pyarrow")
zarr = pytest.importorskip("zarr")

X = np.random.default_rng(0).random((40_000, 2))
GT = ("--eps", "0.02", "--lam", "2", "--n-iter", "2")


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    return np.asarray(wt.iterate(wt.gaussian_transform(0.02, 2.0), wt.Space.from_points(X), n_iter=2).points)


@pytest.fixture
def big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("big.npy", X)
    return tmp_path


@pytest.mark.repeated(1)
@pytest.mark.parametrize("kind", ["npy", "parquet", "zarr"])
def test_what_memory_does_not_hold_goes_part_by_part_to_the_same_bits(
    kind: str, big: Path, expected: np.ndarray
) -> None:
    done = run("transform", "big.npy", *GT, "--memory", "50MB", "-o", f"moved.{kind}")
    assert done.exit_code == 0, done.output
    assert "40,000 points" in done.output
    assert sorted(path.name for path in big.iterdir()) == ["big.npy", f"moved.{kind}"]
    if kind == "npy":
        found = np.load("moved.npy")
    elif kind == "zarr":
        found = np.asarray(zarr.open_array("moved.zarr", mode="r")[:])
    else:
        found = wt.read("moved.parquet").to_numpy()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
def test_its_summary_is_json(big: Path) -> None:
    done = run("transform", "big.npy", *GT, "--memory", "50MB", "-o", "moved.npy", "--json")
    summary = json.loads(done.stdout)
    assert summary["rows"] == 40_000
    assert summary["parameters"] == {"method": "gt", "eps": 0.02, "lam": 2.0, "n_iter": 2, "ridge": None}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["-o", "moved.npy"], "--eps auto needs all of them"),
        ([*GT, "-o", "moved.csv"], "give a file to write to, -o NAME.parquet"),
        ([*GT], "give a file to write to"),
        ([*GT, "-o", "moved.npy", "--scale", "robust"], "leave --scale out"),
        ([*GT, "-o", "moved.npy", "--figure", "f.png"], "leave --figure out"),
        ([*GT, "-o", "big.npy"], "exists already"),
        ([*GT, "-o", "moved.npy", "--memory", "much"], "such as 4GB or 500MiB, got 'much'"),
    ],
)
def test_what_cannot_be_done_is_a_line(options: list[str], error: str, big: Path) -> None:
    done = run("transform", "big.npy", "--memory", "50MB", *options)
    assert done.exit_code == 2
    assert error in done.output
    assert done.output.count("\n") == 1
    assert [path.name for path in big.iterdir()] == ["big.npy"]
