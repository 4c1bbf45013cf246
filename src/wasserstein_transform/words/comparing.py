"""Several sets of vectors beside each other: how well the similarities of each agree with people."""

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
    """A table of vectors, adapted or not: Spearman correlations with people, a column for each.

    Parameters
    ----------
    benchmarks : folder, file or list of Benchmark
    candidates : mapping
        By name: fitted WordTransforms, compared by their distances; or vectors, as for `WordTransform`, compared by
        angle. The first is what the others are held against. Pairs that one of them does not know count for none.
    n_boot : int
        Resamples of the pairs, for the intervals.
    rng : int
        Seed of the resamples.

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
    """Of all pairs of all benchmarks, one after the other; NaN where a word has no vector."""
    vectors = candidate.vectors_ if isinstance(candidate, WordTransform) else candidate
    ends = np.concatenate([one.rows(vectors) for one in sets])
    known, out = (ends >= 0).all(axis=1), np.full(len(ends), np.nan)
    if isinstance(candidate, WordTransform):
        out[known] = -candidate.between(ends[known])
    else:
        unit = vectors.unit.astype(np.float64)
        out[known] = np.einsum("ij,ij->i", unit[ends[known, 0]], unit[ends[known, 1]])
    return out
