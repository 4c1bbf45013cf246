"""Curvature and Ricci flow of graphs, compared with GraphRicciCurvature, which needs its own environment.

`python -m benchmarks graphs=PYTHON` runs the peer on the same graph with the interpreter PYTHON, which has
GraphRicciCurvature installed. Its time on a sample of the edges is scaled to all edges; its preparation (all shortest
paths) is added. `graphs` alone skips the peer.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import networkx as nx
import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import wasserstein_transform as wt

from .timing import Row, median_seconds

_DATA = Path(__file__).parents[2] / "shared" / "data" / "graphs"
_SAMPLE = 4000  # edges computed by the peer
_ITERATIONS = 20  # steps of Ricci flow
_GRAPHS = {
    "uniform random": lambda: nx.gnm_random_graph(10_000, 50_000, seed=0),
    "preferential attachment": lambda: nx.barabasi_albert_graph(10_000, 5, seed=0),
}
_PEER = """
import json, sys, time
import networkx as nx, numpy as np
from GraphRicciCurvature import OllivierRicci as peer
edges, wanted, proc = json.load(open(sys.argv[1]))
G = nx.Graph()
G.add_weighted_edges_from(edges)
paths, spent = peer._get_all_pairs_shortest_path, []
def timed():
    start = time.perf_counter()
    found = paths()
    spent.append(time.perf_counter() - start)
    return found
