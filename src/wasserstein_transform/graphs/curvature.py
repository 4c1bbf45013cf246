"""Ollivier–Ricci curvature: compare the distance of neighborhoods with the distance of their centers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, diags_array

from .. import _check as check
from .._archive import Part
from .._display import HasPlot, facts, frame, in_range
from .._types import Floats, Ints
from ..compute.exact.batches import exact_listed
from ..cuda import on
from ..engine import Engine, current
from ..localize import Given, Localization
from ..measures import Discrete
from ..spaces import ASK, Space, Weight
from ..transport import Report
from .network import Network, as_network

_FLAT = 1e-9  # rounding errors of curvature


@dataclass(frozen=True, eq=False)
class Curvature(HasPlot):
    """Ollivier–Ricci curvature κ(x, y) = 1 − W1(m_x, m_y) / d(x, y) of k pairs of nodes.

    `curvature` returns it.

    Attributes
    ----------
    network : Network
        The graph.
    pairs : array of int, shape (k, 2)
        Node numbers of each pair; by default the edges of the graph.
    values : array of shape (k,)
        The curvatures, at most 1; nan where two nodes coincide (d = 0) or no path joins them.
    distances, transports : arrays of shape (k,)
        d(x, y), the length of the shortest path, which may be less than the length of the edge; and W1(m_x, m_y). In
        the unit of the lengths of edges.
    report : Report
        Number of transport problems solved, and the largest duality gap.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.graphs.curvature([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> found
    <Curvature of 4 pairs of 4 nodes, 0.333 to 0.75>
    >>> round(found.of("c", "d"), 3), found.at_nodes().round(3)
    (0.333, array([0.583, 0.583, 0.389, 0.333]))
    """

    network: Network
    pairs: Ints
    values: Floats
    distances: Floats
    transports: Floats
    report: Report

    def __repr__(self) -> str:
        known = self.values[~np.isnan(self.values)]
        spread = f", {known.min():.3g} to {known.max():.3g}" if len(known) else ""
        return f"<Curvature of {len(self.pairs)} pairs of {self.network.n} nodes{spread}>"

    def _repr_html_(self) -> str:
        known = np.flatnonzero(~np.isnan(self.values))
        rows: dict[str, Any] = {"pairs": len(self.pairs), "nodes": self.network.n}
        if len(known):
            values = self.values[known]
            low, high = (known[at] for at in (values.argmin(), values.argmax()))
            rows |= {
                "curvature": f"{in_range(values)}, mean {values.mean():.4g}",
                "negative": f"{np.mean(values < -_FLAT):.0%}",
                "lowest": f"{self.values[low]:.4g}, {self._named(int(low))}",
                "highest": f"{self.values[high]:.4g}, {self._named(int(high))}",
            }
        if len(known) < len(self.pairs):
            rows["without a curvature"] = len(self.pairs) - len(known)
        return facts("Curvature", rows | {"largest gap": f"{self.report.gap:.1e}"})

    def _named(self, k: int) -> str:
        a, b = (self.network.nodes[end] for end in self.pairs[k])
        return f"between {a!r} and {b!r}"

    def of(self, a: Hashable, b: Hashable) -> float:
        """Return the curvature of a pair of nodes, by their names."""
        for name in (a, b):
            if name not in self.network.place:
                raise KeyError(f"the graph has no node {name!r}")
        ends = sorted(self.network.place[name] for name in (a, b))
        found = np.flatnonzero((np.sort(self.pairs, axis=1) == ends).all(axis=1))
        if len(found) == 0:
            raise KeyError(f"the pair {a!r}, {b!r} was not asked for; list it in pairs=")
        return float(self.values[found[0]])

    def at_nodes(self) -> Floats:
        """Return the mean curvature over the pairs of each node, shape (n,); nan for nodes without pairs."""
        known = ~np.isnan(self.values)
        ends, n = self.pairs[known], self.network.n
        sums = np.bincount(ends.ravel(), np.repeat(self.values[known], 2), n)
        counts = np.bincount(ends.ravel(), minlength=n)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def to_pandas(self) -> Any:
        """Return a DataFrame with the columns `a`, `b`, `distance` and `curvature`, a row for each pair."""
        a, b = ([self.network.nodes[node] for node in column] for column in self.pairs.T.tolist())
        return frame({"a": a, "b": b, "distance": self.distances, "curvature": self.values})

    def to_networkx(self) -> Any:
        """Return a networkx graph with the attribute `curvature` at edges and nodes; only if `pairs` are the edges."""
        if not np.array_equal(self.pairs, self.network.edges):
            raise ValueError("the pairs are not the edges of the graph; compute curvature without pairs=")
        return self.network.to_networkx({"curvature": self.values}, {"curvature": self.at_nodes()})


@dataclass(frozen=True)
class LazyWalk(Part):
    """The lazy random walk: stay with probability `idleness`, else go to a neighbor y ∝ exp(−length(x, y)^power).

    Parameters
    ----------
    idleness : float, 0 to 1, default 0.5
        α, the probability to stay; a node without neighbors always stays.
    power : float, default 0
        0 is the simple random walk, where all neighbors are equally likely. Ni, Lin, Luo and Gao (2019) use 2 for Ricci
        flow.

    Examples
    --------
    >>> from wasserstein_transform.graphs import LazyWalk, as_network
    >>> LazyWalk(0.5).on(as_network([(0, 1), (1, 2)])).matrix.toarray()
    array([[0.5 , 0.5 , 0.  ],
           [0.25, 0.5 , 0.25],
           [0.  , 0.5 , 0.5 ]])
    """

    idleness: float = 0.5
    power: float = 0.0

    def __post_init__(self) -> None:
        if not check.tolerance(self.idleness, "idleness") <= 1:
            raise ValueError(f"idleness must be between 0 and 1, got {self.idleness}")
        check.tolerance(self.power, "power")

    def on(self, network: Network) -> Given:
        """Return the walk on a graph as a localization."""
        edges = network.metric.lengths
        degrees = np.diff(edges.indptr)
        chances = np.ones(edges.nnz)
        if self.power > 0 and edges.nnz:
            with np.errstate(over="ignore", under="ignore"):
                reluctance = edges.data**self.power
            if np.isinf(reluctance).any():
                raise ValueError(
                    f"lengths up to {edges.data.max():g} to the power {self.power:g} overflow; rescale "
                    "lengths or use a smaller power"
                )
            least = np.zeros(network.n)
            some = degrees > 0
            least[some] = np.minimum.reduceat(reluctance, edges.indptr[:-1][some])
            chances = np.exp(
                np.repeat(least, degrees) - reluctance
            )  # scaled by the nearest neighbor: no underflow to 0
        rows = csr_array((chances, edges.indices, edges.indptr), shape=edges.shape)
        sums = np.asarray(rows.sum(axis=1)).ravel()
        share = np.where(degrees > 0, 1.0 - self.idleness, 0.0) / np.where(degrees > 0, sums, 1.0)
        return Given(csr_array(diags_array(share) @ rows + diags_array(np.where(degrees > 0, self.idleness, 1.0))))


def curvature(
    graph: Any,
    measures: Localization | LazyWalk | None = None,
    pairs: Sequence[tuple[Hashable, Hashable]] | None = None,
    masses: ArrayLike | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
    *,
    weight: Weight = ASK,
) -> Curvature:
    """Compute the Ollivier–Ricci curvature of all edges of an undirected graph, or of any pairs of nodes, exactly.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, list of edges (a, b) or (a, b, number), or a file
        Edges without a number have length 1. Loops are ignored; of parallel edges the shortest counts; an edge of
        length 0 makes its two nodes coincide and has no curvature (nan).
    measures : LazyWalk or Localization, optional
        The measure at each node: None means `LazyWalk(0.5)`; or Truncation, Nearest, Heat, Given, …
    pairs : list of pairs of nodes, optional
        Pairs to compute, by the names of nodes; None means all edges.
    masses : array of shape (n,), optional
        Masses of the n nodes, for measures that use them, such as Truncation; None means equal masses.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine. The result does not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.
    weight : str, pair of str, or None, optional
        The numbers at edges, as for `as_network`: "length", "strength" (length is 1/strength), an attribute and its
        meaning, such as ("value", "length"), or None to ignore them. By default the names decide, and ambiguous ones
        raise an error.

    Returns
    -------
    Curvature
        A value for each pair.

    Notes
    -----
    One transport problem per pair, between measures of as many points as the nodes have neighbors. Up to 11,000 nodes
    all shortest paths may be stored, at most 1 GiB; beyond that, only those around each node are computed.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.graphs.curvature([(0, 1), (1, 2), (2, 0)]).values
    array([0.75, 0.75, 0.75])
    >>> wt.graphs.curvature([("a", "b"), ("b", "c")], wt.Truncation(1.0), pairs=[("a", "c")]).values.round(3)
    array([0.5])
    """
    network, asked = as_network(graph, weight), current(engine, n_jobs=n_jobs, verbose=verbose)
    ends = network.edges if pairs is None else _numbered(pairs, network)
    space = Space(network.metric, check.weights(masses, network.n), None)
    with asked.progress_scope() as engine:
        return compare(network, localized(network, measures, space, engine), ends, engine)


def localized(network: Network, measures: Localization | LazyWalk | None, space: Space, engine: Engine) -> Discrete:
    """Return the measures of all nodes; reject measures with mass in another connected component."""
    rule = LazyWalk() if measures is None else measures
    if not isinstance(rule, LazyWalk | Localization):
        raise TypeError(
            f"measures must be a LazyWalk or a localization such as Truncation(eps), got {check.shown(rule)}"
        )
    found = rule.on(network)(space, engine) if isinstance(rule, LazyWalk) else rule(space, engine)
    if not isinstance(found, Discrete):
        raise TypeError(f"curvature compares discrete measures on the nodes, but {rule!r} makes others; use LazyWalk()")
    pieces = network.metric.pieces
    if (pieces[found.indices] != np.repeat(pieces, np.diff(found.indptr))).any():
        raise ValueError("a measure has mass that no path leads to; use one that stays in its connected component")
    return found


def compare(network: Network, measures: Discrete, ends: Ints, engine: Engine) -> Curvature:
    """Return the curvature of the listed pairs."""
    metric = network.metric
    distances = metric.pairs(ends[:, 0], ends[:, 1], engine)
    transports = np.where(np.isfinite(distances), 0.0, np.inf)
    asked = np.flatnonzero(np.isfinite(distances) & (ends[:, 0] != ends[:, 1]))
    report = Report()
    if len(asked):
        found, report = _transports(measures, metric, ends[asked], engine)
        transports[asked] = found
    known = np.isfinite(distances) & (distances > 0)
    values = np.full(len(ends), np.nan)
    values[known] = 1 - transports[known] / distances[known]
    return Curvature(network, ends, values, distances, transports, report)


def _transports(measures: Discrete, metric: Any, ends: Ints, engine: Engine) -> tuple[Floats, Report]:
    """Return W1 of the listed pairs; shortest paths start from the measure with fewer points."""
    n, sizes = measures.n, np.diff(measures.indptr)
    swapped = sizes[ends[:, 1]] < sizes[ends[:, 0]]
    rows, cols = np.where(swapped, ends[:, ::-1].T, ends.T)
    order = np.lexsort((cols, rows))
    indptr = np.searchsorted(rows[order], np.arange(n + 1))
    everybody, masses = np.arange(n), measures.rows
    found, report = on(engine, exact_listed)(
        metric, 1.0, masses, masses, indptr, cols[order], engine, everybody, everybody
    )
    values = np.empty(len(ends))
    values[order] = found
    return values, report


def _numbered(pairs: Sequence[tuple[Hashable, Hashable]], network: Network) -> Ints:
    try:
        ends = [(network.place[a], network.place[b]) for a, b in pairs]
    except KeyError as error:
        raise ValueError(f"pairs must name nodes of the graph, it has no {error.args[0]!r}") from None
    except (TypeError, ValueError):
        raise ValueError("pairs must be a list of pairs of nodes, such as [('a', 'b'), ('a', 'c')]") from None
    return np.array(ends, np.intp).reshape(-1, 2)
