"""Spearman's rank correlation and its bootstrap."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from .._types import Floats, Ints

_ROOM = 1 << 22  # numbers in a block of resamples


def spearman(x: Floats, y: Floats) -> float:
    """Return Spearman's rank correlation; NaN for fewer than three pairs, or if one side is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from wasserstein_transform.words.spearman import spearman
    >>> round(spearman(np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.1, 5.0, 7.0, 9.0])), 9)
    0.948683298
    """
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(spearmanr(x, y).statistic)


def resampled(scores: Floats, predictions: Floats, n_boot: int, rng: np.random.Generator) -> Floats:
    """Bootstrap the correlation of scores with each row of predictions; resamples are the same for all rows.

    Returns
    -------
    array of shape (n_boot, n predictions)
        Ranks are recomputed in each resample: a pair drawn k times counts as k equal pairs.
    """
    n = len(scores)
    out = np.full((n_boot, len(predictions)), np.nan)
    if n < 3:
        return out
    sides = [_levels(values) for values in (scores, *predictions)]
    piece = max(1, _ROOM // n)
    for start in range(0, n_boot, piece):
        size = min(piece, n_boot - start)
        times = rng.multinomial(n, np.full(n, 1.0 / n), size=size).astype(np.float64)
        ranks = _ranks(times, *sides[0])
        for k, side in enumerate(sides[1:]):
            out[start : start + size, k] = _correlation(ranks, _ranks(times, *side), times)
    return out


def _levels(values: Floats) -> tuple[Ints, Ints, Ints]:
    """Return an order that sorts the values, where in it each group of equal values begins, and each value's group."""
    _, level = np.unique(values, return_inverse=True)
    order = np.argsort(level, kind="stable")
    starts = np.searchsorted(level[order], np.arange(level.max() + 1))
    return order, starts, level


def _ranks(times: Floats, order: Ints, starts: Ints, level: Ints) -> Floats:
    """Return mean ranks when each value occurs `times` times: a cumulative sum in the order of the values."""
    sizes = np.add.reduceat(times[:, order], starts, axis=1)
    middles = np.cumsum(sizes, axis=1) - (sizes - 1.0) / 2.0
    return np.asarray(middles[:, level])


def _correlation(x: Floats, y: Floats, weights: Floats) -> Floats:
    n = weights.sum(axis=1, keepdims=True)
    x = x - (weights * x).sum(axis=1, keepdims=True) / n
    y = y - (weights * y).sum(axis=1, keepdims=True) / n
    wx = weights * x
    both = (wx * y).sum(axis=1)
    sizes = (wx * x).sum(axis=1) * (weights * y * y).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sizes > 0, both / np.sqrt(sizes), np.nan)
