"""`Transformed`: communities by the Wasserstein Transform of the graph's metric."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import _check as check
from .._check import redirect_warnings
from .._types import Ints
from ..engine import Engine
from ..hierarchy import Tree, cut_tree, spanning_tree
from ..hierarchy.cut import cut_tree_each
from ..localize import Heat, Intrinsic
from ..spaces import Space
from ..transforms import Transform, iterate
from ..transport import Exact
from .cuts import Communities, modularity
from .method import Method, labelled, without_edges
from .network import Network
from .walks import LazyWalk


@dataclass(frozen=True)
class Transformed(Method):
    """Find communities by single linkage after the Wasserstein Transform: W1 between measures at the nodes.

    Random walks from nodes of one community end in the same places, so these nodes come close to each other. The
    single-linkage tree is cut by the robust cut of `cut_tree`. The graph must be connected.

    Parameters
    ----------
    measures : LazyWalk or Intrinsic localization, default Heat(2.0)
        Measure at each node: Heat(t), the distribution of a walk after t steps on average, or balls, Truncation(r).
    n_iter : int, default 1
        Number of transforms. With Heat(t), which uses the graph's edges, only 1 is possible.
    share : float, default 0.25
        Of the robust cut: each of k communities holds at least share·n/k of the n nodes.

    Notes
    -----
    n(n−1)/2 transport problems per transform and O(n²) memory: for graphs of a few hundred nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> import wasserstein_transform as wt
    >>> graph = nx.connected_caveman_graph(3, 5)
    >>> wt.graphs.communities(graph, method=wt.graphs.Transformed(wt.Heat(2.0))).labels
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2])
    """

    measures: LazyWalk | Intrinsic = field(default_factory=lambda: Heat(2.0))
    n_iter: int = 1
    share: float = 0.25

    def __post_init__(self) -> None:
        if not isinstance(self.measures, LazyWalk | Intrinsic):
            raise TypeError(f"measures must be a LazyWalk or a localization such as Heat(2.0), got {self.measures!r}")
        if check.count(self.n_iter, "n_iter", 0) > 1 and isinstance(self.measures, Heat) and self.measures.base is None:
            raise ValueError(
                "Heat without a base uses the graph's edges, and n_iter must be 1; Heat(t, Truncation(r)) "
                "can be repeated"
            )

    def find(
        self, network: Network, n_communities: int | None, resolution: float | None, engine: Engine
    ) -> Communities:
        """Find this number of communities; None: the number of largest modularity at `resolution`, 1 by default."""
        if network.n == 1:
            return without_edges(network)
        network.metric.check_connected()
        tree = self._tree(network, engine)
        if n_communities is not None:
            return labelled(network, cut_tree(tree, n_communities, cut="robust", share=self.share))
        return labelled(network, self._best(network, tree, 1.0 if resolution is None else resolution))

    def _tree(self, network: Network, engine: Engine) -> Tree:
        space = Space(network.metric, np.full(network.n, 1.0 / network.n), None)
        rule = self.measures.on(network) if isinstance(self.measures, LazyWalk) else self.measures
        flow = iterate(Transform(rule, Exact(1.0)), space, n_iter=self.n_iter, engine=engine)
        return spanning_tree(flow.last, engine)

    def _best(self, network: Network, tree: Tree, resolution: float) -> Ints:
        """Return the robust cut with the largest modularity, which may be a single community."""
        most = min(network.n, int(2 * np.sqrt(network.n)) + 1)
        with redirect_warnings(
            lambda _: None
        ):  # no warnings: the search expects cuts with fewer clusters than requested
            cuts = list(cut_tree_each(tree, range(1, most + 1), share=self.share))
        return max(cuts, key=lambda labels: modularity(network, labels, resolution))
