"""Join moved points to a net of lines: knots along curves, edges between them, no short cycles and spurs."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree
from scipy.spatial import cKDTree

from .._types import Bools, Floats, Ints
from ..engine import Engine, Flag
from ..spaces import Euclidean, Space, quotient

_AROUND = 4.0  # an edge is kept if the path around it is longer than this many times its length
_ASTRAY = 0.5  # least cosine to the curve at one end: an edge below it at both ends joins two different curves
_STRAIGHT = 0.8  # least cosine at both ends for long edges, which close gaps in a curve
_BUSY = 12.0  # neighbors: between knots with more there are no gaps, unless the curve goes straight on
_BETWEEN = 0.7  # times half the length of an edge: a knot as close to its middle makes the edge superfluous
_BENT = 2.0  # factor on the length of an edge at right angles to the curve

Net = dict[int, dict[int, float]]
"""The neighbors of each knot, with the lengths of the edges."""


class Knots(NamedTuple):
    """Positions along curves.

    Attributes
    ----------
    points : array of shape (k, m)
        Positions of the knots.
    ways : array of shape (k, m)
        Unit vectors along the curve; their signs are arbitrary.
    mass : array of shape (k,)
        Mass of the points of each knot.
    evidence : array of shape (k,)
        Largest number of neighbors of a point of each knot.
    of : array of shape (n,)
        The knot of each point; −1 for points left out.
    """

    points: Floats
    ways: Floats
    mass: Floats
    evidence: Floats
    of: Ints


def gather(
    points: Floats, ways: Floats, weights: Floats, evidence: Floats, keep: Bools, radius: float, engine: Engine
) -> Knots:  # fmt: skip
    """Gather the kept points into knots; each knot holds points within the radius of its first, by coordinates."""
    of, rows = np.full(len(points), -1, np.intp), np.flatnonzero(keep)
    rows = rows[np.lexsort((weights[rows], *points[rows].T[::-1]))]
    if not len(rows):
        nothing = np.empty((0, points.shape[1]))
        return Knots(nothing, nothing, np.empty(0), np.empty(0), of)
    here, heavy = np.ascontiguousarray(points[rows]), weights[rows] / weights[rows].sum()
    of[rows] = labels = quotient(Space(Euclidean(here), heavy, here), radius, engine).labels
    mass = np.bincount(labels, weights[rows]).astype(float)
    centers = np.column_stack([np.bincount(labels, weights[rows] * column) for column in here.T]) / mass[:, None]
    directions = weights[rows, None, None] * ways[rows, :, None] * ways[rows, None, :]
    tensors = np.zeros((len(mass), here.shape[1], here.shape[1]))
    np.add.at(tensors, labels, directions)
    most = np.zeros(len(mass))
    np.maximum.at(most, labels, evidence[rows])
    return Knots(centers, np.linalg.eigh(tensors)[1][:, :, -1], mass, most, of)


class Forest(NamedTuple):
    """Trees joined at an artificial root.

    Attributes
    ----------
    above : array of shape (levels, k + 1)
        The ancestor 1, 2, 4, … levels above each knot; the root is its own ancestor.
    height : array of shape (k + 1,)
        Length of the path to the root.
    depth : array of shape (k + 1,)
        Number of edges of that path.
    tree : array of shape (k + 1,)
        The tree of each knot.
    """

    above: Ints
    height: Floats
    depth: Ints
    tree: Ints

    @classmethod
    def of(cls, n: int, edges: Ints, lengths: Floats) -> Self:
        """Make the forest of n knots from edges without cycles."""
        tree = connected_components(_matrix(n, edges, np.ones(len(edges))), directed=False)[1]
        tops = np.unique(tree, return_index=True)[1]  # the first knot of each tree is joined to the root
        hung = np.concatenate([edges, np.column_stack([np.full(len(tops), n), tops])])
        above = breadth_first_order(_matrix(n + 1, hung, np.ones(len(hung))), n, directed=False)[1].astype(np.intp)
        above[n] = n
        height, depth = np.zeros(n + 1), np.zeros(n + 1, np.intp)
        depth[:n] = 1
        for k in (0, 1):  # each edge's length belongs to its lower end
            low = above[edges[:, k]] == edges[:, 1 - k]
            height[edges[low, k]] = lengths[low]
        levels = [above]
        while (levels[-1] != n).any():
            height, depth = height + height[levels[-1]], depth + depth[levels[-1]]
            levels.append(levels[-1][levels[-1]])
        return cls(np.array(levels), height, depth, np.append(tree, -1))

    def ways(self, pairs: Ints) -> Floats:
        """Return the path length between the knots of each pair; infinite between different trees.

        Examples
        --------
        >>> import numpy as np
        >>> star = Forest.of(5, np.array([[0, 1], [0, 2], [2, 3]]), np.array([1.0, 2.0, 4.0]))
        >>> star.ways(np.array([[1, 3], [2, 3], [3, 3], [1, 4]]))
        array([ 7.,  4.,  0., inf])
        """
        low, high = pairs.T.astype(np.intp)
        swap = self.depth[low] < self.depth[high]
        low, high = np.where(swap, high, low), np.where(swap, low, high)
        lengths = self.height[low] + self.height[high]
        for k in range(len(self.above) - 1, -1, -1):
            climb = self.depth[low] - self.depth[high] >= 2**k
            low = np.where(climb, self.above[k][low], low)
        for above in self.above[::-1]:
            apart = above[low] != above[high]
            low, high = np.where(apart, above[low], low), np.where(apart, above[high], high)
        meet = np.where(low == high, low, self.above[0][low])
        same = self.tree[pairs[:, 0]] == self.tree[pairs[:, 1]]
        return np.where(same, np.maximum(lengths - 2 * self.height[meet], 0.0), np.inf)


def spanning(n: int, edges: Ints) -> Bools:
    """Tell which edges, taken in order, join components that earlier edges do not join (Kruskal)."""
    ranks = np.arange(1.0, len(edges) + 1)
    kept = minimum_spanning_tree(_matrix(n, edges, ranks)).data
    chosen = np.zeros(len(edges), bool)
    chosen[kept.astype(np.intp) - 1] = True
    return chosen


def _matrix(n: int, edges: Ints, values: Floats) -> coo_matrix:
    return coo_matrix((values, (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()


def join(knots: Knots, eps: float, near: float, reach: float, loop: float, engine: Engine) -> tuple[Net, Forest]:
    """Join knots within `reach` of each other along the curve; the straightest and shortest edges come first.

    Edges must follow the curve at one end at least. Those longer than `near`, and those longer than `eps` between knots
    with many points, must follow it at both. No cycle is shorter than `loop`.

    An edge is kept if the path around it in the net so far is more than four times as long. This gives a spanning
    forest, which is returned with the net, and the edges that close real loops, but not those within a thick line.
    """
    n = len(knots.points)
    tree = engine.run_single(lambda stop: cKDTree(knots.points), "knots")
    pairs = engine.run_single(lambda stop: tree.query_pairs(reach, output_type="ndarray").astype(np.intp), "pairs")
    ends, lengths = _running_along(knots, tree, pairs.reshape(-1, 2), eps, near)
    first = spanning(n, ends)
    net: Net = {k: {} for k in range(n)}
    for (i, j), length in zip(ends[first].tolist(), lengths[first].tolist(), strict=True):
        net[i][j] = net[j][i] = length
    forest = Forest.of(n, ends[first], lengths[first])
    add_where_missing(net, forest, ends[~first], lengths[~first], _AROUND, loop, engine)
    return net, forest


def _running_along(knots: Knots, tree: cKDTree, pairs: Ints, eps: float, near: float) -> tuple[Ints, Floats]:
    """Return the pairs whose edge follows the curve, best first, and their lengths."""
    steps = knots.points[pairs[:, 1]] - knots.points[pairs[:, 0]]
    lengths = np.sqrt((steps**2).sum(axis=1))
    units = steps / np.where(lengths > 0, lengths, 1.0)[:, None]
    cosines = np.abs(np.einsum("ia,ika->ik", units, knots.ways[pairs]))
    cost = lengths * (1 + (_BENT - 1) * (1 - cosines.mean(axis=1)))
    order = np.lexsort((pairs[:, 1], pairs[:, 0], cost))
    short = lengths <= np.where(knots.evidence[pairs].min(axis=1) < _BUSY, near, eps)
    follows = (cosines.max(axis=1) >= _ASTRAY) & (short | (cosines.min(axis=1) >= _STRAIGHT))
    along = order[follows[order]]
    free = tree.query(knots.points[pairs[along]].mean(axis=1))[0] >= _BETWEEN / 2 * lengths[along]
    return pairs[along[free]], lengths[along[free]]


def add_where_missing(
    net: Net, forest: Forest, ends: Ints, lengths: Floats, around: float, loop: float, engine: Engine
) -> None:
    """Add each edge for which the net has no path of at most `around` times its length, or `loop` minus its length.

    Most have such a path in the forest, which is part of the net; only for the others a search is needed.
    """
    limits = np.maximum(around * lengths, loop - lengths)
    missing = forest.ways(ends) > limits
    edges = zip(ends[missing].tolist(), lengths[missing].tolist(), limits[missing].tolist(), strict=True)

    def add(stop: Flag) -> None:
        for count, ((i, j), length, limit) in enumerate(edges):
            if count % 256 == 0 and stop[0]:
                return
            if not is_within(net, i, j, limit):
                net[i][j] = net[j][i] = length

    engine.run_single(add, "edges")


def is_within(net: Net, start: int, goal: int, limit: float) -> bool:
    """Tell whether there is a path no longer than the limit."""
    last = net[goal]
    if any(there in last and step + last[there] <= limit for there, step in net[start].items()):
        return True  # through one knot in between: the most frequent case
    found, queue = {start: 0.0}, [(0.0, start)]
    while queue:
        length, here = heapq.heappop(queue)
        if here == goal:
            return True
        if length > found[here]:
            continue
        for there, step in net[here].items():
            ahead = length + step
            if ahead <= limit and ahead < found.get(there, np.inf):
                found[there] = ahead
                heapq.heappush(queue, (ahead, there))
    return False


def prune(net: Net, spur: float) -> None:
    """Remove dead ends shorter than `spur` at junctions, shortest first."""
    waiting = [(length, chain) for chain, length in _dead_ends(net, spur)]
    heapq.heapify(waiting)
    while waiting:
        _, chain = heapq.heappop(waiting)
        junction, end = chain[-1], chain[0]
        if len(net[end]) != 1 or len(net[junction]) < 3:
            continue
        for a, b in pairwise(chain):
            del net[a][b], net[b][a]
        if len(net[junction]) == 2:  # the remaining branches may now form a dead end
            for tail, length in _dead_ends_through(net, junction, spur):
                heapq.heappush(waiting, (length, tail))


def _dead_ends(net: Net, spur: float) -> Iterator[tuple[list[int], float]]:
    for end, near in net.items():
        if len(near) == 1:
            chain, length = follow(net, end, next(iter(near)), spur)
            if length < spur and len(net[chain[-1]]) >= 3:
                yield chain, length


def _dead_ends_through(net: Net, knot: int, spur: float) -> Iterator[tuple[list[int], float]]:
    for ahead in net[knot]:
        back = follow(net, knot, ahead)[0]
        if len(net[back[-1]]) == 1:
            chain, length = follow(net, back[-1], back[-2])
            if length < spur and len(net[chain[-1]]) >= 3:
                yield chain, length


def follow(net: Net, start: int, ahead: int, most: float = np.inf) -> tuple[list[int], float]:
    """Return the chain from a knot through a neighbor to the next end or junction, and its length.

    It stops early if it is longer than `most`.
    """
    chain, length = [start, ahead], net[start][ahead]
    while len(net[chain[-1]]) == 2 and chain[-1] != start and length <= most:
        one, other = net[chain[-1]]
        onward = other if one == chain[-2] else one
        length += net[chain[-1]][onward]
        chain.append(onward)
    return chain, length


def melt(net: Net, points: Floats, near: float) -> None:
    """Merge junctions joined by a line shorter than `near`, closest first; `points` gets their new positions."""
    waiting = [link for knot, of in net.items() if len(of) >= 3 for link in _short_links(net, knot, near)]
    heapq.heapify(waiting)
    while waiting:
        _, chain = heapq.heappop(waiting)
        a, b = chain[0], chain[-1]
        if len(net[a]) < 3 or len(net[b]) < 3 or any(there not in net[here] for here, there in pairwise(chain)):
            continue  # one of them was merged before
        for here, there in pairwise(chain):
            del net[here][there], net[there][here]
        points[a] = (points[a] + points[b]) / 2
        for c in [*net[a], *net[b]]:
            net[b].pop(c, None)
            net[c].pop(b, None)
            if c != a:
                net[a][c] = net[c][a] = float(np.sqrt(((points[a] - points[c]) ** 2).sum()))
        for link in _short_links(net, a, near):
            heapq.heappush(waiting, link)


def _short_links(net: Net, knot: int, near: float) -> list[tuple[float, list[int]]]:
    """Return the lines shorter than `near` from a junction to others."""
    found = [(length, chain) for chain, length in (follow(net, knot, ahead, near) for ahead in net[knot])]
    return [
        (length, chain) for length, chain in found if length < near and chain[-1] != knot and len(net[chain[-1]]) >= 3
    ]


def chains(net: Net) -> list[list[int]]:
    """Return the lines between ends and junctions, and closed lines, each once, as lists of knots."""
    found, linked = list[list[int]](), set[int]()
    for start in sorted(net):
        if len(net[start]) in (0, 2):
            continue
        for ahead in sorted(net[start]):
            chain, _ = follow(net, start, ahead)
            if (chain[0], chain[1]) <= (chain[-1], chain[-2]):
                found.append(chain)
            linked.update(chain)
    for start in sorted(net):
        if start not in linked and len(net[start]) == 2:
            chain, _ = follow(net, start, min(net[start]))
            found.append(chain)
            linked.update(chain)
    return found
