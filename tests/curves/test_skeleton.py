from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from curves.shapes import circle, helix, in_background

import wasserstein_transform as wt
from wasserstein_transform.curves.joining import chains, is_within, melt, prune
from wasserstein_transform.curves.net import length_of, simplified


def along(*ends: tuple[float, float], n: int = 300, noise: float = 0.01, seed: int = 0) -> np.ndarray:
    """Noisy points along straight pieces that start at the first place and end at the others."""
    rng = np.random.default_rng(seed)
    first, *others = (np.array(end) for end in ends)
    parts = [first + rng.random((n, 1)) * (end - first) for end in others]
    return np.concatenate(parts) + rng.normal(scale=noise, size=(n * len(others), 2))


def test_a_circle_is_one_closed_line():
    shape = circle(600, 0.05)
    found = wt.skeleton(wt.denoise(shape.points))
    assert len(found.lines) == 1
    assert len(found.junctions) == len(found.ends) == 0
    assert found.edges[0, 0] == found.edges[0, 1]
    assert found.length == pytest.approx(2 * np.pi, rel=0.03)
    assert shape.distance(found.lines[0]).max() < 0.06


def test_a_helix_is_one_line_with_two_ends():
    found = wt.skeleton(wt.denoise(helix(2000, 0.04).points))
    assert len(found.lines) == 1
    assert len(found.ends) == 2
    assert found.length == pytest.approx(6 * np.pi * np.hypot(1, 1 / 6), rel=0.05)


def test_three_lines_that_meet_have_one_junction():
    X = along((0, 0), (1, 0), (-0.7, 0.8), (-0.6, -0.9))
    found = wt.skeleton(wt.denoise(X))
    assert len(found.lines) == 3
    assert len(found.junctions) == 1
    assert len(found.ends) == 3
    assert np.linalg.norm(found.junctions[0]) < 0.05
    assert found.length == pytest.approx(1 + np.hypot(0.7, 0.8) + np.hypot(0.6, 0.9), rel=0.05)


def test_lines_that_do_not_meet_stay_apart():
    X = np.concatenate([along((0, 0), (2, 0)), along((0, 0.3), (2, 0.3), seed=1)])
    found = wt.skeleton(wt.denoise(X))
    assert len(found.lines) == 2
    assert len(found.junctions) == 0


def test_background_noise_gets_hardly_any_lines():
    X = in_background(circle(600, 0.03), 0.3)
    found = wt.skeleton(wt.denoise(X))
    assert found.length < 1.2 * 2 * np.pi


def test_lines_of_streets_are_near_streets():
    X, trips, curve = wt.datasets.streets(0, n_trips=120)
    for order in (None, trips):
        found = wt.skeleton(wt.denoise(X, order=order))
        vertices = np.concatenate(found.lines)
        assert np.mean(curve.distance(vertices) < 15) > 0.95
        assert 0.6 * 8476 < found.length < 1.1 * 8476
        assert len(found.junctions) > 5
    plain, tracked = (wt.skeleton(wt.denoise(X, order=order)) for order in (None, trips))
    assert tracked.length > plain.length  # legs of tracks join what is apart


def test_the_order_of_rows_does_not_matter():
    X = along((0, 0), (1, 0), (-0.7, 0.8))
    rows = np.random.default_rng(0).permutation(len(X))
    one, other = (wt.skeleton(wt.denoise(points)) for points in (X, X[rows]))
    assert np.allclose(one.nodes, other.nodes)
    assert one.length == pytest.approx(other.length)


def test_scale_reaches_the_lines():
    X = circle(600, 0.05).points * [1.0, 0.1]
    found = wt.skeleton(wt.denoise(X, 1, scale=[1.0, 0.1]))
    plain = wt.skeleton(wt.denoise(X / [1.0, 0.1], 1))
    assert len(found.lines) == len(plain.lines) == 1
    assert found.lines[0] == pytest.approx(plain.lines[0] * [1.0, 0.1])


