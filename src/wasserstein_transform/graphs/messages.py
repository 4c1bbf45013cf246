"""Communities by belief propagation: nodes exchange messages about their communities until these agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .._check import warn
from .._shown import counted
from .._types import Floats, Ints
from ..engine import Engine
from ..hierarchy import FewerClustersWarning
from .partitions import probabilities
from .spectrum import Spectrum, first_largest

Singles: TypeAlias = NDArray[np.float32]

_SURE = 0.8  # initial probability of a node's group
_SETTLED = 5e-4  # mean change of a node's probabilities at which messages have converged
_DAMPING = ((25, 0.3), (35, 0.7), (60, 0.85))  # number of rounds, and fraction of the old messages that they keep
_STRONGEST = 8.0  # largest log ratio of the rates within and between communities
_HOPE = 2.0  # nats by which the evidence may still rise per node whose probabilities change
_ALIKE = 0.999  # cosine of the probabilities above which two communities count as one
_TIE = 1e-4  # difference up to which probabilities are equal: messages are in float32
_LEAST = 1e-6
_STRONG = 3.0  # nats: a larger number of communities must be e³ = 20 times as likely
_GROWTH = 1.5  # factor from one number tried to the next
_MISSES = 1  # numbers in a row without improvement, before the search refines
_FINE = 6  # the search ends when neighbors of the best number differ by at most 1/_FINE of it
_TINY = -40.0  # log of the smallest probabilities: products of two are no denormal numbers, which are slow


class Links(NamedTuple):
    """Every edge in both directions, sorted by source, then target."""

    source: Ints
    target: Ints
    back: Ints
    """Index of the reverse link."""
    strengths: Floats
    """Strengths of links, scaled to mean 1."""
    degrees: Floats
    """Sum of strengths at each node."""
    matrix: csr_array
    """Strengths as a symmetric matrix."""
    adding: csr_array
    """Sums values of links over the links of each node."""

    @property
    def n(self) -> int:
        return len(self.degrees)

    @property
    def total(self) -> float:
        """Twice the sum of strengths of all edges."""
        return float(self.degrees.sum())

    @classmethod
    def of(cls, n: int, edges: Ints, strengths: Floats) -> Links:
        """Make links from edges listed once; strengths are scaled to mean 1."""
        ends = np.concatenate([edges, edges[:, ::-1]])
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        source, target = np.ascontiguousarray(ends[order].T)
        scaled = np.tile(strengths, 2)[order]
        scaled /= scaled.mean()
        starts = np.searchsorted(source, np.arange(n + 1))
        matrix = csr_array((scaled, target, starts), shape=(n, n))
        degrees = np.asarray(np.bincount(source, scaled, n), np.float64)
        adding = csr_array((np.ones(len(source), np.float32), np.arange(len(source)), starts), shape=(n, len(source)))
        return cls(source, target, np.lexsort((source, target)), scaled, degrees, matrix, adding)


class Partition(NamedTuple):
    """The community of each node, and its probability."""

    labels: Ints
    probabilities: Floats


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Result of belief propagation.

    Attributes
    ----------
    labels : array of shape (n,)
        The most likely community of each node.
    chances : array of shape (n, k), or fewer columns if communities cannot be told apart
        Probability of each node to be in each community.
    evidence : float
        Log of the ratio of the likelihoods with k communities and with one, at the best rates; in nats.
    moving : float
        Change of the probabilities in the last round, in nodes; the evidence is uncertain by about this many nats.
    """

    labels: Ints
    chances: Floats
    evidence: float
    moving: float


