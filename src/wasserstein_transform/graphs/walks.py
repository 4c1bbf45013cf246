"""Measures that only a graph has: where a lazy random walk is after one step."""

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
    """A walk that stays with chance `idleness`, and else goes to a neighbor, to y ∝ exp(−length(x, y)^power).

    Parameters
    ----------
    idleness : float
        α in [0, 1]; a node without neighbors always stays.
    power : float
        0 is the simple random walk: all neighbors alike. 2 is what Ni, Lin, Luo and Gao (2019) take for Ricci flow.

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
        """The walk on a graph, as a localization."""
        edges = network.metric.lengths
        degrees = np.diff(edges.indptr)
        chances = np.ones(edges.nnz)
        if self.power > 0 and edges.nnz:
            with np.errstate(over="ignore", under="ignore"):
                reluctance = edges.data**self.power
            if np.isinf(reluctance).any():
                raise ValueError(
                    f"lengths up to {edges.data.max():g} to the power {self.power:g} are beyond floats; rescale "
                    "lengths or use a smaller power"
                )
            least = np.zeros(network.n)
            some = degrees > 0
            least[some] = np.minimum.reduceat(reluctance, edges.indptr[:-1][some])
            chances = np.exp(np.repeat(least, degrees) - reluctance)  # the nearest counts 1: nothing vanishes
        rows = csr_array((chances, edges.indices, edges.indptr), shape=edges.shape)
        sums = np.asarray(rows.sum(axis=1)).ravel()
        share = np.where(degrees > 0, 1.0 - self.idleness, 0.0) / np.where(degrees > 0, sums, 1.0)
        return Given(csr_array(diags_array(share) @ rows + diags_array(np.where(degrees > 0, self.idleness, 1.0))))
