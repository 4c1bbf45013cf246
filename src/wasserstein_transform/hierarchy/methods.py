"""Hierarchical clustering of any space as SciPy's linkage matrix."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .._types import Floats
from ..backends.host import join_edges, merge_chains
from ..engine import Engine, Flag, current, of_size
from ..spaces import Space
from .tree import spanning_tree

Method = Literal["single", "average", "complete"]

_STEPS = 2e7  # distances looked at between two looks at progress


def linkage(space: Space | ArrayLike, method: Method = "single", engine: Engine | None = None) -> Floats:
    """SciPy's linkage matrix `Z` of shape (n−1, 4).

    Parameters
    ----------
    space : Space, or array of points
    method : {"single", "average", "complete"}
        Single linkage comes from a spanning tree and stores no matrix, and points without mass never connect others.
        The other methods need all distances and do not know weights.
    engine : Engine, optional

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.linkage([[0.0], [1.0], [5.0]])
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    space = space if isinstance(space, Space) else Space.from_points(space)
    if method == "single":
        return spanning_tree(space, engine).Z
    if method not in ("average", "complete"):
        raise ValueError(f"method must be 'single', 'average' or 'complete', got {method!r}")
    if space.n == 1:
        return np.empty((0, 4))
    with current(engine).watched() as watched:
        return _chained(space.metric.condensed(watched), space.n, method == "average", watched)


def _chained(distances: Floats, n: int, average: bool, engine: Engine) -> Floats:
    """SciPy's linkage matrix, to the bit, from condensed distances, which it overwrites."""
    if not np.isfinite(distances).all():
        raise ValueError("linkage needs finite distances, and some are not; use the largest part that hangs together")
    edges, heights = np.empty((n - 1, 2), np.intp), np.empty(n - 1)
    sizes, chain = np.ones(n, np.intp), np.empty(n, np.intp)

    def work(stop: Flag) -> None:
        length = 0
        for tile in of_size(n - 1, max(1, int(_STEPS / n / 4))):
            part = slice(tile.start, tile.stop)
            length = merge_chains(distances, sizes, chain, length, average, edges[part], heights[part], stop)
            if stop[0]:
                return
            engine.report("linkage", tile.stop, n - 1)

    engine.report("linkage", 0, n - 1)
    engine.alone(work, "linkage")
    order, out = np.argsort(heights, kind="stable"), np.empty((n - 1, 4))
    join_edges(edges[order], heights[order], out)
    return out
