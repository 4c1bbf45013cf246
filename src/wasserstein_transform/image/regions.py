"""Regions of an image: who touches whom, and small ones merged away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import Bools, Floats, Ints
from ..backends.host import number_parts, unite
from ..engine import Engine, current

_SLAB = 2**18  # pixels, or borders, looked at at a time: little room, and Ctrl-C is heard


def facing(labels: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Numbers of pixels that touch along an axis and are of different regions, some at a time. −1 is no region."""
    for axis in range(labels.ndim):
        ahead = np.moveaxis(labels, axis, 0)
        step = max(1, _SLAB * len(ahead) // labels.size)
        for start in range(0, len(ahead) - 1, step):
            here, there = ahead[start : min(start + step, len(ahead) - 1)], ahead[start + 1 : start + step + 1]
            at = list(np.nonzero((here != there) & (here >= 0) & (there >= 0)))
            at[0] += start
            first = np.ravel_multi_index([*at[1 : axis + 1], at[0], *at[axis + 1 :]], labels.shape)
            yield first, first + int(np.prod(labels.shape[axis + 1 :]))


def touching(labels: Ints, engine: Engine | None = None) -> Ints:
    """Pairs of regions that touch along an axis, each once, the smaller number first. −1 is no region."""
    engine = current(engine)
    count, flat, found = int(labels.max(initial=-1)) + 1, labels.ravel(), list[Ints]()
    held = 0
    for one, other in facing(labels):
        engine.check()
        a, b = flat[one], flat[other]
        found.append(_distinct(np.minimum(a, b) * count + np.maximum(a, b)))
        held += len(found[-1])
    engine.reserve(40.0 * held, f"borders of {count} regions", "smooth the image, use larger radii, or segment parts")
    keys = _distinct(np.concatenate([*found, np.empty(0, np.intp)]))
    return np.stack(np.divmod(keys, max(count, 1)), axis=1)


def _distinct(keys: Ints) -> Ints:
    """Each once, sorted, in place: `np.unique` takes seconds for millions, and does not listen meanwhile."""
    keys.sort()
    return np.asarray(keys[np.diff(keys, prepend=-1) != 0])


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
    inside = slice(None) if flat.min(initial=0) >= 0 else flat >= 0
    flat = flat[inside]
    sizes = np.bincount(flat)
    sums = np.stack([np.bincount(flat, column[inside], len(sizes)) for column in values.T], axis=1)
    return sums / sizes[:, None], sizes


def merge_small(labels: Ints, values: Floats, min_size: int, engine: Engine | None = None) -> tuple[Ints, int]:
    """Merge regions of fewer pixels into the touching region most like them, until there are none; the smallest first.

    In each round every small region goes to its most similar neighbor. A region that touches no other stays.
    """
    labels, engine = labels.copy(), current(engine)
    count = int(labels.max()) + 1
    while True:
        engine.report("merging small regions", 0, 1)
        centers, sizes = means(labels, values)
        pairs = touching(labels, engine)
        to = _most_similar(pairs, centers, sizes < min_size)
        small = np.flatnonzero(to < count)
        if len(small) == 0:
            return labels, count
        engine.check()
        labels, count = _joined(labels, small, to[small], count)


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


def _joined(labels: Ints, ones: Ints, others: Ints, count: int) -> tuple[Ints, int]:
    new = np.arange(count)
    for a, b in zip(ones, others, strict=True):
        unite(new, a, b)
    left = number_parts(new)
    return renumbered(labels, new), left


def renumbered(labels: Ints, new: Ints) -> Ints:
    """Regions by their new numbers; −1 stays none."""
    out = new[labels]
    out[labels < 0] = -1
    return out
