"""Words as Gaussians: the Gaussian Transform of pre-trained vectors by a corpus."""

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
from ..engine import Engine, bar, current, using
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
    """Distances of pairs of words.

    Attributes
    ----------
    distances : array
        NaN where a word has no vector.
    unknown : tuple of str
        Words without a vector.
    without_context : tuple of str
        Words with a vector that have no context: their covariance is 0.
    """

    distances: Floats
    unknown: tuple[str, ...]
    without_context: tuple[str, ...]

    @property
    def n_missing(self) -> int:
        """Pairs without a distance."""
        return int(np.isnan(self.distances).sum())


class WordTransform(BaseEstimator):
    """Pre-trained word vectors adapted by a corpus (the paper, "Boosting word embeddings").

    Every word becomes a Gaussian: its unit vector w, and Σ(w), the mean of (v − w)(v − w)ᵀ over the words v in a window
    around it, wherever it stands in the corpus; 0 if it has no context. d² = ‖w₁ − w₂‖² + λ·dcov²(Σ(w₁), Σ(w₂)).

    Covariances are not stored: they are made of the counted contexts when a distance asks for them, and `prepare` makes
    them all. `wt.words.adapt` is this class with the parts that raise agreement with people; the defaults here are the
    paper's, which lower it.

    Parameters
    ----------
    vectors : WordVectors, path, dict, or gensim's KeyedVectors
    window : int
        W: contexts are at most so many words before or after.
    lam : float
        λ. It can be changed after fitting.
    min_count : int
        Words that occur less often are dropped from the corpus.
    sample : float
        Frequent words are dropped at random by word2vec's rule; 0 keeps all.
    rng : int or Generator
        For that.
    tokens : Tokens, optional
        How a text becomes words; `Spaced()` (between white space) by default, `Letters()` for ordinary texts.
    nearness : Nearness, optional
        What contexts weigh by distance: `Flat()` as in the paper, `Harmonic()`, `Linear()`.
    weighting : Weighting, optional
        What they weigh by counts: `Counts()` as in the paper, `PPMI()`.
    about : About, optional
        `AboutWord()` as in the paper, `AboutMean()`.
    shrinkage : Shrinkage, optional
        Covariances of words with few contexts are drawn to a common one.
    common : Cleaning, optional
        What all vectors share is removed first: `Common(n)`, `Whiten(power)`.
    shift : Shift, optional
        Points move towards the mean of their contexts.
    n_jobs : int, optional
        Threads; −1 means all cores, None what `wt.using` says. The result does not depend on it.
    verbose : bool
        Show progress.

    Attributes
    ----------
    vectors_ : WordVectors
        After `common`.
    contexts_ : Contexts
    points_ : array of shape (n, m)
        Unit vectors, after `shift`.

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
        """Count contexts.

        Parameters
        ----------
        corpus : path, Corpus, iterable of str or of lists of words, or sparse matrix
            As for `Corpus.read`. A matrix holds weights of contexts counted elsewhere, a row and a column for each
            word; of `nearest_contexts` it holds neighborhoods in the embedding, and no corpus is needed.
        y : ignored
        """
        if corpus is None:
            raise ValueError("a corpus is needed, got None; wt.words.adapt(vectors) does what can be done without one")
        return self._fit(corpus)

    def _fit(self, corpus: Any) -> Self:
        """The same; without a corpus no word has contexts."""
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
        """Take counted contexts; what they weigh is up to the parts."""
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
        """Words and `points_`, as vectors of their own, for other programs: `adapted.write("words.bin")`."""
        self._check_fitted()
        return WordVectors.of(self.vectors_.words, self.points_)

    def prepare(self, file: PathLike | None = None) -> Self:
        """Make the covariances of all words now, so that `most_similar` need not: n·m²·2 bytes at most.

        Parameters
        ----------
        file : path, optional
            Where to keep them; they are mapped into memory as they are needed.
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
        """Σ(w)."""
        self._check_fitted()
        return self._factors(np.array([self.vectors_.row(word)]), self._engine()).matrix(0)

    def distance(self, first: str, second: str) -> float:
        """The GT distance of two words."""
        self._check_fitted()
        rows = np.array([[self.vectors_.row(first), self.vectors_.row(second)]])
        return float(self.between(rows)[0])

    def similarity(self, first: str, second: str) -> float:
        """−distance, the paper's score."""
        return -self.distance(first, second)

    def pairs(self, pairs: Iterable[Sequence[str]]) -> Pairs:
        """Distances of many pairs of words; those with unknown words are NaN, and the words are named.

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
            raise ValueError("pairs must be of two words each; [('cat', 'dog')] is one")
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
        """‖w₁ − w₂‖² and dcov² of pairs of rows: distances for every λ."""
        self._check_fitted()
        rows, which = np.unique(ends, return_inverse=True)
        with self._engine().watched() as engine:
            spread = self._factors(rows, engine).gaps(which.reshape(ends.shape), engine)
        return self._squares(ends), spread

    def between(self, ends: Ints) -> Floats:
        """Distances of pairs of rows, given as an array of shape (k, 2)."""
        self._check_fitted()
        if (lam := check.lam(self.lam)) == 0:
            return np.asarray(np.sqrt(self._squares(ends)))
        squares, spread = self.gaps(ends)
        return np.asarray(np.sqrt(squares + lam * spread))

    def _squares(self, ends: Ints) -> Floats:
        """‖w₁ − w₂‖² of pairs of rows."""
        off = self.points_[ends[:, 0]].astype(np.float64) - self.points_[ends[:, 1]]
        return np.asarray(np.einsum("ij,ij->i", off, off))

    def most_similar(self, word: str, k: int = 10) -> Neighbors:
        """The k words nearest to one, exactly.

        Bounds decide most words (see `words/search.py`); call `prepare` before many queries.
        """
        self._check_fitted()
        row = self.vectors_.row(word)
        k = min(check.count(k, "k", 1), len(self.vectors_) - 1)
        with self._engine().watched() as engine:
            rows, squares, n_exact = self._search.nearest(row, k, check.lam(self.lam), engine)
        words = tuple(self.vectors_.words[r] for r in rows)
        return Neighbors(words, np.sqrt(squares), n_exact, len(self.vectors_))

    def save(self, file: PathLike) -> None:
        """Write vectors, contexts and parameters to one file, all or nothing.

        Vectors are kept as they are compared: nothing common is left to remove.
        """
        self._check_fitted()
        kept = {**self.get_params(deep=False), "common": None}
        del kept["vectors"], kept["verbose"]
        save(Stored(kept, self.vectors_, self.contexts_), file)

    @classmethod
    def load(cls, file: PathLike) -> Self:
        """What `save` wrote; what is damaged, or more than memory holds, is refused."""
        names = frozenset(signature(cls).parameters) - {"vectors", "verbose"}
        found = load(file, names, lambda n_bytes: current().reserve(n_bytes, f"{file}", "free some memory"))
        transform = cls(found.vectors, **found.parameters)
        try:
            check.lam(transform.lam)
            transform._check_parts()
            current(n_jobs=transform.n_jobs)
        except ValueError as error:
            raise ValueError(
                f"{file} is no saved WordTransform, or it is damaged ({error}); fit again, and save"
            ) from None
        return transform._set(found.vectors, found.contexts)

    def _engine(self) -> Engine:
        return current(n_jobs=self.n_jobs, progress=bar() if self.verbose else None)

    def _check_parts(self) -> None:
        kinds = (Tokens, Nearness, Weighting, About, Shrinkage, Shift)
        for name, kind in {"common": Cleaning, **{kind.__name__.lower(): kind for kind in kinds}}.items():
            if not isinstance(value := getattr(self, name), kind | None):
                raise ValueError(f"{name} must be a part, a {kind.__name__}, or None, got {value!r}")

    def _check_fitted(self) -> None:
        if not hasattr(self, "contexts_"):
            raise ValueError("this WordTransform has seen no corpus; call fit(corpus) first")
