"""Joining touching regions, the seam least likely to be drawn first, until none is left.

Seams are few (thousands), so each join looks through all that are left: no queue, no chains.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

from .compile import jit


class Patches(NamedTuple):
    """Regions, those joined counted with the one that stands for them.

    sizes : pixels of each
    counts : histograms of values beside each other, in pixels, one row a region
    seen, by : the join that last came across a region, and the seam it came by
    """

    sizes: Any
    counts: Any
    seen: Any
    by: Any


class Seams(NamedTuple):
    """Where two regions touch.

    ends : the two regions
    lengths : pairs of pixels that face each other
    cues : sums of contrasts over those pairs, one row a seam
    cost, left : of each seam; the seams that are left
    """

    ends: Any
    lengths: Any
    cues: Any
    cost: Any
    left: Any


class Rule(NamedTuple):
    """How evidence is weighed: cost = bias + weights · evidence.

    starts : where each histogram begins among the columns of `counts`, and the end
    units : the width of a bin of each
    group : the number of the distance that each histogram adds to
    n_groups : how many distances there are
    total : pixels of the image
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
    """What speaks for a seam: roots of mean contrasts, roots of distances of the two histograms, sizes, length."""
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
    """Of equals, the first."""
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
    """Count the seam f with e."""
    seams.lengths[e] += seams.lengths[f]
    for k in range(seams.cues.shape[1]):
        seams.cues[e, k] += seams.cues[f, k]


@jit
def _tidy(patches: Patches, seams: Seams, a: int, b: int, step: int, n: int) -> int:
    """Let a stand for b, and leave one seam to each neighbor. Returns how many are left."""
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

    seen : less than 1 in the beginning
    scratch : room for the evidence of a seam
    joins, heights : the two regions of each join, of which the first stands for both from then on, and what it cost
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
