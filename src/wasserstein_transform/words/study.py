"""Which setting is best, judged out of sample: chosen on one half of the pairs, scored on the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .. import _check as check
from .._types import Bools, Floats, Ints
from .benchmarks import Benchmark
from .spearman import resampled, spearman

_FEWEST = 6  # pairs: three a half


@dataclass(frozen=True, eq=False)
class Study:
    """Scores on halves of the pairs that had no say in the choice.

    Attributes
    ----------
    names : tuple of str
        Of the benchmarks.
    baseline : str
        The setting that the chosen ones are compared with.
    chosen : tuple of str
        The setting chosen in each split.
    plain, best : arrays of shape (splits, benchmarks)
        Scores of the baseline and of the chosen setting on the other half.
    gains : array of shape (splits, resamples, benchmarks)
        Their differences over resamples of the other half.
    """

    names: tuple[str, ...]
    baseline: str
    chosen: tuple[str, ...]
    plain: Floats
    best: Floats
    gains: Floats

    @property
    def favorites(self) -> list[tuple[str, int]]:
        """How often each setting was chosen."""
        return Counter(self.chosen).most_common()

    @property
    def gain(self) -> Floats:
        """The mean difference for each benchmark."""
        return np.asarray((self.best - self.plain).mean(axis=0))

    @property
    def intervals(self) -> Floats:
        """95 % intervals of the difference, over splits and resamples, for each benchmark, then for their mean."""
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
    """Choose the setting with the best mean score on one half of each benchmark's pairs, and score it on the other.

    Parameters
    ----------
    benchmarks : sequence of Benchmark
        Those with fewer than six known pairs are left out.
    predictions : mapping
        For each setting, the similarities of all pairs of all benchmarks, one after the other; NaN where unknown.
    baseline : str
        One of the settings.
    n_splits : int
        Halves are drawn anew so many times.
    n_boot : int
        Resamples of each second half.
    """
    if baseline not in predictions:
        raise ValueError(f"the baseline must be one of the settings, got {baseline!r}")
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
    """Pairs that all settings know, of benchmarks that have enough: similarities, scores, borders and names."""
    kept, at = [], 0
    for one in benchmarks:
        found = np.flatnonzero(np.isfinite(table[:, at : at + len(one)]).all(axis=0))
        kept.append((one.name, at + found, one.scores[found]))
        at += len(one)
    kept = [entry for entry in kept if len(entry[1]) >= _FEWEST]
    if not kept:
        raise ValueError(f"no benchmark has {_FEWEST} known pairs, which a study needs")
    names, pairs, scores = zip(*kept, strict=True)
    borders = np.append(0, np.cumsum([len(part) for part in pairs]))
    return table[:, np.concatenate(pairs)], np.concatenate(scores), borders, names


def _halves(borders: Ints, rng: np.random.Generator) -> Bools:
    """Half of the pairs of each benchmark."""
    first = np.zeros(borders[-1], np.bool_)
    for start, stop in pairwise(borders):
        first[start + rng.permutation(stop - start)[: (stop - start) // 2]] = True
    return first


def _table(scores: Floats, table: Floats, borders: Ints, chosen: Bools) -> Floats:
    """Scores of all settings on the chosen pairs, a column for each benchmark."""
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
