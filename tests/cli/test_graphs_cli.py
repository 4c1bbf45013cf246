"""`wt communities`, and pictures of graphs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner, Result

import wasserstein_transform as wt
from wasserstein_transform.cli.app import app

PNG = b"\x89PNG"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two cliques joined by a bridge."""
    nx.write_gml(nx.barbell_graph(5, 0), tmp_path / "two.gml")
    return tmp_path / "two.gml"


def command(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as text:
        return list(csv.DictReader(text))


@pytest.mark.slow
def test_communities_writes_a_table_a_figure_and_a_summary(file: Path, tmp_path: Path) -> None:
    done = command("communities", file, "-o", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.output
    assert [row["community"] for row in rows(tmp_path / "out" / "communities.csv")] == ["0"] * 5 + ["1"] * 5
    assert (tmp_path / "out" / "communities.png").read_bytes().startswith(PNG)
    summary = json.loads(done.output)
    assert summary == json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["result"]["communities"] == 2
    assert "exists already; --force overwrites it" in command("communities", file, "-o", tmp_path / "out").output


def test_what_goes_wrong_is_one_line_and_nothing_is_written(file: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("one two three four")
    for words, said in [
        ((tmp_path / "none.gml",), "does not exist"),
        ((tmp_path / "bad.txt",), "line 1: an edge is"),
        ((file, "-k", -1), "--n must be"),
    ]:
        done = command("communities", *words, "-o", tmp_path / "out")
        assert done.exit_code == 2, done.output
        assert said in done.output
        assert done.output.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_tables_are_written_all_or_none_also_where_a_folder_is_in_the_way(file: Path, tmp_path: Path) -> None:
    for name in ("communities.png", "communities.csv"):
        out = tmp_path / name.replace(".", "-")
        (out / name).mkdir(parents=True)
        done = command("communities", file, "-o", out)
        assert done.exit_code == 2
        assert f"got the folder {out / name}" in done.output
        assert [path.name for path in out.iterdir()] == [name]


@pytest.mark.slow
def test_pictures_take_axes_and_return_them() -> None:
    graph = nx.barbell_graph(4, 1)
    graph.add_edge("far", "away")
    found, flow = wt.graphs.curvature(graph), wt.graphs.ricci_flow(graph, 5)
    places = wt.plotting.graphs.layout(graph)
    assert places.shape == (11, 2)
    np.testing.assert_array_equal(places, wt.plotting.graphs.layout(graph))
    _, axes = wt.plotting.panels(2, 2)
    drawn = wt.plotting.curvature(found, places, axes[0, 0])
    assert drawn is axes[0, 0]
    lines = drawn.collections[0]
    assert sorted(lines.get_array()) == sorted(found.values)
    assert lines.get_clim() == (-abs(found.values).max(), abs(found.values).max())
    assert wt.plotting.communities(flow.communities(), places, axes[0, 1]) is axes[0, 1]
    assert wt.plotting.flow(flow, axes[1, 0]) is axes[1, 0]


def test_a_layout_keeps_near_nodes_near() -> None:
    ring = nx.cycle_graph(30)
    places = wt.plotting.graphs.layout(ring)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    across = np.linalg.norm(places[:15] - places[15:], axis=1)
    assert steps.max() < 0.3 * across.min()


@pytest.mark.slow
def test_graphs_without_edges_and_names_like_formulas(tmp_path: Path) -> None:
    (tmp_path / "loop.txt").write_text("0 0")
    (tmp_path / "a$\\b$.txt").write_text("0 1")
    for name in ("loop.txt", "a$\\b$.txt"):
        done = command("communities", tmp_path / name, "-o", tmp_path / "out", "--force")
        assert done.exit_code == 0, done.output


def test_edges_of_no_length_are_seen_and_axes_count_in_whole_numbers() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    figure, axes = wt.plotting.panels(1, 2)
    found = wt.graphs.curvature([(0, 1, 0.0), (1, 2, 0.0)], weight="length")
    lines = wt.plotting.curvature(found, ax=axes[0]).collections[0]
    flow = wt.plotting.flow(wt.graphs.ricci_flow([(0, 1), (2, 3)], 5), axes[1])
    figure.canvas.draw()
    assert (lines.get_colors()[:, 3] == 1).all()
    assert all(float(tick).is_integer() for tick in flow.get_xticks())


@pytest.mark.slow
def test_what_numbers_at_edges_are_is_asked_for(tmp_path: Path) -> None:
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 4.0), ("b", "c", 2.0), ("c", "a", 1.0)])
    nx.write_gml(graph, tmp_path / "tied.gml")
    asked = command("communities", tmp_path / "tied.gml", "-o", tmp_path / "out")
    assert asked.exit_code == 2
    assert asked.output.count("\n") == 1
    assert "may be lengths or strengths; say --weight length, --weight strength" in asked.output
    assert "weight=" not in asked.output
    for weight in ("strength", "length", "none"):
        done = command("communities", tmp_path / "tied.gml", "-o", tmp_path / weight, "--weight", weight)
        assert done.exit_code == 0, done.output
    wrong = command("communities", tmp_path / "tied.gml", "-o", tmp_path / "out", "--weight", "heavy")
    assert (
        "--weight heavy:strength: no edge has the attribute 'heavy' with a number; they have 'weight'" in wrong.output
    )
