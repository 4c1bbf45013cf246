"""Balanced Forman curvature: from counts of triangles and squares at each edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .._shown import facts, in_range
from .._types import Floats
from ..engine import Engine, current, cut_by_size
from .network import Network, as_network

_WEDGES = 2e6  # nodes at two steps from the edges processed at a time


@dataclass(frozen=True, eq=False)
class Forman:
    """Balanced Forman curvature of all m edges; `balanced_forman` returns it.

    Attributes
    ----------
    network : Network
        The graph; lengths of edges are ignored.
    values : array of shape (m,)
        Curvatures in (−2, 2], in the order of `network.edges`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.graphs.balanced_forman([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)])
    >>> found
    <Forman curvature of 5 edges, -0.333 to 1.5>
    >>> found.network.edges[0], found.values.round(3)
    (array([0, 1]), array([ 1.5  ,  0.833,  0.833, -0.333,  0.   ]))
    """

    network: Network
    values: Floats

    def __repr__(self) -> str:
        spread = f", {self.values.min():.3g} to {self.values.max():.3g}" if len(self.values) else ""
        return f"<Forman curvature of {len(self.values)} edges{spread}>"

    def _repr_html_(self) -> str:
        return facts("Forman curvature", {"edges": len(self.values), "curvature": in_range(self.values)})

    def to_networkx(self) -> Any:
        """Return a networkx graph with the attribute `curvature` at edges."""
        return self.network.to_networkx({"curvature": self.values})


def balanced_forman(graph: Any, engine: Engine | None = None) -> Forman:
    """Compute the balanced Forman curvature of all edges of an undirected graph, every edge counting 1.

    It has a closed form in the numbers of triangles and of squares without diagonals, and is a lower bound of the
    curvature of Lin, Lu and Yau.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix, list of edges, or a file
        Numbers at edges are ignored.
    engine : Engine, optional
        Progress and cancellation; None means the setting of `wt.using`.

    Returns
    -------
    Forman
        A value for each edge.

    Notes
    -----
    For an edge xy with degrees d_x, d_y (Topping, Di Giovanni, Chamberlain, Dong and Bronstein 2022), the curvature is
    0 if one of the degrees is 1, else

        2/d_x + 2/d_y − 2 + 2·△/max(d_x, d_y) + △/min(d_x, d_y) + (□_x + □_y)/(γ·max(d_x, d_y)).

    △ is the number of common neighbors; □_x counts the neighbors of x alone that have a neighbor among those of y
    alone, and □_y vice versa; γ is the largest number of such neighbors that one node has. Without squares the last
    term is 0. Time is proportional to the number of nodes at two steps from all edges; edges are processed in
    blocks, which bounds memory.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.graphs.balanced_forman([(0, 1), (1, 2), (2, 0)]).values
    array([1.5, 1.5, 1.5])
    >>> wt.graphs.balanced_forman([(0, 1), (1, 2), (2, 3), (3, 0)]).values
    array([1., 1., 1., 1.])
    """
    network = as_network(graph, weight=None)
    values = np.zeros(len(network.edges))
    with current(engine).watched() as watched:
        lengths = network.metric.lengths
        neighbors = csr_array((np.ones(lengths.nnz), lengths.indices, lengths.indptr), lengths.shape)
        for tile in cut_by_size(len(values), _per_tile(network)):
            watched.check()
            part = slice(tile.start, tile.stop)
            values[part] = _bent(network, neighbors, part)
            watched.report("counting triangles and squares", tile.stop, len(values))
    return Forman(network, values)


def _per_tile(network: Network) -> int:
    degrees = network.degrees.astype(np.float64)
    two_steps = float((degrees**3).sum()) / max(len(network.edges), 1)  # for an average edge, both ends together
    return max(1, int(_WEDGES / max(two_steps, 1.0)))


def _bent(network: Network, neighbors: csr_array, part: slice) -> Floats:
    x, y = network.edges[part].T
    of_x, of_y = csr_array(neighbors[x]), csr_array(neighbors[y])
    both = of_x.multiply(of_y)
    triangles = np.asarray(both.sum(axis=1)).ravel()
    only_x, only_y = _without(of_x - both, y), _without(of_y - both, x)
    at_x, most_x = _squares(only_x, only_y, neighbors)
    at_y, most_y = _squares(only_y, only_x, neighbors)
    degrees = network.degrees[network.edges[part]].astype(np.float64)
    low, high = degrees.min(axis=1), degrees.max(axis=1)
    squares = (at_x + at_y) / np.maximum(np.maximum(most_x, most_y), 1.0)
    values = 2 / low + 2 / high - 2 + 2 * triangles / high + triangles / low + squares / high
    return np.where(low > 1, values, 0.0)


def _without(rows: csr_array, nodes: Any) -> csr_array:
    """Return rows of neighbors, each without one given node."""
    rows = csr_array(rows)
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    rows.data[rows.indices == nodes[row]] = 0.0
    rows.eliminate_zeros()
    return rows


def _squares(ours: csr_array, others: csr_array, neighbors: csr_array) -> tuple[Floats, Floats]:
    """Return, for each row, how many of `ours` have a neighbor among `others`, and the most that any of them has."""
    counts = csr_array((others @ neighbors).multiply(ours))
    counts.eliminate_zeros()
    most = np.asarray(counts.max(axis=1).todense() if counts.nnz else np.zeros(counts.shape[0])).ravel()
    return np.diff(counts.indptr).astype(np.float64), most
