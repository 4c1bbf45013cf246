"""Compare several sets of vectors by how well their similarities agree with human ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _check as check
from .._types import Floats
from .benchmarks import Benchmark, as_benchmarks
from .evaluation import Evaluation, Setting, judge, unknown_words
from .reading import as_vectors
from .transform import WordTransform
from .vectors import WordVectors


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
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, 0.0], "ran": [0.0, 1.0], "sat": [0.5, 1.0]}
    >>> pairs = (("cat", "dog"), ("cat", "sat"), ("dog", "ran"))
    >>> people = wt.words.Benchmark("people", pairs, [9.0, 3.0, 1.0])
    >>> wt.words.compare([people], {"plain": vectors, "adapted": wt.words.adapt(vectors)}).scores
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
