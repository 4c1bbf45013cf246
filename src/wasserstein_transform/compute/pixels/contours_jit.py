"""Segmentation by contours: contrasts in every direction, watershed basins, and joining of regions.

Adjacent regions are joined, starting with the seam that is least likely a boundary, until none is left. There are few
seams (thousands), so each join scans all remaining ones instead of using a heap. Seams of equal cost are joined at
once, and what regions and seams sum up is exact, so the order of seams does not matter.
"""

from __future__ import annotations

from math import floor, log, sqrt
from typing import Any, NamedTuple

from ..jit import jit

_SIMILARITY_STEPS = 2.0**20  # of a unit of similarity, so that rounding errors decide nothing
_COST_STEPS = 2.0**28  # of a unit of costs, which are rounded: equal seams cost the same whatever the processor


@jit
def _mirrored(i: int, n: int) -> int:
    """The pixel that stands for pixel i of a side of n pixels: beyond the ends they are mirrored."""
    i %= 2 * n
    return min(i, 2 * n - 1 - i)


@jit
def smooth(values: Any, weights: Any, row: Any, out: Any) -> None:
    """Filter both axes symmetrically; pixels beyond the border are mirrored.

    weights : of the offsets 0, 1, …, reach
    row : memory for a row of the image, and twice the reach
    """
    height, width = values.shape
    reach = weights.shape[0] - 1
    inner = row[reach : reach + width]
    for y in range(height):
        for x in range(width):
            inner[x] = weights[0] * values[y, x]
        for k in range(1, reach + 1):
            above, below = values[_mirrored(y - k, height)], values[_mirrored(y + k, height)]
            for x in range(width):
                inner[x] += weights[k] * (above[x] + below[x])
        for k in range(reach):
            row[reach - 1 - k] = inner[_mirrored(-1 - k, width)]
            row[reach + width + k] = inner[_mirrored(width + k, width)]
        for x in range(width):
            out[y, x] = weights[0] * inner[x]
        for k in range(1, reach + 1):
            left, right, sums = row[reach - k :], row[reach + k :], out[y]
            for x in range(width):
                sums[x] += weights[k] * (left[x] + right[x])


@jit
def add_gaps(level: Any, cosines: Any, sines: Any, out: Any) -> None:
    """Add |∂_θ level| of every pixel, over two pixels, to each of the directions θ.

    level : smoothed share of values below a threshold, shape (h, w)
    cosines, sines : of the directions
    out : shape (directions, h, w)
    """
    n, height, width = out.shape
    for k in range(n):
        c, s = cosines[k], sines[k]
        for y in range(height):
            above, here, below, sums = level[max(y - 1, 0)], level[y], level[min(y + 1, height - 1)], out[k, y]
            sums[0] += abs(c * (here[min(1, width - 1)] - here[0]) + s * (below[0] - above[0]))
            for x in range(1, width - 1):
                sums[x] += abs(c * (here[x + 1] - here[x - 1]) + s * (below[x] - above[x]))
            if width > 1:
                x = width - 1
                sums[x] += abs(c * (here[x] - here[x - 1]) + s * (below[x] - above[x]))