@pytest.mark.parametrize("X", [[[1.0, 2.0]], [[1.0, 2.0]] * 20, [[0.0, 0.0], [1.0, 0.0]]], ids=["one", "same", "two"])
def test_few_places_have_no_lines(X):
    found = wt.skeleton(wt.denoise(X, 1))
    assert len(found.lines) == 0
    assert found.length == 0
    assert found.to_geojson() == {"type": "FeatureCollection", "features": []}
    assert found.graph.number_of_nodes() == 0


def test_the_graph_has_the_geometry():
    found = wt.skeleton(wt.denoise(along((0, 0), (1, 0), (-0.7, 0.8), (-0.6, -0.9))))
    graph = found.graph
    assert graph.number_of_edges() == 3
    for a, b, edge in graph.edges(data=True):
        ends = {graph.nodes[a]["position"], graph.nodes[b]["position"]}
        assert {tuple(edge["line"][0]), tuple(edge["line"][-1])} == ends
        assert edge["length"] == pytest.approx(length_of(edge["line"]))
    assert sum(edge["length"] for *_, edge in graph.edges(data=True)) == pytest.approx(found.length)


def test_files_hold_the_lines(tmp_path):
    found = wt.skeleton(wt.denoise(along((0, 0), (1, 0), (-0.7, 0.8), (-0.6, -0.9))))
    collection = found.to_geojson(tmp_path / "lines.geojson")
    assert json.loads((tmp_path / "lines.geojson").read_text()) == json.loads(json.dumps(collection))
    kinds = [feature["geometry"]["type"] for feature in collection["features"]]
    assert kinds == ["LineString"] * 3 + ["Point"]
    first = collection["features"][0]
    assert first["geometry"]["coordinates"] == found.lines[0].tolist()
    assert first["properties"]["length"] == pytest.approx(found.lengths[0])
    found.to_csv(tmp_path / "lines.csv")
    table = np.genfromtxt(tmp_path / "lines.csv", delimiter=",", names=True)
    assert np.array_equal(np.column_stack([table["x0"], table["x1"]]), np.concatenate(found.lines))
    assert np.bincount(table["line"].astype(int)).tolist() == [len(line) for line in found.lines]
    with pytest.raises(FileNotFoundError):
        found.to_geojson(tmp_path / "nowhere" / "lines.geojson")


def test_geojson_has_no_more_than_three_coordinates():
    rng = np.random.default_rng(0)
    X = rng.random((800, 1)) * [5, 0, 0, 0] + rng.normal(scale=0.02, size=(800, 4))
    with pytest.raises(ValueError, match="to_csv"):
        wt.skeleton(wt.denoise(X, 1)).to_geojson()


@pytest.mark.slow
def test_the_result_shows_and_draws_itself():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    found = wt.skeleton(wt.denoise(along((0, 0), (1, 0), (-0.7, 0.8), (-0.6, -0.9))))
    assert repr(found).startswith("<Skeleton: 3 lines, total length 3")
    assert "<th>junctions</th><td>1</td>" in found._repr_html_()
    assert list(found.to_pandas().columns) == ["from", "to", "length", "vertices", "fixes", "deviation"]
    ax = found.plot().axes[0]
    assert len(ax.lines) == 3
    space = wt.skeleton(wt.denoise(helix(1000, 0.05).points)).plot().axes[0]
    assert space.name == "3d"
    for drawn in (ax, space):
        plt.close(drawn.figure)


def net(*edges: tuple[int, int, float]) -> dict[int, dict[int, float]]:
    found: dict[int, dict[int, float]] = {k: {} for edge in edges for k in edge[:2]}
    for a, b, length in edges:
        found[a][b] = found[b][a] = length
    return found


def test_ways_are_those_of_networkx():
    nx = pytest.importorskip("networkx")
    graph = nx.gnm_random_graph(40, 60, seed=1)
    rng = np.random.default_rng(0)
    lengths = {edge: float(rng.random()) for edge in graph.edges}
    ours = {k: {} for k in graph} | net(*((a, b, length) for (a, b), length in lengths.items()))
    nx.set_edge_attributes(graph, lengths, "weight")
    true = dict(nx.all_pairs_dijkstra_path_length(graph))
    for a in graph:
        for b in graph:
            for limit in (0.5, 1.0, 2.0):
                assert is_within(ours, a, b, limit) == (true[a].get(b, np.inf) <= limit)


