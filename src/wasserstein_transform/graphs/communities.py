"""Communities of a graph in one call: by messages between neighbors, or through a transform of its metric."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _check as check
from .._parts import Part
from .._types import Floats, Ints
from .._warn import warn
from ..engine import Engine, bar, current, one_blas_thread
from ..hierarchy import FewerClustersWarning, cut_tree_each, spanning_tree
from ..localize import Heat, Intrinsic
from ..spaces import Space
from ..spaces.edge_weights import ASK
from ..transforms import Transform, iterate
from ..transport import Exact
from .counting import best_number
from .cuts import Communities, by_size, modularity
from .messages import Beliefs, Links, pass_messages
from .network import Network, as_network
from .spectrum import Spectrum
from .walks import LazyWalk

_STRONG = 3.0  # nats: a larger number of communities has to be e³ = 20 times as likely


class Method(Part, ABC):
    """A way to find communities."""

    @abstractmethod
    def find(self, network: Network, n: int | None, resolution: float | None, engine: Engine) -> Communities:
        """n communities, or as many as there seem to be."""


@dataclass(frozen=True)
class Messages(Method):
    """Belief propagation, started from eigenvectors of the Bethe Hessian.

    The model is a planted partition with given degrees; its rates within and between communities are learned. It finds
    communities as weak as can be found at all where the graph is one of the model, and says how likely each node is of
    each. O(edges · communities) a round, some hundred rounds for every number that is tried. Nothing is drawn at
    random.

    Where no number is asked for, it is the smallest whose likelihood, by Bethe's approximation, is within a factor of
    20 of the largest: there may be one community only.
    """

    def find(self, network: Network, n: int | None, resolution: float | None, engine: Engine) -> Communities:
        """n communities, or as many as the evidence, or the modularity at that resolution, says."""
        if len(network.edges) == 0:
            return _without_edges(network, n)
        if not (network.lengths > 0).all():
            raise ValueError("edges of length 0 have no strength; give them a length, or merge the nodes they join")
        with one_blas_thread():  # the same bits for any number of threads
            return _Talk(network, engine).found(n, resolution)


@dataclass(frozen=True)
class Transformed(Method):
    """Single linkage after the Wasserstein Transform: the nodes' distances become those of their measures.

    All n²/2 distances are computed exactly in every iteration: for some hundred nodes.

    Parameters
    ----------
    measures : LazyWalk or intrinsic localization
        Heat(t) is where a walk is after t steps, Truncation(r) the ball.
    n_iter : int
        How often distances are transformed.
    share : float
        Of the robust cut: a community holds at least share·n/k of the nodes.
    """

    measures: Any = field(default_factory=lambda: Heat(3.0))
    n_iter: int = 1
    share: float = 0.25

    def __post_init__(self) -> None:
        if not isinstance(self.measures, LazyWalk | Intrinsic):
            raise TypeError(f"measures must be a LazyWalk or a localization such as Heat(3.0), got {self.measures!r}")
        check.count(self.n_iter, "n_iter", 0)

    def find(self, network: Network, n: int | None, resolution: float | None, engine: Engine) -> Communities:
        """n communities, or as many as have the largest modularity at that resolution, 1 by default."""
        if network.n == 1:
            return _labelled(network, np.zeros(1, np.intp))
        network.metric.check_connected()
        space = Space(network.metric, np.full(network.n, 1.0 / network.n), None)
        rule = self.measures.on(network) if isinstance(self.measures, LazyWalk) else self.measures
        walk = iterate(Transform(rule, Exact(1.0)), space, n_iter=self.n_iter, engine=engine)
        tree = spanning_tree(walk.last, engine)
        if n is not None:
            return _labelled(network, next(cut_tree_each(tree, [n], share=self.share)))
        raise NotImplementedError


def communities(
    graph: Any,
    n: int | None = None,
    method: Method | None = None,
    *,
    resolution: float | None = None,
    weight: str | None = ASK,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Communities:
    """Groups of nodes with more edges within them than between them.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, list of edges (a, b) or (a, b, length), or a file
        Undirected; as in `curvature`.
    n : int, optional
        How many communities; by default the method decides.
    method : Messages or Transformed, optional
        By default Messages().
    resolution : float, optional
        Where no number is asked for, the number is that of the largest modularity at this resolution: above 1 there
        are more and smaller communities, below 1 fewer. By default Messages goes by the evidence, and Transformed by
        modularity at resolution 1.
    weight : {"length", "strength", None}, optional
        What the numbers at edges are, as in `as_network`. Messages takes strengths, 1/length.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    verbose : bool
        Show progress.
    engine : Engine, optional
        Where it runs; by default what `wt.using` says.

    Returns
    -------
    Communities

    Examples
    --------
    >>> import networkx as nx
    >>> import wasserstein_transform as wt
    >>> graph = nx.connected_caveman_graph(4, 6)
    >>> wt.graphs.communities(graph)
    <Communities: 4 of 24 nodes, modularity 0.683>
    >>> wt.graphs.communities(graph, 2).labels
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """
    network, asked = as_network(graph, weight), current(engine, n_jobs=n_jobs, progress=bar() if verbose else None)
    how = Messages() if method is None else method
    if not isinstance(how, Method):
        raise TypeError(f"method must be Messages() or Transformed(...), got {how!r}")
    if n is not None and resolution is not None:
        raise ValueError("either n or resolution can be given, got both: the number is then known")
    resolution = None if resolution is None else check.positive(resolution, "resolution")
    if n is not None and check.count(n, "n", 1) > network.n:
        raise ValueError(f"n must be at most {network.n}, the number of nodes, got {n}")
    with asked.watched() as engine:
        return how.find(network, n, resolution, engine)


class _Talk:
    """Messages on one graph, for one number of communities after the other."""

    def __init__(self, network: Network, engine: Engine) -> None:
        self._network, self._engine = network, engine
        self._links = Links.of(network.n, network.edges, 1.0 / network.lengths)
        self._spectrum = Spectrum(self._links.matrix)
        self._tried: dict[int, Beliefs] = {}

    def found(self, n: int | None, resolution: float | None) -> Communities:
        if n is not None:
            return self._of(n, exactly=True)
        seen, n_nodes = self._spectrum.n_negative(), self._network.n
        first, most = max(seen, 2), min(n_nodes, max(2 * seen, int(2 * np.sqrt(n_nodes))))
        if resolution is None:
            at_one = 0.0 if seen == 1 else -np.inf
            number = best_number(self._evidence, first, most, at_one, _STRONG)
        else:
            at_one = 1.0 - resolution
            number = best_number(lambda k: self._modularity(k, resolution), first, most, at_one)
        return self._of(number)

    def _evidence(self, k: int) -> float:
        found = self._beliefs(k)
        return found.evidence - found.moving

    def _modularity(self, k: int, resolution: float) -> float:
        return modularity(self._network, self._beliefs(k).labels, resolution)

    def _beliefs(self, k: int) -> Beliefs:
        if k not in self._tried:
            self._engine.report("messages", len(self._tried), len(self._tried) + 1)
            self._tried[k] = pass_messages(self._links, self._spectrum.groups(k), k, self._engine)
        return self._tried[k]

    def _of(self, k: int, exactly: bool = False) -> Communities:
        if k == 1:
            return _labelled(self._network, np.zeros(self._network.n, np.intp), np.ones((self._network.n, 1)))
        found = self._beliefs(k)
        if exactly and (found.evidence <= 0 or len(np.unique(found.labels)) < k):
            return self._as_placed(k)
        return _labelled(self._network, found.labels, found.chances)

    def _as_placed(self, k: int) -> Communities:
        """Messages see fewer communities than asked for: those of the eigenvectors."""
        labels = self._spectrum.groups(k)
        _say_if_fewer(len(np.unique(labels)), k)
        return _labelled(self._network, labels)


def _labelled(network: Network, labels: Ints, chances: Floats | None = None) -> Communities:
    """Communities numbered by size; those without a node are left out."""
    used, dense = np.unique(labels, return_inverse=True)
    rank = by_size(dense)
    labels = rank[dense]
    if chances is not None:
        kept = chances[:, used[np.argsort(rank)]]
        chances = kept / kept.sum(axis=1, keepdims=True)
    return Communities(network, labels, modularity(network, labels), chances=chances)


def _without_edges(network: Network, n: int | None) -> Communities:
    """Nothing joins the nodes."""
    _say_if_fewer(network.n, network.n if n is None else n)
    return _labelled(network, np.arange(network.n))


def _say_if_fewer(found: int, wanted: int) -> None:
    if found < wanted:
        warn(
            f"found {found} communities of the {wanted} asked for: no more can be told apart; ask for fewer",
            FewerClustersWarning,
        )
