"""Variants of the paper's definition, as parts of a WordTransform."""

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
    """Base class of weightings: the weight of each context of a word, given how often it was counted.

    A subclass defines `__call__`, which maps Contexts to Contexts with other weights.

    Examples
    --------
    >>> import numpy as np
    >>> from wasserstein_transform import words
    >>> class Roots(words.variants.Weighting):
    ...     def __call__(self, contexts):
    ...         return words.contexts.Contexts(np.sqrt(contexts.matrix), contexts.counts, contexts.n_kept)
    >>> gt = words.WordTransform({"cat": [1.0, 0.0], "dog": [0.0, 1.0]}, min_count=1, sample=0, weighting=Roots())
    >>> gt.fit(["cat dog"]).covariance("cat")
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    def __call__(self, contexts: Contexts) -> Contexts:
        """Return the contexts with other weights."""
        raise NotImplementedError


@dataclass(frozen=True)
class Counts(Weighting):
    """Weight contexts by how often they were counted, as the paper's multiset does.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> gt = words.WordTransform({"cat": [1.0, 0.0], "dog": [0.0, 1.0]}, min_count=1, sample=0).fit(["cat dog cat"])
    >>> words.variants.Counts()(gt.contexts_).matrix.toarray()
    array([[2., 2.],
           [2., 0.]], dtype=float32)
    """

    def __call__(self, contexts: Contexts) -> Contexts:
        return contexts


@dataclass(frozen=True)
class PPMI(Weighting):
    """Weight contexts by positive pointwise mutual information: max(log(observed/expected frequency) − shift, 0).

    Parameters
    ----------
    smoothing : float, default 0.75
        Counts of context words are raised to this power, so that rare contexts are not overrated; 1 means no smoothing.
    shift : float, default 0
        Subtracted before negative values are set to 0; natural logarithm.

    Notes
    -----
    Time and memory O(number of stored contexts).

    Examples
    --------
    >>> import numpy as np
    >>> from wasserstein_transform import words
    >>> gt = words.WordTransform({"cat": [1.0, 0.0], "dog": [0.0, 1.0]}, min_count=1, sample=0).fit(["cat dog cat"])
    >>> words.variants.PPMI(smoothing=1.0)(gt.contexts_).matrix.toarray().round(3)
    array([[0.   , 0.405],
           [0.405, 0.   ]], dtype=float32)
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
    """Base class of the center that the covariance of a word's contexts is taken about.

    A subclass defines `__call__`, which returns the center from the word and the mean of its contexts.

    Examples
    --------
    >>> import numpy as np
    >>> from wasserstein_transform import words
    >>> class Midway(words.variants.About):
    ...     def __call__(self, word, mean):
    ...         return (word + mean) / 2
    >>> Midway()(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    array([0.5, 0.5])
    """

    def __call__(self, word: Floats, mean: Floats) -> Floats:
        """Return the center, shape (m,), from the word and the mean of its contexts, both of shape (m,)."""
        raise NotImplementedError


@dataclass(frozen=True)
class AboutWord(About):
    """Take the covariance about the word: the paper's Σ(w).

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors = {"cat": [1.0, 0.0], "dog": [0.0, 1.0]}
    >>> gt = words.WordTransform(vectors, min_count=1, sample=0, about=words.variants.AboutWord()).fit(["cat dog"])
    >>> gt.covariance("cat")
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    def __call__(self, word: Floats, mean: Floats) -> Floats:
        return word


@dataclass(frozen=True)
class AboutMean(About):
    """Take the covariance about the mean of the contexts: a covariance in the usual sense.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors = {"cat": [1.0, 0.0], "dog": [0.0, 1.0]}
    >>> gt = words.WordTransform(vectors, min_count=1, sample=0, about=words.variants.AboutMean()).fit(["cat dog"])
    >>> gt.covariance("cat")  # a single context has no spread about its mean
    array([[0., 0.],
           [0., 0.]])
    """

    def __call__(self, word: Floats, mean: Floats) -> Floats:
        return mean


@dataclass(frozen=True)
class Shrinkage(Part):
    """Shrink covariances: Σ becomes (nΣ + κΣ̄)/(n + κ), where n is the total weight of the word's contexts.

    Parameters
    ----------
    strength : float
        κ, in the unit of context weights (occurrences); 0 means no shrinkage.
    pooled : bool, default True
        True: Σ̄ is the mean covariance over all contexts of all words. False: Σ̄ = 0, so that the covariances of rare
        words count less.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors, shrinkage = {"cat": [1.0, 0.0], "dog": [0.0, 1.0]}, words.variants.Shrinkage(1.0, pooled=False)
    >>> gt = words.WordTransform(vectors, min_count=1, sample=0, shrinkage=shrinkage).fit(["cat dog"])
    >>> gt.covariance("cat").round(3)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """

    strength: float
    pooled: bool = True

    def __post_init__(self) -> None:
        check.tolerance(self.strength, "strength")


@dataclass(frozen=True)
class Shift(Part):
    """Move points toward their contexts: w becomes (1 − share)·w + share·z, scaled to length 1.

    Parameters
    ----------
    share : float, 0 to 1
        How far points move: 0 leaves them in place, 1 replaces them by z.
    centered : bool, default True
        True: z is the direction of the word's mean context minus the mean of all contexts, which is common to all
        words. False: z is the word's mean context itself. Words without contexts do not move.

    Notes
    -----
    Time and memory O(n·m) for n words in m dimensions.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors, shift = {"cat": [1.0, 0.0], "dog": [0.0, 1.0]}, words.variants.Shift(0.5, centered=False)
    >>> gt = words.WordTransform(vectors, min_count=1, sample=0, shift=shift).fit(["cat dog"])
    >>> gt.points_.round(3)
    array([[0.707, 0.707],
           [0.707, 0.707]], dtype=float32)
    """

    share: float
    centered: bool = True

    def __post_init__(self) -> None:
        if not 0 <= check.tolerance(self.share, "share") <= 1:
            raise ValueError(f"share must lie between 0 and 1, got {self.share!r}")

    def __call__(self, points: Singles, means: Singles, totals: Floats) -> Singles:
        """Return the moved points, shape (n, m), from the context means (n, m) and their total weights (n,)."""
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
