"""Bring columns of different units to one scale, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._archive import archived, check_array, check_type
from .._types import Bools, Floats

_FAR = 30.0  # interquartile ranges from the median: values beyond, if they are few, do not tell the scale of a column
_FEW = 0.01  # fraction of the values


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
    def of(cls, how: str, X: Floats) -> Self:
        """The scaling with this name for the columns of X."""
        center, length = _HOW[how](X)
        return cls(how, center, np.where(length > 0, length, 1.0))

    def _check_archived(self) -> None:
        check_type(self.how, "how", str)
        check_array(self.center, "center", "f", None)
        check_array(self.length, "length", "f", len(self.center))

    @property
    def changes(self) -> bool:
        """Whether anything is scaled."""
        return self.how != "none"

    def scaled(self, X: Floats) -> Floats:
        """Convert to the units of the scaling."""
        return np.asarray((X - self.center) / self.length) if self.changes else X

    def back(self, X: Floats) -> Floats:
        """Convert to the units of the file."""
        return np.asarray(X * self.length + self.center) if self.changes else X


def _standard(X: Floats) -> tuple[Floats, Floats]:
    return _measured(X, np.mean), _measured(X, np.std)


def _typical(X: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the values, in columns with a few absurd ones without these."""
    center, length = _standard(X)
    for k in np.flatnonzero(absurd(X).any(axis=0)):
        center[k], length[k] = (part[0] for part in _standard(X[~absurd(X[:, [k]])[:, 0], k : k + 1]))
    return center, length


def absurd(X: Floats) -> Bools:
    """Whether values are far beyond nearly all others of their column, such as 999999 among ages."""
    low, middle, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
    far = np.abs(X / 2 - middle / 2) > _FAR / 2 * (high - low)
    return np.asarray(far & (high > low) & (far.sum(axis=0) <= max(1, int(_FEW * len(X)))))


def _measured(X: Floats, measure: Any) -> Floats:
    """A statistic of each column, computed relative to the largest value so that squares do not overflow."""
    largest = np.abs(X).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    return np.asarray(measure(X / unit, axis=0) * unit)


def _robust(X: Floats) -> tuple[Floats, Floats]:
    low, middle, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
    return middle, np.where(
        high > low, high - low, _measured(X, np.std)
    )  # the quartiles are equal if half of the values are


def _range(X: Floats) -> tuple[Floats, Floats]:
    return X.min(axis=0), np.ptp(X, axis=0)


def _none(X: Floats) -> tuple[Floats, Floats]:
    return np.zeros(X.shape[1]), np.ones(X.shape[1])


_HOW = {"auto": _typical, "none": _none, "standard": _standard, "robust": _robust, "range": _range}
