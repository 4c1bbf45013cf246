"""How far two clusterings of the same points agree."""

from __future__ import annotations

from sklearn.metrics import adjusted_rand_score

from .._types import Ints


def adjusted_rand(a: Ints, b: Ints) -> float:
    """The adjusted Rand index: 1 for the same clusters, about 0 for unrelated ones."""
    return float(adjusted_rand_score(a, b))
