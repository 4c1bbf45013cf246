"""From many regions to the few that people see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ... import _check as check
from ..._types import Floats, Ints
from ...backends.host import Borders, Regions, merge_regions, number_parts
from ...engine import Engine, current
from .regions import means, merge_small


class Graph(NamedTuple):
    """Regions and the borders between them: all that merging looks at."""

    regions: Regions
    borders: Borders

    @classmethod
    def of(cls, labels: Ints, values: Floats, modes: Floats) -> Graph:
        return cls(_regions(labels, values), _borders(labels, modes))

    def copy(self) -> Graph:
        return Graph(Regions(*(part.copy() for part in self.regions)), Borders(*(part.copy() for part in self.borders)))


@dataclass(frozen=True)
class Merging:
    """Merges touching regions, the cheapest pair first, until every pair costs more than a share of the range radius.

    The cost of a pair is s^growth · d^(1 − edge) · g^edge:

    - s = ab/(a + b) for regions that are shares a and b of the image: large regions stay apart more easily. With
      growth ½ and edge 0 and equal spreads this is Ward's rule.
    - d, in values: the Wasserstein distance of the two regions' values, each channel taken as normal. Regions of one
      mean and unlike texture are apart.
    - g, in values: the mean gap between the modes of pixels that face each other across the border. A slow gradient has
      small gaps, an edge has large ones.

    Parameters
    ----------
    share : float
        Of the range radius; larger leaves fewer regions.
    growth : float
        How much size counts.
    edge : float
        How much the border counts, from 0, not at all, to 1, alone.
    min_size : int
        Regions of fewer pixels are merged before, into the touching region most like them: of these there are many,
        and merging one by one takes time for each neighbor of a growing region.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> image = np.repeat([[10.0] * 16 + [16.0] * 16 + [50.0] * 16], 16, axis=0)
    >>> wt.segment(image, 5, 5).n_segments, wt.segment(image, 5, 5, merging=wt.Merging()).n_segments
    (3, 2)
    """

    share: float = 2.0
    growth: float = 0.35
    edge: float = 1 / 3
    min_size: int = 30

    def __post_init__(self) -> None:
        check.positive(self.share, "share")
        check.count(self.min_size, "min_size", 0)
        check.tolerance(self.growth, "growth")
        if check.tolerance(self.edge, "edge") > 1:
            raise ValueError(f"edge must lie between 0 and 1, got {self.edge}")

    def __call__(
        self, labels: Ints, values: Floats, modes: Floats, range: float, engine: Engine | None = None
    ) -> tuple[Ints, int]:
        """Fewer regions, and their number.

        Parameters
        ----------
        labels : array of the shape of the grid
            Regions 0, 1, …; −1 is none.
        values, modes : array of shape (pixels, channels)
            Of the image, and after moving.
        range : float
            The range radius.
        engine : Engine, optional
        """
        labels = merge_small(labels, modes, self.min_size)[0]
        new, left = self.merged(Graph.of(labels, values, modes), range, engine)
        return np.where(labels >= 0, new[labels], -1), left

    def merged(self, graph: Graph, range: float, engine: Engine | None = None) -> tuple[Ints, int]:
        """The new region of each old one, and the number of new ones."""
        regions, borders = graph.copy()  # merging overwrites both
        count = len(regions.sizes)
        new, rule = np.arange(count), (self.growth, self.edge, self.share * range)
        with current(engine).watched() as engine:
            engine.report("merging regions", 0, 1)
            engine.alone(lambda stop: merge_regions(regions, borders, *rule, new, stop), "merging regions")
        return new, number_parts(new)


def _regions(labels: Ints, values: Floats) -> Regions:
    inside = labels.ravel() >= 0
    centered = values - values[inside].mean(axis=0)  # squares of large values would leave nothing of the spread
    centers, counts = means(labels, centered)
    squares, _ = means(labels, np.where(inside[:, None], centered, 0.0) ** 2)
    sizes, nothing = counts / counts.sum(), np.full(len(counts), -1)
    return Regions(
        sizes, centers * sizes[:, None], squares * sizes[:, None],
        nothing, nothing.copy(), np.zeros(len(counts), np.intp), nothing.copy(),
    )  # fmt: skip


def _borders(labels: Ints, modes: Floats) -> Borders:
    ends, gaps = _facing(labels, modes)
    count = int(labels.max()) + 1
    found, border = np.unique(ends[:, 0] * count + ends[:, 1], return_inverse=True)
    n = len(found)
    return Borders(
        np.stack([found // count, found % count], axis=1),
        np.bincount(border, minlength=n).astype(np.float64),
        np.bincount(border, gaps, n),
        np.full(2 * n, -1), np.empty(n), np.empty(n, np.intp), np.empty(n, np.intp),
    )  # fmt: skip


def _facing(labels: Ints, modes: Floats) -> tuple[Ints, Floats]:
    """Regions of pixels that touch along an axis across a border, the smaller first, and the gaps of their modes."""
    pixels = np.arange(labels.size).reshape(labels.shape)
    pairs = []
    for axis in range(labels.ndim):
        ahead, who = np.moveaxis(labels, axis, 0), np.moveaxis(pixels, axis, 0)
        across = (ahead[:-1] != ahead[1:]) & (ahead[:-1] >= 0) & (ahead[1:] >= 0)
        pairs.append(np.stack([who[:-1][across], who[1:][across]], axis=1))
    found = np.concatenate(pairs)
    gaps = np.sqrt(((modes[found[:, 0]] - modes[found[:, 1]]) ** 2).sum(axis=1))
    return np.sort(labels.ravel()[found], axis=1), gaps
