"""Clusters of a cut at a height, numbered by size; small clusters count as noise."""

from __future__ import annotations

import numpy as np

from ..._types import Floats, Ints

TIE = 1e-9  # merges at the height of the cut, within this tolerance, are kept, as in `cut_tree`
_FEWEST, _SHARE = 2, 0.01  # smallest size of a numbered cluster: in points, and as a share of all points


def least(n: int) -> int:
    """Smallest size of a numbered cluster."""
    return max(_FEWEST, int(np.ceil(_SHARE * n)))


def cut(tree: Floats, height: float) -> Ints:
    """Clusters of the merges up to a height: 0, 1, … by decreasing size, ties by the first point; −1 if small.

    Parameters
    ----------
    tree : array of shape (n − 1, 4)
        SciPy's linkage.
    height : float
    """
    n = len(tree) + 1
    part, count = np.full(2 * n - 1, -1, np.intp), 0
    pairs = tree[:, :2].astype(np.intp).tolist()
    joined = (tree[:, 2] <= height * (1 + TIE)).tolist()
    for k in range(n - 2, -1, -1):  # from the root down
        if part[n + k] < 0 and joined[k]:
            part[n + k], count = count, count + 1
        if part[n + k] >= 0:
            part[pairs[k]] = part[n + k]
    alone = np.flatnonzero(part[:n] < 0)
    part[alone] = count + np.arange(len(alone))
    return numbered(part[:n])


def numbered(part: Ints) -> Ints:
    """Number parts by decreasing size; small ones are −1."""
    _, first, which, sizes = np.unique(part, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), np.intp)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return np.where(sizes >= least(len(part)), rank, -1)[which]


def in_words(labels: Ints) -> str:
    """The number of clusters and of points in small clusters, as text."""
    found, rest = int(labels.max(initial=-1)) + 1, int(np.count_nonzero(labels < 0))
    clusters = f"{found:,} cluster{'' if found == 1 else 's'}"
    return f"{clusters}, {rest:,} point{'' if rest == 1 else 's'} in smaller ones" if rest else clusters


def start(tree: Floats) -> float:
    """The initial height of the cut: the middle of the longest interval with a constant number of large clusters.

    Only intervals with at least two large clusters count; if there is none, the cut lies above the tree.
    """
    heights, n = tree[:, 2], len(tree) + 1
    enough = np.concatenate([np.full(n, least(n) <= 1), tree[:, 3] >= least(n)])
    a, b = tree[:, :2].astype(np.intp).T
    change = enough[n:].astype(np.intp) - enough[a] - enough[b]
    large = np.cumsum(change)  # number of large clusters after each merge
    best, at = 0.0, 1.02 * float(heights[-1])
    after = np.append(0, np.flatnonzero(change)) if n > 2 else np.zeros(0, np.intp)
    for low, high in zip(after, [*after[1:], n - 2], strict=False):
        stays = float(heights[high] - heights[low])
        if large[low] >= 2 and stays > best:
            best, at = stays, float(heights[low] + heights[high]) / 2
    return at
