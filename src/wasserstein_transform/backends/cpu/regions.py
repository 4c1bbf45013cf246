"""Regions of an image: forests of pixels, labels, and adjacency."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..._types import Bools, Floats, Ints
from ...engine import Engine
from ...kernels.regions import link_adjacent, number
from ..images import Grid, Links

_ALL = np.empty(0, np.bool_)
_SLAB = 2**18  # pixels processed at a time: little memory, and Ctrl-C works


def number_parts(forest: Ints, inside: Bools = _ALL) -> int:
    """Turn a forest, in which the first pixel of a tree is its root, into labels in place; returns their number.

    Labels 0, 1, … are in the order of the first pixels. Pixels that are not `inside` get −1; an empty mask means all.
    """
    return int(number(forest, inside))


def link_touching(modes: Floats, grid: Grid, links: Links, engine: Engine) -> tuple[Ints, int]:
    """The region of each pixel, −1 outside the mask, and the number of regions."""
    labels, inside = np.arange(len(modes)), _ALL if links.mask is None else links.mask
    rule = links.axes, inside, np.array(grid), links.spatial, links.range
    with engine.watched() as engine:
        engine.report("linking pixels", 0, 1)
        engine.alone(lambda stop: link_adjacent(modes, *rule, labels, stop), "linking pixels")
    return labels, number_parts(labels, inside)


def region_sums(labels: Ints, values: Floats, first: int = 0) -> tuple[Floats, Ints]:
    """Sums of the columns from `first` on over each region, and sizes; −1 is no region."""
    flat = labels.ravel()
    inside = slice(None) if flat.min(initial=0) >= 0 else flat >= 0
    flat = flat[inside]
    sizes = np.bincount(flat)
    sums = [np.bincount(flat, column[inside], len(sizes)) for column in values.T[first:]]
    return np.stack(sums, axis=1), sizes


def facing(labels: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Indices of adjacent pixels of different regions, some at a time. −1 is no region."""
    for axis in range(labels.ndim):
        ahead = np.moveaxis(labels, axis, 0)
        step = max(1, _SLAB * len(ahead) // labels.size)
        for start in range(0, len(ahead) - 1, step):
            here, there = ahead[start : min(start + step, len(ahead) - 1)], ahead[start + 1 : start + step + 1]
            at = list(np.nonzero((here != there) & (here >= 0) & (there >= 0)))
            at[0] += start
            first = np.ravel_multi_index([*at[1 : axis + 1], at[0], *at[axis + 1 :]], labels.shape)
            yield first, first + int(np.prod(labels.shape[axis + 1 :]))


def touching(labels: Ints, engine: Engine) -> Ints:
    """Pairs of adjacent regions, each once, with the smaller number first. −1 is no region."""
    count, flat, found = int(labels.max(initial=-1)) + 1, labels.ravel(), list[Ints]()
    held = 0
    for one, other in facing(labels):
        engine.check()
        a, b = flat[one], flat[other]
        found.append(distinct(np.minimum(a, b) * count + np.maximum(a, b)))
        held += len(found[-1])
    engine.reserve(40.0 * held, f"borders of {count} regions", "smooth the image, use larger radii, or segment parts")
    keys = distinct(np.concatenate([*found, np.empty(0, np.intp)]))
    return np.stack(np.divmod(keys, max(count, 1)), axis=1)


def distinct(keys: Ints) -> Ints:
    """Sorted distinct keys, in place: `np.unique` takes seconds for millions and cannot be interrupted."""
    keys.sort()
    return np.asarray(keys[np.diff(keys, prepend=-1) != 0])
