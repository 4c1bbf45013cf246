"""Both sides of an inequality over many trials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Floats
from ..claims import Choice


@dataclass(frozen=True)
class Sides:
    """Left and right sides of an inequality in many trials."""

    left: Floats
    right: Floats

    @property
    def excess(self) -> float:
        """The largest left − right; negative if left is always smaller."""
        return float((self.left - self.right).max())

    @property
    def worst(self) -> float:
        """The largest left/right over trials with right > 0."""
        some = self.right > 0
        return float((self.left[some] / self.right[some]).max())

    @property
    def typical(self) -> float:
        """The median of left/right over trials with right > 0."""
        some = self.right > 0
        return float(np.median(self.left[some] / self.right[some]))

    def choice(self, name: str, rounding: float) -> Choice:
        """Whether left ≤ right up to rounding in all trials, with the worst ratio."""
        measured = f"{len(self.left)} trials: left/right at most {self.worst:.3g}, median {self.typical:.2g}"
        return Choice(name, self.excess <= rounding, measured)


def gather(parts: list[Sides]) -> Sides:
    """Concatenate the trials."""
    return Sides(np.concatenate([part.left for part in parts]), np.concatenate([part.right for part in parts]))


def agreement(name: str, errors: Floats, rounding: float) -> Choice:
    """The case that two quantities are equal up to rounding on all spaces."""
    return Choice(name, bool(errors.max() <= rounding), f"{len(errors)} spaces: at most {errors.max():.1e}")
