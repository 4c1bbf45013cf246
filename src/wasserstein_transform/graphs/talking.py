"""`Messages`: communities by belief propagation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import Engine, one_blas_thread
from .counting import best_number
from .cuts import Communities, modularity
from .messages import Beliefs, Links, pass_messages
from .method import Method, labelled, say_if_fewer, without_edges
from .network import Network
from .ordering import order_nodes
from .spectrum import Spectrum

_STRONG = 3.0  # nats: a larger number of communities must be e³ = 20 times as likely


@dataclass(frozen=True)
class Messages(Method):
    """Find communities by belief propagation, started from eigenvectors of the Bethe Hessian.

    The model is a planted partition with given degrees; its rates within and between communities are learned. On graphs
    of this model it finds communities down to the detectability limit, and it gives the probability of each node to be
    in each community. Nothing is random. The result does not depend on the order of nodes, unless the graph has
    symmetries and the result does not, as where a ring of equal groups is cut in two: then the order of nodes decides.

    If the number of communities is not given, it is the smallest one whose likelihood, by Bethe's approximation, is
    within a factor of 20 of the largest. The result may be a single community. Where at most one further edge meets the
    end of an edge on average, as in paths and cycles, the communities are the connected pieces.

    Notes
    -----
    Time O(edges · communities) per round, up to 120 rounds for each number of communities that is tried.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]  # triangles joined by a bridge
    >>> found = wt.graphs.communities(two, 2, method=wt.graphs.Messages())
    >>> found.labels
    array([0, 0, 0, 1, 1, 1])
    """

    def find(
        self, network: Network, n_communities: int | None, resolution: float | None, engine: Engine
    ) -> Communities:
        """Find this number of communities; None: that of the best evidence, or modularity if `resolution` is set."""
        if len(network.edges) == 0:
            return without_edges(network)
        if not (network.lengths > 0).all():
            raise ValueError("edges of length 0 have no strength; give them a length, or merge the nodes they join")
        with one_blas_thread():  # the result is the same to the bit for any number of threads
            return _Talk(network, engine).found(n_communities, resolution)


class _Talk:
    """Belief propagation on one graph, for several numbers of communities."""

    def __init__(self, network: Network, engine: Engine) -> None:
        self._network, self._engine = network, engine
        strengths = 1.0 / network.lengths
        order = order_nodes(network.n, network.edges, strengths)
        self._place = np.argsort(order)
        self._links = Links.of(network.n, self._place[network.edges], strengths)
        self._spectrum = Spectrum(self._links.matrix)
        self._tried: dict[int, Beliefs] = {}

    def found(self, n: int | None, resolution: float | None) -> Communities:
        if n == self._network.n:
            return without_edges(self._network)
        if n is not None:
            return self._of(n, exactly=True)
        if resolution is None and self._spectrum.r == 1:  # no eigenvalue is negative: pieces are all there is to see
            pieces = self._network.metric.pieces
            return labelled(self._network, pieces) if pieces.any() else self._of(1)
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
        best = max((found.evidence - found.moving for found in self._tried.values()), default=-np.inf)
        found = self._beliefs(k, best)
        return found.evidence - found.moving

    def _modularity(self, k: int, resolution: float) -> float:
        return modularity(self._network, self._beliefs(k).labels[self._place], resolution)

    def _beliefs(self, k: int, least: float = -np.inf) -> Beliefs:
        if k not in self._tried:
            self._engine.report("messages", len(self._tried), len(self._tried) + 1)
            self._tried[k] = pass_messages(self._links, self._spectrum.groups(k), k, self._engine, least)
        return self._tried[k]

    def _of(self, k: int, exactly: bool = False) -> Communities:
        if k == 1:
            return labelled(self._network, np.zeros(self._network.n, np.intp), np.ones((self._network.n, 1)))
        found = self._beliefs(k)
        if exactly and (found.evidence <= 0 or len(np.unique(found.labels)) < k):
            return self._as_placed(k)
        return labelled(self._network, found.labels[self._place], found.chances[self._place])

    def _as_placed(self, k: int) -> Communities:
        """Return the groups of the eigenvectors, when messages find fewer communities than requested."""
        labels = self._spectrum.groups(k)[self._place]
        say_if_fewer(len(np.unique(labels)), k)
        return labelled(self._network, labels)