class Propagation:
    """Belief propagation on one graph, for several numbers of communities.

    The model is a planted partition with given degrees; its rates within and between communities are learned. On graphs
    of this model it finds communities down to the detectability limit. Messages start from eigenvectors of the Bethe
    Hessian. Nothing is random.
    """

    def __init__(self, links: Links, engine: Engine) -> None:
        self._links, self._engine = links, engine
        self._spectrum = Spectrum(links.matrix)
        self._tried: dict[int, Beliefs] = {}

    def choose(self) -> Partition:
        """Return the smallest number of communities whose likelihood is within a factor of 20 of the largest."""
        if self._spectrum.r == 1:  # no eigenvalue is negative: there is nothing to see
            return self._alone()
        seen, n_nodes = self._spectrum.n_negative(), self._links.n
        first, most = max(seen, 2), min(n_nodes, max(2 * seen, int(2 * np.sqrt(n_nodes))))
        number = best_number(self._evidence, first, most, 0.0 if seen == 1 else -np.inf, _STRONG)
        return self._alone() if number == 1 else self._partition(self._beliefs(number))

    def into(self, k: int) -> Partition:
        """Return k communities: those of the eigenvectors, if messages find fewer."""
        if k == 1:
            return self._alone()
        if k == self._links.n:
            return Partition(np.arange(k), np.ones(k))
        found = self._beliefs(k)
        if found.evidence > 0 and len(np.unique(found.labels)) == k:
            return self._partition(found)
        labels = self._spectrum.groups(k)
        labels = np.unique(labels, return_inverse=True)[1]
        n_found = int(labels.max()) + 1
        if n_found < k:
            text = f"found {counted(n_found, 'community')} of the {k} requested: no more can be told apart"
            warn(f"{text}; request fewer", FewerClustersWarning)
        return Partition(labels, probabilities(self._links.matrix, labels))

    def _alone(self) -> Partition:
        return Partition(np.zeros(self._links.n, np.intp), np.ones(self._links.n))

    def _partition(self, found: Beliefs) -> Partition:
        return Partition(found.labels, found.chances.max(axis=1) / found.chances.sum(axis=1))

    def _evidence(self, k: int) -> float:
        best = max((found.evidence - found.moving for found in self._tried.values()), default=-np.inf)
        found = self._beliefs(k, best)
        return found.evidence - found.moving

    def _beliefs(self, k: int, least: float = -np.inf) -> Beliefs:
        if k not in self._tried:
            self._engine.report("messages", len(self._tried), len(self._tried) + 1)
            self._tried[k] = pass_messages(self._links, self._spectrum.groups(k), k, self._engine, least)
        return self._tried[k]


class _Rates(NamedTuple):
    """Ratio of observed edges to those expected from degrees alone, within communities and between them."""

    inside: float
    outside: float

    @property
    def pull(self) -> float:
        """The log of the ratio inside/outside."""
        return float(np.clip(np.log(self.inside / self.outside), _LEAST, _STRONGEST))

    @property
    def push(self) -> float:
        """The difference inside − outside: the information in missing edges."""
        return float(np.expm1(self.pull) * self.outside)


def pass_messages(links: Links, start: Ints, k: int, engine: Engine, least: float = -np.inf) -> Beliefs:
    """Run belief propagation for k communities of nodes with given degrees, from starting groups.

    It stops early if the evidence cannot reach `least`.

    The model: the number of edges between nodes x and y is Poisson with mean d_x·d_y/2m times one rate within
    communities and another rate between them, the degree-corrected planted partition (Karrer and Newman 2011). The
    rates are learned during the rounds.

    Notes
    -----
    With pull β = log(inside/outside) the message from x to y is

        ψ_{x→y}(t) ∝ exp(−(inside − outside)·d_x·Σ_z d_z ψ_z(t)/2m) · Π_{z ~ x, z ≠ y} (1 + ψ_{z→x}(t)·(e^β − 1)),

    and a node's own probabilities are the same product over all neighbors (Decelle, Krzakala, Moore and Zdeborová 2011;
    Zhang and Moore 2014). A round updates all messages at once, in float32, in O(m·k). Damping increases if messages
    oscillate.
    """
    n_links = len(links.source)
    engine.reserve(4 * 4.0 * n_links * k, f"messages of {k} communities", "ask for fewer communities")
    chances = np.full((links.n, k), (1 - _SURE) / k)
    chances[np.arange(links.n), start] += _SURE
    heard = chances.astype(np.float32)[links.target]  # message that the source of each link receives from its target
    factors, told = np.empty_like(heard), np.empty_like(heard)
    same = (start[links.source] == start[links.target]).astype(np.float64)
    rates = _learned(links, chances, same)
    for n_rounds, damping in _DAMPING:
        for _ in range(n_rounds):
            engine.check()
            field, scale = _field(links, heard, chances, rates, factors)
            _tell(links, field, factors, told)
            np.take(told, links.back, axis=0, out=factors, mode="clip")  # mode="raise" would make a copy
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
    return Beliefs(first_largest(chances, _TIE), chances, evidence, moving)


def _told_apart(chances: Floats) -> Floats:
    """Merge communities whose probabilities are proportional over all nodes: their columns are added."""
    sizes = np.sqrt((chances**2).sum(axis=0))
    alike = chances.T @ chances > _ALIKE * np.outer(sizes, sizes)
    n_kept, home = connected_components(alike, directed=False)
    added = np.zeros((len(chances), n_kept))
    np.add.at(added.T, home, chances.T)
    return added


