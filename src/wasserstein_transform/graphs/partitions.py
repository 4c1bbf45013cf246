"""Partitions of large modularity at several resolutions, and the evidence that chooses one of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import softmax

from .._types import Floats, Ints
from ..compute.graphs.modularity_jit import LinkGraph, maximize_modularity, modularity_workspace
from ..engine import Engine

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
_FINER = 2.0 ** np.arange(-1.5, 20.0, 0.5)  # resolutions of partitions that are merged into a given number
_TRIES = 2  # of these resolutions, and numbers in a row that are no better
_FAIR = 0.8  # part of the entropy that is the price of partitions that have settled
_GROWTH = 1.4  # factor from one number tried to the next
_NEAR = 1.25  # factor up to which numbers are near the best
_SURE = 0.95  # initial probability of a node's community
_ROUNDS = 60  # until nodes settle, at most
_SETTLED = 1e-3  # mean change of a node's probabilities
_TIE = 1e-9  # difference up to which losses and probabilities are equal
_CELLS = 1_000_000  # numbers in a block of probabilities


class _Candidate(NamedTuple):
    labels: Ints
    gain: float
    entropy: float

    def score(self, price: float) -> float:
        return self.gain - price * self.entropy


class Optimizer:
    """Partitions of one graph; the symmetric matrix has the strengths of edges. `choose` is for a connected one."""

    def __init__(self, matrix: csr_array, engine: Engine) -> None:
        self.n, self._engine = matrix.shape[0], engine
        self._matrix = csr_array(matrix / matrix.data.mean())
        self._starts, self._ends = matrix.indptr.astype(np.intp), matrix.indices.astype(np.intp)
        self._strengths = self._matrix.data
        self._sources = np.repeat(np.arange(self.n), np.diff(self._starts))
        self._work = modularity_workspace(self.n, len(self._ends))
        self._degrees = np.bincount(self._sources, self._strengths, self.n).astype(np.float64)
        self._core = _core(self._matrix)
        self._agreed = dict[float, Ints]()

    def choose(self) -> Ints:
        """Return the partition that the evidence chooses among those of all resolutions, or a single community.

        Where evidence is weak, there are communities only if the modularity exceeds that of rewired graphs. If degrees
        vary as by chance, their number is chosen among all that merging leads to.
        """
        whole = np.zeros(self.n, np.intp)
        n = np.count_nonzero(self._core[1])
        if n == 0:
            return whole
        found = self._candidates()
        best = max(found, key=lambda one: one.score(1.0))
        if best.score(1.0) > _STRONG * n:
            return best.labels
        if self.n < _FEW:
            return whole
        degrees = np.diff(self._starts)
        even = degrees.var() <= _EVEN * degrees.mean()
        best = max(found, key=lambda one: one.score(_LENIENT))
        if not even and best.score(_LENIENT) > _WEAK * n:
            return best.labels
        if not self._exceeds_chance():
            return whole
        return self._of_any_number() if even else self.agreed(1.0)

    def into(self, k: int) -> Ints:
        """Return k communities: finer ones, merged and settled, of several resolutions; the evidence chooses."""
        if k in (1, self.n):
            return np.arange(self.n) % k
        self._engine.reserve(4 * 8.0 * self.n * k, f"{k} communities", "ask for fewer communities")
        whole = _Links(self._sources, self._ends, self._strengths), self._degrees
        found = list[_Candidate]()
        for resolution in _FINER:
            self._engine.report("communities", len(found), _TRIES)
            if self._partition(self._strengths, resolution, 0, np.arange(self.n)).max() + 1 < k:
                continue
            finer = self.agreed(resolution)
            if finer.max() + 1 >= k:
                labels = self._settled(self._merged(finer, k, resolution))
                found.append(_Candidate(labels, *_evidence(*whole, labels)))
            if len(found) == _TRIES:
                break
        if not found:
            return self._merged(np.arange(self.n), k, 1.0)
        return max(found, key=lambda one: one.score(_FAIR)).labels

    def _of_any_number(self) -> Ints:
        """Return the communities of the best number: ever larger ones are tried, then those near the best."""
        tried, k, best, misses = dict[int, _Candidate](), 2, 2, 0
        while k < self.n and misses < _TRIES:
            tried[k] = self._candidate(self.into(k))
            misses = misses + 1 if tried[k].score(_FAIR) < tried[best].score(_FAIR) else 0
            best = best if misses else k
            k = max(k + 1, round(_GROWTH * k))
        for k in range(round(best / _NEAR), min(round(best * _NEAR) + 1, self.n)):
            tried[k] = tried[k] if k in tried else self._candidate(self.into(k))
        return max(tried.values(), key=lambda one: one.score(_FAIR)).labels

    def _merged(self, labels: Ints, k: int, resolution: float) -> Ints:
        """Merge communities until k are left, always those two that lose least modularity."""
        members = _members(labels)
        between = csr_array(members.T @ self._matrix @ members)
        sums = np.bincount(labels, self._degrees)
        scale = resolution / sums.sum()
        for _ in range(len(sums) - k):
            self._engine.check()
            links = between.tocoo()
            once = links.coords[0] < links.coords[1]
            light = np.sort(np.argsort(sums, kind="stable")[:2])  # without links, these lose least
            pairs = np.vstack([np.column_stack(links.coords)[once], light])
            gains = np.append(links.data[once], 0.0) - scale * sums[pairs].prod(axis=1)
            kept, gone = pairs[first_largest(gains, _TIE)]
            home = np.arange(len(sums))
            home[gone] = kept
            home -= home > gone
            labels, sums, joined = home[labels], np.bincount(home, sums), _members(home)
            between = csr_array(joined.T @ between @ joined)
        return labels

    def _settled(self, labels: Ints) -> Ints:
        """Let the probabilities of each node's communities follow those of all others, until they settle (mean field).

        The model is that of the evidence, with rates learned on the way. Labels stay if a community would vanish.
        """
        k, total = int(labels.max()) + 1, self._degrees.sum()
        chances = np.full((self.n, k), (1 - _SURE) / k)
        chances[np.arange(self.n), labels] += _SURE
        for _ in range(_ROUNDS):
            self._engine.check()
            to, sums = self._matrix @ chances, self._degrees @ chances
            inside, between = _rates((chances * to).sum(axis=0), sums, total)
            logs = to * np.log(inside / between) + np.log(chances.sum(axis=0))
            missing = np.outer(self._degrees, sums) - (self._degrees**2)[:, None] * chances
            now = softmax(logs - missing * (inside - between) / total, axis=1)
            moved = float(np.abs(now - chances).sum())
            chances = (chances + now) / 2
            if moved < _SETTLED * self.n:
                break
        found = first_largest(chances, _TIE)
        return found if len(np.unique(found)) == k else labels

    def _exceeds_chance(self) -> bool:
        """Whether the largest modularity found is beyond that of graphs with the same degrees, rewired."""
        rng = np.random.default_rng(0)
        rewired = [Optimizer(self._rewire(rng), self._engine)._largest() for _ in range(_REWIRED)]
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

    def _candidates(self) -> list[_Candidate]:
        """Return the consensus at resolutions around those where single partitions have the largest scores."""
        scanned = list[_Candidate]()
        misses = 0
        for resolution in _RESOLUTIONS:
            self._engine.check()
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
            self._engine.check()
            found.append(self._candidate(self.agreed(_RESOLUTIONS[k])))
        return found

    def _candidate(self, labels: Ints) -> _Candidate:
        return _Candidate(labels, *_evidence(*self._core, labels))

    def agreed(self, resolution: float) -> Ints:
        """Return the consensus of several partitions: edges count as often as partitions keep them."""
        if resolution in self._agreed:
            return self._agreed[resolution]
        kept = np.zeros(len(self._ends))
        for seed in range(_RUNS):
            labels = self._partition(self._strengths, resolution, seed, np.arange(self.n))
            kept += labels[self._sources] == labels[self._ends]
        strengths = self._strengths * (_LEAST + (1 - _LEAST) * kept / _RUNS)
        labels = np.arange(self.n)
        for seed in range(2):
            labels = self._partition(strengths, resolution, _RUNS + seed, labels)
        self._agreed[resolution] = labels
        return labels

    def _partition(self, strengths: Floats, resolution: float, seed: int, labels: Ints) -> Ints:
        degrees = np.bincount(self._sources, strengths, self.n)
        graph = LinkGraph(self._starts, self._ends, strengths, degrees)
        maximize_modularity(graph, labels, resolution, seed, self._work)
        return labels


class _Links(NamedTuple):
    sources: Ints
    targets: Ints
    strengths: Floats


def _core(matrix: csr_array) -> tuple[_Links, Floats]:
    """Return the links and degrees of the 2-core: trees that hang on a graph fit any partition and prove none."""
    links = matrix.tocoo()
    sources, targets = links.coords
    n = matrix.shape[0]
    degrees = np.bincount(sources, minlength=n).tolist()
    others = np.bincount(sources, targets, n).astype(np.int64).tolist()  # sums of neighbors: of a leaf, its only one
    leaves = [v for v in range(n) if degrees[v] == 1]
    for leaf in leaves:  # which grows
        if degrees[leaf] == 1:
            other = others[leaf]
            degrees[leaf], degrees[other], others[other] = 0, degrees[other] - 1, others[other] - leaf
            leaves += [other] * (degrees[other] == 1)
    alive = np.array(degrees) > 0
    kept = alive[sources] & alive[targets]
    strengths = links.data[kept]
    return _Links(sources[kept], targets[kept], strengths), np.bincount(sources[kept], strengths, n).astype(np.float64)


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


def _members(labels: Ints) -> csr_array:
    """Return the matrix of shape (n, k) that has a 1 at the community of each node."""
    return csr_array((np.ones(len(labels)), labels, np.arange(len(labels) + 1)))


def _rates(inside: Floats, sums: Floats, total: float) -> tuple[Floats, float]:
    """Return ratios of strengths to those that degrees let expect: within each community, and between them."""
    between = max(total - inside.sum(), _UNSEEN) / max(total - (sums**2).sum() / total, _UNSEEN)
    return np.maximum(inside, _UNSEEN) * total / np.maximum(sums**2, _UNSEEN), between


def first_largest(values: Floats, tie: float) -> Ints:
    """Return, along the last axis, the place of the first value within `tie` of the largest."""
    return np.asarray((values >= values.max(axis=-1, keepdims=True) - tie).argmax(axis=-1), np.intp)


def probabilities(matrix: csr_array, labels: Ints) -> Floats:
    """Return the probability of each node's community if those of all other nodes are known, shape (n,)."""
    n, k = len(labels), int(labels.max()) + 1
    degrees = np.asarray(matrix.sum(axis=1)).ravel()
    total, sums = degrees.sum(), np.bincount(labels, degrees).astype(np.float64)
    members = _members(labels)
    to = csr_array(matrix @ members)
    rates, between = _rates((members.T @ to).diagonal(), sums, total)
    out = np.empty(n)
    for rows in np.array_split(np.arange(n), 1 + n * k // _CELLS):
        d, own, here = degrees[rows], labels[rows], np.arange(len(rows))
        logs = to[rows].toarray() * np.log(rates / between) - np.outer(d, sums) * (rates - between) / total
        logs[here, own] += d**2 * (rates - between)[own] / total  # a node expects no edge to itself
        logs += np.log(np.bincount(labels))
        out[rows] = np.exp(logs[here, own] - np.logaddexp.reduce(logs, axis=1))
    return out
