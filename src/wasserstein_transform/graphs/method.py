"""Base class and shared functions of the methods that find communities."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from .._check import warn
from .._parts import Part
from .._types import Floats, Ints
from ..engine import Engine
from ..hierarchy import FewerClustersWarning
from .cuts import Communities, by_size, modularity
from .network import Network


class Method(Part, ABC):
    """A method that finds communities."""

    @abstractmethod
    def find(
        self, network: Network, n_communities: int | None, resolution: float | None, engine: Engine
    ) -> Communities:
        """Find this number of communities; if it is None, choose it, by modularity if `resolution` is given."""


def labelled(network: Network, labels: Ints, chances: Floats | None = None) -> Communities:
    """Return communities numbered by size; communities without a node are left out."""
    used, dense = np.unique(labels, return_inverse=True)
    rank = by_size(dense)
    labels = rank[dense]
    if chances is not None:
        kept = chances[:, used[np.argsort(rank)]]
        chances = kept / kept.sum(axis=1, keepdims=True)
    return Communities(network, labels, modularity(network, labels), chances=chances)


def without_edges(network: Network) -> Communities:
    """Return every node as a community of its own."""
    return labelled(network, np.arange(network.n))


def say_if_fewer(found: int, wanted: int) -> None:
    """Warn if there are fewer communities than requested."""
    if found < wanted:
        warn(
            f"found {found} communities of the {wanted} asked for: no more can be told apart; ask for fewer",
            FewerClustersWarning,
        )
