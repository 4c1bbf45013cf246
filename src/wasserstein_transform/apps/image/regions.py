"""Regions of an image: who touches whom, and small ones merged away."""

from __future__ import annotations

import numpy as np

from ..._types import Bools, Floats, Ints
from ...backends.host import number_parts, unite


def touching(labels: Ints) -> Ints:
    """Pairs of regions that touch along an axis, each once, the smaller number first. −1 is no region."""
    pairs = []
    for axis in range(labels.ndim):
        ahead = np.moveaxis(labels, axis, 0)
        pairs.append(np.stack([ahead[:-1].ravel(), ahead[1:].ravel()], axis=1))
    found = np.concatenate(pairs)
    found = np.sort(found[(found[:, 0] != found[:, 1]) & (found >= 0).all(axis=1)], axis=1)
    return np.unique(found, axis=0)


def boundaries(labels: Ints | Bools) -> Bools:
    """Pixels that touch, after them along an axis, a pixel of another region."""
    out = np.zeros(labels.shape, np.bool_)
    for axis in range(labels.ndim):
        ahead, edge = np.moveaxis(labels, axis, 0), np.moveaxis(out, axis, 0)
        edge[:-1] |= ahead[:-1] != ahead[1:]
    return out


def means(labels: Ints, values: Floats) -> tuple[Floats, Ints]:
    """Mean values of each region, and their sizes; `values` is one row a pixel."""
    flat = labels.ravel()
    inside = flat >= 0
    sizes = np.bincount(flat[inside])
    sums = np.stack([np.bincount(flat[inside], column[inside], len(sizes)) for column in values.T], axis=1)
    return sums / sizes[:, None], sizes


def merge_small(labels: Ints, values: Floats, min_size: int) -> tuple[Ints, int]:
    """Merge regions of fewer pixels into the touching region most like them, until there are none; the smallest first.

    In each round every small region goes to its most similar neighbor. A region that touches no other stays.
    """
    labels = labels.copy()
    count = int(labels.max()) + 1
    while True:
        centers, sizes = means(labels, values)
        pairs = touching(labels)
        small = sizes < min_size
        pairs = np.concatenate([pairs, pairs[:, ::-1]])
        pairs = pairs[small[pairs[:, 0]]]
        if len(pairs) == 0:
            return labels, count
        apart = ((centers[pairs[:, 0]] - centers[pairs[:, 1]]) ** 2).sum(axis=1)
        order = np.lexsort((pairs[:, 1], apart, pairs[:, 0]))
        first = order[np.unique(pairs[order, 0], return_index=True)[1]]
        labels, count = _joined(labels, pairs[first], count)


def _joined(labels: Ints, pairs: Ints, count: int) -> tuple[Ints, int]:
    new = np.arange(count)
    for a, b in pairs:
        unite(new, a, b)
    left = number_parts(new)
    return np.where(labels >= 0, new[labels], -1), left
