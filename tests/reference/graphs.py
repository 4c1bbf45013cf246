"""Curvature by its definition: a linear program over the matrix of all shortest paths."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import networkx as nx
import numpy as np

from .transforms import wasserstein


def shortest_paths(graph: nx.Graph) -> np.ndarray:
    """All lengths of shortest paths, nodes in the graph's order."""
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph))
    return np.array([[lengths[a].get(b, np.inf) for b in graph] for a in graph])


def lazy_walk(graph: nx.Graph, idleness: float, power: float = 0.0) -> np.ndarray:
    """Rows of the lazy walk, one neighbor after the other."""
    place = {node: k for k, node in enumerate(graph)}
    P = np.zeros((len(place), len(place)))
    for x in graph:
        chances = {y: np.exp(-(graph[x][y].get("weight", 1.0) ** power)) for y in graph[x] if y != x}
        P[place[x], place[x]] = idleness if chances else 1.0
        for y, chance in chances.items():
            P[place[x], place[y]] = (1 - idleness) * chance / sum(chances.values())
    return P


def curvature(graph: nx.Graph, P: np.ndarray) -> np.ndarray:
    """1 − W1/d of all edges, in the order of the numbers of their ends."""
    D, place = shortest_paths(graph), {node: k for k, node in enumerate(graph)}
    edges = sorted(tuple(sorted((place[a], place[b]))) for a, b in graph.edges if a != b)
    return np.array([1 - wasserstein(P[a], P[b], D, 1) / D[a, b] for a, b in edges])


def rational_curvature(graph: nx.Graph, idleness: Fraction) -> list[Fraction]:
    """Curvature of all edges, every edge counting 1, in rational numbers: integer masses, an integer flow."""
    nodes, place = list(graph), {node: k for k, node in enumerate(graph)}
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    edges = sorted(tuple(sorted((place[a], place[b]))) for a, b in graph.edges)
    return [_rational(graph, nodes[a], nodes[b], idleness, hops) for a, b in edges]


def _rational(graph: nx.Graph, x: object, y: object, idleness: Fraction, hops: dict) -> Fraction:
    walks = [dict.fromkeys(graph[u], (1 - idleness) / graph.degree[u]) | {u: idleness} for u in (x, y)]
    unit = lcm(*(mass.denominator for walk in walks for mass in walk.values()))
    plan = nx.DiGraph()
    for side, walk in enumerate(walks):
        for v, mass in walk.items():
            plan.add_node((side, v), demand=int(mass * unit) * (2 * side - 1))
    plan.add_edges_from(((0, u), (1, v), {"weight": hops[u][v]}) for u in walks[0] for v in walks[1])
    return 1 - Fraction(nx.network_simplex(plan)[0], unit)
