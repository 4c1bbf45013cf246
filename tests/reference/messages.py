"""Belief propagation by its formulas: one message after the other, in dictionaries."""

from __future__ import annotations

from math import log

import networkx as nx
import numpy as np

Told = dict[tuple, np.ndarray]
Chances = dict[object, np.ndarray]


def product(graph: nx.Graph, messages: Told, shares: np.ndarray, rates: tuple, x: object, y: object) -> np.ndarray:
    """What missing edges say of x and each community, times what all neighbors but y say."""
    inside, outside = rates
    out = np.exp(-(inside - outside) * graph.degree[x] / (2 * graph.number_of_edges()) * shares)
    for z in graph[x]:
        if z != y:
            out = out * (1 + messages[z, x] * (inside / outside - 1))
    return out


def settled(graph: nx.Graph, start: list[int], k: int, rates: tuple, rounds: int) -> tuple[Told, Chances]:
    """Messages and chances after rounds at fixed rates, half of the old ones kept."""
    chances = {x: np.full(k, 0.2 / k) + 0.8 * (np.arange(k) == start[i]) for i, x in enumerate(graph)}
    messages = {(x, y): chances[x] for a, b in graph.edges for x, y in ((a, b), (b, a))}
    for _ in range(rounds):
        shares = _shares(graph, chances)
        told = {(x, y): _scaled(product(graph, messages, shares, rates, x, y)) for x, y in messages}
        own = {x: _scaled(product(graph, messages, shares, rates, x, None)) for x in graph}
        messages = {link: (messages[link] + told[link]) / 2 for link in messages}
        chances = {x: (chances[x] + own[x]) / 2 for x in graph}
    return messages, chances


def learned(graph: nx.Graph, messages: Told, chances: Chances, rates: tuple) -> tuple[float, float]:
    """The rates that fit these messages best."""
    inside, outside = rates
    m, shares = graph.number_of_edges(), _shares(graph, chances)
    same = [float(messages[e] @ messages[e[::-1]]) for e in graph.edges]
    within = sum(s * inside / (s * inside + (1 - s) * outside) for s in same)
    expected = float(shares @ shares) / (4 * m)
    return within / expected, (m - within) / (m - expected)


def evidence(graph: nx.Graph, messages: Told, chances: Chances, k: int, rates: tuple) -> float:
    """Bethe's log likelihood of Poisson edges of mean d_x d_y/2m times a rate, less that of one community."""
    inside, outside = rates
    m, shares = graph.number_of_edges(), _shares(graph, chances)
    total = m * log(outside) - outside * m + m + (inside - outside) * float(shares @ shares) / (4 * m)
    for x in graph:
        total += log(product(graph, messages, shares, rates, x, None).sum() / k)
    for e in graph.edges:
        total -= log(1 + float(messages[e] @ messages[e[::-1]]) * (inside / outside - 1))
    return total


def brute_evidence(graph: nx.Graph, k: int, rates: tuple) -> float:
    """The same without approximation, over all partitions; pairs of a node with itself count half."""
    nodes, m = list(graph), graph.number_of_edges()
    degrees = np.array([graph.degree[x] for x in nodes], float)
    ends = np.array([[nodes.index(a), nodes.index(b)] for a, b in graph.edges])
    labels = np.indices((k,) * len(nodes)).reshape(len(nodes), -1)
    same = (labels[ends[:, 0]] == labels[ends[:, 1]]).sum(axis=0)
    shares = np.stack([degrees @ (labels == t) for t in range(k)])
    expected = (shares**2).sum(axis=0) / (4 * m)
    logs = same * log(rates[0]) + (m - same) * log(rates[1]) - rates[0] * expected - rates[1] * (m - expected) + m
    return float(logs.max() + log(np.exp(logs - logs.max()).mean()))


def _shares(graph: nx.Graph, chances: Chances) -> np.ndarray:
    return sum(graph.degree[x] * chances[x] for x in graph)


def _scaled(values: np.ndarray) -> np.ndarray:
    return values / values.sum()
