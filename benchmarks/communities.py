"""Communities, compared with Louvain and Leiden on graphs whose groups are known.

`python -m benchmarks communities` takes about ten minutes; `communities=3` takes 3 graphs of each kind instead of 16.
Louvain is that of networkx, Leiden that of leidenalg (modularity, its defaults), if it is installed.

Generated graphs resemble real ones: degrees with power laws, groups of unequal sizes, groups within groups of which
either are the known ones, citations that copy citations, people with two attributes, authors who share papers, trees
that hang on the graph. All settings were chosen on the seeds 0 to 15; the tables use seeds from 100 on.

A planted partition has q groups of n/q nodes; nodes are joined with probability c_in/n within groups and c_out/n
between them, and c = (c_in + (q − 1)·c_out)/q is the mean degree. No fast algorithm is known, and for q ≤ 4 there is
none at all, that finds anything unless (c_in − c_out)² > q²·c (Decelle et al. 2011; Mossel, Neeman and Sly 2018).
`times` below is (c_in − c_out)/(q·√c), how many times the threshold the difference is.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import wasserstein_transform as wt

from .timing import Row

Known = tuple[nx.Graph, list[Any]]
Labels = list[int]
Edges = np.ndarray
Maker = Callable[[np.random.Generator], tuple[Edges, np.ndarray]]

_DATA = Path(__file__).parents[2] / "shared" / "data" / "graphs"
_FIRST = 100  # seed of the graphs that are reported
_TIE = 0.005  # scores that differ by less are a tie


def run(n_graphs: str = "16") -> list[Row]:
    seeds = range(_FIRST, _FIRST + int(n_graphs))
    wt.graphs.communities(nx.connected_caveman_graph(4, 6))  # imports and compiles
    families = {name: [make(name, seed) for seed in seeds] for name in MAKERS}
    _say("\n| graphs | method | communities | NMI | ARI | seconds |\n|---|---|---|---|---|---|")
    scores = {name: _score_all(name, graphs) for name, graphs in families.items()}
    every = {method: np.concatenate([one[method] for one in scores.values()]) for method in next(iter(scores.values()))}
    for method, rows in every.items():
        _say(f"| all | {method} | {_line(rows)} |")
    _compare(scores | {"all": every})
    _say("\n| graph | method | communities | NMI | ARI | seconds |\n|---|---|---|---|---|---|")
    for name, known in labelled_graphs().items():
        _score_all(name, [known])
    here, peer = every["here"].mean(axis=0), every["Louvain"].mean(axis=0)
    shown = [f"NMI {one[1]:.3f}, ARI {one[2]:.3f}, {one[3]:.2f} s" for one in (here, peer)]
    work = f"communities of {len(every['here'])} generated graphs, mean"
    return [Row(work, shown[0], f"Louvain (networkx): {shown[1]}", f"{peer[3] / here[3]:.2f}×"), _large()]


def planted(n: int, q: int, c: float, times: float, seed: int) -> Known:
    """A planted partition at `times` times the detection threshold."""
    apart = times * q * np.sqrt(c)
    inside, outside = c + apart * (q - 1) / q, c - apart / q
    graph = nx.planted_partition_graph(q, n // q, inside / n, outside / n, seed=seed)
    return graph, np.repeat(np.arange(q), n // q).tolist()


def labelled_graphs() -> dict[str, Known]:
    """Networks with known groups."""
    karate = nx.karate_club_graph()
    graphs = {"karate": (nx.Graph(karate.edges), [karate.nodes[v]["club"] for v in nx.Graph(karate.edges)])}
    for name, attribute in (("football", "value"), ("polbooks", "value"), ("dolphins", "group")):
        if (_DATA / f"{name}.gml").is_file():
            graph = nx.read_gml(_DATA / f"{name}.gml")
            graphs[name] = graph, [str(graph.nodes[node][attribute]) for node in graph]
    return graphs


def make(name: str, seed: int) -> Known:
    """A generated graph of a kind, with its nodes in random order."""
    rng = np.random.default_rng([list(MAKERS).index(name), seed])
    edges, truth = MAKERS[name](rng)
    place = rng.permutation(len(truth))
    graph = nx.empty_graph(len(truth))
    graph.add_edges_from(place[edges].tolist())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph, truth[np.argsort(place)].tolist()


def _power(rng: np.random.Generator, n: int, least: float, most: float, exponent: float) -> np.ndarray:
    """Numbers with a power law between two bounds."""
    a = 1 - exponent
    return ((most**a - least**a) * rng.random(n) + least**a) ** (1 / a)


def _size(rng: np.random.Generator, least: float, most: float) -> int:
    return int(_power(rng, 1, least, most, 1.2)[0])


def _groups(rng: np.random.Generator, n: int, least: int, most: float, exponent: float) -> np.ndarray:
    """Labels of groups whose sizes have a power law."""
    sizes = _power(rng, n, least, most, exponent).astype(int)
    return np.repeat(np.arange(n), sizes)[:n]


def _draw(rng: np.random.Generator, pull: np.ndarray, pool: np.ndarray, n: int) -> np.ndarray:
    return pool[rng.choice(len(pool), n, p=pull[pool] / pull[pool].sum())]


def _join(rng: np.random.Generator, labels: np.ndarray, pull: np.ndarray, degree: float, mixing: float) -> Edges:
    """Edges between nodes in proportion to their pulls; a fraction `mixing` regardless of groups."""
    n_edges, everybody = len(labels) * degree / 2, np.arange(len(labels))
    pools = [(everybody, n_edges * mixing)]
    for label in np.unique(labels):
        pool = np.flatnonzero(labels == label)
        pools.append((pool, n_edges * (1 - mixing) * pull[pool].sum() / pull.sum()))
    ends = [_draw(rng, pull, pool, 2 * round(m)).reshape(-1, 2) for pool, m in pools if round(m)]
    return np.concatenate(ends)


def _close(rng: np.random.Generator, edges: Edges, share: float) -> Edges:
    """Add edges between neighbors of a node: triangles."""
    near: dict[int, list[int]] = {}
    for a, b in edges.tolist():
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    at = edges[rng.integers(len(edges), size=int(share * len(edges))), 0].tolist()
    return np.concatenate([edges, np.array([rng.choice(near[v], 2) for v in at], int).reshape(-1, 2)])


def _unequal(rng: np.random.Generator) -> tuple[Edges, np.ndarray]:
    n, least = _size(rng, 200, 3000), int(rng.choice([5, 10, 20]))
    labels = _groups(rng, n, least, max(4 * least, n / 6), rng.uniform(1.01, 2))
    pull = _power(rng, n, 1, 30, rng.uniform(2, 3))
    return _join(rng, labels, pull, rng.uniform(5, 20), rng.uniform(0.15, 0.65)), labels


def _few(rng: np.random.Generator) -> tuple[Edges, np.ndarray]:
    n, k = _size(rng, 60, 2500), int(rng.integers(2, 8))
    labels = np.sort(rng.choice(k, n, p=rng.dirichlet(np.full(k, 2.0))))
    pull = _power(rng, n, 1, 60, rng.uniform(1.8, 2.8))
    edges = _join(rng, labels, pull, rng.uniform(4, 25), rng.uniform(0.1, 0.5))
    return _close(rng, edges, rng.uniform(0, 0.6)), labels


def _nested(rng: np.random.Generator) -> tuple[Edges, np.ndarray]:
    n = _size(rng, 150, 2500)
    fine = _groups(rng, n, int(rng.choice([6, 10, 20])), n / 5, 1.5)
    coarse = rng.integers(max(2, int(fine[-1] / rng.uniform(2.5, 6))), size=fine[-1] + 1)[fine]
    pull, degree, share = _power(rng, n, 1, 30, rng.uniform(2, 3)), rng.uniform(6, 22), rng.uniform(0.3, 0.7)
    one = _join(rng, fine, pull, degree * share, 0.0)
    other = _join(rng, coarse, pull, degree * (1 - share), rng.uniform(0.1, 0.35))
    return np.concatenate([one, other]), fine if rng.random() < 0.5 else coarse


def _citations(rng: np.random.Generator) -> tuple[Edges, np.ndarray]:
    """Each node cites earlier ones, mostly of its field, and some of what these cite."""
    n, k = _size(rng, 300, 3000), int(rng.integers(3, 9))
    labels = rng.choice(k, n, p=rng.dirichlet(np.full(k, 3.0)))
    loyal, copying, mean = rng.uniform(0.6, 0.92), rng.uniform(0.3, 0.8), rng.uniform(1.2, 4)
    field: list[list[int]] = [[] for _ in range(k)]
    cited, popular, edges = [list[int]() for _ in range(n)], np.ones(n), list[tuple[int, int]]()
    for v in range(n):
        for _ in range(1 + rng.poisson(mean - 1) if v > 5 else 0):
            near = [u for w in cited[v] for u in cited[w]]
            pool = field[labels[v]] if rng.random() < loyal and field[labels[v]] else range(v)
            some = [int(rng.choice(near))] if near and rng.random() < copying else rng.choice(pool, 3).tolist()
            u = max(some, key=lambda one: popular[one] * rng.random())
            cited[v].append(u)
            popular[u] += 1
            edges.append((u, v))
        field[labels[v]].append(v)
    return np.array(edges), labels


def _attributes(rng: np.random.Generator) -> tuple[Edges, np.ndarray]:
    """People with two attributes, who know others with the first, the second, both or none of them in common."""
    n, k = _size(rng, 80, 1500), rng.integers(3, 12, size=2)
    one, other = (rng.choice(m, n, p=rng.dirichlet(np.full(m, 4.0))) for m in k)
    pull, degree = _power(rng, n, 1, 20, rng.uniform(1.8, 2.8)), rng.uniform(8, 30)
    shares = rng.uniform((0.25, 0.0, 0.0, 0.1), (0.6, 0.25, 0.25, 0.35))
    kinds = (one, other, 100 * one + other, np.zeros(n, int))
    degrees = degree * shares / shares.sum()
    edges = [_join(rng, labels, pull, mean, 0.0) for labels, mean in zip(kinds, degrees, strict=True)]
    return _close(rng, np.concatenate(edges), rng.uniform(0, 0.4)), one


def _papers(rng: np.random.Generator) -> tuple[Edges, np.ndarray]:
    """Authors of a paper are joined, most of them of one field."""
    n = _size(rng, 150, 2500)
    labels = _groups(rng, n, int(rng.choice([8, 20, 60])), n / 3, 1.3)
    pull, mixing, edges = _power(rng, n, 1, 25, 2.2), rng.uniform(0.05, 0.35), list[tuple[int, int]]()
    for first in rng.integers(n, size=int(n * rng.uniform(0.6, 1.5))).tolist():
        n_others = 1 + min(rng.poisson(1.2), 8)
        own = _draw(rng, pull, np.flatnonzero(labels == labels[first]), n_others)
        others = np.where(rng.random(n_others) > mixing, own, rng.integers(n, size=n_others))
        team = [first, *others.tolist()]
        edges += [(a, b) for i, a in enumerate(team) for b in team[:i]]
    return np.array(edges), labels


def _near_threshold(rng: np.random.Generator) -> tuple[Edges, np.ndarray]:
    q, c = ((2, 5.0), (4, 10.0), (8, 16.0))[rng.integers(3)]
    graph, truth = planted(1000, q, c, rng.choice([1.1, 1.25, 1.5, 1.75, 2.0]), int(rng.integers(1 << 30)))
    return np.array(graph.edges), np.array(truth)


def _caves(rng: np.random.Generator) -> tuple[Edges, np.ndarray]:
    k, size = int(rng.integers(5, 60)), int(rng.integers(4, 9))
    graph = nx.relaxed_caveman_graph(k, size, rng.uniform(0, 0.25), seed=int(rng.integers(1 << 30)))
    return np.array(graph.edges), np.repeat(np.arange(k), size)


def _trees(rng: np.random.Generator) -> tuple[Edges, np.ndarray]:
    """Groups with hubs, and trees that hang on them."""
    n, k = _size(rng, 80, 1000), int(rng.integers(3, 15))
    labels, pull = np.sort(rng.integers(k, size=n)), _power(rng, n, 1, 60, 1.9)
    edges = _join(rng, labels, pull, rng.uniform(3, 10), rng.uniform(0.1, 0.4))
    n_leaves = int(n * rng.uniform(0.2, 1))
    parents = _draw(rng, pull, np.arange(n), n_leaves)
    later = rng.random(n_leaves) < 0.3
    later[0] = False
    parents[later] = n + rng.integers(np.flatnonzero(later))
    labels = labels.tolist()
    for parent in parents.tolist():
        labels.append(labels[parent])
    return np.concatenate([edges, np.column_stack([parents, n + np.arange(n_leaves)])]), np.array(labels)


MAKERS: dict[str, Maker] = {
    "unequal groups, heavy degrees": _unequal,
    "few groups, hubs, triangles": _few,
    "groups in groups": _nested,
    "citations": _citations,
    "people with two attributes": _attributes,
    "authors of papers": _papers,
    "near the threshold": _near_threshold,
    "caves": _caves,
    "trees on hubs": _trees,
}


def ours(graph: nx.Graph) -> Labels:
    return wt.graphs.communities(graph, weight=None).labels.tolist()


def louvain(graph: nx.Graph, seed: int = 0) -> Labels:
    place = {node: k for k, node in enumerate(graph)}
    labels = np.empty(len(graph), int)
    for k, group in enumerate(nx.community.louvain_communities(graph, weight=None, seed=seed)):
        labels[[place[node] for node in group]] = k
    return labels.tolist()


def leiden(graph: nx.Graph, seed: int = 0) -> Labels:
    igraph, leidenalg = importlib.import_module("igraph"), importlib.import_module("leidenalg")
    place = {node: k for k, node in enumerate(graph)}
    same = igraph.Graph(len(graph), [(place[a], place[b]) for a, b in graph.edges])
    return list(leidenalg.find_partition(same, leidenalg.ModularityVertexPartition, seed=seed).membership)


def _methods() -> dict[str, Callable[[nx.Graph], Labels]]:
    methods = {"here": ours, "Louvain": louvain}
    return methods if importlib.util.find_spec("leidenalg") is None else methods | {"Leiden": leiden}


def _score_all(name: str, graphs: list[Known]) -> dict[str, np.ndarray]:
    """Print a line for each method: communities found, NMI, ARI, seconds."""
    scores = {method: np.array([_score(find, *known) for known in graphs]) for method, find in _methods().items()}
    for method, rows in scores.items():
        _say(f"| {name} | {method} | {_line(rows)} |")
    return scores


def _score(find: Callable[[nx.Graph], Labels], graph: nx.Graph, truth: list[Any]) -> tuple[float, float, float, float]:
    start = time.perf_counter()
    labels = find(graph)
    seconds = time.perf_counter() - start
    shared = normalized_mutual_info_score(truth, labels)
    return len(set(labels)), shared, adjusted_rand_score(truth, labels), seconds


def _line(scores: np.ndarray) -> str:
    means = scores.mean(axis=0)
    return f"{means[0]:.1f} | {means[1]:.3f} | {means[2]:.3f} | {means[3]:.3f}"


def _compare(scores: dict[str, dict[str, np.ndarray]]) -> None:
    """Print wins, ties and losses against the last method, which is Leiden where it is installed."""
    peer = list(_methods())[-1]
    _say(f"\n| against {peer} | NMI: won, tied, lost | ARI: won, tied, lost | time |\n|---|---|---|---|")
    for name, one in scores.items():
        more = one["here"] - one[peer]
        counts = [
            ", ".join(str(int(x.sum())) for x in (more[:, k] > _TIE, abs(more[:, k]) <= _TIE, more[:, k] < -_TIE))
            for k in (1, 2)
        ]
        ratio = one["here"][:, 3].sum() / one[peer][:, 3].sum()
        _say(f"| {name} | {counts[0]} | {counts[1]} | {ratio:.1f}× |")


def _large() -> Row:
    """One graph of 20,000 nodes and about 100,000 edges."""
    known = planted(20_000, 10, 10.0, 2.0, _FIRST)
    shown = [
        f"{k:.0f} communities, NMI {shared:.3f}, {seconds:.1f} s"
        for k, shared, _, seconds in (_score(find, *known) for find in (ours, louvain))
    ]
    work = "communities of a planted partition, 10 groups, 20,000 nodes, mean degree 10, 2 times the threshold"
    return Row(work, shown[0], f"Louvain (networkx): {shown[1]}", "")


def _say(line: str) -> None:
    print(line, flush=True)
