"""Hierarchical clustering of any space, as a SciPy linkage matrix."""

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

_STEPS = 2e7  # distances between two progress reports


def linkage(space: Space | ArrayLike, method: Method = "single", engine: Engine | None = None) -> Floats:
    """Compute the hierarchical clustering of a space as SciPy's linkage matrix `Z`.

    Parameters
    ----------
    space : Space, or array of shape (n, m)
        The points; an array means Euclidean distances.
    method : {"single", "average", "complete"}, default "single"
        "single" uses a spanning tree and stores no matrix; points of weight 0 never connect others. The other methods
        need all distances and ignore weights.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    array of shape (n−1, 4)
        SciPy's linkage matrix: the two merged clusters, their distance, and the size of the new cluster.

    Notes
    -----
    "single": O(n²) distances at worst, memory O(n) in addition to the metric. Others: time O(n²), 4 n² bytes.

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
    """SciPy's linkage matrix, equal to the bit, from condensed distances, which are overwritten."""
    if not np.isfinite(distances).all():
        raise ValueError("linkage needs finite distances, but some are infinite; use the largest connected part")
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
