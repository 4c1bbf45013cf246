"""Agreement of two clusterings of the same points."""

from __future__ import annotations

import numpy as np

from .._types import Ints
from .clustering.criteria import adjusted_rand as each_with_each


def adjusted_rand(a: Ints, b: Ints) -> float:
    """Return the adjusted Rand index: 1 for the same clusters, about 0 for unrelated ones."""
    numbers = [np.unique(labels, return_inverse=True)[1] for labels in (a, b)]
    return float(each_with_each(numbers, np.ones(len(a)))[0, 1])
