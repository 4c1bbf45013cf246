"""Variants of the paper's definition of words as Gaussians, which its experiment compares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wasserstein_transform import _check as check
from wasserstein_transform._types import Floats, Ints
from wasserstein_transform.spaces import GaussianMetric
from wasserstein_transform.words import WordVectors
from wasserstein_transform.words.adapting import ppmi, shift
from wasserstein_transform.words.contexts import Contexts

NOTHING = 1e-5  # length relative to a unit vector below which only rounding errors are left


@dataclass(frozen=True)
class Variant:
    """One variant of the definition; the defaults are the paper's.

    Attributes
    ----------
    by_ppmi : bool
        Whether contexts are weighted by positive pointwise mutual information instead of counts.
    about_mean : bool
        Whether covariances are taken about the mean of the contexts instead of the word.
    shrinkage : float
        κ: Σ becomes (nΣ + κΣ̄)/(n + κ), where n is the total weight of the contexts of a word.
    pooled : bool
        Whether Σ̄ is the mean covariance over all contexts of all words; else it is 0.
    share : float
        How far words move toward their contexts, as in `wt.words.adapt`.
    neighbors : int
        If positive, the contexts of a word are its nearest words, this many, instead of those of a corpus.

    Examples
    --------
    >>> import numpy as np
    >>> from wasserstein_transform import words
    >>> gt = words.WordTransform({"cat": [1.0, 0.0], "dog": [0.0, 1.0]}, min_count=1, sample=0).fit(["cat dog"])
    >>> parts = gt.vectors_, gt.contexts_, np.array([0])
    >>> Variant().covariances(*parts)[0], Variant(about_mean=True).covariances(*parts)[0]
    (array([[ 1., -1.],
           [-1.,  1.]]), array([[0., 0.],
           [0., 0.]]))
    """

    by_ppmi: bool = False
    about_mean: bool = False
    shrinkage: float = 0.0
    pooled: bool = True
    share: float = 0.0
    neighbors: int = 0

    def gaps(self, vectors: WordVectors, contexts: Contexts, ends: Ints) -> tuple[Floats, Floats]:
        """Return ‖w₁ − w₂‖² and dcov² of pairs of rows; `ends` is an array of shape (k, 2)."""
        weighted = ppmi(contexts) if self.by_ppmi else contexts
        rows, which = np.unique(ends, return_inverse=True)
        covs = self.covariances(vectors, weighted, rows)
        spreads = GaussianMetric(np.zeros(covs.shape[:2]), covs, 1.0).pairs(*which.reshape(-1, 2).T) ** 2
        moved = shift(vectors, weighted, self.share) if self.share else vectors
        return moved.squares(ends), np.asarray(spreads)

    def covariances(self, vectors: WordVectors, contexts: Contexts, rows: Ints) -> Floats:
        """Return Σ(w) of some words, an array of shape (k, m, m), from weighted contexts."""
        unit, totals = vectors.unit.astype(np.float64), contexts.totals()
        covs = np.stack([self._covariance(unit, contexts, int(row)) for row in rows])
        if self.shrinkage == 0:
            return covs
        shares = (totals / (totals + self.shrinkage))[rows, None, None]
        return np.asarray(shares * covs + (1 - shares) * (self._pool(unit, contexts, totals) if self.pooled else 0.0))

    def _covariance(self, unit: Floats, contexts: Contexts, row: int) -> Floats:
        others, weights = contexts.of(row)
        if len(others) == 0:
            return np.zeros((unit.shape[1], unit.shape[1]))
        shares = weights / weights.sum(dtype=np.float64)
        off = unit[others] - (shares @ unit[others] if self.about_mean else unit[row])
        return np.asarray((off.T * shares) @ off)

    def _pool(self, unit: Floats, contexts: Contexts, totals: Floats) -> Floats:
        """Return the mean of (v − c)(v − c)ᵀ over all contexts v of all words."""
        sums = np.asarray(contexts.matrix.astype(np.float64) @ unit)
        means = sums / np.maximum(totals, 1e-30)[:, None]
        centers = means if self.about_mean else unit
        columns = np.asarray(contexts.matrix.sum(axis=0, dtype=np.float64)).ravel()
        mixed = centers.T @ sums
        squares = (unit.T * columns) @ unit + (centers.T * totals) @ centers - mixed - mixed.T
        return np.asarray(squares / max(totals.sum(), 1e-30))


def without_components(vectors: WordVectors, n_components: int = 1) -> WordVectors:
    """Remove the mean of all unit vectors, then their first principal components (Mu and Viswanath, "All-but-the-top").

    Words whose vector becomes zero are left out.

    Examples
    --------
    >>> vectors = WordVectors.of(["a", "b", "c"], [[1.0, 0.0, 0.1], [1.0, 0.1, 0.0], [1.0, 0.0, -0.1]])
    >>> abs(without_components(vectors, 0).matrix.mean(axis=0)).max().round(5)
    np.float32(0.0)
    """
    if check.count(n_components, "n_components", 0) >= vectors.m:
        raise ValueError(f"n_components must be less than the {vectors.m} dimensions, got {n_components}")
    rest: Any = vectors.unit - vectors.unit.mean(axis=0, dtype=np.float64).astype(np.float32)
    if n_components:
        _, axes = np.linalg.eigh(rest.T.astype(np.float64) @ rest)
        top = axes[:, ::-1][:, :n_components].astype(np.float32)
        rest = np.asarray(rest - (rest @ top) @ top.T, np.float32)
    rest[np.linalg.norm(rest, axis=1) < NOTHING] = 0.0
    return WordVectors.of(vectors.words, rest)
