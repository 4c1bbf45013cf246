"""Outlines of regions as polygons, and colors that tell regions apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import find_objects, label

from .._types import Floats, Ints

_STEPS = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])  # along the upper, right, lower and left sides of a pixel
_COLORS = np.array(
    [
        (0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167), (86, 180, 233), (213, 94, 0), (240, 228, 66),
        (117, 112, 179), (102, 166, 30), (231, 41, 138), (166, 118, 29), (27, 158, 119), (166, 206, 227),
        (251, 154, 153), (31, 60, 140), (178, 223, 138), (106, 61, 154), (253, 191, 111), (160, 30, 40),
        (202, 178, 214),
    ],
    np.uint8,
)  # fmt: skip


def color_regions(labels: Ints, pairs: Ints) -> NDArray[np.uint8]:
    """Return a color for each region, unlike those of all touching regions; the last row, black, is for label −1.

    Regions are colored by decreasing size, each with the color farthest from those of its neighbors; of equal ones the
    least used.
    """
    sizes = np.bincount(labels[labels >= 0])
    near = [list[int]() for _ in sizes]
    for a, b in pairs.tolist():
        near[a].append(b)
        near[b].append(a)
    apart = np.linalg.norm(_COLORS[:, None].astype(float) - _COLORS, axis=2)
    color, used = np.full(len(sizes), -1), np.zeros(len(_COLORS))
    for region in np.argsort(-sizes, kind="stable"):
        around = [color[other] for other in near[region] if color[other] >= 0]
        gaps = apart[:, around].min(axis=1) if around else np.full(len(_COLORS), np.inf)
        color[region] = np.lexsort([used, -np.minimum(gaps, 100.0)])[0]  # beyond 100, all are easily told apart
        used[color[region]] += 1
    return np.concatenate([_COLORS[color], np.zeros((1, 3), np.uint8)])


def outlines(labels: Ints) -> list[list[list[Floats]]]:
    """Return the outline of each region along the sides of its pixels: polygons, each a list of closed rings.

    A polygon is a part of the region whose pixels touch along sides. Its first ring is the outer one, the others are
    holes. Points are corners (x, y) of pixels: pixel (row, column) is the square from (column, row) to
    (column + 1, row + 1). Shoelace areas are positive for outer rings and negative for holes; their sum is the number
    of pixels of the region. Rings of a polygon meet at corners only.
    """
    parts, owner = _touching_parts(labels)
    polygons: list[list[list[Floats]]] = [[] for _ in range(int(labels.max(initial=-1)) + 1)]
    rings: list[list[Floats]] = [[] for _ in owner]
    for part, ring in _rings(parts):
        rings[part].insert(0 if _area(ring) > 0 else len(rings[part]), ring)
    for part, region in enumerate(owner):
        polygons[region].append(rings[part])
    return polygons


def as_geojson(labels: Ints, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the outlines as a FeatureCollection, in pixels; `rows` are the properties of the regions."""
    features = []
    for row, polygons in zip(rows, outlines(labels), strict=True):
        parts = [[ring.tolist() for ring in polygon] for polygon in polygons]
        one = len(parts) == 1
        shape = {"type": "Polygon" if one else "MultiPolygon", "coordinates": parts[0] if one else parts}
        features.append({"type": "Feature", "properties": row, "geometry": shape})
    return {"type": "FeatureCollection", "features": features}


def _touching_parts(labels: Ints) -> tuple[Ints, list[int]]:
    """Return parts of regions whose pixels touch along sides, numbered from 0, and the region of each part."""
    parts, owner = np.full(labels.shape, -1), list[int]()
    for region, box in enumerate(find_objects(labels + 1)):
        inside = labels[box] == region
        numbered, count = label(inside)
        parts[box][inside] = numbered[inside] + (len(owner) - 1)
        owner += [region] * count
    return parts, owner


def _rings(parts: Ints) -> list[tuple[int, Floats]]:
    """Follow the sides between parts; each part lies on the left of its sides, with x to the right and y upward."""
    padded = np.pad(parts, 1, constant_values=-1)
    inner, wide = padded[1:-1, 1:-1], parts.shape[1] + 1
    beyond = padded[:-2, 1:-1], padded[1:-1, 2:], padded[2:, 1:-1], padded[1:-1, :-2]
    corners = (0, 0), (0, 1), (1, 1), (1, 0)  # where the four sides of a pixel begin: row and column
    sides = []
    for turn, (other, (down, right)) in enumerate(zip(beyond, corners, strict=True)):
        y, x = np.nonzero((inner >= 0) & (inner != other))
        sides.append(np.stack([inner[y, x], (y + down) * wide + x + right, np.full(len(x), turn)]))
    part, start, turn = np.concatenate(sides, axis=1)
    end = start + _STEPS[turn] @ [1, wide]
    n_corners = (parts.shape[0] + 1) * wide
    after = _next_sides(part * n_corners + start, part * n_corners + end, turn)
    rings, seen = [], np.zeros(len(part), np.bool_).tolist()
    following, turns, starts = after.tolist(), turn.tolist(), start.tolist()
    for first in range(len(following)):
        at, before, ring = first, None, []
        while not seen[at]:
            seen[at] = True
            if turns[at] != before:
                ring.append(starts[at])
            at, before = following[at], turns[at]
        if ring:
            if len(ring) > 1 and turns[first] == before:
                ring.pop(0)  # it began in the middle of a line
            y, x = np.divmod(np.array([*ring, ring[0]]), wide)
            rings.append((int(part[first]), np.stack([x, y], axis=1).astype(np.float64)))
    return rings


def _next_sides(starts: Ints, ends: Ints, turn: Ints) -> Ints:
    """Return the side that follows each; of two, that to the right, so that a hole at a corner is its own ring."""
    order = np.lexsort([turn, starts])
    first = np.searchsorted(starts[order], ends)
    second = np.minimum(first + 1, len(order) - 1)
    two = starts[order[second]] == ends
    right = two & (turn[order[second]] == (turn - 1) % 4) & (second > first)
    return order[np.where(right, second, first)]


def _area(ring: Floats) -> float:
    """Return the shoelace area of a closed ring."""
    x, y = ring.T
    return float(x[:-1] @ y[1:] - x[1:] @ y[:-1]) / 2
