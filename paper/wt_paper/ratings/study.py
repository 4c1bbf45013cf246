"""Choose the best setting and judge it out of sample: chosen on one half of the pairs, scored on the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wasserstein_transform import _check as check
from wasserstein_transform._types import Bools, Floats, Ints

from .benchmarks import Benchmark, resampled, spearman

MIN_PAIRS = 6  # pairs: three in each half


@dataclass(frozen=True, eq=False)
class Study:
    """Out-of-sample scores: each split chooses a setting on one half of the pairs and scores it on the other half.

    `study` returns it. Shapes below are in s splits, r resamples and b benchmarks.

    Attributes
    ----------
    names : tuple of str, length b
        Names of the benchmarks.
    baseline : str
        The setting that the chosen ones are compared with.
    chosen : tuple of str, length s
        The setting chosen in each split.
    plain, best : arrays of shape (s, b)
        Spearman correlations of the baseline and of the chosen setting on the second half.
    gains : array of shape (s, r, b)
        Differences best − plain over bootstrap resamples of the second half.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import ratings
    >>> people = ratings.Benchmark("mini", tuple(("a", str(k)) for k in range(8)), np.arange(8.0))
    >>> result = ratings.study([people], {"plain": np.arange(8.0) % 3, "new": np.arange(8.0)}, "plain", n_boot=10)
    >>> result.favorites
    [('new', 20)]
    >>> result.best.mean(), bool(result.gain[0] > 0)
    (np.float64(1.0), True)
    """

    names: tuple[str, ...]
    baseline: str
    chosen: tuple[str, ...]
    plain: Floats
    best: Floats
    gains: Floats

    @property
    def favorites(self) -> list[tuple[str, int]]:
        """Pairs (setting, how often it was chosen), most frequent first."""
        return Counter(self.chosen).most_common()

    @property
    def gain(self) -> Floats:
        """Mean difference best − plain for each benchmark, shape (b,)."""
        return np.asarray((self.best - self.plain).mean(axis=0))

    @property
    def intervals(self) -> Floats:
        """95 % intervals of the difference over splits and resamples, shape (b + 1, 2); the last is for the mean."""
        flat = self.gains.reshape(-1, len(self.names))
        both = np.concatenate([flat, np.nanmean(flat, axis=1, keepdims=True)], axis=1)
        return np.asarray(np.nanpercentile(both, [2.5, 97.5], axis=0).T)


def study(
    benchmarks: Sequence[Benchmark],
    predictions: Mapping[str, Floats],
    baseline: str,
    n_splits: int = 20,
    n_boot: int = 200,
    rng: int = 0,
) -> Study:
    """Choose the setting with the best mean score on half of each benchmark's pairs, and score it on the other half.

    Parameters
    ----------
    benchmarks : sequence of Benchmark
        The human ratings. Benchmarks with fewer than six pairs known to all settings are left out.
    predictions : mapping of str to array of shape (n,)
        For each setting, the similarities of the n pairs of all benchmarks, in order; NaN where unknown.
    baseline : str
        The setting to compare with, one of the keys of `predictions`.
    n_splits : int, default 20
        Number of random splits into halves.
    n_boot : int, default 200
        Number of bootstrap resamples of each second half.
    rng : int, default 0
        Seed of splits and resamples.

    Returns
    -------
    Study

    Notes
    -----
    Time O(n_splits · n · (n_settings · log n + n_boot)).

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import ratings
    >>> people = ratings.Benchmark("mini", tuple(("a", str(k)) for k in range(8)), np.arange(8.0))
    >>> settings = {"plain": np.arange(8.0) % 3, "new": np.arange(8.0)}
    >>> ratings.study([people], settings, baseline="plain", n_splits=5, n_boot=10).chosen
    ('new', 'new', 'new', 'new', 'new')
    """
    if baseline not in predictions:
        raise ValueError(
            f"the baseline must be one of the settings, got {baseline!r}; settings are {list(predictions)}"
        )
    n_splits, n_boot = check.count(n_splits, "n_splits", 1), check.count(n_boot, "n_boot", 1)
    settings, n = list(predictions), sum(len(one) for one in benchmarks)
    for name, values in predictions.items():
        if np.shape(values) != (n,):
            raise ValueError(
                f"predictions must hold a number for each of the {n} pairs of all benchmarks, got shape "
                f"{np.shape(values)} for {name!r}"
            )
    table, scores, borders, names = _known(benchmarks, np.array([predictions[name] for name in settings]))
    chosen, plain, best, gains = [], [], [], []
    for split in range(n_splits):
        generator = np.random.default_rng([rng, split])
        first = _halves(borders, generator)
        train = np.nanmean(_table(scores, table, borders, first), axis=1)
        pick, base = int(np.nanargmax(train)), settings.index(baseline)
        two = table[[base, pick]]
        second = ~first
        test = _table(scores, two, borders, second)
        chosen.append(settings[pick])
        plain.append(test[0])
        best.append(test[1])
        gains.append(_resampled_gains(scores, two, borders, second, n_boot, generator))
    return Study(names, baseline, tuple(chosen), np.array(plain), np.array(best), np.array(gains))


def _known(benchmarks: Sequence[Benchmark], table: Floats) -> tuple[Floats, Floats, Ints, tuple[str, ...]]:
    """Keep the pairs that all settings know, of benchmarks with enough: similarities, scores, borders and names."""
    kept, at = [], 0
    for one in benchmarks:
        result = np.flatnonzero(np.isfinite(table[:, at : at + len(one)]).all(axis=0))
        kept.append((one.name, at + result, one.scores[result]))
        at += len(one)
    kept = [entry for entry in kept if len(entry[1]) >= MIN_PAIRS]
    if not kept:
        raise ValueError(
            f"a study needs a benchmark with at least {MIN_PAIRS} known pairs, got none; give more vectors"
        )
    names, pairs, scores = zip(*kept, strict=True)
    borders = np.append(0, np.cumsum([len(part) for part in pairs]))
    return table[:, np.concatenate(pairs)], np.concatenate(scores), borders, names


def _halves(borders: Ints, rng: np.random.Generator) -> Bools:
    """Draw half of the pairs of each benchmark."""
    first = np.zeros(borders[-1], np.bool_)
    for start, stop in pairwise(borders):
        first[start + rng.permutation(stop - start)[: (stop - start) // 2]] = True
    return first


def _table(scores: Floats, table: Floats, borders: Ints, chosen: Bools) -> Floats:
    """Return the scores of all settings on the chosen pairs, with a column for each benchmark."""
    out = np.empty((len(table), len(borders) - 1))
    for k, (start, stop) in enumerate(pairwise(borders)):
        part = start + np.flatnonzero(chosen[start:stop])
        out[:, k] = [spearman(scores[part], row[part]) for row in table]
    return out


def _resampled_gains(
    scores: Floats, two: Floats, borders: Ints, chosen: Bools, n_boot: int, rng: np.random.Generator
) -> Floats:
    columns = []
    for start, stop in pairwise(borders):
        part = start + np.flatnonzero(chosen[start:stop])
        drawn = resampled(scores[part], two[:, part], n_boot, rng)
        columns.append(drawn[:, 1] - drawn[:, 0])
    return np.stack(columns, axis=1)
