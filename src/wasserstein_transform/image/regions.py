"""Regions of an image: neighbors, means, and merging of small regions."""

from __future__ import annotations

import numpy as np

from .._types import Bools, Floats, Ints
from ..compute.pixels import motion as pixels
from ..compute.pixels.motion import distinct_pixels, number_parts, region_sums
from ..compute.trees.spanning_jit import unite
from ..cuda import on
from ..engine import Engine, current

_SLAB = 2**18  # borders processed at a time: bounds memory, and lets Ctrl-C interrupt


def touching(labels: Ints, engine: Engine | None = None) -> Ints:
    """Return the pairs of regions that touch along an axis, each once, the smaller number first; −1 is no region."""
    engine = current(engine)
    return on(engine, pixels.touching)(labels, engine)


def boundaries(labels: Ints | Bools) -> Bools:
    """Return the pixels whose next pixel along an axis is in another region."""
    out = np.zeros(labels.shape, np.bool_)
    for axis in range(labels.ndim):
        ahead, edge = np.moveaxis(labels, axis, 0), np.moveaxis(out, axis, 0)
        edge[:-1] |= ahead[:-1] != ahead[1:]
    return out


def means(labels: Ints, values: Floats) -> tuple[Floats, Ints]:
    """Return the mean values of each region, and the sizes; `values` has one row per pixel."""
    sums, sizes = region_sums(labels, values, 0, current())
    return sums / sizes[:, None], sizes


def merge_small(
    labels: Ints, values: Floats, min_size: int, engine: Engine | None = None, first: int = 0
) -> tuple[Ints, int]:
    """Merge regions of fewer than `min_size` pixels into the most similar touching region, until there are none.

    In each round every small region is merged with its most similar neighbor. A region that touches no other stays.
    `values` has one row per pixel; columns before `first` are ignored. Pixels are read once, later rounds work on
    regions.
    """
    engine = current(engine)
    sums, sizes = on(engine, region_sums)(labels, values, first, engine)
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
    """Return each pair of different regions once, the smaller number first."""
    a, b = pairs[pairs[:, 0] != pairs[:, 1]].T
    return np.stack(np.divmod(distinct_pixels(np.minimum(a, b) * count + np.maximum(a, b)), max(count, 1)), axis=1)


def _most_similar(pairs: Ints, centers: Floats, small: Bools) -> Ints:
    """Return the most similar neighbor of each small region, ties to the first; the number of regions if none."""
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
    """Unite each of `ones` with its other; return the new number of each region, and the number of regions."""
    new = np.arange(count)
    for a, b in zip(ones, others, strict=True):
        unite(new, a, b)
    return new, number_parts(new)


def renumbered(labels: Ints, new: Ints) -> Ints:
    """Return labels with new numbers; −1 stays −1."""
    out = new[labels]
    out[labels < 0] = -1
    return out
