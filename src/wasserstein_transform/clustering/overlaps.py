"""What partitions share: squared masses of intersections, and the adjusted Rand index that follows from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..compute.trees.partitions_jit import compare_partitions
from ..engine import Engine, Flag, Tile, cut_by_size
from ..hierarchy.labels import index_of
from .description import Runs


class Overlaps(NamedTuple):
    """What a partition shares with each of several partitions.

    Attributes
    ----------
    squares : array of shape (n_partitions,)
        Sums of the squared masses of the intersections of clusters.
    main : array of shape (n_clusters,)
        For each cluster of all partitions, the cluster of the one that holds most of it.
    """

    squares: Floats
    main: Ints

    @classmethod
    def of(cls, one: Ints, codes: Ints, runs: Runs, mass: Floats) -> Overlaps:
        """Compare a partition with those whose clusters are numbered by `codes`, in one sequence."""
        squares, main = np.empty(len(codes)), np.empty(runs.total, np.intp)
        starts = np.concatenate([[0], np.cumsum(np.bincount(one))])
        held, most = np.zeros((2, runs.total))
        compare_partitions(codes, np.argsort(one, kind="stable"), starts, mass, held, most, squares, main)
        return cls(squares, main)


def adjusted_rand(partitions: list[Ints], mass: Floats, engine: Engine) -> Floats:
    """Return the adjusted Rand index of every two partitions, by mass: over pairs of units of mass."""
    runs = Runs.of(partitions)
    codes = np.array(partitions) + runs.starts[:, None]
    squares = np.zeros((len(codes), len(codes)))

    def compare(tile: Tile, _: Flag) -> None:
        for at in range(tile.start, tile.stop):
            before = Runs(runs.starts[: at + 1], runs.counts[: at + 1])
            squares[at, : at + 1] = Overlaps.of(partitions[at], codes[: at + 1], before, mass).squares

    engine.silent().for_tiles("criteria", cut_by_size(len(codes), 8), compare)
    squares = squares + np.tril(squares, -1).T
    return index_of(squares, np.diag(squares)[:, None], np.diag(squares), mass.sum())
