"""Stability: whether random parts of the points have a partition that is nearly the same."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from .._types import Floats, Ints
from ..compute import sample_evenly
from ..engine import Engine
from ..hierarchy import spanning_tree
from ..hierarchy.labels import number_by_first
from .candidates import cut_everywhere, cut_into, resolutions
from .ground import Ground
from .links import NeighborGraph, link_strengths
from .partitions import Partitions
from .recipes import Recipe

_N_PARTS, _SHARE = 3, 0.7  # random parts of the points, and how many each has
_REACH = 5  # neighbors of mutual reachability
_COMPARED = 1000  # places by which partitions are compared


def stabilities(ground: Ground, partitions: Partitions, wanted: int | None, engine: Engine) -> Floats:
    """Return how well each partition agrees with the most similar one of random parts of the points, on average.

    Partitions of a part are cuts of its tree of mutual reachability, and communities of its part of the neighbor graph.
    """
    strengths, rng = link_strengths(ground.indices, ground.mass), np.random.default_rng(0)
    n = max(int(_SHARE * ground.n), min(ground.n, 4))
    some = sample_evenly(n, _COMPARED)

    def compare(rows: Ints, own: Engine) -> Floats:
        whole = partitions.take(rows[some])
        found = _partitions_of(ground, strengths, rows, wanted, own)
        return np.asarray(np.max([whole.agreement(number_by_first(one[some])) for one in found], axis=0))

    parts = [np.sort(rng.choice(ground.n, n, replace=False)) for _ in range(_N_PARTS)]
    return np.asarray(np.mean(engine.map(compare, parts, "stability"), axis=0))


def _partitions_of(ground: Ground, strengths: csr_array, rows: Ints, wanted: int | None, engine: Engine) -> list[Ints]:
    """Return different partitions of a part of the places."""
    mass = ground.mass[rows]
    reach = min(_REACH, len(rows) - 1)
    tree = spanning_tree(ground.space.take(rows), engine, reachability=reach)
    recipe, graph = Recipe("reach", reach=reach), NeighborGraph.of(csr_array(strengths[rows][:, rows]))
    if wanted is None:
        found = [one.labels for one in cut_everywhere(mass, recipe, tree)]
        found += [graph.partition(resolution) for resolution in resolutions()]
    else:
        found = [one.labels for one in cut_into(wanted, mass, recipe, tree)]
        merged = graph.merged(wanted)
        if merged is not None:
            found.append(merged)
    return list({one.tobytes(): one for one in found}.values())
