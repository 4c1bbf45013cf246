"""A transformed metric whose distances are solved on demand, and iteration up to a radius.

All mass of a measure lies within ε of its point, so a step changes a distance by at most 2ε. To know D^τ up to r, only
pairs with D^{τ−1} ≤ r + 2ε are needed, and their costs reach r + 4ε. So each earlier step needs a radius that is larger
by 4ε. A step solves one problem per such pair, not n²/2 problems.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np
from scipy.sparse import coo_array
from scipy.spatial import cKDTree

from .. import _check as check
from .._types import Bools, Floats, Ints
from ..compute import Balls
from ..compute.exact.batches import exact_between, exact_listed
from ..compute.exact.problems import visit_order
from ..compute.trees.spanning_jit import shortest_forest, undecided
from ..cuda import on
from ..engine import Engine, current
from ..localize import Kernel, Localization
from ..measures import Discrete
from ..spaces import Metric, Space, Sparse, check_space, rim
from ..transport import Exact, Report
from ..transport.bounds import LowerBound
from ..transport.pairs import solve_listed
from .transform import Process, Transform, as_process, warn_massless

_MIN_ROUND_PAIRS = 64  # smallest number of pairs per round of the spanning tree


@dataclass(frozen=True, eq=False, repr=False)
class LazyMetric(Metric):
    """The metric of a transformed space; each distance is solved when it is needed. `transform_lazily` makes it.

    `block`, `pairs` and `balls` solve what they return. Balls and `wt.hierarchy.spanning_tree` decide most pairs by
    bounds and solve only the others. What needs all distances refuses this metric: transform the space for that.

    Attributes
    ----------
    measures : Discrete
        The measures.
    which : array of int, shape (n,)
        The measure of each point.
    base_metric : Metric
        The metric of the space of the measures.
    p : float
        The order of the distance.
    homes : array of int, shape (number of measures,)
        The first point with each measure.
    reach : float
        The largest distance of a mass from the point of its measure.
    rank : array of int, shape (number of measures,)
        An order of the measures in which close ones are close, so that consecutive problems share warm starts.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0], [9.0]])
    >>> lazy = wt.transforms.transform_lazily(wt.transforms.local_truncation(1.0), space).metric
    >>> lazy.block([0], [1, 2, 3])
    array([[0.5, 1. , 8.5]])
    >>> lazy.balls(0.5).indices
    array([0, 1, 0, 1, 2, 1, 2, 3])
    """

    measures: Discrete
    which: Ints
    base_metric: Metric
    p: float
    triangle: bool
    homes: Ints
    reach: float
    rank: Ints
    _reports: list[Report] = field(default_factory=list)

    def _in_words(self) -> str:
        return f", {self.share:.1%} of its pairs solved"

    def _archive_state(self) -> dict[str, Any]:
        raise TypeError("distances that are solved on demand are not saved; save the space and transform it again")

    def _make_geometry(self, engine: Engine) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TypeError(
            "this needs all distances, and they are solved on demand; transform the space: transform(space)"
        )

    @property
    def n(self) -> int:
        return len(self.which)

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in (*self.measures.rows, self.which))

    @property
    def report(self) -> Report:
        """The solutions of all problems so far."""
        return sum(self._reports, Report())

    @property
    def share(self) -> float:
        """The share of the pairs of different measures that was solved so far, 0 to 1."""
        return self.report.n_problems / max(self.measures.n * (self.measures.n - 1) // 2, 1)

    def take(self, rows: Ints) -> LazyMetric:
        return replace(self, which=self.which[rows])

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        self._refuse()

    def block(self, rows: Ints, cols: Ints, engine: Engine | None = None) -> Floats:
        (sources, row_of), (targets, col_of) = (
            np.unique(self.which[self._indices(points)], return_inverse=True) for points in (rows, cols)
        )
        engine = current(engine)
        A, B = self.measures.take(sources).rows, self.measures.take(targets).rows
        values, report = on(engine, exact_between)(self.base_metric, self.p, A, B, engine)
        self._reports.append(report)
        return values[np.ix_(row_of, col_of)]

    def pairs(self, rows: Ints, cols: Ints, engine: Engine | None = None) -> Floats:
        ends = np.column_stack([self.which[self._indices(points)] for points in (rows, cols)])
        values, report = solve_listed(self.base_metric, self.p, self.measures, ends, current(engine))
        self._reports.append(report)
        return values

    def balls(self, radius: float, engine: Engine | None = None) -> Balls:
        return self.up_to(check.tolerance(radius, "radius"), engine).rows

    def up_to(self, radius: float, engine: Engine | None = None) -> Sparse:
        """Solve the distances up to `radius`; bounds rule out most of the others."""
        engine, n = current(engine), self.measures.n
        i, j = self._candidates(radius, engine)
        values, report = self.solve(i, j, engine, self.rank)
        is_near = values <= rim(radius)
        i, j, values, itself = i[is_near], j[is_near], values[is_near], np.arange(n)
        ends = np.concatenate([i, j, itself]), np.concatenate([j, i, itself])
        matrix = coo_array((np.concatenate([values, values, np.zeros(n)]), ends), shape=(n, n)).tocsr()
        if self.n > n or not np.array_equal(self.which, itself):
            matrix = matrix[self.which][:, self.which]
        matrix.sort_indices()
        balls = Balls(matrix.indptr.astype(np.intp), matrix.indices.astype(np.intp), matrix.data)
        return Sparse(balls, radius, self.triangle, report.gap, report.n_fallbacks)

    def _candidates(self, radius: float, engine: Engine) -> tuple[Ints, Ints]:
        """The pairs i < j of measures that may be within the radius, sorted by i."""
        lower = LowerBound(self.measures, self.base_metric, self.p)
        if not (self.triangle and np.isfinite(self.reach)):
            i, j, _ = lower.below(rim(radius), engine)
            return i, j
        homes = self.base_metric if len(self.homes) == self.base_metric.n else self.base_metric.take(self.homes)
        balls = homes.balls(radius + 2 * self.reach, engine)
        n_pairs = len(balls.indices) // 2
        engine.reserve(96.0 * n_pairs, f"{n_pairs} candidate pairs", "use a smaller radius or eps")
        i, j = np.repeat(np.arange(homes.n), np.diff(balls.indptr)), balls.indices
        once = i < j
        i, j = i[once], j[once]
        is_near = lower.may_reach(i, j, rim(radius))
        return i[is_near], j[is_near]

    def spanning_tree(self, engine: Engine) -> tuple[Ints, Floats]:
        """Edges and heights of the minimum spanning tree: Kruskal's algorithm in rounds of undecided pairs.

        A pair is skipped if its lower bound reaches the height at which known edges already join its ends.
        """
        kinds, first, kind = np.unique(self.which, return_index=True, return_inverse=True)
        distinct = replace(self, measures=self.measures.take(kinds), which=np.arange(len(kinds)))
        edges, heights = _grow_tree(distinct, engine)
        twins = np.setdiff1d(np.arange(self.n), first)  # points with the measure of another
        edges = np.concatenate([first[edges], np.column_stack([first[kind[twins]], twins])])
        return edges, np.append(heights, np.zeros(len(twins)))

    def solve(self, i: Ints, j: Ints, engine: Engine, rank: Ints | None = None) -> tuple[Floats, Report]:
        """Distances of the pairs (i[k], j[k]) of measures, which must be sorted by i."""
        indptr = np.searchsorted(i, np.arange(self.measures.n + 1))
        rows = self.measures.rows
        values, report = on(engine, exact_listed)(self.base_metric, self.p, rows, rows, indptr, j, engine, rank)
        self._reports.append(report)
        return values, report


def _grow_tree(metric: LazyMetric, engine: Engine) -> tuple[Ints, Floats]:
    """Edges and heights of the spanning tree of the measures of a metric."""
    n = metric.measures.n
    edges, lengths, scratch = np.empty((0, 2), np.intp), np.empty(0), np.empty(n, np.intp)
    if n == 1:
        return edges, lengths
    order, parent = visit_order(metric.measures.rows, metric.base_metric, engine)
    chosen = np.sort(np.column_stack([order[1:], order[parent[1:]]]), axis=1)  # any tree is an upper bound
    edges, lengths = _add_edges(metric, edges, lengths, chosen, engine)
    rows, cols, bounds = _undecided_pairs(metric, edges, lengths, chosen, engine)
    positions, first = np.empty(max(_MIN_ROUND_PAIRS, n // 4), np.intp), 0
    while True:
        count, first = undecided(edges, lengths, rows, cols, bounds, first, scratch, positions)
        if count == 0:
            return edges, lengths
        chosen = np.column_stack([rows[positions[:count]], cols[positions[:count]]])
        edges, lengths = _add_edges(metric, edges, lengths, chosen, engine)


def _add_edges(metric: LazyMetric, edges: Ints, lengths: Floats, chosen: Ints, engine: Engine) -> tuple[Ints, Floats]:
    """Solve the chosen pairs; return the minimum spanning tree of them and the edges so far, sorted by length."""
    chosen = chosen[np.lexsort((chosen[:, 1], chosen[:, 0]))]
    values, _ = metric.solve(chosen[:, 0], chosen[:, 1], engine)
    edges, lengths = np.concatenate([edges, chosen]), np.concatenate([lengths, values])
    order = np.argsort(lengths, kind="stable")
    edges, lengths = edges[order], lengths[order]
    picked = np.zeros(len(edges), np.bool_)
    shortest_forest(edges, np.empty(metric.measures.n, np.intp), picked)
    return edges[picked], lengths[picked]


def _undecided_pairs(
    metric: LazyMetric, edges: Ints, lengths: Floats, solved: Ints, engine: Engine
) -> tuple[Ints, Ints, Floats]:
    """Unsolved pairs that may be closer than their height in the first tree, sorted by lower bound."""
    lower, n = LowerBound(metric.measures, metric.base_metric, metric.p), metric.measures.n
    scratch = np.empty(n, np.intp)

    def keep(rows: Ints, cols: Ints, bounds: Floats) -> Bools:
        order = np.argsort(bounds, kind="stable")
        positions = np.empty(len(order), np.intp)
        count, _ = undecided(edges, lengths, rows[order], cols[order], bounds[order], 0, scratch, positions)
        kept = np.zeros(len(order), bool)
        kept[order[positions[:count]]] = True
        return kept

    rows, cols, bounds = lower.below(float(lengths[-1]), engine, keep)
    fresh = ~np.isin(rows * n + cols, solved[:, 0] * n + solved[:, 1])
    rows, cols, bounds = rows[fresh], cols[fresh], bounds[fresh]
    order = np.argsort(bounds, kind="stable")
    return rows[order], cols[order], bounds[order]


def transform_lazily(transform: Transform | Process, space: Space, engine: Engine | None = None) -> Space:
    """Transform a space, but solve its new distances only when they are needed.

    Parameters
    ----------
    transform : Transform or Process
        One transform with Exact transport, such as `wt.transforms.local_truncation(eps)`.
    space : Space
        The space to transform.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine.

    Returns
    -------
    Space
        The transformed space, with a `LazyMetric`.

    Notes
    -----
    `wt.hierarchy.spanning_tree` of it computes lower bounds of all n(n−1)/2 pairs, and one transport problem per pair
    that they cannot decide: about 1 % of the pairs of a noisy curve. `metric.balls(radius)` needs the pairs within the
    radius.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0], [9.0]])
    >>> lazy = wt.transforms.transform_lazily(wt.transforms.local_truncation(1.0), space)
    >>> wt.hierarchy.spanning_tree(lazy).heights
    array([0.5, 0.5, 7.5])
    """
    check_space(space)
    space.metric.check_whole("transport between all measures")
    if isinstance(transform, Process) and transform.start is None and isinstance(transform.step, Transform):
        transform = transform.step
    if not isinstance(transform, Transform) or not isinstance(transform.transport, Exact):
        raise TypeError(
            f"a Transform with Exact transport is needed, such as wt.Transform(wt.Truncation(eps), wt.Exact(p=1)), "
            f"got {check.shown(transform)}; other transports have closed forms: use transform(space)"
        )
    metric = _lazy_metric(transform.localize, transform.transport, space, current(engine), unique=True)
    return Space(metric, space.weights, space.points)


def _lazy_metric(localize: Localization, transport: Exact, space: Space, engine: Engine, unique: bool) -> LazyMetric:
    measures = localize(space, engine)
    assert isinstance(measures, Discrete)
    warn_massless(measures.massless)
    which = np.arange(space.n)
    if unique:
        measures, which = measures.distinct()
    homes, rank = np.unique(which, return_index=True)[1], np.arange(measures.n)
    if space.points is not None:
        rank[cKDTree(space.points[homes], leafsize=1).indices] = np.arange(measures.n)
    return LazyMetric(
        measures=measures, which=which, base_metric=space.metric, p=float(transport.p), triangle=space.metric.triangle,
        homes=homes, reach=localize.reach, rank=rank,
    )  # fmt: skip


def iterate_locally(
    process: Process | Transform, space: Space, radius: float, n_iter: int = 1, engine: Engine | None = None
) -> Space:
    """Iterate a transform, but compute only the distances up to `radius`; they equal those of `iterate`.

    Parameters
    ----------
    process : Process or Transform
        Localization by a kernel of finite reach (Truncation, or Kernel with a compact profile or a `cut`) and Exact
        transport.
    space : Space
        The space to transform. Its metric must satisfy the triangle inequality.
    radius : float
        The largest distance that is needed, in the unit of the distances.
    n_iter : int, default 1
        Number of iterations.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine.

    Returns
    -------
    Space
        The last state, with a `Sparse` metric.

    Notes
    -----
    Time and memory grow with the number of pairs within radius + 4·n_iter·ε, not with n².

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> line = wt.Space.from_points(np.arange(1000.0)[:, None])
    >>> near = wt.transforms.iterate_locally(wt.transforms.local_truncation(1.0), line, radius=2.0)
    >>> near.metric.block([500], [500, 501, 502, 503]).round(3)
    array([[ 0.,  1.,  2., inf]])
    """
    check_space(space)
    radius, n_iter = check.positive(radius, "radius"), check.count(n_iter, "n_iter", 1)
    process = as_process(process)
    pairs = [(process.at(k).localize, process.at(k).transport) for k in range(n_iter)]
    steps = [(kernel, exact) for kernel, exact in pairs if isinstance(kernel, Kernel) and isinstance(exact, Exact)]
    if process.start is not None or len(steps) < n_iter or not all(np.isfinite(kernel.reach) for kernel, _ in steps):
        raise TypeError(
            "local iteration needs a kernel of finite reach and Exact transport, such as "
            f"wt.transforms.local_truncation(eps), got {check.shown(process)}; a gaussian kernel needs cut=3 or so"
        )
    if not space.metric.triangle:
        raise ValueError(
            "local iteration needs the triangle inequality: without it, a large distance may become small; "
            "assert it with Space.from_distances(D, triangle=True), or use wt.iterate"
        )
    engine = current(engine)
    later = np.cumsum([4 * kernel.reach for kernel, _ in steps[:0:-1]])[::-1]  # extra radius for the steps that follow
    for (kernel, transport), extra in zip(steps, np.append(later, 0.0), strict=True):
        metric = _lazy_metric(kernel, transport, space, engine, unique=False).up_to(radius + extra, engine)
        space = Space(metric, space.weights, space.points)
    return space
