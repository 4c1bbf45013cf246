"""Labels of clusters: how they are numbered, and how alike two of them are."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints


def number_by_first(labels: Ints) -> Ints:
    """Number clusters by their first points; −1 stays."""
    return _numbered(labels, _first_points(labels))


def number_by_mass(labels: Ints, mass: Floats) -> Ints:
    """Number clusters from the largest mass to the smallest, equal ones by their first points; −1 stays."""
    inside = labels >= 0
    masses = np.bincount(labels[inside], weights=mass[inside], minlength=1)
    return _numbered(labels, _first_points(labels), -np.round(masses, 12))


def _first_points(labels: Ints) -> Ints:
    backwards = np.flatnonzero(labels >= 0)[::-1]
    first = np.full(int(labels.max(initial=0)) + 1, len(labels))
    first[labels[backwards]] = backwards
    return first


def _numbered(labels: Ints, *keys: Floats | Ints) -> Ints:
    """Number clusters in the order of the last key, equal ones in that of the key before."""
    rank = np.empty(len(keys[0]), np.intp)
    rank[np.lexsort(keys)] = np.arange(len(rank))
    return np.where(labels < 0, -1, rank[labels])


def adjusted_rand(a: Ints, b: Ints) -> float:
    """Return the adjusted Rand index of two clusterings: 1 for the same clusters, about 0 for unrelated ones."""
    a, b = (np.unique(labels, return_inverse=True)[1] for labels in (a, b))
    both, of_a, of_b = ((np.bincount(k) ** 2.0).sum() for k in (a * (int(b.max()) + 1) + b, a, b))
    return float(index_of(both, of_a, of_b, len(a)))


def index_of(squares: Floats, a: Floats, b: Floats, n: float) -> Floats:
    """Return the adjusted Rand index from sums of squared masses: of intersections, and of two partitions."""
    pairs, of_a, of_b, total = (squares - n) / 2, (a - n) / 2, (b - n) / 2, (n**2 - n) / 2
    chance, largest = of_a * of_b / total, (of_a + of_b) / 2
    same = largest - chance <= 1e-12 * largest
    return np.where(same, 1.0, (pairs - chance) / np.where(same, 1.0, largest - chance))