def test_short_spurs_go_and_long_ones_stay():
    spurs = net((0, 1, 5.0), (1, 2, 5.0), (1, 3, 0.5), (2, 4, 5.0), (2, 5, 3.0))
    prune(spurs, 1.0)
    assert spurs == {0: {1: 5.0}, 1: {0: 5.0, 2: 5.0}, 2: {1: 5.0, 4: 5.0, 5: 3.0}, 3: {}, 4: {2: 5.0}, 5: {2: 3.0}}
    assert chains(spurs) == [[0, 1, 2], [2, 4], [2, 5]]


def test_a_spur_on_a_spur_goes_with_it():
    fork = net((0, 1, 5.0), (1, 2, 5.0), (1, 3, 0.4), (3, 4, 0.3), (3, 5, 0.2))
    prune(fork, 1.0)
    assert chains(fork) == [[0, 1, 2]]


def test_a_lone_line_is_no_spur():
    line = net((0, 1, 0.1), (1, 2, 0.1))
    prune(line, 1.0)
    assert chains(line) == [[0, 1, 2]]


def test_near_junctions_become_one():
    points = np.array([[-1.0, 0.5], [-1.0, -0.5], [0.0, 0.0], [0.1, 0.0], [1.1, 0.5], [1.1, -0.5]])
    double = net((0, 2, 1.1), (1, 2, 1.1), (2, 3, 0.1), (3, 4, 1.1), (3, 5, 1.1))
    melt(double, points, 0.2)
    assert points[2] == pytest.approx([0.05, 0.0])
    assert sorted(double[2]) == [0, 1, 4, 5]
    assert double[2][4] == pytest.approx(np.hypot(1.05, 0.5))


def test_junctions_on_a_short_line_become_one():
    points = np.array([[-1.0, 1.0], [-1.0, -1.0], [0.0, 0.0], [0.1, 0.0], [0.2, 0.0], [1.2, 1.0], [1.2, -1.0]])
    double = net((0, 2, 1.4), (1, 2, 1.4), (2, 3, 0.1), (3, 4, 0.1), (4, 5, 1.4), (4, 6, 1.4))
    apart = {knot: dict(near) for knot, near in double.items()}
    melt(apart, points.copy(), 0.15)
    assert apart == double
    melt(double, points, 0.25)
    assert points[2] == pytest.approx([0.1, 0.0])
    assert sorted(double[2]) == [0, 1, 5, 6]
    assert double[3] == double[4] == {}


def test_two_streets_that_cross_have_one_junction():
    X = np.concatenate([along((-1, 0), (1, 0), n=500), along((0.1, -1), (-0.1, 1), n=500, seed=1)])
    found = wt.skeleton(wt.denoise(X, 1))
    assert found.degrees.tolist().count(4) == len(found.junctions) == 1
    assert np.linalg.norm(found.junctions[0]) < found.source.eps / 4
    assert found.length == pytest.approx(4, rel=0.05)


@pytest.mark.slow
def test_simplified_lines_stay_within_the_tolerance():
    rng = np.random.default_rng(0)
    line = np.cumsum(rng.normal(size=(200, 3)), axis=0)
    for tolerance in (0.0, 0.5, 2.0, 100.0):
        short = simplified(line, tolerance)
        assert np.array_equal(short[[0, -1]], line[[0, -1]])
        assert _farthest(line, short) <= tolerance + 1e-12
    assert len(simplified(line, 0.0)) == 200
    assert len(simplified(line, 100.0)) == 2
    closed = np.append(line, line[:1], axis=0)
    assert _farthest(closed, simplified(closed, 1.0)) <= 1.0


def _farthest(points: np.ndarray, line: np.ndarray) -> float:
    """The slow twin: every point against every piece."""
    worst = 0.0
    for point in points:
        nearest = np.inf
        for a, b in pairwise(line):
            t = np.clip((point - a) @ (b - a) / max((b - a) @ (b - a), 1e-300), 0, 1)
            nearest = min(nearest, float(np.linalg.norm(point - a - t * (b - a))))
        worst = max(worst, nearest)
    return worst
