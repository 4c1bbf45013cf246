"""Join adjacent regions, starting with the seam that is least likely a boundary, until none is left.

There are few seams (thousands), so each join scans all remaining ones instead of using a heap. Seams of equal cost are
joined at once, and what regions and seams sum up is exact, so the order of seams does not matter.
"""

from __future__ import annotations

from math import floor, log, sqrt
from typing import Any, NamedTuple

from .compile import jit

_STEPS = 2.0**28  # of a unit of costs, which are rounded: equal seams cost the same whatever the processor


class Patches(NamedTuple):
    """Regions; joined ones are counted in their representative.

    sizes : number of pixels
    counts : concatenated histograms of values, in pixels, one row per region
    seen, by : the last join that visited a region, and the seam it came by
    """

    sizes: Any
    counts: Any
    seen: Any
    by: Any


class Seams(NamedTuple):
    """Borders between adjacent regions.

    ends : the two regions
    lengths : number of pairs of adjacent pixels
    cues : sums of contrasts over those pairs, one row per seam
    cost, left : cost of each seam; the remaining seams
    """

    ends: Any
    lengths: Any
    cues: Any
    cost: Any
    left: Any


class Rule(NamedTuple):
    """The linear model: cost = bias + weights · evidence.

    starts : first column of each histogram in `counts`, and the end
    group : the distance to which each histogram contributes
    units : bin width of the histograms of each distance
    total : number of pixels of the image
    """

    starts: Any
    group: Any
    units: Any
    total: float
    weights: Any
    bias: float


@jit
def evidence(patches: Patches, seams: Seams, rule: Rule, e: int, out: Any) -> None:
    """Features of a seam: roots of mean contrasts, roots of distances of the two histograms, sizes, length."""
    a, b = seams.ends[e, 0], seams.ends[e, 1]
    n = seams.cues.shape[1]
    for k in range(n):
        out[k] = sqrt(max(seams.cues[e, k], 0.0) / seams.lengths[e])
    n_distances = rule.units.shape[0]
    for k in range(n_distances):
        out[n + k] = 0.0
    for h in range(rule.group.shape[0]):
        ahead, moved = 0.0, 0.0
        for k in range(rule.starts[h], rule.starts[h + 1]):
            ahead += patches.counts[a, k] * patches.sizes[b] - patches.counts[b, k] * patches.sizes[a]
            moved += abs(ahead)
        out[n + rule.group[h]] += moved  # exact, in any order of histograms
    for k in range(n_distances):
        out[n + k] = sqrt(out[n + k] / (patches.sizes[a] * patches.sizes[b]) * rule.units[k])
    n += n_distances
    small, large = min(patches.sizes[a], patches.sizes[b]), max(patches.sizes[a], patches.sizes[b])
    out[n] = log(small / rule.total)
    out[n + 1] = log(large / rule.total)
    out[n + 2] = log(seams.lengths[e] / sqrt(small))


@jit
def all_evidence(patches: Patches, seams: Seams, rule: Rule, out: Any) -> None:
    """Evidence of every seam, one row each."""
    for e in range(out.shape[0]):
        evidence(patches, seams, rule, e, out[e])


@jit
def _weigh(patches: Patches, seams: Seams, rule: Rule, e: int, scratch: Any) -> None:
    evidence(patches, seams, rule, e, scratch)
    cost = rule.bias
    for k in range(scratch.shape[0]):
        cost += rule.weights[k] * scratch[k]
    seams.cost[e] = floor(cost * _STEPS + 0.5) / _STEPS


@jit
def _cheapest(seams: Seams, n: int) -> int:
    """The cheapest seam."""
    best = seams.left[0]
    for k in range(1, n):
        if seams.cost[seams.left[k]] < seams.cost[best]:
            best = seams.left[k]
    return best


@jit
def _pool(patches: Patches, a: int, b: int) -> None:
    patches.sizes[a] += patches.sizes[b]
    for k in range(patches.counts.shape[1]):
        patches.counts[a, k] += patches.counts[b, k]


@jit
def _sew(seams: Seams, e: int, f: int) -> None:
    """Merge the seam f into e; while regions of one cost are joined, both count if one does."""
    seams.cost[e] = min(seams.cost[e], seams.cost[f])
    seams.lengths[e] += seams.lengths[f]
    for k in range(seams.cues.shape[1]):
        seams.cues[e, k] += seams.cues[f, k]


@jit
def _tidy(patches: Patches, seams: Seams, a: int, b: int, step: int, n: int) -> int:
    """Replace b by a, and keep one seam to each neighbor. Returns the number of remaining seams."""
    kept = 0
    for k in range(n):
        e = seams.left[k]
        for side in range(2):
            if seams.ends[e, side] == b:
                seams.ends[e, side] = a
        p, q = seams.ends[e, 0], seams.ends[e, 1]
        if p == q:
            continue
        if a in (p, q):
            other = q if p == a else p
            if patches.seen[other] == step:
                _sew(seams, patches.by[other], e)
                continue
            patches.seen[other], patches.by[other] = step, e
        seams.left[kept] = e
        kept += 1
    return kept


@jit
def join_regions(patches: Patches, seams: Seams, rule: Rule, scratch: Any, joins: Any, heights: Any, stop: Any) -> int:
    """Join along the cheapest seam until there is none. Returns the number of joins.

    seen : less than 1 initially
    scratch : memory for the evidence of a seam
    joins, heights : the two regions of each join, of which the first represents both afterwards, and its cost
    """
    n = seams.left.shape[0]
    for k in range(n):
        seams.left[k] = k
        _weigh(patches, seams, rule, k, scratch)
    step = 0
    while n > 0 and stop[0] == 0:
        e, before = _cheapest(seams, n), step
        level = seams.cost[e]
        while n > 0 and seams.cost[e] == level:
            a, b = min(seams.ends[e, 0], seams.ends[e, 1]), max(seams.ends[e, 0], seams.ends[e, 1])
            joins[step, 0], joins[step, 1], heights[step] = a, b, level
            step += 1
            _pool(patches, a, b)
            n = _tidy(patches, seams, a, b, step, n)
            e = _cheapest(seams, n)
        for k in range(before, step):
            patches.seen[joins[k, 0]] = -1
        for k in range(n):
            f = seams.left[k]
            if patches.seen[seams.ends[f, 0]] < 0 or patches.seen[seams.ends[f, 1]] < 0:
                _weigh(patches, seams, rule, f, scratch)
        for k in range(before, step):
            patches.seen[joins[k, 0]] = 0
    return step
