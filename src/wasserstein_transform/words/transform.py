"""WordTransform: the Gaussian Transform of pre-trained word vectors by a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator

from .. import _check as check
from .._shown import Tabled
from .._types import Floats, Ints
from ..engine import Engine, current, using
from .cleaning import Cleaning
from .contexts import Contexts, Nearness, Rng, count_contexts, given_contexts
from .corpus import Corpus, Tokens
from .covariances import Covariances, Factors
from .files import PathLike
from .reading import as_vectors
from .search import Neighbors, Search
from .storing import Stored, load, save
from .variants import About, AboutWord, Shift, Shrinkage, Weighting
from .vectors import Singles, WordVectors


@dataclass(frozen=True, eq=False)
class Pairs(Tabled):
    """Distances of pairs of words; `WordTransform.pairs` returns it.

    Attributes
    ----------
    distances : array of shape (k,)
        A distance for each pair; NaN where a word has no vector.
    unknown : tuple of str
        Words without a vector.
    without_context : tuple of str
        Words that have a vector but no context: their covariance is 0.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> gt = words.WordTransform({"cat": [1.0, 0.0], "dog": [0.0, 1.0]}, min_count=1, sample=0).fit(["cat dog"])
    >>> found = gt.pairs([("cat", "dog"), ("cat", "yeti")])
    >>> found.distances.round(3), found.unknown, found.n_missing
    (array([1.414,   nan]), ('yeti',), 1)
    """

    distances: Floats
    unknown: tuple[str, ...]
    without_context: tuple[str, ...]

    @property
    def n_missing(self) -> int:
        """Number of pairs without a distance."""
        return int(np.isnan(self.distances).sum())


class WordTransform(BaseEstimator):
    """Adapt pre-trained word vectors to a corpus by the Gaussian Transform (the paper, "Boosting word embeddings").

    Each word becomes a Gaussian with its unit vector w as mean and Σ(w) as covariance: the mean of (v − w)(v − w)ᵀ over
    all words v in a window around the occurrences of w in the corpus; 0 if w has no context. The distance is
    d² = ‖w₁ − w₂‖² + λ·dcov²(Σ(w₁), Σ(w₂)).

    The defaults are the paper's; in our measurements they lower the agreement with human ratings (docs/words.md).
    `wt.words.adapt` is this class with the settings that raise it.

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
    tokens : Tokens, optional
        How a text is split into words: `Spaced()` (at white space; None means this), or `Letters()` for ordinary text.
    nearness : Nearness, optional
        Weights of contexts by distance: `Flat()` (the paper's; None means this), `Harmonic()`, `Linear()`.
    weighting : Weighting, optional
        Weights of contexts by counts: `Counts()` (the paper's; None means this), `PPMI()`.
    about : About, optional
        Center of the covariance: `AboutWord()` (the paper's; None means this), `AboutMean()`.
    shrinkage : Shrinkage, optional
        Regularizes the covariances of words with few contexts; None means no shrinkage.
    common : Cleaning, optional
        Removes what all vectors share, before anything else: `Common(n)`, `Whiten(power)`; None removes nothing.
    shift : Shift, optional
        Moves points toward the mean of their contexts; None moves nothing.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of `wt.using`. The result does not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

    Attributes
    ----------
    vectors_ : WordVectors
        The vectors after `common`.
    contexts_ : Contexts
        The counted contexts, before `weighting`.
    points_ : array of shape (n, m)
        Unit vectors after `shift`.

    Notes
    -----
    `fit` takes O(W · length of the text) time. Covariances are not stored: each is computed from the counted contexts
    when a distance needs it, in O(k·m²) for k different contexts; `prepare` computes them all. A distance then takes
    O(m³).

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
    points_: Singles

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
        nearness: Nearness | None = None,
        weighting: Weighting | None = None,
        about: About | None = None,
        shrinkage: Shrinkage | None = None,
        common: Cleaning | None = None,
        shift: Shift | None = None,
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
        self.nearness = nearness
        self.weighting = weighting
        self.about = about
        self.shrinkage = shrinkage
        self.common = common
        self.shift = shift
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
        return self._fit(corpus)

    def _fit(self, corpus: Any) -> Self:
        """Fit; if the corpus is None, no word has contexts."""
        check.lam(self.lam)
        self._check_parts()
        with self._engine().watched() as engine, using(engine):
            vectors = as_vectors(self.vectors)
            if self.common is not None:
                vectors = self.common(vectors)
            return self._set(vectors, self._counted(corpus, vectors))

    def _counted(self, corpus: Any, vectors: WordVectors) -> Contexts:
        n = len(vectors)
        if corpus is None or issparse(corpus):
            return given_contexts(csr_array((n, n), dtype=np.float32) if corpus is None else corpus, n)
        text = Corpus.read(corpus, self.tokens)
        return count_contexts(text, vectors, self.window, self.min_count, self.sample, self.nearness, self.rng)

    def _set(self, vectors: WordVectors, contexts: Contexts) -> Self:
        """Set the fitted state from counted contexts; `weighting` and the other parts are applied here."""
        self.vectors_, self.contexts_ = vectors, contexts
        weighted = contexts if self.weighting is None else self.weighting(contexts)
        self._covariances = Covariances(vectors.unit, weighted, self.about or AboutWord(), self.shrinkage)
        self.points_ = vectors.unit
        if self.shift is not None:
            self.points_ = self.shift(vectors.unit, self._covariances.means, self._covariances.totals)
        self._prepared: Factors | None = None
        self._search = Search(self._covariances, self.points_, self._factors, self._forms)
        return self

    @property
    def adapted(self) -> WordVectors:
        """The words with `points_` as WordVectors, for other programs: `adapted.write("words.bin")`."""
        self._check_fitted()
        return WordVectors.of(self.vectors_.words, self.points_)

    def prepare(self, file: PathLike | None = None) -> Self:
        """Compute the covariances of all words now, to speed up many queries of `most_similar`.

        Parameters
        ----------
        file : path, optional
            File for the covariances, which is memory-mapped; None keeps them in memory.

        Returns
        -------
        WordTransform
            This object.

        Notes
        -----
        Memory or disk: at most 2·n·(m² + m) bytes.
        """
        self._check_fitted()
        path = None if file is None else Path(file)
        with self._engine().watched() as engine:
            self._prepared = self._covariances.factors(np.arange(len(self.vectors_)), engine, path)
            self._search.outline(engine)
        return self

    def _factors(self, rows: Ints, engine: Engine) -> Factors:
        if self._prepared is None:
            return self._covariances.factors(rows, engine)
        return self._prepared.take(rows)

    def _forms(self, rows: Ints, centers: Singles, directions: Floats, fixed: Floats, engine: Engine) -> Floats:
        if self._prepared is None:
            return self._covariances.forms(rows, centers, directions, fixed, engine)
        return self._prepared.take(rows).forms(directions, fixed, engine)

    def covariance(self, word: str) -> Floats:
        """Return Σ(w), an array of shape (m, m)."""
        self._check_fitted()
        return self._factors(np.array([self.vectors_.row(word)]), self._engine()).matrix(0)

    def distance(self, first: str, second: str) -> float:
        """Return the GT distance of two words; ValueError if one of them has no vector."""
        self._check_fitted()
        rows = np.array([[self.vectors_.row(first), self.vectors_.row(second)]])
        return float(self.between(rows)[0])

    def similarity(self, first: str, second: str) -> float:
        """Return −distance of two words, the score the paper uses."""
        return -self.distance(first, second)

    def pairs(self, pairs: Iterable[Sequence[str]]) -> Pairs:
        """Return the distances of many pairs of words.

        Parameters
        ----------
        pairs : iterable of pairs of str
            k pairs of words.

        Returns
        -------
        Pairs
            Distances, NaN for pairs with unknown words, and the names of the unknown words.

        Examples
        --------
        >>> import wasserstein_transform as wt
        >>> gt = wt.words.WordTransform({"cat": [1.0, 0.0], "dog": [0.0, 1.0]}, min_count=1, sample=0).fit(["cat dog"])
        >>> found = gt.pairs([("cat", "dog"), ("cat", "yeti")])
        >>> found.distances.round(3), found.unknown
        (array([1.414,   nan]), ('yeti',))
        """
        self._check_fitted()
        if not isinstance(pairs, Iterable):
            raise ValueError(f"pairs must be a list of pairs of words, got {type(pairs).__name__}")
        listed = [tuple(pair) if isinstance(pair, Iterable) else () for pair in pairs]
        if any(len(pair) != 2 or not all(isinstance(word, str) for word in pair) for pair in listed):
            raise ValueError("pairs must be of two words each, such as [('cat', 'dog')]")
        words = [word for pair in listed for word in pair]
        ends = self.vectors_.find(words).reshape(-1, 2)
        known = (ends >= 0).all(axis=1)
        out = np.full(len(ends), np.nan)
        out[known] = self.between(ends[known])
        unknown = tuple(dict.fromkeys(word for word in words if word not in self.vectors_))
        bare = self._covariances.totals == 0
        without = tuple(dict.fromkeys(w for w, row in zip(words, ends.ravel(), strict=True) if row >= 0 and bare[row]))
        return Pairs(out, unknown, without)

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
        with self._engine().watched() as engine:
            spread = self._factors(rows, engine).gaps(which.reshape(ends.shape), engine)
        return self._squares(ends), spread

    def between(self, ends: Ints) -> Floats:
        """Return the distances of pairs of rows; `ends` is an array of int of shape (k, 2)."""
        self._check_fitted()
        if (lam := check.lam(self.lam)) == 0:
            return np.asarray(np.sqrt(self._squares(ends)))
        squares, spread = self.gaps(ends)
        return np.asarray(np.sqrt(squares + lam * spread))

    def _squares(self, ends: Ints) -> Floats:
        """Return ‖w₁ − w₂‖² of pairs of rows."""
        off = self.points_[ends[:, 0]].astype(np.float64) - self.points_[ends[:, 1]]
        return np.asarray(np.einsum("ij,ij->i", off, off))

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
        Lower bounds exclude most words, so that few distances are computed (`Neighbors.n_exact`). Call `prepare` before
        many queries.
        """
        self._check_fitted()
        row = self.vectors_.row(word)
        k = min(check.count(k, "k", 1), len(self.vectors_) - 1)
        with self._engine().watched() as engine:
            rows, squares, n_exact = self._search.nearest(row, k, check.lam(self.lam), engine)
        words = tuple(self.vectors_.words[r] for r in rows)
        return Neighbors(words, np.sqrt(squares), n_exact, len(self.vectors_))

    def save(self, file: PathLike) -> None:
        """Write vectors, contexts and parameters to one file, which is complete or does not appear.

        Vectors are written after `common` was applied, so a loaded transform has `common=None`.
        """
        self._check_fitted()
        kept = {**self.get_params(deep=False), "common": None}
        del kept["vectors"], kept["verbose"]
        save(Stored(kept, self.vectors_, self.contexts_), file)

    @classmethod
    def load(cls, file: PathLike) -> Self:
        """Read a file that `save` wrote; damaged files, and files larger than the memory limit, are rejected."""
        names = frozenset(signature(cls).parameters) - {"vectors", "verbose"}
        found = load(file, names, lambda n_bytes: current().reserve(n_bytes, f"{file}", "free some memory"))
        transform = cls(found.vectors, **found.parameters)
        try:
            check.lam(transform.lam)
            transform._check_parts()
            current(n_jobs=transform.n_jobs)
        except ValueError as error:
            raise ValueError(
                f"{file} is not a saved WordTransform, or it is damaged ({error}); fit and save again"
            ) from None
        return transform._set(found.vectors, found.contexts)

    def _engine(self) -> Engine:
        return current(n_jobs=self.n_jobs, verbose=self.verbose)

    def _check_parts(self) -> None:
        kinds = (Tokens, Nearness, Weighting, About, Shrinkage, Shift)
        for name, kind in {"common": Cleaning, **{kind.__name__.lower(): kind for kind in kinds}}.items():
            if not isinstance(value := getattr(self, name), kind | None):
                raise ValueError(f"{name} must be a part, a {kind.__name__}, or None, got {value!r}")

    def _check_fitted(self) -> None:
        if not hasattr(self, "contexts_"):
            raise ValueError("this WordTransform is not fitted; call fit(corpus) first")
