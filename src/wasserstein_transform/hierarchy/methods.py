"""Hierarchical clustering of any space as SciPy's linkage matrix."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster import hierarchy as scipy_hierarchy

from .._types import Floats
from ..engine import Engine
from ..spaces import Space
from .tree import spanning_tree

Method = Literal["single", "average", "complete"]


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
    return np.asarray(scipy_hierarchy.linkage(space.metric.condensed(engine), method))
