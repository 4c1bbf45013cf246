"""The score of labels on a set: the best adjusted Rand index over the references; what is noise there is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.metrics import adjusted_rand_score

Labels = NDArray[np.intp]
NOISE = -1  # of a prediction; 0 is that of a reference


@dataclass(frozen=True)
class Score:
    """Predicted noise filled, that is given to the nearest clustered point, and as a class of its own."""

    filled: float
    own: float


def rand(reference: Labels, labels: Labels) -> float:
    """The adjusted Rand index over points that are not noise in the reference."""
    kept = reference > 0
    return float(adjusted_rand_score(reference[kept], labels[kept]))


def fill(X: NDArray[np.float64], labels: Labels) -> Labels:
    """Noise gets the label of the nearest point that has one; all noise is one cluster."""
    clustered = labels != NOISE
    if clustered.all():
        return labels
    if not clustered.any():
        return np.zeros_like(labels)
    filled = labels.copy()
    nearest = cKDTree(X[clustered]).query(X[~clustered])[1]
    filled[~clustered] = labels[clustered][nearest]
    return filled


def score(X: NDArray[np.float64], references: Sequence[Labels], predictions: Sequence[Labels]) -> Score:
    """The best over references; each has a prediction, which may have been told its number of clusters."""
    pairs = list(zip(references, predictions, strict=True))
    return Score(
        filled=max(rand(reference, fill(X, labels)) for reference, labels in pairs),
        own=max(rand(reference, labels) for reference, labels in pairs),
    )
