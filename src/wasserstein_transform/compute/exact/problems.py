"""What batches of transport problems have in common: their costs and order, where results go, and a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import depth_first_order
from scipy.spatial import cKDTree

from ..._archive import archived
from ..._display import HtmlTable
from ..._types import Floats, Ints
from ...engine import Engine, Record, RecordLayout, Tile
from ..cells.rows import inverse
from ..metrics.geometry_jit import Cloud
from ..records import CsrMeasures
from ..trees.spanning import prim

if TYPE_CHECKING:
    from ...spaces import Metric

_MIRRORED_BLOCK_SIDE = 1024  # side of the blocks of a matrix that are mirrored


@archived
@dataclass(frozen=True)
class Report(HtmlTable):
    """How a batch of problems was solved.

    Attributes
    ----------
    n_problems : int
        Number of pairs that were solved.
    n_fallbacks : int
        Number of problems that failed their certificate at first and were solved again by the safe algorithm.
    gap : float
        The largest primal–dual gap, relative to the largest cost d^p of its problem.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.wasserstein_pairs([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], [[0.0], [1.0], [2.0]])
    >>> found.report.n_problems, found.report.n_fallbacks, found.report.gap < 1e-12
    (1, 0, True)
    """

    n_problems: int = 0
    n_fallbacks: int = 0
    gap: float = 0.0

    def __add__(self, other: Report) -> Report:
        n_problems, n_fallbacks = self.n_problems + other.n_problems, self.n_fallbacks + other.n_fallbacks
        return Report(n_problems, n_fallbacks, max(self.gap, other.gap))


@dataclass(frozen=True, eq=False)
class Positions(RecordLayout):
    """Piece k has the positions `order[starts[k]:ends[k]]` of a list, or of row rows[k] of a matrix.

    Of a symmetric matrix, only positions after row k on the tour; the matrix is mirrored in the end, because in a file
    columns are slow. With plans, that of position q lies in the rows `slots[q]:slots[q+1]` of two more arrays.
    """

    starts: Ints
    ends: Ints
    order: Ints
    rows: Ints | None = None
    slots: Ints | None = None

    def allocate(self, out: Record, tile: Tile) -> Record:
        part = slice(*tile)
        size = 0 if self.slots is None else int(self.sizes(tile).sum())
        values = np.zeros(int((self.ends[part] - self.starts[part]).sum()))
        return values, np.zeros((tile.stop - tile.start, 2)), np.full((size, 2), -1), np.zeros((size, 2))

    def sizes(self, tile: Tile) -> Ints:
        """The numbers of rows of the plans of a tile."""
        assert self.slots is not None
        return np.diff(self.slots)[self._listed(tile)]

    def _listed(self, tile: Tile) -> Ints:
        """The positions of a tile, one piece after the other."""
        return np.concatenate([self.order[self.starts[k] : self.ends[k]] for k in range(*tile)])

    def store(self, out: Record, tile: Tile, record: Record) -> None:
        values, reports, *plans = record
        if self.slots is not None:
            sizes = self.sizes(tile)
            first = self.slots[self._listed(tile)] - np.cumsum(sizes) + sizes
            rows = np.repeat(first, sizes) + np.arange(sizes.sum())
            out[2][rows], out[3][rows] = plans
        start = 0
        for k in range(*tile):
            positions = self.order[self.starts[k] : self.ends[k]]
            row = out[0] if self.rows is None else out[0][self.rows[k]]
            row[positions] = values[start : start + len(positions)]
            start += len(positions)
        out[1][tile.start : tile.stop] = reports


def mirror(matrix: Floats, engine: Engine) -> None:
    """Complete a matrix of which one of the entries (i, j) and (j, i) is stored, and the other is 0; block by block."""
    n, side = len(matrix), _MIRRORED_BLOCK_SIDE
    with engine.progress_scope() as watched:
        for top in range(0, n, side):
            watched.report("mirroring distances", top, n)
            for left in range(top, n, side):
                watched.check()
                rows, cols = slice(top, top + side), slice(left, left + side)
                both = matrix[rows, cols] + matrix[cols, rows].T
                matrix[rows, cols], matrix[cols, rows] = both, both.T


_MAX_TABLE_SIZE = 100_000  # entries of a table of pairs, small enough for a cache
_N_LANDMARKS = 8


class VisitOrder(NamedTuple):
    """Measures in the order of a walk along their spanning tree, and the positions of their parents; −1 for the root.

    It depends only on the measures, so that results do not depend on the number of threads.
    """

    order: Ints
    parent: Ints


def spatial_rank(measures: CsrMeasures, metric: Metric, engine: Engine) -> Ints:
    """Ranks of the measures such that similar ones are close: the leaves of a k-d tree of landmark coordinates."""
    return inverse(cKDTree(_landmark_coordinates(measures, metric, engine), leafsize=1).indices)


def visit_order(measures: CsrMeasures, metric: Metric, engine: Engine) -> VisitOrder:
    """A walk along the minimum spanning tree of the landmark coordinates of the measures."""
    n = len(measures.totals)
    if n == 1:
        return VisitOrder(np.zeros(1, np.intp), np.full(1, -1, np.intp))
    coordinates = _landmark_coordinates(measures, metric, engine)
    edges = prim(Cloud(coordinates), n, None, 1.0, engine, "tour of the measures").edges
    tree = csr_array((np.ones(n - 1), (edges[:, 0], edges[:, 1])), shape=(n, n))
    order, parent = depth_first_order(tree, 0, directed=False)
    parent_positions = np.append(-1, inverse(order)[parent[order[1:]]])
    return VisitOrder(order.astype(np.intp), parent_positions.astype(np.intp))


def _landmark_coordinates(measures: CsrMeasures, metric: Metric, engine: Engine) -> Floats:
    """The mean distances to landmarks, in a unit in which squares do not overflow."""
    distances = landmark_distances(metric, engine)
    return mean_distances(measures, distances / (distances.max() or 1.0))


def parents_of_listed(parent: Ints, owners: Ints, positions: Ints) -> Ints:
    """For pairs sorted by owner and visit: the index of the owner's nearest ancestor that is listed; −1 for none.

    Only two steps up are searched: potentials from farther away are not better than none.
    """
    n = len(parent)
    up, parents = np.append(np.where(parent < 0, n, parent), n), np.empty(len(positions), np.intp)
    n_at_once = max(1, _MAX_TABLE_SIZE // (n + 1))  # owners
    table = np.full(n_at_once * (n + 1), -1)  # the pair of an owner and a position, if listed
    for first in range(0, int(owners.max(initial=-1)) + 1, n_at_once):
        part = slice(*np.searchsorted(owners, [first, first + n_at_once]))
        start, position = (owners[part] - first) * (n + 1), positions[part]
        table[start + position] = np.arange(part.start, part.stop)
        by_parent, by_grandparent = table[start + up[position]], table[start + up[up[position]]]
        parents[part] = np.where(by_parent >= 0, by_parent, by_grandparent)
        table[start + position] = -1
    return parents


def landmark_distances(metric: Metric, engine: Engine, k: int = _N_LANDMARKS) -> Floats:
    """Distances of all points to k landmarks, each the farthest from the previous ones; fewer if no point is left."""
    everything, engine = np.arange(metric.n), engine.silent()
    rows = [metric.block(np.zeros(1, np.intp), everything, engine)[0]]
    rows[0] = metric.block(rows[0].argmax()[None], everything, engine)[0]
    nearest = rows[0]
    while len(rows) < k and nearest.max() > 0:
        rows.append(metric.block(nearest.argmax()[None], everything, engine)[0])
        nearest = np.minimum(nearest, rows[-1])
    return np.stack(rows)


def mean_distances(measures: CsrMeasures, rows: Floats) -> Floats:
    """∫ d(·, z) dα for every measure α and landmark z; by the triangle inequality these differ by at most W1."""
    totals = np.where(measures.totals > 0, measures.totals, 1.0)  # all mass of a measure may be spare
    shares = measures.masses / np.repeat(totals, np.diff(measures.indptr))
    matrix = csr_array((shares, measures.indices, measures.indptr), shape=(len(measures.totals), rows.shape[1]))
    return np.asarray(matrix @ rows.T)
