"""Parts that the paper's definition can be varied by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from .. import _check as check
from .._parts import Part
from .._types import Floats
from .contexts import Contexts
from .vectors import Singles, WordVectors, mean_of

_NOTHING = 1e-5  # of a unit vector: what rounding leaves


@dataclass(frozen=True)
class Common(Part):
    """What vectors have in common is removed: their mean, then their first principal components.

    Unit vectors lose their mean and the `n_components` directions of largest variance; what is left is scaled to
    length 1 again. (Mu and Viswanath, "All-but-the-top".)

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors = words.WordVectors.of(["a", "b", "c"], [[1.0, 0.0, 0.1], [1.0, 0.1, 0.0], [1.0, 0.0, -0.1]])
    >>> abs(words.Common(n_components=0)(vectors).matrix.mean(axis=0)).max().round(5)
    np.float32(0.0)
    """

    n_components: int = 1

    def __post_init__(self) -> None:
        check.count(self.n_components, "n_components", 0)

    def __call__(self, vectors: WordVectors) -> WordVectors:
        """Vectors without what they have in common; words that had nothing else are left out."""
        if self.n_components >= vectors.m:
            raise ValueError(f"n_components must be less than the {vectors.m} dimensions, got {self.n_components}")
        unit = vectors.unit
        rest = np.asarray(unit - mean_of(unit).astype(np.float32))
        if self.n_components:
            _, axes = np.linalg.eigh(rest.T.astype(np.float64) @ rest)
            top = axes[:, ::-1][:, : self.n_components].astype(np.float32)
            rest = np.asarray(rest - (rest @ top) @ top.T, np.float32)
        rest[np.linalg.norm(rest, axis=1) < _NOTHING] = 0.0
        return WordVectors.of(vectors.words, np.ascontiguousarray(rest, np.float32))


class Weighting(Part):
    """What the contexts of a word weigh, from how often they were seen."""

    def __call__(self, contexts: Contexts) -> Contexts:
        """Contexts with other weights."""
        raise NotImplementedError


@dataclass(frozen=True)
class Counts(Weighting):
    """As often as they were seen: the paper's multiset."""

    def __call__(self, contexts: Contexts) -> Contexts:
        return contexts


@dataclass(frozen=True)
class PPMI(Weighting):
    """Positive pointwise mutual information: log of how much more often than by chance, if more.

    Chances of contexts are taken to the power `smoothing`, which keeps rare ones from being overrated; `shift` is
    subtracted before what is negative is dropped.
    """

    smoothing: float = 0.75
    shift: float = 0.0

    def __post_init__(self) -> None:
        check.tolerance(self.smoothing, "smoothing")
        check.tolerance(abs(self.shift) if isinstance(self.shift, int | float) else self.shift, "the size of shift")

    def __call__(self, contexts: Contexts) -> Contexts:
        matrix = contexts.matrix
        words = contexts.totals()
        others = np.asarray(matrix.sum(axis=0, dtype=np.float64)).ravel() ** self.smoothing
        chance = np.log(np.maximum(words, 1e-300))[np.repeat(np.arange(contexts.n), np.diff(matrix.indptr))]
        chance += np.log(np.maximum(others, 1e-300) / max(others.sum(), 1e-300))[matrix.indices]
        values = np.maximum(np.log(matrix.data) - chance - self.shift, 0.0).astype(np.float32)
        weighted = csr_array((values, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)
        weighted.eliminate_zeros()
        return Contexts(weighted, contexts.counts, contexts.n_kept)


class About(Part):
    """What the covariance of contexts is taken about."""

    def __call__(self, word: Floats, mean: Floats) -> Floats:
        """The center, from the word and the mean of its contexts."""
        raise NotImplementedError


@dataclass(frozen=True)
class AboutWord(About):
    """About the word: the paper's Σ(w)."""

    def __call__(self, word: Floats, mean: Floats) -> Floats:
        return word


@dataclass(frozen=True)
class AboutMean(About):
    """About the mean of the contexts: a covariance in the usual sense."""

    def __call__(self, word: Floats, mean: Floats) -> Floats:
        return mean


@dataclass(frozen=True)
class Shrinkage(Part):
    """Σ becomes (nΣ + κΣ̄)/(n + κ), n the weight of all contexts of the word, κ the `strength`.

    Σ̄ is the covariance pooled over all words, or 0 with `pooled=False`: then λ is n/(n + κ) of itself, less for words
    that were seen rarely.
    """

    strength: float
    pooled: bool = True

    def __post_init__(self) -> None:
        check.tolerance(self.strength, "strength")


@dataclass(frozen=True)
class Shift(Part):
    """Points move towards their contexts: w becomes (1 − s)w + sz, scaled to length 1, s the `share`.

    z is the direction of the mean context of the word, less the mean of all contexts, which says nothing about it; with
    `centered=False` z is the mean context itself. Words without contexts stay.
    """

    share: float
    centered: bool = True

    def __post_init__(self) -> None:
        if not 0 <= check.tolerance(self.share, "share") <= 1:
            raise ValueError(f"share must lie between 0 and 1, got {self.share!r}")

    def __call__(self, points: Singles, means: Singles, totals: Floats) -> Singles:
        """Moved points, from the means of contexts and their weights."""
        targets = means.astype(np.float64)
        if self.centered:
            targets = _unit(targets - totals @ targets / max(totals.sum(), 1e-30))
        moved = np.where((totals > 0)[:, None], (1 - self.share) * points + self.share * targets, points)
        return _unit(moved).astype(np.float32)


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30))
