"""WordTransform: words as Gaussians, by their vectors and the covariances of their contexts in a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from .. import _check as check
from .._types import Floats, Ints
from ..engine import Engine, Flag, Tile, current, cut_by_cost, one_blas_thread, using
from ..spaces import GaussianMetric
from .contexts import Contexts, Rng, Window, as_contexts
from .corpus import Tokens
from .reading import as_vectors
from .vectors import Neighbors, Singles, WordVectors, row_blocks

_SLACK = 1e-5  # relative to the traces: means of contexts are in single precision
_BATCH = 32  # words whose distances are computed at a time


class WordTransform(BaseEstimator):
    """Adapt pre-trained word vectors to a corpus by the Gaussian Transform (the paper, "Boosting word embeddings").

    Each word becomes a Gaussian with its unit vector w as mean and Σ(w) as covariance: the mean of (v − w)(v − w)ᵀ over
    all words v in a window around the occurrences of w in the corpus; 0 if w has no context. The distance is
    d² = ‖w₁ − w₂‖² + λ·dcov²(Σ(w₁), Σ(w₂)).

    In our measurements this lowers the agreement with human ratings (docs/paper.md); `wt.words.adapt` raises it.

    Parameters
    ----------
    vectors : WordVectors, path, dict, or gensim's KeyedVectors
        The vectors of n words in m dimensions. A path is read by `read_vectors`.
    window : int, default 5
        W: contexts are at most this many words before or after.
    lam : float, default 1
        λ, the weight of the covariances. It can be changed after fitting.
    min_count : int, default 5
        Words that occur less often are dropped from the corpus.
    sample : float, default 1e-4
        Relative frequency above which words are dropped at random by word2vec's rule; 0 drops none.
    rng : int, Generator or None, default 0
        Seed of the random dropping; None gives a different result each time.
    tokens : callable, optional
        Puts white space between the words of a text; `str` leaves it as it is. None: words are runs of letters and
        digits, in lower case if the vectors are.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of `wt.using`. The result does not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

    Attributes
    ----------
    vectors_ : WordVectors
        The vectors.
    contexts_ : Contexts
        The counted contexts.

    Notes
    -----
    `fit` takes O(W · length of the text) time. Covariances are not stored: each is computed from the counted contexts
    when a distance needs it, in O(k·m²) for k different contexts. A distance then takes O(m³).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, -0.1], "ran": [0.0, 1.0], "sat": [0.1, 1.0]}
    >>> gt = wt.words.WordTransform(vectors, window=1, min_count=1, sample=0).fit(["cat sat", "dog ran", "dog sat"])
    >>> round(gt.distance("cat", "dog"), 3), round(gt.distance("cat", "ran"), 3)
    (0.29, 1.361)
    >>> gt.most_similar("cat", 1).words
    ('dog',)
    """

    vectors_: WordVectors
    contexts_: Contexts
    _means: Singles

    def __init__(
        self,
        vectors: Any,
        window: int = 5,
        lam: float = 1.0,
        min_count: int = 5,
        sample: float = 1e-4,
        *,
        rng: Rng = 0,
        tokens: Tokens | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.vectors = vectors
        self.window = window
        self.lam = lam
        self.min_count = min_count
        self.sample = sample
        self.rng = rng
        self.tokens = tokens
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, corpus: Any, y: Any = None) -> Self:
        """Count the contexts of all words.

        Parameters
        ----------
        corpus : path, Corpus, iterable of str or of lists of words, or sparse matrix
            As for `Corpus.read`. A sparse matrix of shape (n, n) holds the weights of contexts counted elsewhere: rows
            are words, columns their contexts.
        y : ignored

        Returns
        -------
        WordTransform
            This object.
        """
        if corpus is None:
            raise ValueError("a corpus is needed, got None; wt.words.adapt(vectors) works without a corpus")
        check.lam(self.lam)
        with self._engine().watched() as engine, using(engine):
            self.vectors_ = as_vectors(self.vectors)
            how = Window(self.window, self.min_count, self.sample, self.rng, self.tokens)
            self.contexts_ = as_contexts(corpus, self.vectors_, how)
        self.__dict__.pop("_means", None)
        return self

    def covariance(self, word: str) -> Floats:
        """Return Σ(w), an array of shape (m, m)."""
        self._check_fitted()
        return np.asarray(self._covariances(np.array([self.vectors_.row(word)]), self._engine())[0])

    def _covariances(self, rows: Ints, engine: Engine) -> Floats:
        """Return Σ(w) of some words, an array of shape (k, m, m)."""
        m, unit, sizes = self.vectors_.m, self.vectors_.unit, np.diff(self.contexts_.matrix.indptr)[rows]
        engine.reserve(8.0 * len(rows) * m * m, f"covariances of {len(rows)} words", "compare fewer words at a time")
        out = np.zeros((len(rows), m, m))

        def fill(tile: Tile, stop: Flag) -> None:
            for k in range(*tile):
                if stop[0] != 0:
                    return
                others, weights = self.contexts_.of(int(rows[k]))
                if len(others):
                    off = unit[others].astype(np.float64) - unit[rows[k]]
                    off *= np.sqrt(weights / weights.sum(dtype=np.float64))[:, None]
                    out[k] = off.T @ off

        with one_blas_thread():
            engine.loop("covariances", cut_by_cost((sizes + m) * float(m) ** 2 / 8 + 1e4), fill)
        return out

    def distance(self, first: str, second: str) -> float:
        """Return the GT distance of two words; ValueError if one of them has no vector."""
        self._check_fitted()
        rows = np.array([[self.vectors_.row(first), self.vectors_.row(second)]])
        return float(self.between(rows)[0])

    def pairs(self, pairs: Iterable[Sequence[str]]) -> Floats:
        """Return the distances of many pairs of words.

        Parameters
        ----------
        pairs : iterable of pairs of str
            k pairs of words.

        Returns
        -------
        array of shape (k,)
            A distance for each pair; NaN where a word has no vector.

        Examples
        --------
        >>> import wasserstein_transform as wt
        >>> gt = wt.words.WordTransform({"cat": [1.0, 0.0], "dog": [0.0, 1.0]}, min_count=1, sample=0).fit(["cat dog"])
        >>> gt.pairs([("cat", "dog"), ("cat", "yeti")]).round(3)
        array([1.414,   nan])
        """
        self._check_fitted()
        ends = self.vectors_.find_pairs(pairs)
        known, out = (ends >= 0).all(axis=1), np.full(len(ends), np.nan)
        out[known] = self.between(ends[known])
        return out

    def gaps(self, ends: Ints) -> tuple[Floats, Floats]:
        """Return ‖w₁ − w₂‖² and dcov² of pairs of rows, from which distances follow for every λ.

        Parameters
        ----------
        ends : array of int, shape (k, 2)
            Rows of both words of each pair, from `vectors_.find`.

        Returns
        -------
        squares, spreads : arrays of shape (k,)
            Distances are √(squares + λ · spreads).
        """
        self._check_fitted()
        rows, which = np.unique(ends, return_inverse=True)
        first, second = which.reshape(-1, 2).T
        with self._engine().watched() as engine:
            covs = self._covariances(rows, engine)
            spreads = GaussianMetric(np.zeros(covs.shape[:2]), covs, 1.0).pairs(first, second, engine) ** 2
        return self.vectors_.squares(ends), np.asarray(spreads)

    def between(self, ends: Ints) -> Floats:
        """Return the distances of pairs of rows; `ends` is an array of int of shape (k, 2)."""
        self._check_fitted()
        if (lam := check.lam(self.lam)) == 0:
            return np.asarray(np.sqrt(self.vectors_.squares(ends)))
        squares, spreads = self.gaps(ends)
        return np.asarray(np.sqrt(squares + lam * spreads))

    def most_similar(self, word: str, k: int = 10) -> Neighbors:
        """Find the k nearest words of a word, exactly.

        Parameters
        ----------
        word : str
            A word that has a vector.
        k : int, default 10
            Number of words to find; at most n − 1 are returned.

        Returns
        -------
        Neighbors
            Words and distances, nearest first.

        Notes
        -----
        Lower bounds exclude most words, so that few of n distances are computed.
        """
        self._check_fitted()
        if (lam := check.lam(self.lam)) == 0:
            return self.vectors_.most_similar(word, k)
        row, n = self.vectors_.row(word), len(self.vectors_)
        k = min(check.count(k, "k", 1), n - 1)
        with self._engine().watched() as engine, using(engine):
            bounds = self.vectors_.squares_from(row, engine) * (1 - _SLACK) + lam * self._bounds(row, engine)
            bounds[row] = np.inf
            order = np.argsort(bounds, kind="stable")[: n - 1]
            rows, values, size = order[:0], np.empty(0), max(_BATCH, k)
            for start in range(0, n - 1, size):
                batch = order[start : start + size]
                if len(rows) == k:
                    batch = batch[bounds[batch] <= values[-1] ** 2]
                    if len(batch) == 0:
                        break
                rows = np.append(rows, batch)
                values = np.append(values, self.between(np.stack([np.full(len(batch), row), batch], axis=1)))
                least = np.lexsort((rows, values))[:k]
                rows, values = rows[least], values[least]
        return Neighbors(tuple(self.vectors_.words[r] for r in rows), values)

    def _bounds(self, row: int, engine: Engine) -> Floats:
        """Return lower bounds of dcov²(A, B) between the covariance A of one word and B of each word.

        dcov² = tr A + tr B − 2F, and F = tr(A^½BA^½)^½ ≤ √(αβ) + √((tr A − α)(tr B − β)) for every unit vector u with
        α = uᵀAu and β = uᵀBu: fidelity does not decrease when both are cut into blocks. u points from the word to the
        mean of its contexts, along which B is large: with c the way there, tr B = −2w·c, and β ≥ ‖c‖².
        The bound of F rises with β until A and B have the same share along u; a smaller β is raised to that.
        """
        if not hasattr(self, "_means"):
            self._means = self.contexts_.means(self.vectors_.unit, engine)
        A, some = self._covariances(np.array([row]), engine)[0], np.diff(self.contexts_.matrix.indptr) > 0
        trace, alpha, lengths, traces = float(np.trace(A)), *np.zeros((3, len(some)))
        with one_blas_thread():
            for part in row_blocks(len(some), "bounds", engine):
                unit = self.vectors_.unit[part].astype(np.float64)
                ways = self._means[part] - unit
                lengths[part] = np.maximum(np.einsum("ij,ij->i", ways, ways), 1e-30)
                alpha[part] = np.maximum(np.einsum("ij,ij->i", ways @ A, ways), 0.0) / lengths[part]
                traces[part] = np.where(some[part], -2 * np.einsum("ij,ij->i", unit, ways), 0.0)
        beta = np.maximum(np.minimum(lengths, traces), traces * alpha / max(trace, 1e-300))
        slack = _SLACK * (trace + traces)
        rest = (np.maximum(trace - alpha, 0.0) + slack) * (np.maximum(traces - beta, 0.0) + slack)
        overlap = np.sqrt(alpha * np.maximum(beta, 0.0)) + np.sqrt(np.maximum(rest, 0.0))
        return np.asarray(np.maximum(trace + traces - 2 * overlap - slack, 0.0))

    def _engine(self) -> Engine:
        return current(n_jobs=self.n_jobs, verbose=self.verbose)

    def _check_fitted(self) -> None:
        if not hasattr(self, "contexts_"):
            raise ValueError("this WordTransform is not fitted; call fit(corpus) first")
