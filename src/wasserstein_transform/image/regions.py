"""Regions of an image: who touches whom, and small ones merged away."""

from __future__ import annotations

import numpy as np

from .._types import Bools, Floats, Ints
from ..backends import backend_of
from ..backends.host import distinct, number_parts, region_sums, unite
from ..engine import Engine, current

_SLAB = 2**18  # borders looked at at a time: little room, and Ctrl-C is heard


def touching(labels: Ints, engine: Engine | None = None) -> Ints:
    """Pairs of regions that touch along an axis, each once, the smaller number first. −1 is no region."""
    engine = current(engine)
    return backend_of(engine).touching(labels, engine)


def boundaries(labels: Ints | Bools) -> Bools:
    """Pixels that touch, after them along an axis, a pixel of another region."""
    out = np.zeros(labels.shape, np.bool_)
    for axis in range(labels.ndim):
        ahead, edge = np.moveaxis(labels, axis, 0), np.moveaxis(out, axis, 0)
        edge[:-1] |= ahead[:-1] != ahead[1:]
    return out


def means(labels: Ints, values: Floats) -> tuple[Floats, Ints]:
    """Mean values of each region, and their sizes; `values` is one row a pixel."""
    sums, sizes = region_sums(labels, values)
    return sums / sizes[:, None], sizes


def merge_small(
    labels: Ints, values: Floats, min_size: int, engine: Engine | None = None, first: int = 0
) -> tuple[Ints, int]:
    """Merge regions of fewer pixels into the touching region most like them, until there are none; the smallest first.

    In each round every small region goes to its most similar neighbor. A region that touches no other stays. `values`
    are one row a pixel, and count from column `first` on. Pixels are looked at once, then only regions.
    """
    engine = current(engine)
    sums, sizes = backend_of(engine).region_sums(labels, values, first, engine)
    pairs, new = touching(labels, engine), np.arange(len(sizes))
    while True:
        engine.report("merging small regions", 0, 1)
        engine.check()
        to = _most_similar(pairs, sums / sizes[:, None], sizes < min_size)
        small = np.flatnonzero(to < len(sizes))
        if len(small) == 0:
            return renumbered(labels, new), len(sizes)
        into, count = _joined(small, to[small], len(sizes))
        sums = np.stack([np.bincount(into, column, count) for column in sums.T], axis=1)
        sizes, pairs, new = _counted(into, sizes, count), _between(into[pairs], count), into[new]


def _counted(into: Ints, sizes: Ints, count: int) -> Ints:
    out = np.zeros(count, np.intp)
    np.add.at(out, into, sizes)
    return out


def _between(pairs: Ints, count: int) -> Ints:
    """Each pair of different regions once, the smaller number first."""
    a, b = pairs[pairs[:, 0] != pairs[:, 1]].T
    return np.stack(np.divmod(distinct(np.minimum(a, b) * count + np.maximum(a, b)), max(count, 1)), axis=1)


def _most_similar(pairs: Ints, centers: Floats, small: Bools) -> Ints:
    """For each small region the touching one most like it, of equals the first; else as many as there are regions."""
    count = len(centers)
    apart, nearest, to = np.empty(len(pairs)), np.full(count, np.inf), np.full(count, count)
    blocks = [slice(start, start + _SLAB) for start in range(0, len(pairs), _SLAB)]
    for block in blocks:
        a, b = pairs[block].T
        apart[block] = ((centers[a] - centers[b]) ** 2).sum(axis=1)
        np.minimum.at(nearest, a, apart[block])
        np.minimum.at(nearest, b, apart[block])
    for block in blocks:
        a, b = pairs[block].T
        for one, other in ((a, b), (b, a)):
            ties = small[one] & (apart[block] == nearest[one])
            np.minimum.at(to, one[ties], other[ties])
    return to


def _joined(ones: Ints, others: Ints, count: int) -> tuple[Ints, int]:
    """The new number of each region once each of `ones` is one with its other, and how many are left."""
    new = np.arange(count)
    for a, b in zip(ones, others, strict=True):
        unite(new, a, b)
    return new, number_parts(new)


def renumbered(labels: Ints, new: Ints) -> Ints:
    """Regions by their new numbers; −1 stays none."""
    out = new[labels]
    out[labels < 0] = -1
    return out
