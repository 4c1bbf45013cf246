"""The paper's evaluation table: agreement of word distances with human ratings, for plain vectors and for GT."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from wasserstein_transform._types import Bools, Floats, Ints

from ..words import Corpus, Definition, WordVectors, count_contexts
from .benchmarks import Benchmark, resampled, spearman

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

    Examples
    --------
    >>> from wt_paper import ratings, words
    >>> vectors = words.WordVectors.of(["cat", "dog", "ran", "sat"], [[1.0, 0.1], [1.0, 0.0], [0.0, 1.0], [0.5, 1.0]])
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

    def _cell(self, k: int, s: int) -> str:
        if np.isnan(self.scores[k, s]):
            return "–"
        mark = "+" if self.better[k, s] else "−" if self.worse[k, s] else ""
        low, high = self.intervals[k, s]
        return f"{self.scores[k, s]:.3f}{mark} [{low:.2f}, {high:.2f}]"


def evaluate(
    vectors: WordVectors,
    corpus: Corpus,
    sets: Sequence[Benchmark],
    windows: Sequence[int] = (5,),
    lams: Sequence[float] = (0.1, 0.5, 1.0),
    min_count: int = 5,
    sample: float = 1e-4,
    n_boot: int = 1000,
) -> Evaluation:
    """Compute the paper's evaluation table: Spearman correlations with human ratings, for each window and λ.

    Parameters
    ----------
    vectors : WordVectors
        The vectors.
    corpus : Corpus
        The text.
    sets : sequence of Benchmark
        The human ratings.
    windows : sequence of int, default (5,)
        Window sizes, in words.
    lams : sequence of float, default (0.1, 0.5, 1.0)
        Values of λ, combined with each window. λ = 0, the plain vectors, is always the first column.
    min_count, sample
        As for `count_contexts`.
    n_boot : int, default 1000
        Number of bootstrap resamples of the pairs, for the confidence intervals.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> from wt_paper import ratings, words
    >>> vectors = words.WordVectors.of(["cat", "dog", "ran", "sat"], [[1.0, 0.1], [1.0, 0.0], [0.0, 1.0], [0.5, 1.0]])
    >>> people = ratings.Benchmark("mini", (("cat", "dog"), ("cat", "sat"), ("dog", "ran")), [9.0, 3.0, 1.0])
    >>> corpus = words.read_corpus(["cat sat", "dog ran"])
    >>> table = ratings.evaluate(vectors, corpus, [people], lams=[0.5], min_count=1, sample=0, n_boot=10)
    >>> [setting.name for setting in table.settings], table.scores
    (['plain', 'W=5 λ=0.5'], array([[1., 1.]]))
    """
    columns: list[Floats] = []
    for window in windows:
        contexts = count_contexts(corpus, vectors, window, min_count, sample)
        squares, gaps = gaps_of(vectors, sets, partial(Definition().gaps, vectors, contexts))
        columns += [] if columns else [squares]
        columns += [squares + lam * gaps for lam in lams]
    settings = (PLAIN, *(Setting(window, lam) for window in windows for lam in lams))
    return judge(sets, settings, -np.array(columns), n_boot)


def compare(sets: Sequence[Benchmark], candidates: Mapping[str, WordVectors], n_boot: int = 1000) -> Evaluation:
    """Score several sets of word vectors, adapted or not, against human similarity ratings.

    Parameters
    ----------
    sets : sequence of Benchmark
        The human ratings.
    candidates : mapping of str to WordVectors
        The columns of the table, by name, compared by the cosine of the angle. The first is the baseline. Pairs that
        any candidate lacks a vector for are excluded for all of them.
    n_boot : int, default 1000
        Number of bootstrap resamples of the pairs, for the confidence intervals.

    Returns
    -------
    Evaluation
        Spearman correlations with the ratings: a row for each benchmark, a column for each candidate.
    """
    def of_one(vectors: WordVectors) -> Floats:
        return gaps_of(vectors, sets, lambda ends: (vectors.squares(ends),) * 2)[0]

    columns = [-of_one(vectors) for vectors in candidates.values()]
    return judge(sets, tuple(Setting(0, 0.0, name) for name in candidates), np.array(columns), n_boot)


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


def judge(sets: Sequence[Benchmark], settings: tuple[Setting, ...], predictions: Floats, n_boot: int) -> Evaluation:
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
        drawn = resampled(one.scores[result], part[:, result], n_boot, np.random.default_rng([0, k]))
        if np.isfinite(scores[k]).all():
            intervals[k] = np.nanpercentile(drawn, tails, axis=0).T
            gains[k] = np.nanpercentile(drawn - drawn[:, :1], tails, axis=0).T
    sizes = np.array([len(one) for one in sets])
    names = tuple(one.name for one in sets)
    return Evaluation(names, settings, n_found, sizes - n_found, scores, intervals, gains)
