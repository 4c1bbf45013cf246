"""Belief propagation: nodes tell their neighbors how likely they are of which community, until all agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .._types import Floats, Ints
from ..engine import Engine

Singles: TypeAlias = NDArray[np.float32]

_SURE = 0.8  # of its group at the start, a node is
_SETTLED = 5e-4  # of a node: mean movement of chances at which messages have settled
_DAMPING = ((25, 0.3), (35, 0.7), (60, 0.85))  # rounds, and how much of the old messages they keep
_STRONGEST = 8.0  # log of how much likelier an edge within communities can be
_HOPE = 2.0  # nats that evidence may still rise for every node in motion
_ALIKE = 0.999  # cosine of the chances of two communities that cannot be told apart
_LEAST = 1e-6
_TINY = -40.0  # log of the smallest chances: products of two stay within what is fast


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
        degrees = np.asarray(np.bincount(source, scaled, n), np.float64)
        adding = csr_array((np.ones(len(source), np.float32), np.arange(len(source)), starts), shape=(n, len(source)))
        return cls(source, target, np.lexsort((source, target)), scaled, degrees, matrix, adding)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What messages agreed on.

    Attributes
    ----------
    labels : array of shape (n,)
        The likeliest community of each node.
    chances : array of shape (n, k), or fewer columns where communities cannot be told apart
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


def pass_messages(links: Links, start: Ints, k: int, engine: Engine, least: float = -np.inf) -> Beliefs:
    """Belief propagation for k communities of nodes with given degrees, from groups to start with.

    It ends early where the evidence will not come near `least`.

    The model: nodes x and y are joined by a Poisson number of edges with mean d_x·d_y/2m times one rate within
    communities and another between them, the planted partition with degrees (Karrer and Newman 2011). The rates are
    learned on the way.

    Notes
    -----
    With pull β = log(inside/outside) the message of x to y is

        ψ_{x→y}(t) ∝ exp(−(inside − outside)·d_x·Σ_z d_z ψ_z(t)/2m) · Π_{z ~ x, z ≠ y} (1 + ψ_{z→x}(t)·(e^β − 1)),

    and a node's own chances are the same with all neighbors (Decelle, Krzakala, Moore and Zdeborová 2011; Zhang and
    Moore 2014). Rounds take all messages at once, in float32; a round is O(m·k). Messages that turn in circles are
    damped ever more.
    """
    n_links = len(links.source)
    engine.reserve(4 * 4.0 * n_links * k, f"messages of {k} communities", "ask for fewer communities")
    chances = np.full((links.n, k), (1 - _SURE) / k)
    chances[np.arange(links.n), start] += _SURE
    heard = chances.astype(np.float32)[links.target]  # what the source of each link hears from its target
    factors, told = np.empty_like(heard), np.empty_like(heard)
    same = (start[links.source] == start[links.target]).astype(np.float64)
    rates = _learned(links, chances, same)
    for n_rounds, damping in _DAMPING:
        for _ in range(n_rounds):
            engine.check()
            field, scale = _field(links, heard, chances, rates, factors)
            _tell(links, field, factors, told)
            np.take(told, links.back, axis=0, out=factors, mode="clip")  # "raise" would copy
            heard *= np.float32(damping)
            factors *= np.float32(1 - damping)
            heard += factors
            own = field / field.sum(axis=1, keepdims=True)
            moving = float(np.abs(own - chances).sum()) / 2
            chances = damping * chances + (1 - damping) * own
            same = _agreement(links, heard, factors)
            last, rates = rates, _learned(links, chances, _together(links, same, rates))
            if moving < _SETTLED * links.n:
                break
        nodes = scale + np.log(field.sum(axis=1) / k)
        evidence = _evidence(links, same, chances, last, nodes)
        if moving < _SETTLED * links.n or evidence + _HOPE * moving < least:
            break
    chances = _told_apart(chances)
    return Beliefs(np.asarray(chances.argmax(axis=1), np.intp), chances, evidence, moving)


def _told_apart(chances: Floats) -> Floats:
    """Communities that every node is as likely of, or in fixed proportion, are one: their chances are added."""
    sizes = np.sqrt((chances**2).sum(axis=0))
    alike = chances.T @ chances > _ALIKE * np.outer(sizes, sizes)
    n_kept, home = connected_components(alike, directed=False)
    added = np.zeros((len(chances), n_kept))
    np.add.at(added.T, home, chances.T)
    return added


def _field(links: Links, heard: Singles, chances: Floats, rates: _Rates, factors: Singles) -> tuple[Floats, Floats]:
    """The product of what each node hears, and the log of what it was scaled by; leaves what links say in `factors`."""
    np.multiply(heard, np.expm1(_pulls(links, rates)).astype(np.float32)[:, None], out=factors)
    factors += np.float32(1.0)
    logs = (links.adding @ np.log(factors)).astype(np.float64)
    logs -= rates.push / links.total * np.outer(links.degrees, links.degrees @ chances)
    scale = logs.max(axis=1)
    return np.exp(np.maximum(logs - scale[:, None], _TINY)), scale


def _tell(links: Links, field: Floats, factors: Singles, told: Singles) -> None:
    """What the source of each link tells its target: all it hears, but from there."""
    np.take(field.astype(np.float32), links.source, axis=0, out=told, mode="clip")
    told /= factors
    told /= (told @ np.ones(told.shape[1], np.float32))[:, None]


def _pulls(links: Links, rates: _Rates) -> Floats:
    return np.minimum(rates.pull * links.strengths, _STRONGEST)


def _agreement(links: Links, heard: Singles, scratch: Singles) -> Floats:
    """The chance that both ends of a link are of one community, but for the link itself."""
    np.take(heard, links.back, axis=0, out=scratch, mode="clip")  # "raise" would copy
    return np.asarray(np.einsum("ek,ek->e", heard, scratch), np.float64)


def _together(links: Links, same: Floats, rates: _Rates) -> Floats:
    """The chance that both ends of a link are of one community, the link included."""
    pulled = np.exp(_pulls(links, rates))
    return np.asarray(same * pulled / (same * pulled + 1.0 - same))


def _learned(links: Links, chances: Floats, together: Floats) -> _Rates:
    """The rates that fit best."""
    inside = float((links.strengths * together).sum())
    shares = links.degrees @ chances
    expected = float(shares @ shares) / links.total
    rest = max(links.total - expected, _LEAST)
    within = max(inside / max(expected, _LEAST), _LEAST)
    return _Rates(within, max((links.total - inside) / rest, within * np.exp(-_STRONGEST)))


def _evidence(links: Links, agreement: Floats, chances: Floats, rates: _Rates, nodes: Floats) -> float:
    """Bethe's approximation of the log of the likelihood, less that of one community."""
    edges = float(np.log1p(np.expm1(_pulls(links, rates)) * agreement).sum()) / 2
    shares, half = links.degrees @ chances, links.total / 2
    constant = half * (np.log(rates.outside) - rates.outside + 1.0)
    again = rates.push * float(shares @ shares) / (2 * links.total)  # missing edges count at both ends
    return float(nodes.sum() - edges + constant + again)
