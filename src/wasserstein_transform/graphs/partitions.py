"""Partitions of large modularity at several resolutions, and the evidence that chooses one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .._types import Floats, Ints
from ..kernels.modularity import maximize_modularity, modularity_workspace

_RESOLUTIONS = 2.0 ** np.arange(-1.5, 9.0, 0.5)
_MISSES = 4  # resolutions above 1 without improvement, after which no higher one is tried

_RUNS = 6  # partitions that a consensus is made of
_LEAST = 0.05  # of its strength is left of an edge that no partition keeps
_STRONG = 0.05  # nats per node above the full entropy of the labels: strong evidence
_LENIENT = 0.7  # part of the entropy that is the price where evidence is weak
_WEAK = 0.15  # nats per node above this price; below it, resolution 1 is taken
_EVEN = 1.5  # ratio of variance and mean of degrees up to which they vary as by chance
_FEW = 10  # nodes below which weak evidence is none
_REWIRED = 10  # rewired graphs
_BEYOND = 2.5  # standard deviations above their modularity
_UNSEEN = 0.5  # strength counted where no edge is seen
_CELLS = 1_000_000  # numbers in a block of probabilities


class _Candidate(NamedTuple):
    labels: Ints
    gain: float
    entropy: float

    def score(self, price: float) -> float:
        return self.gain - price * self.entropy


class Optimizer:
    """Partitions of one connected graph; the symmetric matrix has the strengths of edges."""

    def __init__(self, matrix: csr_array) -> None:
        self.n = matrix.shape[0]
        self._starts, self._ends = matrix.indptr.astype(np.intp), matrix.indices.astype(np.intp)
        self._strengths = matrix.data / matrix.data.mean()
        self._sources = np.repeat(np.arange(self.n), np.diff(self._starts))
        self._work = modularity_workspace(self.n, len(self._ends))
        self._core = _core(matrix / matrix.data.mean())

    def choose(self, check: Callable[[], None], even: Callable[[], Ints]) -> Ints:
        """Return the partition that the evidence chooses among those of all resolutions, or a single community.

        Where evidence is weak, `even` chooses if degrees vary as by chance. If nothing is found, there are communities
        only if the modularity exceeds that of rewired graphs.
        """
        whole = np.zeros(self.n, np.intp)
        n = np.count_nonzero(self._core[1])
        if n == 0:
            return whole
        found = self._candidates(check)
        best = max(found, key=lambda one: one.score(1.0))
        if best.score(1.0) > _STRONG * n:
            return best.labels
        if self.n < _FEW:
            return whole
        degrees = np.diff(self._starts)
        if degrees.var() <= _EVEN * degrees.mean():
            labels = even()
            if labels.any():
                return labels
        else:
            best = max(found, key=lambda one: one.score(_LENIENT))
            if best.score(_LENIENT) > _WEAK * n:
                return best.labels
        return self.agreed(1.0) if self._exceeds_chance() else whole

    def _exceeds_chance(self) -> bool:
        """Whether the largest modularity found is beyond that of graphs with the same degrees, rewired."""
        rng = np.random.default_rng(0)
        rewired = [Optimizer(self._rewire(rng))._largest() for _ in range(_REWIRED)]
        return bool(self._largest() > np.mean(rewired) + _BEYOND * np.std(rewired))

    def _largest(self) -> float:
        """Return the largest modularity of several partitions."""
        total = self._strengths.sum()
        degrees = np.bincount(self._sources, self._strengths, self.n)
        top = -np.inf
        for seed in range(_RUNS):
            labels = self._partition(self._strengths, 1.0, seed, np.arange(self.n))
            inside = self._strengths[labels[self._sources] == labels[self._ends]].sum() / total
            top = max(top, inside - (np.bincount(labels, degrees) ** 2).sum() / total**2)
        return top

    def _rewire(self, rng: np.random.Generator) -> csr_array:
        """Return a graph with the same degrees and strengths, joined at random."""
        once = self._sources < self._ends
        ends = rng.permutation(np.r_[self._sources[once], self._ends[once]]).reshape(2, -1)
        (a, b), strengths = ends[:, ends[0] != ends[1]], self._strengths[once][ends[0] != ends[1]]
        return csr_array((np.tile(strengths, 2), (np.r_[a, b], np.r_[b, a])), shape=(self.n, self.n))

    def _candidates(self, check: Callable[[], None]) -> list[_Candidate]:
        """Return the consensus at resolutions around those where single partitions have the largest scores."""
        scanned = list[_Candidate]()
        misses = 0
        for resolution in _RESOLUTIONS:
            check()
            labels = self._partition(self._strengths, resolution, 0, np.arange(self.n))
            scanned.append(self._candidate(self._partition(self._strengths, resolution, 1, labels)))
            best = max(one.score(_LENIENT) for one in scanned)
            misses = 0 if scanned[-1].score(_LENIENT) == best or resolution <= 1 else misses + 1
            if misses == _MISSES:
                break
        tops = [int(np.argmax([one.score(price) for one in scanned])) for price in (1.0, _LENIENT)]
        near = sorted({k for top in tops for k in (top - 1, top, top + 1) if 0 <= k < len(scanned)})
        found = list[_Candidate]()
        for k in near:
            check()
            found.append(self._candidate(self.agreed(_RESOLUTIONS[k])))
        return found

    def _candidate(self, labels: Ints) -> _Candidate:
        return _Candidate(labels, *_evidence(*self._core, labels))

    def agreed(self, resolution: float) -> Ints:
        """Return the consensus of several partitions: edges count as often as partitions keep them."""
        kept = np.zeros(len(self._ends))
        for seed in range(_RUNS):
            labels = self._partition(self._strengths, resolution, seed, np.arange(self.n))
            kept += labels[self._sources] == labels[self._ends]
        strengths = self._strengths * (_LEAST + (1 - _LEAST) * kept / _RUNS)
        labels = np.arange(self.n)
        for seed in range(2):
            labels = self._partition(strengths, resolution, _RUNS + seed, labels)
        return labels

    def _partition(self, strengths: Floats, resolution: float, seed: int, labels: Ints) -> Ints:
        degrees = np.bincount(self._sources, strengths, self.n)
        maximize_modularity(self._starts, self._ends, strengths, degrees, labels, resolution, seed, self._work)
        return labels


class _Links(NamedTuple):
    sources: Ints
    targets: Ints
    strengths: Floats


def _core(matrix: csr_array) -> tuple[_Links, Floats]:
    """Return the links and degrees of the 2-core: trees that hang on a graph fit any partition and prove none."""
    links = matrix.tocoo()
    sources, targets = links.coords
    alive = np.ones(matrix.shape[0], bool)
    while True:
        kept = alive[sources] & alive[targets]
        alone = alive & (np.bincount(sources[kept], minlength=len(alive)) < 2)
        if not alone.any():
            break
        alive &= ~alone
    strengths = links.data[kept]
    degrees = np.bincount(sources[kept], strengths, len(alive)).astype(np.float64)
    return _Links(sources[kept], targets[kept], strengths), degrees


def _evidence(links: _Links, degrees: Floats, labels: Ints) -> tuple[float, float]:
    """Return the log likelihood ratio of a partition to a single community, and the entropy of all its labels.

    The model is a planted partition with given degrees, a rate within each community, and one rate between them.
    """
    total = degrees.sum()
    same = labels[links.sources] == labels[links.targets]
    inside = np.bincount(labels[links.sources[same]], links.strengths[same], labels.max() + 1)
    sums = np.bincount(labels, degrees)
    some = inside > 0
    gain = (inside[some] * np.log(inside[some] * total / sums[some] ** 2)).sum()
    between = total - inside.sum()
    if between > 1e-9 * total:
        gain += between * np.log(between / (total - (sums**2).sum() / total))
    shares = sums[sums > 0] / total
    return float(gain / 2), float(-np.count_nonzero(degrees) * (shares * np.log(shares)).sum())


def probabilities(matrix: csr_array, labels: Ints) -> Floats:
    """Return the probability of each node's community if those of all other nodes are known, shape (n,)."""
    n, k = len(labels), int(labels.max()) + 1
    degrees = np.asarray(matrix.sum(axis=1)).ravel()
    total, sums = degrees.sum(), np.bincount(labels, degrees)
    members = csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, k))
    to = csr_array(matrix @ members)
    inside = (members.T @ to).diagonal()
    rates = np.maximum(inside, _UNSEEN) * total / np.maximum(sums**2, _UNSEEN)
    between = max(total - inside.sum(), _UNSEEN) / max(total - (sums**2).sum() / total, _UNSEEN)
    out = np.empty(n)
    for rows in np.array_split(np.arange(n), 1 + n * k // _CELLS):
        d, own, here = degrees[rows], labels[rows], np.arange(len(rows))
        logs = to[rows].toarray() * np.log(rates / between) - np.outer(d, sums) * (rates - between) / total
        logs[here, own] += d**2 * (rates - between)[own] / total  # a node expects no edge to itself
        logs += np.log(np.bincount(labels))
        out[rows] = np.exp(logs[here, own] - np.logaddexp.reduce(logs, axis=1))
    return out
