"""What supports the lines of a skeleton: the points near each line, their trips and distances."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .._types import Floats, Ints

_SPACING = 0.25  # times the reach: distance of the samples of a line


def nearest_lines(lines: tuple[Floats, ...], points: Floats, reach: float) -> tuple[Ints, Floats]:
    """Return the nearest line of each point, −1 if it is farther than `reach`, and its distance."""
    starts = np.concatenate([line[:-1] for line in lines])
    legs = np.concatenate([np.diff(line, axis=0) for line in lines])
    of = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    lengths = np.linalg.norm(legs, axis=1)
    counts = np.maximum(np.ceil(lengths / (_SPACING * reach)), 1).astype(np.intp)
    leg = np.repeat(np.arange(len(legs)), counts)
    at = (np.arange(len(leg)) - np.repeat(np.cumsum(counts) - counts, counts) + 0.5) / counts[leg]
    chosen = leg[cKDTree(starts[leg] + at[:, None] * legs[leg]).query(points)[1]]
    off = points - starts[chosen]
    along = (off * legs[chosen]).sum(axis=1) / np.maximum(lengths[chosen] ** 2, np.finfo(float).tiny)
    distances = np.linalg.norm(off - np.clip(along, 0, 1)[:, None] * legs[chosen], axis=1)
    return np.where(distances <= reach, of[chosen], -1), distances


def trips_of(track: Ints, n: int) -> Ints:
    """Return the number of the trip of each of n rows, from pairs of consecutive rows."""
    links = coo_array((np.ones(len(track), np.int8), (track[:, 0], track[:, 1])), shape=(n, n))
    return np.asarray(connected_components(links, directed=False)[1], np.intp)


def support(lines: tuple[Floats, ...], points: Floats, track: Ints | None, reach: float) -> dict[str, Ints | Floats]:
    """Return columns for a table of lines: fixes within `reach`, their trips if known, their mean distance."""
    n = len(lines)
    line, distances = nearest_lines(lines, points, reach) if n else (np.full(len(points), -1), np.zeros(len(points)))
    near = line >= 0
    fixes = np.bincount(line[near], minlength=n)
    total = np.bincount(line[near], distances[near], minlength=n)
    columns: dict[str, Ints | Floats] = {"fixes": fixes}
    if track is not None:
        pairs = np.unique(np.column_stack([line, trips_of(track, len(points))])[near], axis=0)
        columns["trips"] = np.bincount(pairs[:, 0], minlength=n)
    return columns | {"deviation": np.where(fixes > 0, total / np.maximum(fixes, 1), np.nan)}
