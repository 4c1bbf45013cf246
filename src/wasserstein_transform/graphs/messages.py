"""Belief propagation: nodes tell their neighbors how likely they are of which community, until all agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .._types import Floats, Ints
from ..engine import Engine

N_ITER = 150
"""Most rounds of messages."""

_SURE = 0.8  # of its group at the start, a node is
_SETTLED = 5e-4  # of a node: mean movement of chances at which messages have settled
_DAMPING = ((30, 0.3), (80, 0.7), (N_ITER, 0.85))  # how much of the old messages is kept, up to which round
_STRONGEST = 8.0  # log of how much likelier an edge within communities can be
_LEAST = 1e-6
_TINY = -60.0  # log of chances below which they are none: numbers near the smallest are slow


class Links(NamedTuple):
    """Every edge in both directions, sorted by source, then target."""

    source: Ints
    target: Ints
    back: Ints
    """The other direction of each."""
    strengths: Floats
    """Their mean is 1."""
    degrees: Floats
    """Sums of strengths, of each node."""
    matrix: csr_array
    """Strengths as a symmetric matrix."""
    adding: csr_array
    """Sums what belongs to links over those of each node."""

    @property
    def n(self) -> int:
        return len(self.degrees)

    @property
    def total(self) -> float:
        """Twice the strength of all edges."""
        return float(self.degrees.sum())

    @classmethod
    def of(cls, n: int, edges: Ints, strengths: Floats) -> Links:
        """Of edges listed once; strengths are scaled to mean 1."""
        ends = np.concatenate([edges, edges[:, ::-1]])
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        source, target = ends[order].T
        scaled = np.tile(strengths / strengths.mean(), 2)[order] if len(edges) else np.empty(0)
        starts = np.searchsorted(source, np.arange(n + 1))
        matrix = csr_array((scaled, target, starts), shape=(n, n))
        degrees = np.bincount(source, scaled, n)
        adding = csr_array((np.ones(len(source)), np.arange(len(source)), starts), shape=(n, len(source)))
        return cls(source, target, np.lexsort((source, target)), scaled, degrees, matrix, adding)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What messages agreed on.

    Attributes
    ----------
    labels : array of shape (n,)
        The likeliest community of each node.
    chances : array of shape (n, k)
        Of each node to be of each community.
    evidence : float
        Log of how much likelier the graph is with k communities than without any, at the rates that fit best.
    moving : float
        How much of the chances the last round moved, in nodes; the evidence is off by about so many nats.
    """

    labels: Ints
    chances: Floats
    evidence: float
    moving: float


class _Rates(NamedTuple):
    """Edges per edge expected by degrees alone, within communities and between them."""

    inside: float
    outside: float

    @property
    def pull(self) -> float:
        """The log of their ratio."""
        return float(np.clip(np.log(self.inside / self.outside), _LEAST, _STRONGEST))

    @property
    def push(self) -> float:
        """Their difference: what edges that are missing tell."""
        return float(np.expm1(self.pull) * self.outside)