@jit
def carry_up(picture: Any, small: Any, labels: Any, top: int, full: int, sharpness: float, out: Any, stop: Any) -> None:
    """Transfer labels of a reduced image to some rows of the full image.

    Each pixel takes the label of the most similar of the nine reduced pixels around it. Similarity is the distance of
    positions, in reduced pixels, plus that of values times `sharpness`, rounded; in a tie the smallest label. The pixel
    in the middle of a reduced one has its label.

    picture : rows of the full image, shape (rows, width, channels)
    small, labels : the reduced image, shape (h, w, channels), and its labels; negative ones are none
    top, full : index of the first row, and the number of rows of the full image
    out : labels, shape (rows, width)
    """
    height, width, channels = small.shape
    wide = out.shape[1]
    for i in range(out.shape[0]):
        if stop[0] != 0:
            return
        y = (2 * (top + i) + 1) * height  # positions are whole numbers: a reduced pixel has length 2 · full
        row = y // (2 * full)
        middle = abs(y - (2 * row + 1) * full) <= height
        for j in range(wide):
            x = (2 * j + 1) * width
            column = x // (2 * wide)
            if middle and abs(x - (2 * column + 1) * wide) <= width:
                out[i, j] = labels[row, column]
                continue
            best, label = 1e300, -1
            for v in range(max((y - 1) // (2 * full) - 1, 0), min(row + 2, height)):
                down = (y - (2 * v + 1) * full) / (2.0 * full)
                for u in range(max((x - 1) // (2 * wide) - 1, 0), min(column + 2, width)):
                    if labels[v, u] < 0:
                        continue
                    right = (x - (2 * u + 1) * wide) / (2.0 * wide)
                    apart = 0.0
                    for c in range(channels):
                        off = picture[i, j, c] - small[v, u, c]
                        apart += off * off
                    apart = floor((apart * sharpness + down * down + right * right) * _SIMILARITY_STEPS + 0.5)
                    if apart < best or (apart == best and labels[v, u] < label):
                        best, label = apart, labels[v, u]
            out[i, j] = label


@jit
def _lowest(height: Any, away: Any, y: int, x: int) -> tuple[float, int]:
    """Height and distance of the lowest pixels around a pixel, including itself; among equal heights the nearest."""
    best, least = height[y, x], away[y, x]
    for v in range(max(y - 1, 0), min(y + 2, height.shape[0])):
        for u in range(max(x - 1, 0), min(x + 2, height.shape[1])):
            if height[v, u] < best or (height[v, u] == best and away[v, u] < least):
                best, least = height[v, u], away[v, u]
    return best, least


@jit
def find_exits(height: Any, away: Any, queue: Any) -> None:
    """Count steps from each pixel over level ground to one with a lower neighbor; as many as pixels if there is none.

    queue : memory for all pixels
    """
    h, w = height.shape
    n, done = 0, 0
    for i in range(h * w):
        away[i // w, i % w] = h * w
        if _lowest(height, away, i // w, i % w)[0] < height[i // w, i % w]:
            queue[n] = i
            n += 1
    for k in range(n):
        away[queue[k] // w, queue[k] % w] = 0
    while done < n:
        y, x = queue[done] // w, queue[done] % w
        done += 1
        for v in range(max(y - 1, 0), min(y + 2, h)):
            for u in range(max(x - 1, 0), min(x + 2, w)):
                if height[v, u] == height[y, x] and away[v, u] == h * w:
                    away[v, u] = away[y, x] + 1
                    queue[n] = v * w + u
                    n += 1


@jit
def fill_basins(height: Any, away: Any, stack: Any, labels: Any) -> int:
    """Label each pixel by the basin that it drains to; returns the number of basins.

    A pixel drains to the lowest pixel around it, among equal heights to the one nearest to an exit (`find_exits`), then
    to one beside it rather than across a corner. If pixels that are equal in all of this are in different basins, the
    pixel is a basin of its own: no choice between them would survive mirroring.

    stack : memory for all pixels
    labels : −1 initially
    """
    h, w = height.shape
    count = 0
    for i in range(h * w):
        if labels[i // w, i % w] >= 0:
            continue
        stack[0], n = i, 1
        while n > 0:
            y, x = stack[n - 1] // w, stack[n - 1] % w
            best, least = _lowest(height, away, y, x)
            if labels[y, x] >= 0:
                n -= 1
            elif away[y, x] == h * w:  # a sink: its equal neighbors are of the same basin
                labels[y, x] = count
                count += 1
                n = _fill_sink(height, labels, y, x, stack, n)
            else:
                n = _follow(height, away, labels, y, x, best, least, count, stack, n)
                if labels[y, x] == count:
                    count += 1
    return count


@jit
def _fill_sink(height: Any, labels: Any, y: int, x: int, stack: Any, n: int) -> int:
    """Label all pixels of a sink, whose first is the last of the stack."""
    h, w = height.shape
    bottom = n - 1
    while n > bottom:
        n -= 1
        b, a = stack[n] // w, stack[n] % w
        for v in range(max(b - 1, 0), min(b + 2, h)):
            for u in range(max(a - 1, 0), min(a + 2, w)):
                if height[v, u] == height[y, x] and labels[v, u] < 0:
                    labels[v, u] = labels[y, x]
                    stack[n] = v * w + u
                    n += 1
    return bottom


@jit
def _follow(
    height: Any, away: Any, labels: Any, y: int, x: int, best: float, least: int, count: int, stack: Any, n: int
) -> int:
    """Label a pixel by those it drains to, or put the first of them without a label onto the stack."""
    h, w = height.shape
    for corners in range(2):
        label = -1
        for v in range(max(y - 1, 0), min(y + 2, h)):
            for u in range(max(x - 1, 0), min(x + 2, w)):
                if (v != y and u != x) != (corners == 1) or height[v, u] != best or away[v, u] != least:
                    continue
                if labels[v, u] < 0:
                    stack[n] = v * w + u
                    return n + 1
                label = labels[v, u] if label in (-1, labels[v, u]) else count
        if label >= 0:
            labels[y, x] = label
            return n - 1
    return n


class Regions(NamedTuple):
    """Regions; joined ones are counted in their representative.

    sizes : number of pixels
    counts : concatenated histograms of values, in pixels, one row per region
    visited, by : the last join that visited a region, and the seam it came by
    """

    sizes: Any
    counts: Any
    visited: Any
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


class MergeWeights(NamedTuple):
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
def evidence(regions: Regions, seams: Seams, rule: MergeWeights, e: int, out: Any) -> None:
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
            ahead += regions.counts[a, k] * regions.sizes[b] - regions.counts[b, k] * regions.sizes[a]
            moved += abs(ahead)
        out[n + rule.group[h]] += moved  # exact, in any order of histograms
    for k in range(n_distances):
        out[n + k] = sqrt(out[n + k] / (regions.sizes[a] * regions.sizes[b]) * rule.units[k])
    n += n_distances
    small, large = min(regions.sizes[a], regions.sizes[b]), max(regions.sizes[a], regions.sizes[b])
    out[n] = log(small / rule.total)
    out[n + 1] = log(large / rule.total)
    out[n + 2] = log(seams.lengths[e] / sqrt(small))


@jit
def all_evidence(regions: Regions, seams: Seams, rule: MergeWeights, out: Any) -> None:
    """Evidence of every seam, one row each."""
    for e in range(out.shape[0]):
        evidence(regions, seams, rule, e, out[e])


@jit
def _weigh(regions: Regions, seams: Seams, rule: MergeWeights, e: int, scratch: Any) -> None:
    evidence(regions, seams, rule, e, scratch)
    cost = rule.bias
    for k in range(scratch.shape[0]):
        cost += rule.weights[k] * scratch[k]
    seams.cost[e] = floor(cost * _COST_STEPS + 0.5) / _COST_STEPS


@jit
def _cheapest(seams: Seams, n: int) -> int:
    """The cheapest seam."""
    best = seams.left[0]
    for k in range(1, n):
        if seams.cost[seams.left[k]] < seams.cost[best]:
            best = seams.left[k]
    return best


@jit
def _merge_regions(regions: Regions, a: int, b: int) -> None:
    regions.sizes[a] += regions.sizes[b]
    for k in range(regions.counts.shape[1]):
        regions.counts[a, k] += regions.counts[b, k]


@jit
def _merge_seams(seams: Seams, e: int, f: int) -> None:
    """Merge the seam f into e; while regions of one cost are joined, both count if one does."""
    seams.cost[e] = min(seams.cost[e], seams.cost[f])
    seams.lengths[e] += seams.lengths[f]
    for k in range(seams.cues.shape[1]):
        seams.cues[e, k] += seams.cues[f, k]


@jit
def _drop_duplicate_seams(regions: Regions, seams: Seams, a: int, b: int, step: int, n: int) -> int:
    """Replace b by a, and keep one seam to each neighbor. Returns the number of remaining seams."""
    n_kept = 0
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
            if regions.visited[other] == step:
                _merge_seams(seams, regions.by[other], e)
                continue
            regions.visited[other], regions.by[other] = step, e
        seams.left[n_kept] = e
        n_kept += 1
    return n_kept


@jit
def join_regions(
    regions: Regions, seams: Seams, rule: MergeWeights, scratch: Any, joins: Any, heights: Any, stop: Any
) -> int:
    """Join along the cheapest seam until there is none. Returns the number of joins.

    visited : less than 1 initially
    scratch : memory for the evidence of a seam
    joins, heights : the two regions of each join, of which the first represents both afterwards, and its cost
    """
    n = seams.left.shape[0]
    for k in range(n):
        seams.left[k] = k
        _weigh(regions, seams, rule, k, scratch)
    step = 0
    while n > 0 and stop[0] == 0:
        e, before = _cheapest(seams, n), step
        level = seams.cost[e]
        while n > 0 and seams.cost[e] == level:
            a, b = min(seams.ends[e, 0], seams.ends[e, 1]), max(seams.ends[e, 0], seams.ends[e, 1])
            joins[step, 0], joins[step, 1], heights[step] = a, b, level
            step += 1
            _merge_regions(regions, a, b)
            n = _drop_duplicate_seams(regions, seams, a, b, step, n)
            e = _cheapest(seams, n)
        for k in range(before, step):
            regions.visited[joins[k, 0]] = -1
        for k in range(n):
            f = seams.left[k]
            if regions.visited[seams.ends[f, 0]] < 0 or regions.visited[seams.ends[f, 1]] < 0:
                _weigh(regions, seams, rule, f, scratch)
        for k in range(before, step):
            regions.visited[joins[k, 0]] = 0
    return step
