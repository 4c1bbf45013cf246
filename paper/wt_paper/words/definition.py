"""The paper's definition of words as Gaussians, and variants of it, which the experiment compares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from wasserstein_transform import _check as check
from wasserstein_transform._types import Floats, Ints
from wasserstein_transform.engine import one_blas_thread
from wasserstein_transform.spaces import GaussianMetric

from .adapting import shift, without_rounding
from .contexts import context_means, ppmi
from .vectors import WordVectors


@dataclass(frozen=True)
class Definition:
    """Words as Gaussians; the defaults are the paper's ("Boosting word embeddings").

    A word has its unit vector w as mean and Σ(w) as covariance: the mean of (v − w)(v − w)ᵀ over all words v in a
    window around the occurrences of w in a text; 0 if w has no context. The distance of two words is given by
    d² = ‖w₁ − w₂‖² + λ·dcov²(Σ(w₁), Σ(w₂)).

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
        How far words move toward their contexts, as in `adapt`.
    neighbors : int
        If positive, the contexts of a word are its nearest words, this many, instead of those of a text.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import words
    >>> vectors = words.WordVectors.of(["cat", "dog"], [[1.0, 0.0], [0.0, 1.0]])
    >>> contexts = words.count_contexts(words.read_corpus(["cat dog"]), vectors, min_count=1, sample=0)
    >>> parts = vectors, contexts, np.array([0])
    >>> words.Definition().covariances(*parts)[0], words.Definition(about_mean=True).covariances(*parts)[0]
    (array([[ 1., -1.],
           [-1.,  1.]]), array([[0., 0.],
           [0., 0.]]))
    >>> squares, gaps = words.Definition().gaps(vectors, contexts, np.array([[0, 1]]))
    >>> np.sqrt(squares + 0.5 * gaps).round(3)  # the distance for λ = 1/2
    array([1.414])
    """

    by_ppmi: bool = False
    about_mean: bool = False
    shrinkage: float = 0.0
    pooled: bool = True
    share: float = 0.0
    neighbors: int = 0

    def gaps(self, vectors: WordVectors, contexts: csr_array, ends: Ints) -> tuple[Floats, Floats]:
        """Return ‖w₁ − w₂‖² and dcov² of pairs of rows; `ends` is an array of shape (k, 2)."""
        weighted = ppmi(contexts) if self.by_ppmi else contexts
        rows, which = np.unique(ends, return_inverse=True)
        covs = self.covariances(vectors, weighted, rows)
        spreads = GaussianMetric(np.zeros(covs.shape[:2]), covs, 1.0).pairs(*which.reshape(-1, 2).T) ** 2
        moved = shift(vectors, weighted, self.share) if self.share else vectors
        return moved.squares(ends), np.asarray(spreads)

    def covariances(self, vectors: WordVectors, contexts: csr_array, rows: Ints) -> Floats:
        """Return Σ(w) of some words, an array of shape (k, m, m), from weighted contexts."""
        unit = vectors.unit.astype(np.float64)
        covs = np.zeros((len(rows), unit.shape[1], unit.shape[1]))
        with one_blas_thread():  # matrices are small
            for cov, row in zip(covs, rows.tolist(), strict=True):
                part = slice(contexts.indptr[row], contexts.indptr[row + 1])
                weights, others = contexts.data[part], unit[contexts.indices[part]]
                if len(others):
                    shares = weights / weights.sum(dtype=np.float64)
                    others -= shares @ others if self.about_mean else unit[row]
                    others *= np.sqrt(shares)[:, None]
                    cov[:] = others.T @ others
        if self.shrinkage == 0:
            return covs
        totals = contexts.sum(axis=1, dtype=np.float64)[rows, None, None]
        covs *= totals / (totals + self.shrinkage)
        if self.pooled:
            covs += self.shrinkage / (totals + self.shrinkage) * self._pool(vectors, contexts)
        return covs

    def _pool(self, vectors: WordVectors, contexts: csr_array) -> Floats:
        """Return the mean of (v − c)(v − c)ᵀ over all contexts v of all words."""
        unit, (totals, means) = vectors.unit.astype(np.float64), context_means(contexts, vectors)
        centers = means if self.about_mean else unit
        mixed = centers.T @ (totals[:, None] * means)
        columns = contexts.sum(axis=0, dtype=np.float64)
        squares = (unit.T * columns) @ unit + (centers.T * totals) @ centers - mixed - mixed.T
        return np.asarray(squares / max(totals.sum(), 1e-30))


def without_components(vectors: WordVectors, n_components: int = 1) -> WordVectors:
    """Remove the mean of all unit vectors, then their first principal components (Mu and Viswanath, "All-but-the-top").

    Words whose vector becomes zero are left out.
    """
    if check.count(n_components, "n_components", 0) >= vectors.matrix.shape[1]:
        raise ValueError(f"n_components must be less than {vectors.matrix.shape[1]} dimensions, got {n_components}")
    rest = vectors.unit - vectors.unit.mean(axis=0, dtype=np.float64)
    top = np.linalg.eigh(rest.T @ rest)[1][:, ::-1][:, :n_components]
    return without_rounding(vectors, rest - (rest @ top) @ top.T)