peer._get_all_pairs_shortest_path = timed
wanted = [tuple(e) for e in wanted]
start = time.perf_counter()
found = peer._compute_ricci_curvature_edges(G, weight="weight", alpha=0.5, method="OTD", proc=proc, edge_list=wanted)
print(json.dumps([spent[0], time.perf_counter() - start - spent[0], [found[e] for e in wanted]]))
"""


def run(python: str | None = None) -> list[Row]:
    rows = []
    for name, make in _GRAPHS.items():
        graph = make()
        rows.append(_all_edges(name, graph, "", python))
        lengths = np.random.default_rng(0).uniform(0.5, 1.5, graph.number_of_edges())
        nx.set_edge_attributes(graph, dict(zip(graph.edges, lengths.tolist(), strict=True)), "length")
        rows.append(_all_edges(name, graph, ", lengths 0.5 to 1.5", python))
    rows.append(_flow("preferential attachment", nx.barabasi_albert_graph(3345, 5, seed=0), python))
    rows.append(_flow("two communities with hubs,", _two_communities(1222, 16_700), python))
    if _DATA.is_dir():
        graph = nx.read_gml(_DATA / "football.gml")
        seconds = median_seconds(lambda: wt.graphs.ricci_flow(graph, 50), 3)
        rows.append(Row("50 iterations of Ricci flow, football (115 nodes, 613 edges)", f"{seconds:.2f} s", "", ""))
        _print_communities()
    return rows


def _all_edges(name: str, graph: nx.Graph, lengths: str, python: str | None) -> Row:
    """Take the walk of GraphRicciCurvature: neighbors ∝ exp(−length²), which is uniform if all lengths are equal."""
    walk = wt.graphs.LazyWalk(0.5, power=2.0)
    seconds = median_seconds(lambda: wt.graphs.curvature(graph, walk), 3)
    found = wt.graphs.curvature(graph, walk)
    work = f"curvature of all {len(found.pairs):,} edges, {name} graph, {found.network.n:,} nodes, idleness ½{lengths}"
    ours = f"{seconds:.2f} s, peak {_peak():.1f} GiB"
    if python is None:
        return Row(work, ours, "", "")
    ready, rest, worst = _peer(found, python)
    theirs = f"GraphRicciCurvature: {ready + rest:.0f} s ({ready:.0f} s shortest paths), values to {worst:.0e}"
    return Row(work, ours, theirs, f"{(ready + rest) / seconds:.0f}×")


def _flow(name: str, graph: nx.Graph, python: str | None) -> Row:
    """Time the peer on the second iteration only: each iteration takes it the same time."""
    wt.graphs.ricci_flow(graph, 2)
    start = time.perf_counter()
    flow = wt.graphs.ricci_flow(graph, _ITERATIONS, tol=None)
    seconds = time.perf_counter() - start
    network = flow.network
    work = f"{_ITERATIONS} iterations of Ricci flow, {name} graph, {network.n:,} nodes, {len(network.edges):,} edges"
    ours = f"{seconds:.1f} s, peak {_peak():.1f} GiB"
    if python is None:
        return Row(work, ours, "", "")
    second = wt.graphs.curvature(network.with_lengths(flow.lengths[1]), wt.graphs.LazyWalk(0.5, power=2.0))
    ready, rest, worst = _peer(second, python)
    theirs = _ITERATIONS * (ready + rest)
    peer = f"GraphRicciCurvature: {theirs:.0f} s, by one iteration, values to {worst:.0e}"
    return Row(work, ours, peer, f"{theirs / seconds:.0f}×")


def _two_communities(n: int, n_edges: int) -> nx.Graph:
    """Ends of edges are drawn ∝ rank^(−¾); one in ten edges between odd and even nodes is kept."""
    rng, chances = np.random.default_rng(0), np.arange(1, n + 1) ** -0.75
    graph = nx.empty_graph(n)
    while graph.number_of_edges() < n_edges:
        a, b = rng.choice(n, 2, p=chances / chances.sum()).tolist()
        if a != b and ((a - b) % 2 == 0 or rng.random() < 0.1):
            graph.add_edge(a, b)
    return graph


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _peer(found: wt.graphs.Curvature, python: str) -> tuple[float, float, float]:
    """Seconds of preparation, seconds for all edges scaled up from a sample, and the largest difference."""
    picked = np.random.default_rng(0).choice(len(found.pairs), _SAMPLE, replace=False)
    wanted, network = found.pairs[picked].tolist(), found.network
    edges = [(a, b, x) for (a, b), x in zip(network.edges.tolist(), network.lengths.tolist(), strict=True)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([edges, wanted, wt.Engine().n_threads], file)
        file.flush()
        done = subprocess.run([python, "-c", _PEER, file.name], capture_output=True, text=True, check=True)
    ready, rest, values = json.loads(done.stdout.splitlines()[-1])
    return ready, rest / _SAMPLE * len(found.pairs), float(np.abs(np.array(values) - found.values[picked]).max())


def _print_communities() -> None:
    """Ricci flow as Ni, Lin, Luo and Gao ran it (idleness ½, power 2), compared with Louvain and Leiden."""
    karate = nx.karate_club_graph()
    known = {"karate": (nx.Graph(karate.edges), dict(karate.nodes(data="club")))}
    for name, attribute in (("football", "value"), ("polbooks", "value"), ("dolphins", "group")):
        graph = nx.read_gml(_DATA / f"{name}.gml")
        known[name] = graph, dict(graph.nodes(data=attribute))
    print("| graph | method | communities | modularity | ARI | NMI |\n|---|---|---|---|---|---|", file=sys.stderr)
    for name, (graph, groups) in known.items():
        truth = [str(groups[node]) for node in graph]
        for method, labels in _partitions(graph).items():
            parts = [{v for v, k in zip(graph, labels, strict=True) if k == c} for c in set(labels)]
            score = nx.community.modularity(graph, parts, weight=None)
            rand, shared = adjusted_rand_score(truth, labels), normalized_mutual_info_score(truth, labels)
            print(f"| {name} | {method} | {len(parts)} | {score:.3f} | {rand:.3f} | {shared:.3f} |", file=sys.stderr)


def _partitions(graph: nx.Graph) -> dict[str, list[int]]:
    place = {node: k for k, node in enumerate(graph)}
    out = {}
    for n_iter in (20, 50):
        out[f"Ricci flow, {n_iter} iterations"] = wt.graphs.ricci_flow(graph, n_iter).communities().labels.tolist()
    louvain = np.empty(len(graph), int)
    for k, group in enumerate(nx.community.louvain_communities(graph, weight=None, seed=0)):
        louvain[[place[node] for node in group]] = k
    return {**out, "Louvain (networkx)": louvain.tolist(), **_leiden(graph, place)}


def _leiden(graph: nx.Graph, place: dict[object, int]) -> dict[str, list[int]]:
    if importlib.util.find_spec("leidenalg") is None:
        return {}
    igraph, leidenalg = importlib.import_module("igraph"), importlib.import_module("leidenalg")
    same = igraph.Graph(len(graph), [(place[a], place[b]) for a, b in graph.edges])
    found = leidenalg.find_partition(same, leidenalg.ModularityVertexPartition, seed=0)
    return {"Leiden (leidenalg)": list(found.membership)}
