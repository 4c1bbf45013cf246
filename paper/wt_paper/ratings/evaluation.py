"""The paper's evaluation table: agreement of word distances with human ratings, for plain vectors and for GT."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wasserstein_transform import _check as check
from wasserstein_transform._shown import table
from wasserstein_transform._types import Bools, Floats, Ints
from wasserstein_transform.engine import Engine, current, using
from wasserstein_transform.words.corpus import Corpus, letters
from wasserstein_transform.words.reading import as_vectors
from wasserstein_transform.words.transform import WordTransform
from wasserstein_transform.words.vectors import WordVectors

from .benchmarks import Benchmark, as_benchmarks, resampled, spearman

CONFIDENCE = 0.95  # of the confidence intervals


class Setting(NamedTuple):
    """One column of an evaluation table: a window with a λ, or a label.

    Parameters
    ----------
    window : int
        W, in words; 0 for the plain vectors.
    lam : float
        λ; 0 for the plain vectors.
    label : str, default ""
        A name for the column, used instead of window and λ.

    Examples
    --------
    >>> from wt_paper import ratings
    >>> ratings.Setting(5, 0.5).name, ratings.Setting(0, 0.0).name
    ('W=5 λ=0.5', 'plain')
    """

    window: int
    lam: float
    label: str = ""

    @property
    def name(self) -> str:
        """The column's name in tables."""
        if self.label:
            return self.label
        return "plain" if self.lam == 0 else f"W={self.window} λ={self.lam:g}"


