"""Contours by the book: both sides of a pixel as measures, and regions joined with everything counted anew."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.stats import wasserstein_distance

from wasserstein_transform.image.seams import GROUP, STARTS, UNITS, Evidence


def sides(reach: int, direction: int) -> np.ndarray:
    """Weights of the pixels around one, positive on one side and negative on the other."""
    dot = np.zeros((2 * reach + 1, 2 * reach + 1))
    dot[reach, reach] = 1.0
    smooth = gaussian_filter(dot, 1.5, truncate=2.5)
    down, right = (0.5 * (np.roll(smooth, -1, axis) - np.roll(smooth, 1, axis)) for axis in (0, 1))
    angle = direction * np.pi / 8
    return -(np.cos(angle) * right + np.sin(angle) * down)


def contrast(image: np.ndarray, y: int, x: int, direction: int, reach: int = 6) -> float:
    """W1 of the values on both sides of a pixel, times the mass of a side, in units of a step."""
    weights = sides(reach, direction).ravel()
    values = image[y - reach : y + reach + 1, x - reach : x + reach + 1].ravel()
    one, other = weights > 1e-15, weights < -1e-15
    apart = wasserstein_distance(values[one], values[other], weights[one], -weights[other])
    return float(apart * weights[one].sum() * 1.5 * np.sqrt(2 * np.pi))


def evidence(found: Evidence, parts: np.ndarray, a: int, b: int) -> np.ndarray:
    """What speaks for the seam between two parts, from the finest regions and seams."""
    ends = parts[found.ends]
    between = (ends.min(axis=1) == min(a, b)) & (ends.max(axis=1) == max(a, b))
    length, cues = found.lengths[between].sum(), found.cues[between].sum(axis=0)
    sizes = [found.sizes[parts == part].sum() for part in (a, b)]
    shares = [found.counts[parts == part].sum(axis=0) / size for part, size in zip((a, b), sizes, strict=True)]
    apart = np.zeros(GROUP.max() + 1)
    for k, group in enumerate(GROUP):
        bins = slice(STARTS[k], STARTS[k + 1])
        apart[group] += np.abs(np.cumsum(shares[0][bins] - shares[1][bins])).sum() * UNITS[k]
    small, large = sorted(sizes)
    total = found.sizes.sum()
    of_size = [np.log(small / total), np.log(large / total), np.log(length / np.sqrt(small))]
    return np.concatenate([np.sqrt(cues / length), np.sqrt(apart), of_size])


def joined(found: Evidence, weights: np.ndarray, bias: float) -> list[tuple[int, int, float]]:
    """All joins: the two parts and the cost; a part is called by its first region."""
    parts, joins = np.arange(len(found.sizes)), []
    while True:
        ends = np.sort(parts[found.ends], axis=1)
        pairs = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
        if len(pairs) == 0:
            return joins
        costs = [float(weights @ evidence(found, parts, a, b) + bias) for a, b in pairs]
        best = int(np.argmin(costs))
        a, b = map(int, pairs[best])
        joins.append((a, b, costs[best]))
        parts[parts == b] = a
