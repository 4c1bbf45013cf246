"""Contours by the book: both sides of a pixel as measures, and regions joined with everything counted anew."""

from __future__ import annotations

import numpy as np
from scipy.stats import wasserstein_distance

from wasserstein_transform.image.seams import Evidence


def sides(reach: int, direction: int) -> np.ndarray:
    """Weights of the pixels around one, positive on one side and negative on the other; filters are whole numbers."""
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / 1.5) ** 2) * (abs(np.arange(-reach, reach + 1)) <= 4)
    weights = np.rint(2**14 * weights / weights.sum())
    smooth = np.outer(weights, weights) / weights.sum() ** 2
    down, right = (0.5 * (np.roll(smooth, -1, axis) - np.roll(smooth, 1, axis)) for axis in (0, 1))
    angle = direction * np.pi / 8
    return -(np.rint(1905 * np.cos(angle)) * right + np.rint(1905 * np.sin(angle)) * down) / 1905


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
    starts, groups, units = found.histograms
    apart = np.zeros(4)
    for k, group in enumerate(groups):
        bins = slice(starts[k], starts[k + 1])
        apart[group] += np.abs(np.cumsum(shares[0][bins] - shares[1][bins])).sum() * units[group]
    small, large = sorted(sizes)
    total = found.sizes.sum()
    of_size = [np.log(small / total), np.log(large / total), np.log(length / np.sqrt(small))]
    return np.concatenate([np.sqrt(cues / length), np.sqrt(apart), of_size])


def joined(found: Evidence, weights: np.ndarray, bias: float) -> list[tuple[int, int, float]]:
    """All joins: the two parts and the cost; a part is called by its first region. Equal costs are joined at once."""
    parts, joins = np.arange(len(found.sizes)), []
    while True:
        ends = np.sort(parts[found.ends], axis=1)
        pairs = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
        if len(pairs) == 0:
            return joins
        costs = np.array([float(weights @ evidence(found, parts, a, b) + bias) for a, b in pairs])
        for a, b in pairs[costs < costs.min() + 1e-8]:
            one, other = sorted(map(int, (parts[a], parts[b])))
            if one != other:
                joins.append((one, other, float(costs.min())))
                parts[parts == other] = one


def basins(height: np.ndarray) -> np.ndarray:
    """The basin of each pixel, level by level: each called by one of its pixels."""
    h, w = height.shape
    everywhere = [(y, x) for y in range(h) for x in range(w)]

    def around(at: tuple[int, int]) -> list[tuple[int, int]]:
        y, x = at
        near = [(v, u) for v in (y - 1, y, y + 1) for u in (x - 1, x, x + 1) if 0 <= v < h and 0 <= u < w]
        return [other for other in near if other != at]

    away = {at: 0 for at in everywhere if any(height[other] < height[at] for other in around(at))}
    for step in range(h * w):
        level = {
            at for at in everywhere if at not in away
            and any(height[other] == height[at] and away.get(other) == step for other in around(at))
        }  # fmt: skip
        away.update(dict.fromkeys(level, step + 1))
    names: dict[tuple[int, int], int] = {}
    for at in everywhere:  # sinks
        spread = [at] if at not in away and at not in names else []
        while spread:
            here = spread.pop()
            names[here] = at[0] * w + at[1]
            spread += [other for other in around(here) if height[other] == height[here] and other not in names]
    for at in sorted(away, key=lambda at: (height[at], away[at])):
        rank = {
            other: (height[other], away.get(other, h * w), other[0] != at[0] and other[1] != at[1])
            for other in around(at)
        }
        lowest = {names[other] for other in rank if rank[other] == min(rank.values())}
        names[at] = lowest.pop() if len(lowest) == 1 else at[0] * w + at[1]
    return np.array([names[at] for at in everywhere]).reshape(h, w)