def pass_messages(links: Links, start: Ints, k: int, engine: Engine) -> Beliefs:
    """Belief propagation for k communities of nodes with given degrees, from groups to start with.

    The model: nodes x and y are joined by a Poisson number of edges with mean d_x·d_y/2m times one rate within
    communities and another between them, the planted partition with degrees (Karrer and Newman 2011). The rates are
    learned on the way.

    Notes
    -----
    With pull β = log(inside/outside) the message of x to y is

        ψ_{x→y}(t) ∝ exp(−(inside − outside)·d_x·Σ_z d_z ψ_z(t)/2m) · Π_{z ~ x, z ≠ y} (1 + ψ_{z→x}(t)·(e^β − 1)),

    and a node's own chances are the same with all neighbors (Decelle, Krzakala, Moore and Zdeborová 2011; Zhang and
    Moore 2014). Rounds take all messages at once. A round is O(m·k).
    """
    n_links = len(links.source)
    engine.reserve(4 * 8.0 * n_links * k, f"messages of {k} communities", "ask for fewer communities")
    chances = np.full((links.n, k), (1 - _SURE) / k)
    chances[np.arange(links.n), start] += _SURE
    heard = chances[links.target]  # what the source of each link hears from its target
    factors, told = np.empty((n_links, k)), np.empty((n_links, k))
    same = (start[links.source] == start[links.target]).astype(np.float64)
    rates, moving = _learned(links, chances, same), np.inf
    for damping in _dampings():
        engine.check()
        field, scale = _field(links, heard, chances, rates, factors)
        _tell(links, field, factors, told)
        np.take(told, links.back, axis=0, out=factors)
        heard *= damping
        factors *= 1 - damping
        heard += factors
        own = field / field.sum(axis=1, keepdims=True)
        moving = float(np.abs(own - chances).sum()) / 2
        chances = damping * chances + (1 - damping) * own
        last, rates = rates, _learned(links, chances, _together(links, heard, rates, factors))
        if moving < _SETTLED * links.n:
            break
    nodes = scale + np.log(field.sum(axis=1) / k)
    evidence = _evidence(links, _agreement(links, heard, factors), chances, last, nodes)
    return Beliefs(np.asarray(chances.argmax(axis=1), np.intp), chances, evidence, moving)


def _dampings() -> list[float]:
    ends = [0, *(end for end, _ in _DAMPING)]
    return [value for k, (end, value) in enumerate(_DAMPING) for _ in range(end - ends[k])]


def _field(links: Links, heard: Floats, chances: Floats, rates: _Rates, factors: Floats) -> tuple[Floats, Floats]:
    """The product of what each node hears, and the log of what it was scaled by; leaves what links say in `factors`."""
    np.multiply(heard, np.expm1(_pulls(links, rates))[:, None], out=factors)
    factors += 1.0
    logs = links.adding @ np.log(factors)
    logs -= rates.push / links.total * np.outer(links.degrees, links.degrees @ chances)
    scale = logs.max(axis=1)
    return np.exp(np.maximum(logs - scale[:, None], _TINY)), scale


def _tell(links: Links, field: Floats, factors: Floats, told: Floats) -> None:
    """What the source of each link tells its target: all it hears, but from there."""
    np.take(field, links.source, axis=0, out=told)
    told /= factors
    told /= (told @ np.ones(told.shape[1]))[:, None]


def _pulls(links: Links, rates: _Rates) -> Floats:
    return np.minimum(rates.pull * links.strengths, _STRONGEST)


def _agreement(links: Links, heard: Floats, scratch: Floats) -> Floats:
    """The chance that both ends of a link are of one community, but for the link itself."""
    np.take(heard, links.back, axis=0, out=scratch)
    return np.einsum("ek,ek->e", heard, scratch)


def _together(links: Links, heard: Floats, rates: _Rates, scratch: Floats) -> Floats:
    """The chance that both ends of a link are of one community."""
    same, pulled = _agreement(links, heard, scratch), np.exp(_pulls(links, rates))
    return np.asarray(same * pulled / (same * pulled + 1.0 - same))


def _learned(links: Links, chances: Floats, together: Floats) -> _Rates:
    """The rates that fit best."""
    inside = float((links.strengths * together).sum())
    shares = links.degrees @ chances
    expected = float(shares @ shares) / links.total
    rest = max(links.total - expected, _LEAST)
    return _Rates(max(inside / max(expected, _LEAST), _LEAST), max((links.total - inside) / rest, _LEAST))


def _evidence(links: Links, agreement: Floats, chances: Floats, rates: _Rates, nodes: Floats) -> float:
    """Bethe's approximation of the log of the likelihood, less that of one community."""
    edges = float(np.log1p(np.expm1(_pulls(links, rates)) * agreement).sum()) / 2
    shares, half = links.degrees @ chances, links.total / 2
    constant = half * (np.log(rates.outside) - rates.outside + 1.0)
    return float(nodes.sum()) - edges + constant + rates.push * float(shares @ shares) / (2 * links.total)
