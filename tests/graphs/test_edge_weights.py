"""Numbers at edges: lengths, strengths, or asked about."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import wasserstein_transform as wt
from wasserstein_transform.graphs import as_network, read_graph

ASKED = (
    r"weights of edges, 1 to 7, may be lengths or strengths; say weight='length', weight='strength'.* or weight=None"
)
KINDS = {
    "networkx": nx.karate_club_graph,
    "matrix": lambda: csr_array(nx.to_scipy_sparse_array(nx.karate_club_graph())),
}


def with_(**attributes: object) -> nx.Graph:
    graph = nx.Graph()
    graph.add_edge("a", "b", **attributes)
    graph.add_edge("b", "c")
    return graph


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_may_be_either_are_asked_about(kind: str) -> None:
    karate = KINDS[kind]()
    for work in (
        as_network,
        wt.graphs.curvature,
        wt.graphs.ricci_flow,
        wt.graphs.communities,
        wt.Space.from_graph,
        wt.spaces.Graph.of,
    ):
        with pytest.raises(ValueError, match=ASKED):
            work(karate)
    assert wt.plotting.graphs.layout(karate).shape == (34, 2)  # every edge counts 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_three_answers(kind: str) -> None:
    karate, plain = KINDS[kind](), nx.karate_club_graph()
    weights = np.array([plain[a][b]["weight"] for a, b in as_network(plain, None).edges.tolist()], float)
    for answer, lengths in (("length", weights), ("strength", 1 / weights), (None, np.ones(len(weights)))):
        network = as_network(karate, answer)
        np.testing.assert_array_equal(network.lengths, lengths)
        as_lengths = [(a, b, x) for (a, b), x in zip(network.edges.tolist(), lengths.tolist(), strict=True)]
        expected = wt.graphs.curvature(as_lengths, weight="length")
        np.testing.assert_array_equal(wt.graphs.curvature(karate, weight=answer).values, expected.values)
        np.testing.assert_array_equal(
            wt.Space.from_graph(karate, weight=answer).metric.dense(),
            wt.Space.from_graph(as_lengths, weight="length").metric.dense(),
        )
        flows = (
            wt.graphs.ricci_flow(graph, 2, weight=said) for graph, said in ((karate, answer), (as_lengths, "length"))
        )
        np.testing.assert_array_equal(next(flows).lengths, next(flows).lengths)


def test_strengths_of_shortest_paths_are_those_of_networkx() -> None:
    graph = nx.karate_club_graph()
    for _, _, at in graph.edges(data=True):
        at["far"] = 1 / at["weight"]
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph, weight="far"))
    expected = np.array([[lengths[a][b] for b in graph] for a in graph])
    np.testing.assert_allclose(wt.Space.from_graph(graph, weight="strength").metric.dense(), expected, rtol=1e-13)


def test_names_that_speak_for_themselves_are_believed() -> None:
    assert as_network(with_()).lengths.tolist() == [1, 1]
    assert as_network(with_(weight=1)).lengths.tolist() == [1, 1]
    assert as_network(with_(length=4)).lengths.tolist() == [4, 1]
    assert as_network(with_(distance=4)).lengths.tolist() == [4, 1]
    assert as_network(with_(strength=4)).lengths.tolist() == [0.25, 1]
    both = with_(length=4, weight=2, strength=8)
    assert as_network(both, "length").lengths.tolist() == [4, 1]
    assert as_network(both, "strength").lengths.tolist() == [0.125, 1]
    assert as_network(with_(length=4, weight=2), "strength").lengths.tolist() == [0.5, 1]
    assert as_network(with_(), "strength").lengths.tolist() == [1, 1]


def test_lists_are_asked_about_as_all_others_are(tmp_path: Path) -> None:
    edges = [(0, 1, 4.0), (1, 2), (2, 3, 0.5)]
    file = written(tmp_path, "0 1 4\n1 2 1\n2 3 0.5\n", "edges.txt")
    for given in (edges, np.array([(0, 1, 4.0), (1, 2, 1.0), (2, 3, 0.5)]), file):
        for work in (as_network, wt.graphs.communities, wt.graphs.curvature):
            with pytest.raises(ValueError, match="to 4, may be lengths or strengths"):
                work(given)
        assert as_network(given, ("weight", "strength")).lengths.tolist() == [0.25, 1, 2]
        with pytest.raises(ValueError, match="no edge has the attribute 'value' with a number; they have 'weight'"):
            as_network(given, "value")
    assert as_network([(0, 1, 1.0), (1, 2, 1)]).lengths.tolist() == [1, 1]
    assert as_network(edges, "length").lengths.tolist() == [4, 1, 0.5]
    assert as_network(edges, "strength").lengths.tolist() == [0.25, 1, 2]
    assert as_network([(0, 1, "any"), (1, 2)], None).lengths.tolist() == [1, 1]
    array = np.array([(0, 1, 4.0), (1, 2, 2.0)])
    assert as_network(array, "length").lengths.tolist() == [4, 2]
    assert as_network(array, "strength").lengths.tolist() == [0.25, 0.5]
    assert as_network(array, None).lengths.tolist() == [1, 1]


def test_what_is_made_of_a_flow_goes_back_in() -> None:
    flow = wt.graphs.ricci_flow(nx.barbell_graph(4, 0), 3)
    np.testing.assert_allclose(as_network(flow.to_networkx()).lengths, flow.lengths[-1], rtol=1e-15)


def test_parallel_edges_count_by_the_strongest() -> None:
    graph = nx.MultiGraph()
    graph.add_edge(0, 1, weight=2.0)
    graph.add_edge(1, 0, weight=5.0)
    assert as_network(graph, "strength").lengths.tolist() == [0.2]


def test_a_network_keeps_its_lengths_or_loses_them() -> None:
    network = as_network([(0, 1, 3.0)], "length")
    assert as_network(network) is network
    assert as_network(network, "length") is network
    assert as_network(network, None).lengths.tolist() == [1]


def test_a_metric_of_a_sparse_matrix_has_lengths() -> None:
    matrix = csr_array(np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 3.0], [0.0, 3.0, 0.0]]))
    assert np.asarray(wt.wasserstein_pairs(np.eye(3), matrix, 1.0, [(0, 2)])) == pytest.approx(5)


def written(folder: Path, text: str, name: str = "edges.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize(
    ("text", "edges", "lengths"),
    [
        ("source,target\n0,1\n1,2\n", [(0, 1), (1, 2)], [1, 1]),
        ("# who\n\nSource;Target;Length\nann;bob;2\nbob;cy;3\n", [("ann", "bob", 2), ("bob", "cy", 3)], [2, 3]),
        ("from to distance\n0 1 2\n", [(0, 1, 2)], [2]),
        ("a,b,distance,curvature\nx,y,2,-0.5\n", [("x", "y", 2)], [2]),
        ("a,b,strength\nx,y,2\n", [("x", "y", 2)], [0.5]),
        ("id,from,to,oneway\n9,0,1,f\n8,1,2,f\n", [(0, 1), (1, 2)], [1, 1]),
        ('name,friend,weight\n"Lee, Ann",Bob Fox,1\nBob Fox,Cy,1\n', [("Lee, Ann", "Bob Fox", 1), ("Bob Fox", "Cy", 1)],
         [1, 1]),
        ("Jay Smith,Ann Lee,1\nAnn Lee,Bob,1\n", [("Jay Smith", "Ann Lee", 1), ("Ann Lee", "Bob", 1)], [1, 1]),
        ("here\tthere\tnote\n0\t1\t\n1\t2\tgood\n", [(0, 1), (1, 2)], [1, 1]),
        ("source target\nann bob\n", [("ann", "bob")], [1]),
        ("a b\nb c\n", [("a", "b"), ("b", "c")], [1, 1]),
    ],
)  # fmt: skip
def test_headings_are_read(text: str, edges: list[object], lengths: list[float], tmp_path: Path) -> None:
    file = written(tmp_path, text)
    assert read_graph(file) == edges
    assert as_network(file).lengths.tolist() == lengths


def test_a_column_called_weight_is_asked_about(tmp_path: Path) -> None:
    file = written(tmp_path, "source,target,weight\n0,1,2\n1,2,4\n")
    with pytest.raises(ValueError, match="2 to 4"):
        as_network(file)
    assert as_network(file, "length").lengths.tolist() == [2, 4]
    assert as_network(file, "strength").lengths.tolist() == [0.5, 0.25]
    assert as_network(file, None).lengths.tolist() == [1, 1]
    with pytest.raises(ValueError, match="needs edges with"):
        as_network(written(tmp_path, "source,target,length\n0,1,2\n"), "strength")
    bare = written(tmp_path, "0 1 2\n1 2 4\n", "edges.txt")
    assert as_network(bare, "length").lengths.tolist() == [2, 4]
    nx.write_gml(nx.karate_club_graph(), tmp_path / "karate.gml")
    nx.write_graphml(nx.karate_club_graph(), tmp_path / "karate.graphml")
    for name in ("karate.gml", "karate.graphml"):
        with pytest.raises(ValueError, match=ASKED):
            as_network(tmp_path / name)
        assert as_network(tmp_path / name, "strength").lengths.min() == pytest.approx(1 / 7)


def test_edges_without_numbers_may_be_called_strengths(tmp_path: Path) -> None:
    assert as_network(written(tmp_path, "source,target\n0,1\n1,2\n"), "strength").lengths.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("source,target,length\n0,1,2\n1,2,far\n", "line 3: the number of an edge .*got 'far'"),
        ("source,target,length\n0,1,-2\n", "line 2: .* at least 0, got '-2'"),
        ("source,target\n0,1\n0,1,2\n", "line 3: an edge is source, target, got '0 1 2'"),
        ("source,target\n0,\n", "line 2: an edge is source, target, got '0 '"),
        ("source,target,weight,length\n0,1,2,3\n", "columns 'length' and 'weight' may both be meant"),
        (
            "who,friend,since\nann,bob,2001\n",
            "line 1: the number of an edge .* got 'since'; a heading names columns such",
        ),
    ],
)
def test_errors_name_the_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=said):
        read_graph(written(tmp_path, text))


def test_a_heading_alone_is_a_graph_without_nodes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one node"):
        as_network(written(tmp_path, "source,target\n"))


def test_tables_of_a_flow_are_read_again(tmp_path: Path) -> None:
    flow = wt.graphs.ricci_flow(nx.barbell_graph(5, 0), 12)
    flow.to_pandas().to_csv(tmp_path / "edges.csv", index=False)
    np.testing.assert_allclose(as_network(tmp_path / "edges.csv").lengths, flow.lengths[-1], rtol=1e-15)


def test_an_attribute_of_any_name_is_taken_with_its_meaning(tmp_path: Path) -> None:
    graph = nx.Graph([("a", "b", {"value": 2}), ("b", "c", {"value": 4})])
    nx.write_gml(graph, tmp_path / "graph.gml")
    table = written(tmp_path, "source,target,value\na,b,2\nb,c,4\n")
    for given in (graph, tmp_path / "graph.gml", table):
        assert as_network(given, ("value", "length")).lengths.tolist() == [2, 4]
        assert as_network(given, ("value", "strength")).lengths.tolist() == [0.5, 0.25]
        assert as_network(given, None).lengths.tolist() == [1, 1]
        assert wt.graphs.communities(given, weight="value").network.lengths.tolist() == [0.5, 0.25]
        for work in (as_network, wt.graphs.communities, wt.graphs.curvature):
            with pytest.raises(ValueError, match="edges have the attribute 'value'; pass weight='value' to use it"):
                work(given)
    assert wt.Space.from_graph(graph, weight=("value", "length")).metric.dense()[0, 2] == 6


def test_weights_are_strengths_of_communities() -> None:
    karate = nx.karate_club_graph()
    found, same = (wt.graphs.communities(karate, weight=said) for said in ("weight", "strength"))
    np.testing.assert_array_equal(found.labels, same.labels)
    np.testing.assert_array_equal(found.network.lengths, as_network(karate, "strength").lengths)


BLOGS = """Creator "x"
graph
[
  directed 1
  node [ id 1 label "a" value 0 ]
  node [ id 2 label "b" value 0 ]
  node [ id 3 label "c" value 1 ]
  edge [ source 1 target 2 ]
  edge [ source 1 target 2 ]
  edge [ source 2 target 1 ]
  edge [ source 3 target 2 ]
]
"""


def test_a_directed_file_with_parallel_edges_is_read_with_a_note(tmp_path: Path) -> None:
    file = written(tmp_path, BLOGS, "blogs.gml")
    with pytest.warns(UserWarning, match="the graph is directed and is used without directions"):
        network = as_network(file)
    assert network.nodes == ["a", "b", "c"]
    assert network.edges.tolist() == [[0, 1], [1, 2]]
    with pytest.warns(UserWarning, match="directed"):
        found = wt.graphs.communities(file)
    assert found.to_networkx().nodes["c"]["community"] == 0
    nameless = written(tmp_path, BLOGS.replace("label", "name"), "ids.gml")
    with pytest.warns(UserWarning, match="directed"):
        assert as_network(nameless).nodes == [1, 2, 3]


def test_of_two_directions_the_shorter_counts() -> None:
    graph = nx.DiGraph([("a", "b", {"length": 2.0}), ("b", "a", {"length": 5.0}), ("c", "b", {"length": 3.0})])
    with pytest.warns(UserWarning, match="the shorter counts"):
        assert as_network(graph).lengths.tolist() == [2, 3]
    both = nx.DiGraph([("a", "b"), ("b", "a")])
    assert as_network(both).lengths.tolist() == [1]
    matrix = csr_array(np.array([[0.0, 2.0], [0.0, 0.0]]))
    with pytest.warns(UserWarning, match="directed"):
        assert as_network(matrix, "length").lengths.tolist() == [2]
