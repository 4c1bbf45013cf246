"""Join adjacent regions, starting with the seam that is least likely a boundary, until none is left.

There are few seams (thousands), so each join scans all remaining ones instead of using a heap.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

from .compile import jit


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
    units : bin width of each histogram
    group : the distance to which each histogram contributes
    n_groups : number of distances
    total : number of pixels of the image
    """

    starts: Any
    units: Any
    group: Any
    n_groups: int
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
    for k in range(rule.n_groups):
        out[n + k] = 0.0
    for h in range(rule.group.shape[0]):
        ahead, moved = 0.0, 0.0
        for k in range(rule.starts[h], rule.starts[h + 1]):
            ahead += patches.counts[a, k] / patches.sizes[a] - patches.counts[b, k] / patches.sizes[b]
            moved += abs(ahead)
        out[n + rule.group[h]] += moved * rule.units[h]
    n += rule.n_groups
    for k in range(n - rule.n_groups, n):
        out[k] = sqrt(out[k])
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
    seams.cost[e] = cost


@jit
def _cheapest(seams: Seams, n: int) -> int:
    """The cheapest seam; in a tie, the first."""
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
    """Merge the seam f into e."""
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
        e = _cheapest(seams, n)
        a, b = min(seams.ends[e, 0], seams.ends[e, 1]), max(seams.ends[e, 0], seams.ends[e, 1])
        joins[step, 0], joins[step, 1], heights[step] = a, b, seams.cost[e]
        step += 1
        _pool(patches, a, b)
        n = _tidy(patches, seams, a, b, step, n)
        for k in range(n):
            f = seams.left[k]
            if seams.ends[f, 0] == a or seams.ends[f, 1] == a:
                _weigh(patches, seams, rule, f, scratch)
    return step
