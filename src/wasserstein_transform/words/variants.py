"""Parts that the paper's definition can be varied by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from .. import _check as check
from .._parts import Part
from .._types import Floats
from ..engine import current
from .blocks import entry_blocks, row_blocks
from .contexts import Contexts
from .vectors import Singles


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
        frequent = np.log(np.maximum(words, 1e-300))
        common = np.log(np.maximum(others, 1e-300) / max(others.sum(), 1e-300))
        engine = current()
        engine.reserve(8.0 * matrix.nnz, f"weights of {matrix.nnz} contexts", "take a smaller window")
        values = np.empty(matrix.nnz, np.float32)
        for rows in entry_blocks(matrix.indptr, "weights of contexts", engine):
            part = slice(matrix.indptr[rows.start], matrix.indptr[rows.stop])
            chance = np.repeat(frequent[rows], np.diff(matrix.indptr[rows.start : rows.stop + 1]))
            chance += common[matrix.indices[part]]
            values[part] = np.maximum(np.log(matrix.data[part]) - chance - self.shift, 0.0)
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
        engine, total = current(), max(totals.sum(), 1e-30)
        everywhere, moved = np.zeros(points.shape[1]), np.empty_like(points)
        if self.centered:
            for part in row_blocks(len(points), "the mean context", engine):
                everywhere += np.einsum("i,ij->j", totals[part], means[part].astype(np.float64))
        for part in row_blocks(len(points), "moving words", engine):
            moved[part] = self._moved(points[part], means[part] - everywhere / total, totals[part])
        return moved

    def _moved(self, points: Singles, targets: Floats, totals: Floats) -> Floats:
        targets = _unit(targets) if self.centered else targets
        return _unit(np.where((totals > 0)[:, None], (1 - self.share) * points + self.share * targets, points))


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30))
