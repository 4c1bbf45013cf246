"""Scale columns with different units to a common scale, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._types import Floats
from .options import check_how

_UNEQUAL = 1000.0  # ratio of spreads from which on there is a note


@dataclass(frozen=True)
class Scaling:
    """x ↦ (x − center) / length, for each column.

    "standard": mean and standard deviation; "robust": median and interquartile range; "range": minimum and range. The
    length of a constant column is 1.
    """

    how: str
    center: Floats
    length: Floats

    @classmethod
    def of(cls, how: str, X: Floats) -> Self:
        """The scaling with this name for the columns of X."""
        center, length = _HOW[check_how(how)](X)
        return cls(how, center, np.where(length > 0, length, 1.0))

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

    def facts(self, names: tuple[str, ...]) -> Any:
        """Facts for the summary."""
        if not self.changes:
            return "none"
        rows = zip(names, self.center.tolist(), self.length.tolist(), strict=True)
        return {"how": self.how} | {name: {"center": center, "length": length} for name, center, length in rows}


def uneven(X: Floats, names: tuple[str, ...]) -> str | None:
    """A note if the spreads of two columns differ by a factor of more than a thousand, else None."""
    spreads = _measured(X, np.std)
    wide, narrow = int(spreads.argmax()), int(np.where(spreads > 0, spreads, np.inf).argmin())
    if not spreads[wide] > _UNEQUAL * spreads[narrow] > 0:
        return None
    times = f"{spreads[wide] / spreads[narrow]:,.0f}"
    return (
        f"column {names[wide]} spreads {times} times as far as column {names[narrow]}, so distances are those of "
        f"{names[wide]} alone; if their units differ, --scale standard gives all columns the same weight"
    )


def _standard(X: Floats) -> tuple[Floats, Floats]:
    return _measured(X, np.mean), _measured(X, np.std)


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


_HOW = {"none": _none, "standard": _standard, "robust": _robust, "range": _range}