PLAIN = Setting(0, 0.0)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Spearman correlations with human ratings, for every benchmark and setting.

    `evaluate` and `compare` return it. The first setting is the baseline: the plain vectors in `evaluate`, the first
    candidate in `compare`. Shapes below are in b benchmarks and s settings.

    Attributes
    ----------
    names : tuple of str, length b
        Names of the benchmarks.
    settings : tuple of Setting, length s
        The columns.
    n_found, n_missing : arrays of shape (b,)
        Number of pairs whose words both have vectors, and of the other pairs.
    scores : array of shape (b, s)
        Spearman correlations; NaN where fewer than three pairs were found.
    intervals, gains : arrays of shape (b, s, 2)
        95 % bootstrap intervals of the scores, and of their differences from the baseline.
    unknown : tuple of str
        Words of the benchmarks that have no vector.
    n_bare : int
        Number of words of the benchmarks that have a vector but no context, at the last window.

    Examples
    --------
    >>> from wt_paper import ratings
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, 0.0], "ran": [0.0, 1.0], "sat": [0.5, 1.0]}
    >>> people = ratings.Benchmark("mini", (("cat", "dog"), ("cat", "sat"), ("dog", "ran")), [9.0, 3.0, 1.0])
    >>> table = ratings.compare([people], {"plain": vectors}, n_boot=10)
    >>> table.names, table.scores, table.n_found
    (('mini',), array([[1.]]), array([3]))
    >>> for row in table.rows():
    ...     print(row)
    ['benchmark', 'pairs', 'missing', 'plain']
    ['mini', '3', '0', '1.000 [1.00, 1.00]']
    ['mean', '', '', '1.000']
    """

    names: tuple[str, ...]
    settings: tuple[Setting, ...]
    n_found: Any
    n_missing: Any
    scores: Floats
    intervals: Floats
    gains: Floats
    unknown: tuple[str, ...]
    n_bare: int

    @property
    def better(self) -> Bools:
        """Where a setting is significantly better than the baseline (difference interval above 0), shape (b, s)."""
        return np.asarray(self.gains[..., 0] > 0)

    @property
    def worse(self) -> Bools:
        """Where a setting is significantly worse than the baseline (difference interval below 0), shape (b, s)."""
        return np.asarray(self.gains[..., 1] < 0)

    @property
    def means(self) -> Floats:
        """Mean score of each setting over the benchmarks that have one, shape (s,); NaN if none has."""
        known = np.isfinite(self.scores)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(known, self.scores, 0.0).sum(axis=0) / known.sum(axis=0))

    def rows(self) -> list[list[str]]:
        """Return the table as rows of text; + and − mark significant differences from the baseline."""
        head = ["benchmark", "pairs", "missing", *(setting.name for setting in self.settings)]
        body = [
            [name, str(self.n_found[k]), str(self.n_missing[k]), *(self._cell(k, s) for s in range(len(self.settings)))]
            for k, name in enumerate(self.names)
        ]
        return [head, *body, ["mean", "", "", *("–" if np.isnan(mean) else f"{mean:.3f}" for mean in self.means)]]

    def _repr_html_(self) -> str:
        head, *body = self.rows()
        return table("Spearman correlation with human ratings; + and − differ significantly from the first", head, body)

    def _cell(self, k: int, s: int) -> str:
        if np.isnan(self.scores[k, s]):
            return "–"
        mark = "+" if self.better[k, s] else "−" if self.worse[k, s] else ""
        low, high = self.intervals[k, s]
        return f"{self.scores[k, s]:.3f}{mark} [{low:.2f}, {high:.2f}]"


def evaluate(
    vectors: Any,
    corpus: Any,
    benchmarks: Any,
    windows: Sequence[int] = (5,),
    lams: Sequence[float] = (0.1, 0.5, 1.0),
    transform: WordTransform | None = None,
    n_boot: int = 1000,
    rng: int = 0,
    engine: Engine | None = None,
) -> Evaluation:
    """Compute the paper's evaluation table: Spearman correlations with human ratings, for each window and λ.

    Parameters
    ----------
    vectors : WordVectors, path, dict, or gensim's KeyedVectors
        As for `WordTransform`.
    corpus : path, Corpus, or iterable of str or of lists of words
        As for `Corpus.read`; read once for all windows.
    benchmarks : folder, file, Benchmark or list of Benchmark
        The human ratings.
    windows : sequence of int, default (5,)
        Window sizes, in words.
    lams : sequence of float, default (0.1, 0.5, 1.0)
        Values of λ, combined with each window. λ = 0, the plain vectors, is always the first column.
    transform : WordTransform, optional
        Supplies all other parameters; its vectors, window and λ are ignored. None means the paper's parameters.
    n_boot : int, default 1000
        Number of bootstrap resamples of the pairs, for the confidence intervals.
    rng : int, default 0
        Seed of the resamples.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`. `n_jobs` and `verbose` of `transform`
        take precedence.

    Returns
    -------
    Evaluation

    Notes
    -----
    Time: one pass over the corpus and one covariance distance per pair for each window; further values of λ are free.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import ratings
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, 0.0], "ran": [0.0, 1.0], "sat": [0.5, 1.0]}
    >>> people = ratings.Benchmark("mini", (("cat", "dog"), ("cat", "sat"), ("dog", "ran")), [9.0, 3.0, 1.0])
    >>> paper = wt.words.WordTransform(vectors, min_count=1, sample=0)
    >>> table = ratings.evaluate(vectors, ["cat sat", "dog ran"], [people], lams=[0.5], transform=paper, n_boot=10)
    >>> [setting.name for setting in table.settings], table.scores
    (['plain', 'W=5 λ=0.5'], array([[1., 1.]]))
    """
    sets = as_benchmarks(benchmarks)
    check.count(n_boot, "n_boot", 1)
    seed = check.count(rng, "rng", 0)
    lams = [check.lam(lam) for lam in dict.fromkeys(_listed(lams, "lams")) if lam != 0]
    windows = [check.count(window, "window", 1) for window in dict.fromkeys(_listed(windows, "windows"))]
    if transform is not None and not isinstance(transform, WordTransform):
        raise ValueError(f"transform must be a WordTransform, got {transform!r}")
    if not windows:
        raise ValueError("windows must hold at least one window, got none; [5] is a usual choice")
    known = as_vectors(vectors)
    parts = (transform or WordTransform(known)).get_params(deep=False)
    settings = (PLAIN, *(Setting(window, lam) for window in windows for lam in lams))
    columns: list[Floats] = []
    requested = current(engine, n_jobs=parts["n_jobs"], verbose=parts["verbose"])
    parts |= {"vectors": known, "n_jobs": None, "verbose": False}  # the engine already has n_jobs and verbose
    with requested.watched() as engine, using(engine):
        text = Corpus.read(corpus, parts["tokens"] or letters(known.are_lower))
        for window in windows:
            fitted = WordTransform(**{**parts, "window": window}).fit(text)
            squares, gaps = gaps_of(known, sets, fitted.gaps)
            columns += [] if columns else [squares]
            columns += [squares + lam * gaps for lam in lams]
    ends = np.unique(np.concatenate([one.rows(fitted.vectors_).ravel() for one in sets]))
    n_bare = int(np.count_nonzero(fitted.contexts_.totals()[ends[ends >= 0]] == 0))
    return judge(sets, settings, -np.array(columns), unknown_words(sets, known), n_bare, n_boot, seed)


def compare(benchmarks: Any, candidates: Mapping[str, Any], n_boot: int = 1000, rng: int = 0) -> Evaluation:
    """Score several sets of word vectors, adapted or not, against human similarity ratings.

    Parameters
    ----------
    benchmarks : folder, file, Benchmark or list of Benchmark
        The human ratings.
    candidates : mapping of str to vectors or WordTransform
        The columns of the table, by name. Fitted WordTransforms are compared by their distances; vectors, in any form
        that `WordTransform` takes, by the cosine of the angle. The first candidate is the baseline. Pairs that any
        candidate lacks a vector for are excluded for all of them.
    n_boot : int, default 1000
        Number of bootstrap resamples of the pairs, for the confidence intervals.
    rng : int, default 0
        Seed of the resamples.

    Returns
    -------
    Evaluation
        Spearman correlations with the ratings: a row for each benchmark, a column for each candidate.

    Notes
    -----
    Time is one distance per pair and candidate, plus O(n_boot · n) per candidate and benchmark of n pairs.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import ratings
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, 0.0], "ran": [0.0, 1.0], "sat": [0.5, 1.0]}
    >>> pairs = (("cat", "dog"), ("cat", "sat"), ("dog", "ran"))
    >>> people = ratings.Benchmark("people", pairs, [9.0, 3.0, 1.0])
    >>> ratings.compare([people], {"plain": vectors, "adapted": wt.words.adapt(vectors)}).scores
    array([[1., 1.]])
    """
    sets = as_benchmarks(benchmarks)
    if not isinstance(candidates, Mapping) or not candidates:
        raise ValueError(f"candidates must be a dict of vectors or transforms by name, got {candidates!r}")
    check.count(n_boot, "n_boot", 1)
    known = {name: _known(one) for name, one in candidates.items()}
    predictions = np.array([_similarities(one, sets) for one in known.values()])
    first = next(iter(known.values()))
    unknown = unknown_words(sets, first.vectors_ if isinstance(first, WordTransform) else first)
    settings = tuple(Setting(0, 0.0, str(name)) for name in known)
    return judge(sets, settings, predictions, unknown, 0, n_boot, check.count(rng, "rng", 0))


def _listed(values: Any, name: str) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a list, got {values!r}; write [{values!r}]")
    return list(values)


def gaps_of(
    vectors: WordVectors, sets: Sequence[Benchmark], measure: Callable[[Ints], tuple[Floats, Floats]]
) -> tuple[Floats, Floats]:
    """Return ‖w₁ − w₂‖² and dcov², by `measure`, of all pairs of all benchmarks; NaN where a word has no vector."""
    ends = np.concatenate([one.rows(vectors) for one in sets])
    known = (ends >= 0).all(axis=1)
    if not known.any():
        words = ", ".join(word for pair in sets[0].pairs[:2] for word in pair)
        raise ValueError(
            f"no pair of the {len(sets)} benchmarks has vectors for both words, such as {words}; check that vectors "
            "and benchmarks share language and case"
        )
    squares, gaps = np.full(len(ends), np.nan), np.full(len(ends), np.nan)
    squares[known], gaps[known] = measure(ends[known])
    return squares, gaps


def unknown_words(sets: Sequence[Benchmark], vectors: WordVectors) -> tuple[str, ...]:
    """Return the words of the benchmarks that have no vector, without repetition."""
    ends = np.concatenate([one.rows(vectors).ravel() for one in sets])
    words = (word for one in sets for pair in one.pairs for word in pair)
    return tuple(dict.fromkeys(word for word, row in zip(words, ends, strict=True) if row < 0))


def judge(
    sets: Sequence[Benchmark],
    settings: tuple[Setting, ...],
    predictions: Floats,
    unknown: tuple[str, ...],
    n_bare: int,
    n_boot: int,
    seed: int,
) -> Evaluation:
    """Score similarities, one row of predictions per setting; a pair that is NaN in any row is excluded from all."""
    shape = len(sets), len(settings)
    scores, intervals, gains = np.full(shape, np.nan), np.full((*shape, 2), np.nan), np.full((*shape, 2), np.nan)
    n_found = np.zeros(len(sets), np.intp)
    tails = [50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE)]
    at = 0
    for k, one in enumerate(sets):
        part = predictions[:, at : at + len(one)]
        at += len(one)
        result = np.isfinite(part).all(axis=0)
        n_found[k] = result.sum()
        if n_found[k] < 3:
            continue
        scores[k] = [spearman(one.scores[result], row) for row in part[:, result]]
        drawn = resampled(one.scores[result], part[:, result], n_boot, np.random.default_rng([seed, k]))
        if np.isfinite(scores[k]).all():
            intervals[k] = np.nanpercentile(drawn, tails, axis=0).T
            gains[k] = np.nanpercentile(drawn - drawn[:, :1], tails, axis=0).T
    sizes = np.array([len(one) for one in sets])
    names = tuple(one.name for one in sets)
    return Evaluation(names, settings, n_found, sizes - n_found, scores, intervals, gains, unknown, n_bare)


def _known(candidate: Any) -> WordTransform | WordVectors:
    return candidate if isinstance(candidate, WordTransform) else as_vectors(candidate)


def _similarities(candidate: WordTransform | WordVectors, sets: Sequence[Benchmark]) -> Floats:
    """Return the similarities of all pairs of all benchmarks, in order; NaN where a word has no vector."""
    vectors = candidate.vectors_ if isinstance(candidate, WordTransform) else candidate
    ends = np.concatenate([one.rows(vectors) for one in sets])
    known, out = (ends >= 0).all(axis=1), np.full(len(ends), np.nan)
    if isinstance(candidate, WordTransform):
        out[known] = -candidate.between(ends[known])
    else:
        unit = vectors.unit.astype(np.float64)
        out[known] = np.einsum("ij,ij->i", unit[ends[known, 0]], unit[ends[known, 1]])
    return out
