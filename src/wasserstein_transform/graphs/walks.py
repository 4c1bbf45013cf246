"""Measures of one step of a lazy random walk on a graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array

from .. import _check as check
from .._parts import Part
from ..localize import Given
from .network import Network


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
