"""Choose the merges that the robust cut removes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Ints
from .dendrogram import Dendrogram
from .tree import TIE


class Chosen(NamedTuple):
    """The merges to cut, highest first, the number of clusters, and `surplus`.

    `surplus` is the number of clusters that the next tied merges would make, if that is too many; otherwise 0.
    """

    merges: Ints
    n_clusters: int
    surplus: int


def choose(dendrogram: Dendrogram, least: float, n_clusters: int) -> Chosen:
    """Choose the highest merges with at least two parts of mass ≥ `least`; of equally high ones the most even.

    Tied edges join all their parts at once, and parts are connected strictly below the tie. So no edge of a regular
    grid splits it, whatever the order of its equal edges.
    """
    if len(dendrogram.levels) == 0:
        return Chosen(np.empty(0, np.intp), 1, 0)
    masses = dendrogram.masses
    large = masses >= least
    n_large = np.add.reduceat(large.astype(np.intp), dendrogram.first[:-1])
    small = np.minimum.reduceat(np.where(large, masses, np.inf), dendrogram.first[:-1])
    found = np.flatnonzero((n_large > 1) & dendrogram.open)
    found = found[np.lexsort((-small[found], -dendrogram.levels[found]))]
    level, small = dendrogram.levels[found], small[found]
    tied = (np.diff(level) == 0) & (np.abs(np.diff(small)) <= TIE * small[1:])  # no rule puts one before the other
    ends = np.append(np.flatnonzero(~tied) + 1, len(found)) if len(found) else np.empty(0, np.intp)
    counts = 1 + np.cumsum(n_large[found] - 1)[ends - 1]
    n_taken = int(np.searchsorted(counts, n_clusters, side="right"))
    total = int(counts[n_taken - 1]) if n_taken else 1
    surplus = int(counts[n_taken]) if total < n_clusters and n_taken < len(counts) else 0
    return Chosen(found[: ends[n_taken - 1]] if n_taken else found[:0], total, surplus)
