"""What the commands for data files compute is what the library computes, and comes back beside what was read."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from cli_files import blobs, column, ring, rows, run, write_csv

import wasserstein_transform as wt


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "points.csv", blobs(), town=[f"t{k}" for k in range(60)], truth=["a"] * 30 + ["b"] * 30)


def test_cluster_writes_table_figure_and_summary(file: Path, tmp_path: Path) -> None:
    done = run("cluster", file, "-o", tmp_path / "out", "--label", "truth")
    assert done.exit_code == 0, done.output
    assert "60 points, columns x, y" in done.stdout
    found = wt.cluster(blobs())
    assert str(found) in done.stdout
    assert str(found.profile()) in done.stdout
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"clusters.csv", "clusters.png", "profile.csv", "summary.json"}
    assert column(tmp_path / "out" / "profile.csv", "median") == found.profile().table["median"]
    table = tmp_path / "out" / "clusters.csv"
    assert list(rows(table)[0]) == ["x", "y", "town", "truth", "label", "probability", "outlier"]
    assert column(table, "label") == found.labels.tolist()
    assert column(table, "probability") == found.probabilities.tolist()
    assert column(table, "outlier") == (found.labels < 0).tolist()
    assert [row["town"] for row in rows(table)] == [f"t{k}" for k in range(60)]
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["file"]["rows"] == 60
    assert summary["file"]["columns"] == ["x", "y"]
    assert summary["result"]["clusters"] == 2
    assert summary["result"]["reason"] == found.reason
    assert summary["result"]["verdict"] == found.verdict
    assert [one["clusters"] for one in summary["result"]["alternatives"]] == [
        one.n_clusters for one in found.alternatives
    ]
    assert 0.9 < summary["result"]["adjusted_rand"] <= 1.0
    assert f"adjusted Rand index {summary['result']['adjusted_rand']:.3f}" in done.stdout
    assert summary["result"]["recipe"]["kind"] == found.recipe.kind
    assert {"python", "numpy", "scipy", "numba", "scikit-learn", "wasserstein-transform"} == set(summary["versions"])
    assert summary["seconds"] > 0
    assert (summary["parameters"]["clusters"], summary["parameters"]["label"]) == (None, "truth")
    assert summary["written"] == ["clusters.png", "clusters.csv", "profile.csv"]


@pytest.mark.slow
def test_known_labels_are_never_used(file: Path) -> None:
    plain, known = run("cluster", file), run("cluster", file, "--label", "truth")
    assert plain.stdout == known.stdout


def test_options_of_clusters(file: Path) -> None:
    done = run("cluster", file, "-k", 3, "--noise", "yes", "-q", "-o", "-")
    assert column(done.stdout, "label") == wt.cluster(blobs(), 3, noise=True).labels.tolist()
    assert done.stderr == ""
    done = run("cluster", file, "-k", 3, "--noise", 0.1, "-q", "-o", "-")
    assert column(done.stdout, "label") == wt.cluster(blobs(), 3, noise=0.1).labels.tolist()
    for word in ("1", "-0.5", "some"):
        assert "--noise must be yes, no, or a share from 0 to below 1" in run("cluster", file, "--noise", word).stderr
    assert "--min-cluster-size must be at most 60" in run("cluster", file, "--min-cluster-size", 10_000).stderr


def test_columns_of_errors_are_used_on_demand(tmp_path: Path) -> None:
    X, errors = blobs(), np.abs(blobs()[::-1])
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "x_err": errors[:, 0], "y_err": errors[:, 1]})
    frame.to_csv(tmp_path / "catalog.csv", index=False)
    plain, used = (run("cluster", tmp_path / "catalog.csv", "-k", 3, *more, "-o", "-") for more in ((), ("--errors",)))
    assert column(plain.stdout, "label") == wt.cluster(X, 3).labels.tolist()
    assert "read as standard errors of x, y, not as coordinates: x_err, y_err; --errors" in plain.stderr
    assert column(used.stdout, "label") == wt.cluster(X, 3, covariances=errors).labels.tolist()
    assert "distances are W2" in used.stderr


def test_a_profile_is_in_the_units_of_the_file(tmp_path: Path) -> None:
    X = np.column_stack([*blobs().T, np.arange(60.0)])
    file = write_csv(tmp_path / "wide.csv", X)
    done = run("cluster", file, "-k", 2, "--scale", "standard", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    profile = rows(tmp_path / "out" / "profile.csv")
    labels = np.array(column(tmp_path / "out" / "clusters.csv", "label"))
    low = np.sort(X[labels == 0, 2])[(np.count_nonzero(labels == 0) - 1) // 2]
    assert [float(row["median"]) for row in profile if (row["cluster"], row["column"]) == ("0", "z")] == [low]


@pytest.mark.slow
def test_figures_name_the_columns(tmp_path: Path) -> None:
    file, figure = tmp_path / "places.csv", tmp_path / "figure.svg"
    np.savetxt(file, blobs(), delimiter=",", header="width,height", comments="")
    run("cluster", file, "--figure", figure, "-q")
    assert "<!-- width -->" in figure.read_text(encoding="utf-8")
    assert "<!-- height -->" in figure.read_text(encoding="utf-8")


def test_denoise_moves_points_and_marks_outliers(tmp_path: Path) -> None:
    X = np.vstack([ring(), [[30.0, 30.0]]])
    done = run("denoise", write_csv(tmp_path / "ring.csv", X), "-o", tmp_path / "moved.csv")
    assert done.exit_code == 0, done.output
    found = wt.denoise(X)
    assert column(tmp_path / "moved.csv", "x_moved") == found.points[:, 0].tolist()
    assert column(tmp_path / "moved.csv", "y_moved") == found.points[:, 1].tolist()
    assert column(tmp_path / "moved.csv", "outlier") == found.outliers.tolist()
    assert found.outliers[-1]
    assert f"eps {found.eps:.3g}, noise {found.sigma:.3g}; {found.moved_in_words}" in done.stdout
    assert found.outliers_in_words in done.stdout
    assert found.reason in done.stdout


def test_denoise_knows_trips_and_times(tmp_path: Path) -> None:
    X = ring()
    trips, times = np.arange(300) // 50, np.random.default_rng(0).permutation(300)
    file = write_csv(tmp_path / "ring.csv", X, trip=trips, time=times)
    found, plain = wt.denoise(X, 1, order=(trips, times)), wt.denoise(X, 1)
    for words, wanted in (
        ([], found), (["--trip", "trip", "--time", "time"], found), (["--trip", "none"], plain),
    ):  # fmt: skip
        done = run("denoise", file, "-d", 1, *words)
        assert done.exit_code == 0, done.output
        assert column(done.stdout, "x_moved") == wanted.points[:, 0].tolist()
        said = "note: column trip gives 6 trips, sorted by column time (--trip none leaves it out)" in done.stderr
        assert said is (wanted is found)
    assert "has no column trup; did you mean trip?" in run("denoise", file, "--trip", "trup").stderr


@pytest.mark.slow
def test_skeleton_writes_lines_for_maps_and_tables(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "ring.csv", ring())
    done = run("skeleton", file, "-o", tmp_path / "out", "--spur", 1.0)
    assert done.exit_code == 0, done.output
    names = {"lines.csv", "lines.geojson", "points.csv", "lines.png", "summary.json"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    found = wt.skeleton(wt.denoise(ring(), 1), spur=1.0)
    assert json.loads((tmp_path / "out" / "lines.geojson").read_text()) == json.loads(json.dumps(found.to_geojson()))
    vertices = np.vstack(found.lines)
    assert column(tmp_path / "out" / "lines.csv", "x") == vertices[:, 0].tolist()
    assert column(tmp_path / "out" / "lines.csv", "line")[-1] == len(found.lines) - 1
    assert column(tmp_path / "out" / "points.csv", "y_moved") == found.source.points[:, 1].tolist()
    assert found.in_words in done.stdout
    piped = run("skeleton", file, "--spur", 1.0)
    assert piped.stdout == (tmp_path / "out" / "lines.csv").read_text()


@pytest.mark.parametrize(
    ("words", "estimator"),
    [
        (["--eps", 1.0], wt.GaussianTransform(1.0, "auto", n_iter=1)),
        (["--eps", "1,0.5", "--lam", 4, "--n-iter", 2], wt.GaussianTransform([1.0, 0.5], 4.0, n_iter=2)),
        (["--ridge", 1], wt.GaussianTransform("auto", "auto", n_iter=1, ridge=1)),
        (["-m", "ms", "--eps", 3], wt.MeanShift(3.0)),
    ],
)
def test_transform_moves_points(file: Path, words: list[object], estimator: wt.GaussianTransform) -> None:
    done = run("transform", file, *words)
    assert done.exit_code == 0, done.output
    assert column(done.stdout, "x_moved") == estimator.fit(blobs()).points_[:, 0].tolist()
    if isinstance(estimator, wt.MeanShift):
        assert column(done.stdout, "label") == estimator.labels_.tolist()


@pytest.mark.parametrize("words", [["--eps", 1.0, "--n-iter", 2], ["-m", "ms", "--eps", 3]])
def test_distances_are_those_of_the_moved_points(words: list[object], file: Path, tmp_path: Path) -> None:
    ms = "ms" in words
    found = wt.MeanShift(3.0) if ms else wt.GaussianTransform(1.0, "auto", n_iter=2)
    found.fit(blobs())
    done = run("transform", file, *words, "-o", tmp_path / "out", "--distances", tmp_path / "new.npy")
    assert done.exit_code == 0, done.output
    assert str(tmp_path / "new.npy") in done.stdout.splitlines()
    np.testing.assert_array_equal(np.load(tmp_path / "new.npy"), found.distances_)
    written = json.loads((tmp_path / "out" / "summary.json").read_text())["written"]
    assert set(written) == {"transformed.csv", "transformed.png", str(tmp_path / "new.npy")}


def test_distances_that_memory_does_not_hold_are_refused_at_once(file: Path, tmp_path: Path) -> None:
    words = ["--eps", 1, "-o", tmp_path / "out", "--distances", tmp_path / "new.npy"]
    done = run("transform", file, *words, "--memory", "50kB")
    assert done.exit_code == 3
    assert "a 60 × 60 matrix of new distances" in done.stderr
    assert "output=" not in done.stderr
    assert not list(tmp_path.glob("new*"))
    assert not (tmp_path / "out").exists()


def test_weights_count_as_copies(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X, times = rng.normal(size=(40, 2)), rng.integers(1, 4, 40)
    once = write_csv(tmp_path / "once.csv", X, times=times)
    often = write_csv(tmp_path / "often.csv", np.repeat(X, times, axis=0))
    heavy = run("transform", once, "--weight", "times", "--eps", 1)
    copies = run("transform", often, "--eps", 1)
    first = np.cumsum(times) - times
    np.testing.assert_allclose(column(heavy.stdout, "x_moved"), np.array(column(copies.stdout, "x_moved"))[first])


def test_info_tells_what_is_there_and_what_would_be_read(file: Path, tmp_path: Path) -> None:
    done = run("info", file)
    assert "points.csv: csv, 60 rows, 4 columns" in done.stdout
    assert "wt cluster takes as points: x, y" in done.stdout
    places = write_csv(tmp_path / "map.csv", blobs()[:1] * 0 + [4213403.6, 481932.7])
    assert "4213403.6" in run("info", places).stdout
    assert "60 different" in done.stdout
    facts = json.loads(run("info", file, "--json").stdout)
    assert facts["columns"]["x"]["from"] == blobs()[:, 0].min()
    assert facts["columns"]["truth"] == {"holds": "2 different", "from": "a", "to": "b", "missing": 0}
    (tmp_path / "bad.csv").write_text("a,b\nx,y\nz,y\n")
    assert "no column to cluster" in run("info", tmp_path / "bad.csv").stdout
    installed = run("info").stdout
    assert f"wasserstein-transform {wt.__version__}" in installed
    assert "compiled kernels: " in installed
    assert set(json.loads(run("info", "--json").stdout)) == {"versions", "cores", "memory", "extras", "kernels"}


def test_figures_are_drawn_without_a_screen(tmp_path: Path) -> None:
    """Pyplot would look for one, and keep the figure."""
    plt.close("all")
    source = write_csv(tmp_path / "x.csv", np.random.default_rng(0).normal(size=(40, 2)))
    for command in (["transform", "--eps", "1"], ["cluster", "-k", "2"]):
        assert run(command[0], source, *command[1:], "-o", tmp_path / command[0]).exit_code == 0
        assert list((tmp_path / command[0]).glob("*.png"))
    assert not plt.get_fignums()


def test_points_larger_than_memory_are_moved_in_parts(tmp_path: Path) -> None:
    table = pd.DataFrame(np.random.default_rng(0).random((500, 2)), columns=["x", "y"]).assign(id=range(500))
    table.to_parquet(tmp_path / "points.parquet")
    words = "-m", "ms", "--eps", "0.1", "--scheduler", "local", "--columns", "x,y"
    run("transform", tmp_path / "points.parquet", *words, "-o", tmp_path / "moved.parquet")
    moved = pd.read_parquet(tmp_path / "moved.parquet").sort_values("id")
    wanted = wt.iterate(wt.transforms.mean_shift(0.1), wt.Space.from_points(table[["x", "y"]]), n_iter=1).points
    np.testing.assert_allclose(moved[["x", "y"]], wanted, atol=1e-12)
    assert moved["id"].tolist() == table["id"].tolist()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["moved.parquet", "points.parquet"]
