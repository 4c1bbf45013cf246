"""Curvature and Ricci flow of graphs, beside GraphRicciCurvature, which needs an environment of its own.

`python -m benchmarks graphs=PYTHON` asks the interpreter PYTHON, which has GraphRicciCurvature installed, for the same
graph: its time on some edges, taken for all, and its preparation (all shortest paths). `graphs` alone leaves it out.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import networkx as nx
import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import wasserstein_transform as wt

from .timing import Row, median_seconds

_DATA = Path(__file__).parents[2] / "shared" / "data" / "graphs"
_SAMPLE = 4000  # edges that the peer is asked for
_GRAPHS = {
    "uniform random": lambda: nx.gnm_random_graph(10_000, 50_000, seed=0),
    "preferential attachment": lambda: nx.barabasi_albert_graph(10_000, 5, seed=0),
}
_PEER = """
import json, sys, time
import networkx as nx, numpy as np
from GraphRicciCurvature import OllivierRicci as peer
edges, wanted, proc = json.load(open(sys.argv[1]))
G = nx.Graph(edges)
nx.set_edge_attributes(G, 1.0, "weight")
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
    rows = [_all_edges(name, make(), python) for name, make in _GRAPHS.items()]
    if _DATA.is_dir():
        graph = nx.read_gml(_DATA / "football.gml")
        seconds = median_seconds(lambda: wt.graphs.ricci_flow(graph, 50), 3)
        rows.append(Row("50 iterations of Ricci flow, football (115 nodes, 613 edges)", f"{seconds:.2f} s", "", ""))
        _print_communities()
    return rows


def _all_edges(name: str, graph: nx.Graph, python: str | None) -> Row:
    seconds = median_seconds(lambda: wt.graphs.curvature(graph), 3)
    found = wt.graphs.curvature(graph)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    work = f"curvature of all {len(found.pairs):,} edges, {name} graph, {found.network.n:,} nodes, idleness ½"
    ours = f"{seconds:.2f} s, peak {peak:.1f} GiB"
    if python is None:
        return Row(work, ours, "", "")
    ready, rest, worst = _peer(graph, found, python)
    theirs = f"GraphRicciCurvature: {ready + rest:.0f} s ({ready:.0f} s shortest paths), values to {worst:.0e}"
    return Row(work, ours, theirs, f"{(ready + rest) / seconds:.0f}×")


def _peer(graph: nx.Graph, found: wt.graphs.Curvature, python: str) -> tuple[float, float, float]:
    """Seconds of preparation, seconds for all edges by those of some, and the largest difference."""
    picked = np.random.default_rng(0).choice(len(found.pairs), _SAMPLE, replace=False)
    wanted = found.pairs[picked].tolist()
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([[[int(a), int(b)] for a, b in graph.edges], wanted, wt.Engine().n_threads], file)
        file.flush()
        done = subprocess.run([python, "-c", _PEER, file.name], capture_output=True, text=True, check=True)
    ready, rest, values = json.loads(done.stdout.splitlines()[-1])
    return ready, rest / _SAMPLE * len(found.pairs), float(np.abs(np.array(values) - found.values[picked]).max())


def _print_communities() -> None:
    """Ricci flow as Ni, Lin, Luo and Gao ran it (idleness ½, power 2), beside Louvain and Leiden."""
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
    cut = wt.graphs.ricci_flow(graph, 50, surgery=wt.graphs.Surgery())
    out["Ricci flow, 50 iterations, surgery"] = cut.communities().labels.tolist()
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
