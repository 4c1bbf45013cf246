"""Paired differences over sets, with an interval by resampling the sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

_RESAMPLED = 10_000


@dataclass(frozen=True)
class Interval:
    """A mean difference and its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether the sign of the difference is beyond the choice of sets."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def paired_interval(scores: ArrayLike, others: ArrayLike, seed: int = 0) -> Interval:
    """The mean of scores − others, and percentiles of it over sets drawn with replacement."""
    difference = np.asarray(scores, float) - np.asarray(others, float)
    if difference.ndim != 1 or len(difference) == 0:
        raise ValueError(f"one score for each set is needed, got differences of shape {difference.shape}")
    drawn = np.random.default_rng(seed).integers(len(difference), size=(_RESAMPLED, len(difference)))
    low, high = np.quantile(difference[drawn].mean(axis=1), [0.025, 0.975])
    return Interval(float(difference.mean()), float(low), float(high))
