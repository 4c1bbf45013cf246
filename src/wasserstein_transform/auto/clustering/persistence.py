"""Persistent clusters: parts of a tree that stay whole over the widest range of heights."""

from __future__ import annotations

import numpy as np

from ..._types import Floats, Ints
from ...hierarchy import Tree
from ...hierarchy.dendrogram import Dendrogram, choose_merges


def lasting_cuts(tree: Tree, dendrogram: Dendrogram, least: float) -> Ints:
    """Return the edges to cut so that clusters are the most persistent parts of at least the mass `least`.

    A part persists from the height at which it joins others down to the height at which it splits into large parts, or
    to the median height of its own edges. Its score is mass · log(upper/lower), compared with the sum of the scores of
    its parts. (This is HDBSCAN's excess of mass, with ratios of heights, so that it does not depend on the unit.)
    """
    merges = choose_merges(dendrogram, least, dendrogram.points.size).merges
    heights = np.empty(int(tree.level_of_edges.max(initial=-1)) + 1)
    heights[tree.level_of_edges] = np.log(np.maximum(tree.heights, 1e-300))
    whole = _Part(slice(0, len(dendrogram.points)), -1, float("nan"))
    parts, of_merge = [whole], list[list[int]]()
    inside = np.zeros(len(dendrogram.points), np.intp)  # the smallest part that contains each position
    masses = dendrogram.masses
    for merge in merges.tolist():
        run = np.arange(dendrogram.first[merge], dendrogram.first[merge + 1])
        above = int(inside[dendrogram.starts[run[0]]])
        parts[above].split = len(of_merge)
        of_merge.append([])
        for one in run[masses[run] >= least].tolist():
            positions = slice(int(dendrogram.starts[one]), int(dendrogram.ends[one]))
            inside[positions] = len(parts)
            of_merge[-1].append(len(parts))
            parts.append(_Part(positions, above, float(heights[dendrogram.levels[merge]])))
    cut = _chosen(parts, of_merge, [_lasts(part, merges, dendrogram, heights) for part in parts])
    edges = [dendrogram.edges[dendrogram.first_edge[m] : dendrogram.first_edge[m + 1]] for m in merges[cut].tolist()]
    return np.concatenate(edges) if edges else np.empty(0, np.intp)


class _Part:
    def __init__(self, positions: slice, above: int, upper: float) -> None:
        self.positions, self.above, self.upper = positions, above, upper
        self.split = -1  # index of the merge at which it splits


def _lasts(part: _Part, merges: Ints, dendrogram: Dendrogram, heights: Floats) -> float:
    """Return mass · log(upper/lower); 0 for the whole, which has no upper height."""
    if part.above < 0:
        return 0.0
    start, stop = part.positions.start, part.positions.stop
    mass = float(dendrogram.mass_before[stop] - dendrogram.mass_before[start])
    if part.split >= 0:
        lower = float(heights[dendrogram.levels[merges[part.split]]])
    else:
        inner = dendrogram.gaps[start : stop - 1]
        lower = float(np.median(heights[inner])) if len(inner) else part.upper
    return mass * (part.upper - lower)


def _chosen(parts: list[_Part], of_merge: list[list[int]], lasts: list[float]) -> list[int]:
    """Return the merges to cut: those where the parts below have a larger total score than the part above."""
    best = list(lasts)
    whole = [True] * len(parts)
    for at in range(len(parts) - 1, -1, -1):  # inner parts come later
        if parts[at].split >= 0:
            below = sum(best[one] for one in of_merge[parts[at].split])
            if below > best[at]:
                best[at], whole[at] = below, False
    found, open_ = list[int](), [0]
    while open_:
        at = open_.pop()
        if not whole[at]:
            found.append(parts[at].split)
            open_ += of_merge[parts[at].split]
    return sorted(found)