def _field(links: Links, heard: Singles, chances: Floats, rates: _Rates, factors: Singles) -> tuple[Floats, Floats]:
    """Return each node's product of received messages, and the log of its scale; `factors` gets each link's factor."""
    np.multiply(heard, np.expm1(_pulls(links, rates)).astype(np.float32)[:, None], out=factors)
    factors += np.float32(1.0)
    logs = (links.adding @ np.log(factors)).astype(np.float64)
    logs -= rates.push / links.total * np.outer(links.degrees, links.degrees @ chances)
    scale = logs.max(axis=1)
    return np.exp(np.maximum(logs - scale[:, None], _TINY)), scale


def _tell(links: Links, field: Floats, factors: Singles, told: Singles) -> None:
    """Compute the message from the source of each link to its target: all it receives except from that target."""
    np.take(field.astype(np.float32), links.source, axis=0, out=told, mode="clip")
    told /= factors
    told /= (told @ np.ones(told.shape[1], np.float32))[:, None]


def _pulls(links: Links, rates: _Rates) -> Floats:
    return np.minimum(rates.pull * links.strengths, _STRONGEST)


def _agreement(links: Links, heard: Singles, scratch: Singles) -> Floats:
    """Return the probability that both ends of a link are in one community, without the link's own influence."""
    np.take(heard, links.back, axis=0, out=scratch, mode="clip")  # mode="raise" would make a copy
    return np.asarray(np.einsum("ek,ek->e", heard, scratch), np.float64)


def _together(links: Links, same: Floats, rates: _Rates) -> Floats:
    """Return the probability that both ends of a link are in one community, including the link's own influence."""
    pulled = np.exp(_pulls(links, rates))
    return np.asarray(same * pulled / (same * pulled + 1.0 - same))


def _learned(links: Links, chances: Floats, together: Floats) -> _Rates:
    """Return the rates of maximal likelihood."""
    inside = float((links.strengths * together).sum())
    shares = links.degrees @ chances
    expected = float(shares @ shares) / links.total
    rest = max(links.total - expected, _LEAST)
    within = max(inside / max(expected, _LEAST), _LEAST)
    return _Rates(within, max((links.total - inside) / rest, within * np.exp(-_STRONGEST)))


def _evidence(links: Links, agreement: Floats, chances: Floats, rates: _Rates, nodes: Floats) -> float:
    """Return Bethe's approximation of the log likelihood, minus that of one community."""
    edges = float(np.log1p(np.expm1(_pulls(links, rates)) * agreement).sum()) / 2
    shares, half = links.degrees @ chances, links.total / 2
    constant = half * (np.log(rates.outside) - rates.outside + 1.0)
    again = rates.push * float(shares @ shares) / (2 * links.total)  # missing edges were counted at both ends
    return float(nodes.sum() - edges + constant + again)


def best_number(score: Callable[[int], float], first: int, most: int, at_one: float, margin: float = 0.0) -> int:
    """Return the smallest number whose score is within `margin` of the largest score found.

    Parameters
    ----------
    score : callable
        Maps a number of communities, 2 or more, to its score. Called once for each number tried.
    first, most : int
        Number to begin with, and the largest number to try.
    at_one : float
        The score of one community.
    """
    scores = {1: at_one}
    _upwards(score, scores, first, most)
    while True:
        open_ = _between(scores)
        if not open_:
            break
        for k in open_:
            scores[k] = score(k)
    top = max(scores.values())
    return min(k for k, value in scores.items() if value >= top - margin)


def _upwards(score: Callable[[int], float], scores: dict[int, float], k: int, most: int) -> None:
    misses = 0
    while k <= most and misses < _MISSES:
        before = max(scores.values())
        scores[k] = score(k)
        misses = 0 if scores[k] > before else misses + 1
        k = max(k + 1, round(_GROWTH * k))


def _between(scores: dict[int, float]) -> list[int]:
    """Return the numbers halfway between the best one and its neighbors among those tried."""
    best = max(scores, key=lambda k: (scores[k], -k))
    tried = sorted(scores)
    at = tried.index(best)
    next_ = [tried[at + step] for step in (-1, 1) if 0 <= at + step < len(tried)]
    return [(best + other) // 2 for other in next_ if abs(best - other) > max(1, best // _FINE)]
