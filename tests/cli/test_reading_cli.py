"""What is read: columns by name and number, scales, weights, distances, pipes, other formats; what is said of it."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_files import blobs, column, rows, run, write_csv
from scipy.spatial.distance import pdist, squareform

import wasserstein_transform as wt
from wasserstein_transform.tables.scaling import Scaling


def moved(words: list[object], input: bytes | None = None) -> list[list[float]]:
    """Where the Gaussian Transform moves what was read."""
    done = run("transform", *words, "--eps", 1, "-q", input=input)
    assert done.exit_code == 0, done.output
    names = [name for name in rows(done.stdout)[0] if name.endswith("_moved")]
    return [column(done.stdout, name) for name in names]


def by_library(X: np.ndarray) -> list[list[float]]:
    return wt.GaussianTransform(1.0, "auto").fit(X).points_.T.tolist()


def labels(words: list[object], input: bytes | None = None) -> list[float]:
    done = run("cluster", *words, "-q", input=input)
    assert done.exit_code == 0, done.output
    return column(done.stdout, "label")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "points.csv", blobs(), far=np.arange(60)[::-1], kind=["u", "v"] * 30)


@pytest.mark.slow
def test_columns_are_asked_for_by_name_or_number(file: Path) -> None:
    wanted = by_library(blobs())
    assert moved([file, "--columns", "x,y"]) == wanted
    assert moved([file, "--columns", " 1 , 2 "]) == wanted
    assert moved([file, "--weight", "far", "--columns", "x,y"]) != wanted
    assert moved([file, "--columns", "y"]) == by_library(blobs()[:, 1:])


def test_a_name_wins_over_a_number(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("2,one\n" + "".join(f"{k},{k % 2 * 50}\n" for k in range(40)))
    first = json.loads(run("transform", tmp_path / "odd.csv", "--columns", "2", "--json").stdout)
    assert first["file"]["columns"] == ["2"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--columns", "x,yy"], "has no column yy; did you mean y?"),
        (["--columns", "5"], "has 4 columns, so there is no column 5; count from 1"),
        (["--columns", ","], "--columns must name at least one column"),
        (["--columns", "x,x"], "column x is given twice"),
        (["--missing", "guess"], "invalid value for '--missing': 'guess' is not one of 'drop', 'fill', 'error'"),
        (["--weight", "kind"], "row 1, column kind: 'u' is not a number"),
        (["--scale", "huge"], "invalid value for '--scale': 'huge' is not one of 'auto', 'none'"),
        (["--kind", "xls"], "kind must be one of 'csv'"),
        (["--kind", "npy"], "is asked for as NPY and holds text"),
        (["--distances", "--columns", "x"], "--columns needs a table of points"),
        (["--distances"], "points.csv"),
    ],
)
def test_what_cannot_be_read_is_one_line(file: Path, words: list[str], error: str) -> None:
    done = run("cluster", file, *words)
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("wt cluster: ")
    assert done.stderr.count("\n") == 1
    assert error in done.stderr


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("", "is empty"),
        ("x,y\n1,2\n3,nan\n", "row 2, column y: the cell holds no value and a number is needed"),
        (
            "x,y\n1,2\n\n3,oops\n7,8\n",
            "row 2, column y: 'oops' is not a number; correct it, or leave the column out (--columns)",
        ),
        ("x,y\n1,2\n3,inf\n", "row 2, column y: 'inf' is not finite"),
        ("x,y\n1,2\n3,4,5\n", "line 3"),
        ("x,y\na,b\nc,d\n", "has no column of numbers"),
        ("<html><body>no</body></html>", "is named as CSV and holds a web page"),
    ],
)
def test_bad_files_are_said_with_row_and_column(tmp_path: Path, content: str, error: str) -> None:
    (tmp_path / "bad.csv").write_text(content)
    done = run("denoise", tmp_path / "bad.csv")
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith(f"wt denoise: {tmp_path / 'bad.csv'}")
    assert done.stderr.count("\n") == 1
    assert error in done.stderr


def test_files_that_are_not_there_and_folders_are_said(file: Path) -> None:
    assert f"{file.parent / 'ponits.csv'} does not exist" in run("info", file.parent / "ponits.csv").stderr
    assert f"{file.parent} is a folder; give one file of it" in run("cluster", file.parent).stderr


@pytest.mark.parametrize("rows_given", ["1,2\n", "1,2\n1,2\n1,2\n"])
@pytest.mark.parametrize("command", ["cluster", "denoise", "skeleton", "transform"])
def test_one_row_and_rows_that_are_the_same_are_no_error(tmp_path: Path, command: str, rows_given: str) -> None:
    (tmp_path / "few.csv").write_text(rows_given)
    done = run(command, tmp_path / "few.csv")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("how", ["standard", "robust", "range"])
def test_what_was_scaled_is_scaled_back(tmp_path: Path, how: str) -> None:
    X = blobs() * [1.0, 1e4] + [5.0, -7e6]
    center, length = {
        "standard": (X.mean(axis=0), X.std(axis=0)),
        "robust": (
            np.median(X, axis=0),
            np.subtract(*np.quantile(X, [0.75, 0.25], axis=0, method="averaged_inverted_cdf")),
        ),
        "range": (X.min(axis=0), X.max(axis=0) - X.min(axis=0)),
    }[how]
    done = run("transform", write_csv(tmp_path / "far.csv", X), "--scale", how, "--eps", 0.4)
    moved = np.column_stack([column(done.stdout, "x_moved"), column(done.stdout, "y_moved")])
    wanted = wt.GaussianTransform(0.4, "auto").fit((X - center) / length).points_ * length + center
    np.testing.assert_allclose(moved, wanted, rtol=1e-9)


@pytest.mark.parametrize("how", ["standard", "robust", "range"])
def test_columns_that_do_not_spread_and_huge_ones_are_scaled(how: str) -> None:
    X = np.array([[3.0, 1e200], [3.0, -1e200], [3.0, 0.0]])
    scaling = Scaling.of(how, X)
    scaled = scaling.scaled(X)
    assert np.isfinite(scaled).all()
    assert (scaled[:, 0] == 0).all()
    np.testing.assert_allclose(scaling.back(scaled), X, atol=1e190)


def test_numbers_of_rows_are_no_coordinates(tmp_path: Path) -> None:
    X = blobs()
    (tmp_path / "numbered.csv").write_text(
        "id,x,y\n" + "".join(f"{k},{a},{b}\n" for k, (a, b) in enumerate(X.tolist(), 1))
    )
    done = run("transform", tmp_path / "numbered.csv", "--eps", 1)
    assert "note: x and y are used as coordinates; use --columns to include id" in done.stderr
    assert [column(done.stdout, "x_moved"), column(done.stdout, "y_moved")] == by_library(X)
    taken = json.loads(run("transform", tmp_path / "numbered.csv", "--columns", "id,x,y", "--json").stdout)
    assert taken["file"]["columns"] == ["id", "x", "y"]


def test_columns_beside_a_place_are_said(file: Path) -> None:
    assert "note: x and y are used as coordinates; use --columns to include far" in run("transform", file).stderr


@pytest.mark.slow
def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "points.csv", blobs(), label=["a", "b"] * 30)
    done = run("cluster", file)
    assert "has a column label; the new one is label_2" in done.stderr
    assert column(done.stdout, "label_2") == wt.cluster(blobs()).labels.tolist()
    assert [row["label"] for row in rows(done.stdout)] == ["a", "b"] * 30


@pytest.mark.slow
def test_distances_are_clustered_square_and_condensed(tmp_path: Path) -> None:
    D = pdist(blobs())
    np.save(tmp_path / "square.npy", squareform(D))
    np.savetxt(tmp_path / "condensed.csv", D)
    wanted = wt.cluster(squareform(D), metric="precomputed").labels.tolist()
    assert labels([tmp_path / "square.npy", "--distances"]) == wanted
    assert labels([tmp_path / "condensed.csv", "--distances"]) == wanted


def test_pipes_are_read_whatever_they_hold(file: Path) -> None:
    wanted = by_library(blobs())
    assert moved(["-", "--columns", "x,y"], file.read_bytes()) == wanted
    assert moved(["-", "--columns", "x,y"], gzip.compress(file.read_bytes())) == wanted
    raw = io.BytesIO()
    np.save(raw, blobs())
    assert moved(["-"], raw.getvalue()) == wanted
    done = run("cluster", "-", input=b"")
    assert done.exit_code == 2
    assert "standard input is empty" in done.stderr
    assert "standard input, row 1, column y: 'b'" in run("cluster", "-", input=b"x,y\n1,b\n3,4\n5,6\n").stderr


@pytest.mark.parametrize("kind", ["csv", "tsv", "txt", "npz", "parquet", "npy", "ply", "gpkg"])
def test_tables_come_back_in_the_format_they_came_in(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # nobody looks
    pytest.importorskip({"parquet": "pyarrow", "ply": "trimesh", "gpkg": "geopandas"}.get(kind, "numpy"))
    table = pd.DataFrame({"x": blobs()[:, 0], "y": blobs()[:, 1], "z": np.zeros(60)})
    wt.write(table, tmp_path / f"points.{kind}")
    done = run("transform", tmp_path / f"points.{kind}", "--eps", 1, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "note: no figure: drawing needs matplotlib" in done.stderr
    found = wt.read(tmp_path / "out" / f"transformed.{kind}")
    moved = found[["x_moved", "y_moved", "z_moved"]].to_numpy()
    np.testing.assert_allclose(moved.T, by_library(table.to_numpy()), rtol=0, atol=1e-14 if "geometry" in found else 0)
    np.testing.assert_allclose(wt.tables.coordinates(found)[:, 0], blobs()[:, 0], rtol=0, atol=1e-15)


@pytest.mark.slow
def test_formats_are_asked_for_by_suffix(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    words = ["transform", file, "--columns", "x,y", "-q", "--eps", 1, "-o"]
    assert run(*words, tmp_path / "out.parquet").exit_code == 0
    wanted = by_library(blobs())[0]
    assert wt.read(tmp_path / "out.parquet")["x_moved"].tolist() == wanted


@pytest.mark.slow
def test_degrees_are_said_to_be_none_of_meters(tmp_path: Path) -> None:
    places = blobs() / 100 + [12.0, 45.0]
    features = [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": place}, "properties": {}}
        for place in places.tolist()
    ]
    (tmp_path / "places.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    done = run("cluster", tmp_path / "places.geojson", "-o", tmp_path / "new.geojson")
    assert done.exit_code == 0, done.output
    assert "degrees" in done.stderr
    new = json.loads((tmp_path / "new.geojson").read_text())
    assert [one["properties"]["label"] for one in new["features"]] == wt.cluster(places).labels.tolist()
