"""Cut points into compact chunks of about equal size, without sorting all points.

Each axis in turn is cut at quantiles of a sample; points are then sorted by 16-bit keys with a radix sort.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .._types import Floats, Ints

CHUNK = 1 << 14  # points, about: read and checked together
_SAMPLED = 64  # points sampled for each chunk
_MOST_CUTS = 1 << 15  # along an axis: keys have 16 bits


def spatial_order(places: Floats, chunk: int = CHUNK) -> tuple[Ints, Ints]:
    """Return an order of the points that keeps close points together, and the edges of the chunks in it.

    Within a chunk, points keep their original order.
    """
    n = len(places)
    order, edges = np.arange(n), np.array([0, n])
    n_chunks = -(-n // chunk)
    if n_chunks <= 1:
        return order, edges
    axes, widths = _axes(places, n_chunks)
    for k, axis in enumerate(axes):
        left = np.prod(widths[k] / widths[k:])  # makes cells nearly cubes: wide axes are cut more often
        n_cuts = float((n_chunks * left) ** (1 / (len(axes) - k)))
        edges = _cut_all(places[:, axis], order, edges, n_cuts)
        n_chunks = max(1, round(n_chunks / max(1.0, n_cuts)))
    return order, _halved(edges, 2 * chunk, chunk)


def _axes(places: Floats, n_chunks: int) -> tuple[Ints, Floats]:
    """Return the widest axes, at most three, and the width that holds 90 % of the points along each."""
    sample = places[:: max(1, len(places) // (_SAMPLED * max(1, n_chunks)))]
    low, high = np.quantile(sample, [0.05, 0.95], axis=0)
    widths = high - low
    axes = np.argsort(-widths, kind="stable")[:3]
    axes = axes[widths[axes] > 0]
    return axes, widths[axes]


def _cut_all(x: Floats, order: Ints, edges: Ints, n_cuts: float) -> Ints:
    """Cut each stretch of the order along an axis; `n_cuts` is the number of parts of an average stretch."""
    average = len(order) / (len(edges) - 1)
    found = [np.zeros(1, np.intp)]
    for start, stop in pairwise(edges.tolist()):
        parts = min(_MOST_CUTS, round(n_cuts * (stop - start) / average))
        found.append(start + _cut(x, order[start:stop], parts))
    return np.concatenate(found)


def _cut(x: Floats, order: Ints, parts: int) -> Ints:
    """Sort a stretch into `parts` parts, in place; return where they end."""
    if parts <= 1:
        return np.array([len(order)])
    x = x[order]
    sample = np.sort(x[:: max(1, len(x) // (_SAMPLED * parts))])
    marks = sample[(np.arange(1, parts) * len(sample)) // parts]
    keys = np.searchsorted(marks, x, side="right").astype(np.uint16)
    order[:] = order[np.argsort(keys, kind="stable")]
    ends = np.cumsum(np.bincount(keys, minlength=parts))
    return np.unique(ends[ends > 0])


def _halved(edges: Ints, most: int, chunk: int) -> Ints:
    """Cut chunks that are too large into equal runs: coincident points cannot be cut in space."""
    found = [np.zeros(1, np.intp)]
    for start, stop in pairwise(edges.tolist()):
        inner = np.arange(start + chunk, stop, chunk) if stop - start > most else np.empty(0, np.intp)
        found.append(np.append(inner, stop))
    return np.concatenate(found)
