"""Bring columns of different units to one scale, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from .._archive import archived, check_array, check_type
from .._types import Bools, Floats

# interquartile ranges from the median: values beyond, if they are few, do not tell the scale of a column
MIN_ABSURD_DISTANCE = 30.0
MAX_ABSURD_SHARE = 0.01  # fraction of the mass
WEIGHT_ROUNDING = 1e-12  # of sums of weights


@archived
@dataclass(frozen=True)
class Scaling:
    """x ↦ (x − center) / length, for each column.

    "standard": mean and standard deviation; "robust": median and interquartile range; "range": minimum and range;
    "auto": mean and standard deviation without a few absurd values. The length of a constant column is 1.
    """

    how: str
    center: Floats
    length: Floats

    @classmethod
    def of(cls, how: str, X: Floats, weights: Floats | None = None) -> Self:
        """The scaling with this name for the columns of X; weight k is the same as k copies of a row."""
        m = X.shape[1]
        center, length = (np.zeros(m), np.ones(m)) if how == "none" else _METHODS[how](X, weights)
        return cls(how, center, np.where(length > 0, length, 1.0))

    def _check_archived(self) -> None:
        check_type(self.how, "how", str)
        check_array(self.center, "center", "f", None)
        check_array(self.length, "length", "f", len(self.center))

    def scaled(self, X: Floats) -> Floats:
        """Convert to the units of the scaling."""
        return np.asarray((X - self.center) / self.length)

    def back(self, X: Floats) -> Floats:
        """Convert to the units of the file."""
        return np.asarray(X * self.length + self.center)


def _standard(X: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Mean and standard deviation, computed relative to the largest value so that squares do not overflow."""
    largest = np.abs(X).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    mean = np.average(X / unit, 0, weights)
    return mean * unit, np.sqrt(np.average((X / unit - mean) ** 2, 0, weights)) * unit


def _standard_without_absurd(X: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the values, in columns with a few absurd ones without these."""
    center, length = _standard(X, weights)
    far = absurd(X, weights)
    for k in np.flatnonzero(far.any(axis=0)):
        usual = ~far[:, k]
        center[k], length[k] = np.ravel(_standard(X[usual, k : k + 1], None if weights is None else weights[usual]))
    return center, length


def absurd(X: Floats, weights: Floats | None = None) -> Bools:
    """Whether values are far beyond nearly all others of their column, such as 999999 among ages."""
    low, middle, high = quartiles(X, weights)
    far = (np.abs(X / 2 - middle / 2) > MIN_ABSURD_DISTANCE / 2 * (high - low)) & (high > low)
    masses = np.ones(len(X)) if weights is None else weights
    for k in np.flatnonzero(far.any(axis=0)):
        totals = np.bincount(np.unique(X[:, k], return_inverse=True)[1], masses)
        far[:, k] &= masses[far[:, k]].sum() <= (1 + 1e-9) * max(totals.min(), MAX_ABSURD_SHARE * masses.sum())
    return np.asarray(far)


def quartiles(X: Floats, weights: Floats | None = None) -> Floats:
    """The quartiles of the columns of X, shape (3, m)."""
    if weights is None:
        return np.asarray(np.quantile(X, (0.25, 0.5, 0.75), axis=0, method="averaged_inverted_cdf"))
    return np.stack([quantile(X, weights, share) for share in (0.25, 0.5, 0.75)])


def quantile(X: Floats, weights: Floats, share: float) -> Floats:
    """Where the distribution function of columns, shape (..., n, m), passes `share`; the middle, if it rests there.

    With masses of shape (..., n), it depends on neither copies nor the unit of the masses.
    """
    order = np.argsort(X, axis=-2)
    cumulative = np.cumsum(np.take_along_axis(weights[..., None], order, -2), axis=-2)
    cumulative /= cumulative[..., -1:, :]
    sides = [(cumulative < share + side).sum(axis=-2, keepdims=True) for side in (-WEIGHT_ROUNDING, WEIGHT_ROUNDING)]
    ends = [np.take_along_axis(X, np.take_along_axis(order, index, -2), -2)[..., 0, :] for index in sides]
    return np.asarray(np.mean(ends, axis=0))


def _robust(X: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    low, middle, high = quartiles(X, weights)
    return middle, np.where(high > low, high - low, _standard(X, weights)[1])  # equal if half of the values are


def _range(X: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    return X.min(axis=0), np.ptp(X, axis=0)


_METHODS = {"auto": _standard_without_absurd, "standard": _standard, "robust": _robust, "range": _range}
