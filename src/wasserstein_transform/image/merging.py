"""Merge the many regions of mean shift to fewer, larger ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..compute.pixels import facing, number_parts
from ..engine import Engine, current
from ..kernels.regions import Borders, Regions, merge_regions
from .regions import means, merge_small, renumbered, touching


class Graph(NamedTuple):
    """Regions and the borders between them: the input of merging."""

    regions: Regions
    borders: Borders

    @classmethod
    def of(cls, labels: Ints, values: Floats, modes: Floats) -> Graph:
        return cls(_regions(labels, values), _borders(labels, modes))

    def copy(self) -> Graph:
        return Graph(Regions(*(part.copy() for part in self.regions)), Borders(*(part.copy() for part in self.borders)))


@dataclass(frozen=True)
class Merging:
    """Merge touching regions, the cheapest pair first, until every pair costs more than a multiple of the range radius.

    The cost of a pair is s^growth · d^(1 − edge) · g^edge:

    - s = ab/(a + b) for regions that are fractions a and b of the image, so that large regions are merged last. With
      growth ½, edge 0 and equal spreads this is Ward's rule.
    - d, in values: the Wasserstein distance of the two regions' values, with each channel taken as normal. It separates
      regions of equal mean and different texture.
    - g, in values: the mean gap between the modes of pixels that face each other across the border. It is small along
      a slow gradient and large at an edge.

    Parameters
    ----------
    share : float, default 2
        Largest cost of a merge, as a multiple of the range radius; larger values leave fewer regions.
    growth : float, default 0.35
        Exponent of the size s.
    edge : float, 0 to 1, default 1/3
        Weight of the border: 0 ignores it, 1 uses it alone.
    min_size : int, default 30
        Regions of fewer pixels are merged first, into the most similar touching region. This saves time: there are
        many of them, and each merge costs time for every neighbor of the growing region.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> image = np.repeat([[10.0] * 16 + [16.0] * 16 + [50.0] * 16], 16, axis=0)
    >>> [wt.image.segment_by_radii(image, 5, 5, merging=way).n_segments for way in (None, wt.image.Merging())]
    [3, 2]
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
        """Merge regions; return the new labels and the number of regions.

        Parameters
        ----------
        labels : array of int, shape of the grid
            Regions 0, 1, …; −1 is none.
        values, modes : arrays of shape (pixels, channels)
            Values of the image, and values after moving.
        range : float
            The range radius, in values.
        engine : Engine, optional
            Progress and cancellation; None means the setting of `wt.using`.
        """
        labels = merge_small(labels, modes, self.min_size, engine)[0]
        new, left = self.merged(Graph.of(labels, values, modes), range, engine)
        return renumbered(labels, new), left

    def merged(self, graph: Graph, range: float, engine: Engine | None = None) -> tuple[Ints, int]:
        """Return the new region of each old one, and the number of new ones."""
        regions, borders = graph.copy()  # merging overwrites both
        count = len(regions.sizes)
        new, rule = np.arange(count), (self.growth, self.edge, self.share * range)
        with current(engine).watched() as engine:
            engine.report("merging regions", 0, 1)
            engine.alone(lambda stop: merge_regions(regions, borders, *rule, new, stop), "merging regions")
        return new, number_parts(new)


def _regions(labels: Ints, values: Floats) -> Regions:
    inside = labels.ravel() >= 0
    n_inside = np.count_nonzero(inside)
    centers, squares, counts = list[Floats](), list[Floats](), np.empty(0, np.intp)
    for column in values.T:
        centered = column.astype(np.float64)
        centered -= centered[inside].cumsum()[-1] / n_inside  # avoids cancellation in the variance of large values
        centered[~inside] = 0.0
        average, counts = means(labels, centered[:, None])
        centers.append(average[:, 0])
        squares.append(means(labels, (centered**2)[:, None])[0][:, 0])
    sizes, nothing = counts / counts.sum(), np.full(len(counts), -1)
    return Regions(
        sizes, np.stack(centers, axis=1) * sizes[:, None], np.stack(squares, axis=1) * sizes[:, None],
        nothing, nothing.copy(), np.zeros(len(counts), np.intp), nothing.copy(),
    )  # fmt: skip


def _borders(labels: Ints, modes: Floats) -> Borders:
    pairs, flat = touching(labels), labels.ravel()
    count, n = int(labels.max()) + 1, len(pairs)
    keys = pairs[:, 0] * count + pairs[:, 1]
    lengths, gaps = np.zeros(n), np.zeros(n)
    for one, other in facing(labels):
        a, b = flat[one], flat[other]
        border = np.searchsorted(keys, np.minimum(a, b) * count + np.maximum(a, b))
        np.add.at(lengths, border, 1.0)
        np.add.at(gaps, border, np.sqrt(((modes[one] - modes[other]) ** 2).sum(axis=1)))
    return Borders(
        pairs, lengths, gaps,
        np.full(2 * n, -1), np.empty(n), np.empty(n, np.intp), np.empty(n, np.intp),
    )  # fmt: skip
