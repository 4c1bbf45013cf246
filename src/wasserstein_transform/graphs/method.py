"""What all ways to find communities share."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from .._parts import Part
from .._types import Floats, Ints
from .._warn import warn
from ..engine import Engine
from ..hierarchy import FewerClustersWarning
from .cuts import Communities, by_size, modularity
from .network import Network


class Method(Part, ABC):
    """A way to find communities."""

    @abstractmethod
    def find(self, network: Network, n: int | None, resolution: float | None, engine: Engine) -> Communities:
        """n communities, or as many as there seem to be."""


def labelled(network: Network, labels: Ints, chances: Floats | None = None) -> Communities:
    """Communities numbered by size; those without a node are left out."""
    used, dense = np.unique(labels, return_inverse=True)
    rank = by_size(dense)
    labels = rank[dense]
    if chances is not None:
        kept = chances[:, used[np.argsort(rank)]]
        chances = kept / kept.sum(axis=1, keepdims=True)
    return Communities(network, labels, modularity(network, labels), chances=chances)


def without_edges(network: Network) -> Communities:
    """Every node by itself: nothing joins them."""
    return labelled(network, np.arange(network.n))


def say_if_fewer(found: int, wanted: int) -> None:
    """Warn if there are fewer communities than asked for."""
    if found < wanted:
        warn(
            f"found {found} communities of the {wanted} asked for: no more can be told apart; ask for fewer",
            FewerClustersWarning,
        )
