"""Single linkage of a transformed metric that computes only a few of its distances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._archive import archived
from .._types import Bools, Floats, Ints
from ..backends.host import shortest_forest, tour, undecided
from ..engine import Engine
from ..spaces import Space
from ..transforms.lazy import Question, ask
from ..transforms.transform import Process, Transform
from ..transport import Report
from .tree import TIE, Tree

_LEAST = 64  # smallest number of pairs per round


@archived
@dataclass(frozen=True, eq=False)
class LazyTree(Tree):
    """A spanning tree of a transformed space, with the number of distances it took. `lazy_spanning_tree` returns it.

    Attributes
    ----------
    edges, heights, weights, space, lengths
        As in `Tree`.
    n_pairs : int
        Number of pairs of different measures.
    report : Report
        The solutions of the pairs that bounds could not decide.
    question : Question, or None
        The measures and their metric, for breaking ties. None if the tree was loaded from a file.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0], [9.0]])
    >>> tree = wt.hierarchy.lazy_spanning_tree(wt.local_truncation(1.0), space)
    >>> tree.heights, tree.n_pairs
    (array([0.5, 0.5, 7.5]), 6)
    >>> wt.cut_tree(tree, 2, cut="count")
    array([0, 0, 0, 1])
    """

    n_pairs: int = 0
    report: Report = field(default_factory=Report)
    question: Question | None = None

    def __repr__(self) -> str:
        return f"<LazyTree of {self.n} points, {self.share:.1%} of {self.n_pairs} pairs solved>"

    def _archive_state(self) -> dict[str, Any]:
        return {**super()._archive_state(), "n_pairs": self.n_pairs, "report": self.report}

    def nearest(self, points: Ints, others: Ints) -> Floats:
        """As in `Tree`; the distances are solved on demand."""
        assert self.question is not None  # set whenever `space` is
        measures, which = self.question.measures, self.question.which
        rows, _ = self.question.batch.between(measures.take(which[points]), measures.take(np.unique(which[others])))
        return np.asarray(rows.min(axis=1))

    def near(self, points: Ints, others: Ints, k: int) -> None:
        """Return None: there is no search for near measures that does not compare all of them."""

    def hosts(self, light: Ints) -> Iterator[tuple[int, Ints]]:
        """As in `Tree`; the distances are solved on demand."""
        if self.question is None:
            return
        heavy = np.flatnonzero(self.weights > 0)
        measures, which = self.question.measures, self.question.which
        rows, _ = self.question.batch.between(measures.take(which[light]), measures.take(which[heavy]))
        for i, row in zip(light.tolist(), rows, strict=True):
            yield i, heavy[row <= row.min() * (1 + TIE)]

    @property
    def share(self) -> float:
        """The share of the pairs that had to be solved, 0 to 1."""
        return self.report.n_problems / max(self.n_pairs, 1)


def lazy_spanning_tree(transform: Transform | Process, space: Space, engine: Engine | None = None) -> LazyTree:
    """Compute the minimum spanning tree of a transformed space from few of its distances.

    A pair is skipped if its lower bound reaches the height at which known edges already join its ends. The heights are
    those of `spanning_tree(transform(space))`; if distances tie, the edges may differ.

    Parameters
    ----------
    transform : Transform or Process
        A transform with Exact transport, such as `wt.local_truncation(eps)`.
    space : Space
        The space to transform, with n points.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    LazyTree
        The tree; `tree.share` is the share of pairs that were solved.

    Notes
    -----
    Lower bounds of all n(n−1)/2 pairs, and one transport problem per pair that they cannot decide.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0], [9.0]])
    >>> tree = wt.hierarchy.lazy_spanning_tree(wt.Transform(wt.Truncation(1.0), wt.Exact(p=1)), space)
    >>> tree.heights
    array([0.5, 0.5, 7.5])
    """
    question = ask(transform, space, engine)
    heavy = np.flatnonzero(space.weights > 0)
    kinds, first, kind = np.unique(question.which[heavy], return_index=True, return_inverse=True)
    measures, stands = question.measures.take(kinds), heavy[first]  # one point with mass represents each measure
    edges, heights, report = _grow(question._replace(measures=measures))
    joined = [stands[edges]]
    lengths = [heights]
    twins = np.setdiff1d(np.arange(len(heavy)), first)
    joined.append(np.column_stack([stands[kind[twins]], heavy[twins]]))
    lengths.append(np.zeros(len(twins)))
    light = np.flatnonzero(space.weights == 0)
    if len(light):
        rows, more = question.batch.between(question.measures.take(question.which[light]), measures)
        joined.append(np.column_stack([stands[rows.argmin(axis=1)], light]))
        lengths.append(rows.min(axis=1))
        report += more
    order = np.argsort(np.concatenate(lengths), kind="stable")
    n_pairs = len(kinds) * (len(kinds) - 1) // 2 + len(light) * len(kinds)
    edges, heights = np.concatenate(joined)[order], np.concatenate(lengths)[order]
    return LazyTree(edges, heights, space.weights, space, n_pairs=n_pairs, report=report, question=question)


def _grow(question: Question) -> tuple[Ints, Floats, Report]:
    """Edges and heights of the tree of all measures: Kruskal's algorithm in rounds of undecided pairs."""
    n = question.measures.n
    edges, lengths = np.empty((0, 2), np.intp), np.empty(0)
    report = Report()
    if n == 1:
        return edges, lengths, report
    order, parent = tour(question.measures.rows, question.ground.form, question.engine)
    chosen = np.sort(np.column_stack([order[1:], order[parent[1:]]]), axis=1)  # any tree is an upper bound
    rows, cols = np.empty((2, 0), np.intp)
    bounds = np.empty(0)
    first = 0
    scratch, listed = np.empty(n, np.intp), np.empty(max(_LEAST, n // 4), np.intp)
    while True:
        chosen = chosen[np.lexsort((chosen[:, 1], chosen[:, 0]))]
        values, more = question.solve(chosen[:, 0], chosen[:, 1])
        edges, lengths = _shortest(np.concatenate([edges, chosen]), np.concatenate([lengths, values]), scratch)
        if report.n_problems == 0:
            rows, cols, bounds = _candidates(question, edges, lengths, chosen)
        report += more
        count, first = undecided(edges, lengths, rows, cols, bounds, first, scratch, listed)
        if count == 0:
            return edges, lengths, report
        chosen = np.column_stack([rows[listed[:count]], cols[listed[:count]]])


def _candidates(question: Question, edges: Ints, lengths: Floats, solved: Ints) -> tuple[Ints, Ints, Floats]:
    """Unsolved pairs that may be closer than their height in the first tree, sorted by lower bound."""
    scratch = np.empty(question.measures.n, np.intp)

    def keep(rows: Ints, cols: Ints, bounds: Floats) -> Bools:
        order = np.argsort(bounds, kind="stable")
        listed = np.empty(len(order), np.intp)
        count, _ = undecided(edges, lengths, rows[order], cols[order], bounds[order], 0, scratch, listed)
        kept = np.zeros(len(order), bool)
        kept[order[listed[:count]]] = True
        return kept

    rows, cols, bounds = question.lower.below(float(lengths[-1]), question.engine, keep)
    n = question.measures.n
    fresh = ~np.isin(rows * n + cols, solved[:, 0] * n + solved[:, 1])
    rows, cols, bounds = rows[fresh], cols[fresh], bounds[fresh]
    order = np.argsort(bounds, kind="stable")
    return rows[order], cols[order], bounds[order]


def _shortest(edges: Ints, lengths: Floats, scratch: Ints) -> tuple[Ints, Floats]:
    """The minimum spanning tree of the graph with these edges, sorted by length."""
    order = np.argsort(lengths, kind="stable")
    edges, lengths = edges[order], lengths[order]
    picked = np.zeros(len(edges), np.bool_)
    shortest_forest(edges, scratch, picked)
    return edges[picked], lengths[picked]
